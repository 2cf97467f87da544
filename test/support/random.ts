/** Sizes and seeds of random tests: `SCALE=1` runs all of it, the default a fiftieth; `SEED` repeats a failure. */

/** Share of the full size that this run does. */
export const SCALE = Number(process.env["SCALE"] ?? "0.02");

/** Whether tests with the tag `slow` run: in CI, which sets `SLOW=1`, and at full size. */
export const RUNS_SLOW = SCALE >= 1 || process.env["SLOW"] === "1";

/** Options of a property: a fixed seed, and a number of runs at full size. */
export const runs = (full: number): { readonly seed: number; readonly numRuns: number } => ({
  seed: Number(process.env["SEED"] ?? "20261121"),
  numRuns: Math.max(10, Math.round(full * SCALE)),
});

/** A seeded source of numbers from 0 up to 1 (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A shuffled copy. */
export function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
  const copy = [...items];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [copy[i], copy[j]] = [copy[j] as T, copy[i] as T];
  }
  return copy;
}

/** A copy with the keys of every object in another order; lists keep theirs. */
export function withShuffledKeys(value: unknown, random: () => number): unknown {
  if (Array.isArray(value)) return value.map((one) => withShuffledKeys(one, random));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    shuffled(Object.entries(value), random).map(([key, one]) => [key, withShuffledKeys(one, random)]),
  );
}
