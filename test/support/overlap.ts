/** How many run at once, counted without relying on a clock: the first wait until `width` are there. */

/** What counts those that are inside: see {@link overlapOf}. */
export interface Overlap {
  /** Counts one more, and resolves with what counts it out again once `width` have been inside together. */
  enter(): Promise<() => void>;
  /** The most that were inside together. */
  most(): number;
}

/**
 * Holds callers until `width` of them are inside at the same time, so that a slow machine does not change the count. If
 * the code under test lets fewer in, the test times out. The first callers leave 20 ms later, so that one too many is
 * counted too.
 *
 * @example
 * const overlap = overlapOf(4);
 * const leave = await overlap.enter();
 * leave();
 * expect(overlap.most()).toBe(4);
 */
export function overlapOf(width: number): Overlap {
  let [open, most] = [0, 0];
  let met = (): void => undefined;
  const together = new Promise<void>((resolve) => {
    met = resolve;
  });
  return {
    async enter() {
      most = Math.max(most, ++open);
      if (open === width) setTimeout(met, 20);
      await together;
      return () => {
        open--;
      };
    },
    most: () => most,
  };
}
