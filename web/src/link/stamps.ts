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

/**
 * The agent's clock, by the station's estimate of it in each pong. It was read after the ping was
 * sent: so at that time it showed no more, however long the answer waited for this page. The least
 * of the last few is near the truth, as a ping does not wait.
 */
export class AgentClock {
  private readonly readings: { stamp: number; sent: number }[] = [];

  saw(stamp: number, sent: number): void {
    if (stamp === 0) return;
    this.readings.push({ stamp, sent });
    if (this.readings.length > 16) this.readings.shift();
  }
  /** How long ago, at `now`, the agent's clock showed `stamp`. ms; null: not known */
  since(stamp: number, now: number): number | null {
    if (this.readings.length === 0) return null;
    const ages = this.readings.map((r) => ((Math.round(r.stamp + (now - r.sent) * 1000) - stamp) | 0) / 1000);
    return Math.max(0, Math.min(...ages));
  }
  forget(): void {
    this.readings.length = 0;
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
