import { type Axes, isNeutral, neutral, shapedPair } from "./axes.js";

/** What the browser says of one gamepad now. */
export interface PadSample {
  id: string;
  index: number;
  connected: boolean;
  /** ms, the page's clock: when the pad last said something new */
  timestamp: number;
  axes: readonly number[];
  buttons: readonly boolean[];
}

export type PadState = "none" | "centre it" | "ready" | "stale";

export interface PadView {
  state: PadState;
  name: string;
  axes: Axes;
}

export type PadEvent = "lost" | "stale" | "stop";

export interface PadOptions {
  deadZone: number;
  /** A deflected stick that says nothing new for so long is taken for a pad out of range: a real
   * hand is never that still. ms */
  staleAfter: number;
  /** B, circle: the right one of the four */
  stopButton: number;
}

export const padDefaults: PadOptions = { deadZone: 0.15, staleAfter: 1500, stopButton: 1 };

/** One gamepad, the first that is there. A stick counts only after it was seen centred. */
export class Pad {
  private state: PadState = "none";
  private name = "";
  private index = -1;
  private axes: Axes = neutral;
  private stamp = 0;
  private news = 0;
  private stopHeld = false;

  constructor(private readonly options: PadOptions = padDefaults) {}

  get view(): PadView {
    return { state: this.state, name: this.name, axes: this.state === "ready" ? this.axes : neutral };
  }

  /** The stick must be seen centred again before it counts. */
  recentre(): void {
    if (this.state === "ready" && !isNeutral(this.axes)) this.state = "centre it";
  }

  sample(pads: readonly (PadSample | null)[], now: number): PadEvent | null {
    const there = pads.filter((p): p is PadSample => p !== null && p.connected);
    const pad = there.find((p) => p.index === this.index) ?? there[0];
    if (!pad || (this.index >= 0 && pad.index !== this.index)) {
      const had = this.state !== "none";
      this.forget();
      if (had) return "lost";
      if (!pad) return null;
    }
    return this.read(pad, now);
  }

  private read(pad: PadSample, now: number): PadEvent | null {
    if (this.state === "none") {
      this.index = pad.index;
      this.name = pad.id;
      this.state = "centre it";
      this.stamp = -1;
    }
    if (pad.timestamp !== this.stamp) {
      this.stamp = pad.timestamp;
      this.news = now;
    }
    this.axes = shapedPair(-(pad.axes[1] ?? 0), -(pad.axes[0] ?? 0), this.options.deadZone);
    const stop = pad.buttons[this.options.stopButton] ?? false;
    const pressed = stop && !this.stopHeld;
    this.stopHeld = stop;
    if (pressed) return "stop";
    if (isNeutral(this.axes)) {
      this.state = "ready";
    } else if (this.state === "ready" && now - this.news > this.options.staleAfter) {
      this.state = "stale";
      return "stale";
    }
    return null;
  }

  private forget(): void {
    this.state = "none";
    this.name = "";
    this.index = -1;
    this.axes = neutral;
    this.stopHeld = false;
  }
}
