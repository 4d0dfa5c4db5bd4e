// Turns held input into set-points, and every way of losing the person into a stop.
//
// Hold-to-run: set-points flow only while something is held, and each says how old its input is.
// What interrupts the hold (focus, hiding, a lost pad, a stale picture) sends zero, and nothing
// moves again until the input was seen neutral and pressed anew.
import type { Twist } from "../wire/messages.js";
import { type Axes, isNeutral } from "./axes.js";

export type Source = "keys" | "pad" | "stick";

/** Why the page itself ended driving. */
export type Interruption = "focus" | "hidden" | "pad" | "pointer" | "person" | "frozen";

export interface Conditions {
  /** this page holds control: an Arm of its own may be on its way */
  holds: boolean;
  /** it holds control, and the agent says armed or driving */
  armed: boolean;
  /** why motion is locked though armed ("the picture is 0.8 s old"), or null */
  lock: string | null;
  linear: number; // m/s at full deflection
  angular: number; // rad/s
}

export interface Input {
  axes: Axes;
  /** ms, the page's clock: the newest event that the axes come from */
  at: number;
}
export type Inputs = Record<Source, Input>;

export type Order =
  | { order: "drive"; twist: Twist; age: number }
  | { order: "disarm"; interruption: Interruption; why: string };

export interface DriveOptions {
  period: number; // ms between set-points
  /** A timer this late: events that end the hold may still wait behind it, so nothing is sent until
   * the next one. ms */
  lateAfter: number;
  /** And this late the page was frozen, and the robot has long been stopped by its agent. ms */
  frozenAfter: number;
  /** How often zero is repeated at the end of a motion, against loss. */
  zeros: number;
}

export const driveDefaults: DriveOptions = { period: 50, lateAfter: 150, frozenAfter: 1000, zeros: 3 };

/** How often set-points are repeated, from what the station wishes: at least three times in their
 * lifetime, so that a late one does not make the robot stutter. ms */
export function periodFor(wished: number, lifetime: number): number {
  const period = wished > 0 ? wished : driveDefaults.period;
  return Math.max(10, lifetime > 0 ? Math.min(period, lifetime / 3) : period);
}

/** How often to look at the inputs: 20 times a second, and in step with the set-points. ms */
export function turnFor(period: number): number {
  return period / Math.ceil(period / driveDefaults.period);
}

export class Drive {
  /** the source that moves the robot now */
  source: Source | null = null;
  /** the newest set-point sent */
  twist: Twist = { linear: 0, angular: 0 };
  /** set: input is held that does not count, until it was released */
  waitsForNeutral = true;
  /** between set-points. ms */
  period: number;
  private armed = false;
  private zerosLeft = 0;
  private sentAt = -Infinity;
  private tickedAt = -Infinity;
  private usedAt = -Infinity;

  constructor(private readonly options: DriveOptions = driveDefaults) {
    this.period = options.period;
  }

  get moving(): boolean {
    return this.source !== null;
  }

  /** Call every turn, and at once when input changed. */
  tick(now: number, inputs: Inputs, conditions: Conditions): Order[] {
    const gap = now - this.tickedAt;
    this.tickedAt = now;
    const lost = this.armed && !conditions.armed;
    if (conditions.armed !== this.armed) {
      this.armed = conditions.armed;
      this.waitsForNeutral = true;
    }
    const held = holding(inputs);
    if (!held) this.waitsForNeutral = false;
    if (lost) return this.halt(now);
    if (!this.armed) return [];
    if (this.moving && gap > this.options.frozenAfter) {
      return this.interrupt(now, "frozen", `the page was frozen for ${(gap / 1000).toFixed(1)} s`, conditions);
    }
    if (this.moving && held && gap > this.options.lateAfter) return [];
    if (!held || this.waitsForNeutral || conditions.lock !== null) {
      if (held) this.waitsForNeutral = true;
      return this.halt(now);
    }
    // The source that began goes on until it is let go: two at once must not add up.
    const source = this.source !== null && !isNeutral(inputs[this.source].axes) ? this.source : held;
    const { axes, at } = inputs[source];
    const twist = { linear: axes.forward * conditions.linear, angular: axes.left * conditions.angular };
    const same = source === this.source && twist.linear === this.twist.linear && twist.angular === this.twist.angular;
    if (same && now - this.sentAt < this.period - 2) return [];
    // The first set-point is as old as its event; later ones sample the hold now.
    const age = at > this.usedAt ? Math.max(0, now - at) : 0;
    this.usedAt = Math.max(this.usedAt, at);
    this.source = source;
    this.zerosLeft = this.options.zeros;
    return [this.send(now, twist, age)];
  }

  /**
   * The person, or the hold on them, is gone. Sends zero, if armed, and disarms: whoever holds
   * control may have an Arm on its way, and only a Disarm sent after it overtakes it.
   */
  interrupt(now: number, interruption: Interruption, why: string, conditions: Pick<Conditions, "holds" | "armed">): Order[] {
    this.waitsForNeutral = true;
    this.source = null;
    this.zerosLeft = 0;
    const armed = this.armed || conditions.armed;
    if (!armed && !conditions.holds) return [];
    const disarm: Order = { order: "disarm", interruption, why };
    return armed ? [this.send(now, { linear: 0, angular: 0 }, 0), disarm] : [disarm];
  }

  private halt(now: number): Order[] {
    this.source = null;
    if (this.zerosLeft === 0) return [];
    // The first zero at once, its repeats in rhythm.
    const first = this.zerosLeft === this.options.zeros;
    if (!first && now - this.sentAt < this.period - 2) return [];
    --this.zerosLeft;
    return [this.send(now, { linear: 0, angular: 0 }, 0)];
  }

  private send(now: number, twist: Twist, age: number): Order {
    this.twist = twist;
    this.sentAt = now;
    return { order: "drive", twist, age };
  }
}

function holding(inputs: Inputs): Source | null {
  if (!isNeutral(inputs.stick.axes)) return "stick";
  if (!isNeutral(inputs.pad.axes)) return "pad";
  if (!isNeutral(inputs.keys.axes)) return "keys";
  return null;
}
