import { type Axes, neutral, shapedPair } from "./axes.js";

export const stickDeadZone = 0.12;

/**
 * The stick on the screen: held by the one pointer that took it, and neutral the moment that
 * pointer is gone, however it went.
 */
export class Stick {
  private pointer: number | null = null;
  axes: Axes = neutral;

  get held(): boolean {
    return this.pointer !== null;
  }

  /** x right and y down from the centre, 1 at the rim. False: another pointer holds it. */
  start(pointer: number, x: number, y: number): boolean {
    if (this.pointer !== null) return false;
    this.pointer = pointer;
    this.move(pointer, x, y);
    return true;
  }
  move(pointer: number, x: number, y: number): void {
    if (pointer !== this.pointer) return;
    const reach = Math.max(1, Math.hypot(x, y));
    this.axes = shapedPair(-y / reach, -x / reach, stickDeadZone);
  }
  /** The finger was lifted. */
  end(pointer: number): void {
    if (pointer === this.pointer) this.clear();
  }
  /** The system took the pointer away. True: it was held, and the person must be told. */
  cancel(pointer: number): boolean {
    if (pointer !== this.pointer) return false;
    this.clear();
    return true;
  }
  clear(): void {
    this.pointer = null;
    this.axes = neutral;
  }
}
