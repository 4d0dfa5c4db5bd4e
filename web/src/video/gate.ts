// Which pictures go to the decoder: none that is older than one before it, none whose references
// are missing, and after an error nothing until a picture stands for itself.
import type { Picture } from "../wire/messages.js";

export type Verdict = "decode" | "late" | "needs a keyframe";

/** Half the number space: a number that far behind is a new count, not a late picture. */
function newer(a: number, b: number): boolean {
  return ((a - b) | 0) > 0;
}

/** Further behind than this is a camera that began anew. */
const restart = 300;
const askAgainAfter = 500; // ms

export class PictureGate {
  private last: number | null = null;
  private whole = false;
  private askedAt = -Infinity;

  admit(picture: Pick<Picture, "number" | "key" | "clean">, independent: boolean): Verdict {
    const { number } = picture;
    if (this.last !== null && !newer(number, this.last) && ((this.last - number) | 0) < restart) return "late";
    const follows = this.last !== null && number === (this.last + 1) >>> 0;
    this.last = number;
    if (independent || picture.key) {
      this.whole = true;
    } else if (!follows || !picture.clean) {
      this.whole = false;
    }
    return this.whole ? "decode" : "needs a keyframe";
  }

  /** The decoder broke, or the page was hidden. */
  broke(): void {
    this.whole = false;
  }

  /** True: ask for a keyframe now. Asked for seldom, since everybody watching gets it. */
  ask(now: number): boolean {
    if (this.whole || now - this.askedAt < askAgainAfter) return false;
    this.askedAt = now;
    return true;
  }
}
