// Numbers for people: always with their unit, never more digits than mean something.

export const unknown = "unknown";

export function ms(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return unknown;
  if (value >= 10_000) return `${(value / 1000).toFixed(0)} s`;
  if (value >= 1000) return `${(value / 1000).toFixed(1)} s`;
  return value < 10 ? `${value.toFixed(1)} ms` : `${value.toFixed(0)} ms`;
}

/** Without a minus before zero. */
export function fixed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : text;
}

export function speed(value: number): string {
  return `${fixed(value, 2)} m/s`;
}

export function degrees(radians: number, digits = 0): string {
  return `${fixed((radians * 180) / Math.PI, digits)}°`;
}

export function turn(value: number): string {
  return `${fixed((value * 180) / Math.PI, 0)} °/s`;
}

export function percent(fraction: number): string {
  const p = fraction * 100;
  return `${p > 0 && p < 10 ? p.toFixed(1) : p.toFixed(0)} %`;
}

export function rate(bytesPerSecond: number): string {
  const bits = bytesPerSecond * 8;
  return bits >= 1e6 ? `${(bits / 1e6).toFixed(1)} Mbit/s` : `${(bits / 1e3).toFixed(0)} kbit/s`;
}
