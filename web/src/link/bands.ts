// What an age means for a driver: over 50 ms costs overshoot, between 150 and 225 ms one way driving
// collapses. Green under 150 ms, amber to 300, red beyond, driving locked at 500.
export const amberFrom = 150;
export const redFrom = 300;
export const lockFrom = 500;

export type Band = "green" | "amber" | "red" | "none";

export function bandOf(ms: number | null | undefined): Band {
  if (ms === null || ms === undefined || !Number.isFinite(ms)) return "none";
  return ms < amberFrom ? "green" : ms < redFrom ? "amber" : "red";
}
