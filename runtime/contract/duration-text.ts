/** Durations as people read them. */

/** Shown for a missing figure. */
export const NOTHING = "–";

/** `4.2 ms`, `130 ms`, `1.8 s`, `2.5 min`; infinity is above the last bound. */
export function duration(ms: number | null): string {
  if (ms === null) return NOTHING;
  if (!Number.isFinite(ms)) return "over 1 min";
  // A unit is used from the value at which the smaller one would round up to it.
  const [size, unit] = DURATIONS.find(([from]) => ms >= from * 0.9995) ?? [1, "ms"];
  const scaled = ms / size;
  return `${Number(scaled.toFixed(scaled < 10 ? 1 : 0))} ${unit}`;
}

const DURATIONS: readonly (readonly [from: number, unit: string])[] = [
  [3_600_000, "h"],
  [60_000, "min"],
  [1000, "s"],
];
