import { type Axes, isNeutral, neutral, shapedPair } from "./axes.js";

/** What the browser says of one gamepad now. */
export interface PadSample {
  id: string;
  index: number;
  connected: boolean;
  /** the browser knows which button is which */
  standard: boolean;
  /** ms, the page's clock: when the pad last said something new */
  timestamp: number;
  axes: readonly number[];
  buttons: readonly boolean[];
}

export type PadState = "none" | "centre it" | "ready" | "stale";

export interface PadView {
  state: PadState;
  name: string;
  standard: boolean;
  axes: Axes;
  /** ms, the page's clock: not later than this the stick was pushed */
  at: number;
}

export type PadEvent = "lost" | "stale" | "stop";

export interface PadOptions {
  deadZone: number;
  /**
   * A pad out of range repeats its last value until the system misses it, which takes seconds; a
   * stick at its rim, held by a calm hand, may also say nothing new for a while, as browsers tell
   * changes only. What tells them apart is time, and the time there is depends on the speed: a pad
   * that says nothing new moves the robot by no more than this. Half the agent's blind distance
   * (0.8 m): the other half is for the way of the set-point and for braking. m
   */
  silentReach: number;
  /** And for no longer than this, however slow; turning on the spot too. ms */
  staleAfter: number;
  /** B, circle: the right one of the four */
  stopButton: number;
}

export const padDefaults: PadOptions = { deadZone: 0.15, silentReach: 0.4, staleAfter: 1500, stopButton: 1 };

/** One gamepad, the first that is there. A stick counts only after it was seen centred. */
export class Pad {
  private state: PadState = "none";
  private name = "";
  private standard = false;
  private index = -1;
  private axes: Axes = neutral;
  private at = 0;
  private stamp = 0;
  private news = 0;
  private looked = 0;
  private down: readonly boolean[] = [];

  constructor(private readonly options: PadOptions = padDefaults) {}

  get view(): PadView {
    const { state, name, standard, at } = this;
    return { state, name, standard, axes: state === "ready" ? this.axes : neutral, at };
  }

  /** The stick must be seen centred again before it counts. */
  recentre(): void {
    if (this.state === "ready" && !isNeutral(this.axes)) this.state = "centre it";
  }

  /** `speed`: m/s of a stick pushed fully. */
  sample(pads: readonly (PadSample | null)[], now: number, speed: number): PadEvent | null {
    const there = pads.filter((p): p is PadSample => p !== null && p.connected);
    const pad = there.find((p) => p.index === this.index) ?? there[0];
    if (!pad || (this.index >= 0 && pad.index !== this.index)) {
      const had = this.state !== "none";
      this.forget();
      if (had) return "lost";
      if (!pad) return null;
    }
    const event = this.read(pad, now, speed);
    this.looked = now;
    return event;
  }

  private read(pad: PadSample, now: number, speed: number): PadEvent | null {
    if (this.state === "none") this.take(pad, now);
    if (pad.timestamp !== this.stamp) {
      this.stamp = pad.timestamp;
      this.news = now;
    }
    const rested = isNeutral(this.axes);
    this.axes = shapedPair(-(pad.axes[1] ?? 0), -(pad.axes[0] ?? 0), this.options.deadZone);
    if (rested && !isNeutral(this.axes)) this.at = this.looked; // it came after that look
    const down = this.stopButtons(pad);
    const pressed = down.some((is, i) => is && !this.down[i]);
    this.down = down;
    if (pressed) return "stop";
    if (isNeutral(this.axes)) {
      this.state = "ready";
    } else if (this.state === "ready" && now - this.news > this.patience(speed)) {
      this.state = "stale";
      return "stale";
    }
    return null;
  }

  /** Which one is B is not known of every pad: of the others any button stops. */
  private stopButtons(pad: PadSample): readonly boolean[] {
    return pad.standard ? [pad.buttons[this.options.stopButton] ?? false] : pad.buttons;
  }

  /** How long a deflected stick may say nothing new. ms */
  private patience(speed: number): number {
    const { silentReach, staleAfter } = this.options;
    return Math.min(staleAfter, (silentReach / (Math.abs(this.axes.forward) * speed)) * 1000);
  }

  private take(pad: PadSample, now: number): void {
    this.index = pad.index;
    this.name = pad.id;
    this.standard = pad.standard;
    this.state = "centre it";
    this.stamp = -1;
    this.looked = now;
    // Browsers show a pad when one of its buttons is pressed: any button, so that one stops nothing.
    this.down = pad.standard ? [] : pad.buttons;
  }

  private forget(): void {
    this.state = "none";
    this.name = "";
    this.index = -1;
    this.axes = neutral;
    this.down = [];
  }
}

export function padsNow(): (PadSample | null)[] {
  return Array.from(navigator.getGamepads?.() ?? [], (p) => p && {
    id: p.id, index: p.index, connected: p.connected, standard: p.mapping === "standard",
    timestamp: p.timestamp, axes: p.axes, buttons: p.buttons.map((b) => b.pressed),
  });
}
