/** What a person asks for, each in −1 … 1: forward, and to the left. */
export interface Axes {
  forward: number;
  left: number;
}

export const neutral: Axes = Object.freeze({ forward: 0, left: 0 });

export function isNeutral(a: Axes): boolean {
  return a.forward === 0 && a.left === 0;
}

const limit = (v: number) => Math.max(-1, Math.min(1, v));

/** Zero within the dead zone, growing from zero at its edge. NaN is neutral. */
export function shaped(raw: number, deadZone: number): number {
  const size = Math.abs(raw);
  if (!(size > deadZone)) return 0;
  return Math.sign(raw) * limit((size - deadZone) / (1 - deadZone));
}

/** A stick's two axes, with one round dead zone so that it has no preferred directions. */
export function shapedPair(forward: number, left: number, deadZone: number): Axes {
  const size = Math.hypot(forward, left);
  const wanted = shaped(size, deadZone);
  if (wanted === 0) return neutral;
  return { forward: limit((forward / size) * wanted), left: limit((left / size) * wanted) };
}
