// The agent's 32-bit µs stamps. They wrap every 71.6 minutes: only differences mean anything.

/** a is later than b, given that they are less than 35 minutes apart. */
export function laterStamp(a: number, b: number): boolean {
  return ((a - b) | 0) > 0;
}

/** The newest stamp that the agent is known to have given out; what set-points echo. */
export class Echo {
  stamp = 0;
  saw(stamp: number): void {
    if (stamp !== 0 && (this.stamp === 0 || laterStamp(stamp, this.stamp))) this.stamp = stamp;
  }
  /** A new agent, or none: old stamps say nothing. */
  forget(): void {
    this.stamp = 0;
  }
}

/** Median of the last few, so that one late answer does not show as a jump. */
export class Recent {
  private readonly values: number[] = [];
  constructor(private readonly size = 9) {}
  add(value: number): void {
    this.values.push(value);
    if (this.values.length > this.size) this.values.shift();
  }
  get median(): number | null {
    if (this.values.length === 0) return null;
    const sorted = [...this.values].sort((a, b) => a - b);
    return sorted[sorted.length >> 1]!;
  }
  clear(): void {
    this.values.length = 0;
  }
}
