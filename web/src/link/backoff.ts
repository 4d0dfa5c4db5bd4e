/** How long to wait before the next try: soon at first, then slower, never long. */
export class Backoff {
  private tries = 0;
  constructor(
    private readonly first = 250,
    private readonly most = 4000,
  ) {}
  /** `chance` in 0 … 1 spreads the pages of one station that was started again. ms */
  next(chance: number): number {
    const base = Math.min(this.most, this.first * 2 ** this.tries);
    ++this.tries;
    return base * (0.75 + 0.5 * chance);
  }
  reset(): void {
    this.tries = 0;
  }
}
