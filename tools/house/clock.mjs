// The machine's clocks, as far as Node lets one see them.
import { readFileSync } from "node:fs";

/** Of this process, CLOCK_MONOTONIC. ms */
export const monotonic = () => Number(process.hrtime.bigint()) / 1e6;

/** What is added to `from` to get `to`: each reading bounds it, and the bounds are cut. */
export class Offset {
  low = -Infinity;
  high = Infinity;
  bound(low, high) {
    this.low = Math.max(this.low, low);
    this.high = Math.min(this.high, high);
  }
  get value() {
    return (this.low + this.high) / 2;
  }
  get error() {
    return Math.abs(this.high - this.low) / 2;
  }
}

/** CLOCK_BOOTTIME less CLOCK_MONOTONIC: /proc/uptime is the former, cut to 10 ms, so its ticks tell. ms */
export function bootOffset() {
  const offset = new Offset();
  for (const end = monotonic() + 100; monotonic() < end; ) {
    const before = monotonic();
    const uptime = Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]) * 1000;
    const after = monotonic();
    offset.bound(uptime - after, uptime + 10 - before);
  }
  return offset;
}
