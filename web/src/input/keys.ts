import type { Axes } from "./axes.js";

const forward = new Set(["KeyW", "ArrowUp"]);
const back = new Set(["KeyS", "ArrowDown"]);
const left = new Set(["KeyA", "ArrowLeft"]);
const right = new Set(["KeyD", "ArrowRight"]);

export function isDriveKey(code: string): boolean {
  return forward.has(code) || back.has(code) || left.has(code) || right.has(code);
}

/**
 * The keys that are held. After clear() a key counts only when it is pressed anew: the repeats
 * that the system sends for one that stayed down are no intent.
 */
export class Keys {
  private readonly held = new Set<string>();

  /** True when this changed something. */
  down(code: string, repeat: boolean): boolean {
    if (repeat || !isDriveKey(code) || this.held.has(code)) return false;
    this.held.add(code);
    return true;
  }
  up(code: string): boolean {
    return this.held.delete(code);
  }
  clear(): void {
    this.held.clear();
  }

  get axes(): Axes {
    const any = (codes: Set<string>) => (([...codes].some((c) => this.held.has(c)) ? 1 : 0));
    return { forward: any(forward) - any(back), left: any(left) - any(right) };
  }
}
