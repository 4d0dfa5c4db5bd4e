import { StopPress } from "./stop.js";

/** The stops of all robots: a press belongs to the robot that was looked at when it was pressed. */
export class Stops {
  private readonly all = new Map<number, StopPress>();

  /** Robot 0 is every robot of the agent: pressed while the page knew of none. */
  of(robot: number): StopPress {
    const known = this.all.get(robot);
    if (known) return known;
    const fresh = new StopPress();
    this.all.set(robot, fresh);
    return fresh;
  }

  /** What whoever looks at this robot must see. */
  seen(robot: number): StopPress {
    const every = this.all.get(0);
    return every && every.state !== "clear" ? every : this.of(robot);
  }

  /** The robots that a stop must be sent to, again or at last. */
  tick(now: number, connected: boolean, heard: boolean): number[] {
    return [...this.all].filter(([, stop]) => stop.tick(now, connected, heard)).map(([robot]) => robot);
  }

  onEnded(robot: number, number: number, applied: boolean, text: string): void {
    this.of(robot).onEnded(number, applied, text);
    // From here on each robot tells of its own latch.
    if (robot === 0 && applied && number === this.of(0).number) this.all.delete(0);
  }
  onNewAgent(): void {
    for (const stop of this.all.values()) stop.onNewAgent();
  }
  /** What the agent does not have, nothing can stop. */
  onRobots(robots: readonly number[]): void {
    for (const robot of this.all.keys()) if (robot !== 0 && !robots.includes(robot)) this.all.delete(robot);
  }
}
