/** How many run at once, counted without relying on a clock: the first wait until `width` are there. */

/** What counts those that are inside: see {@link overlapOf}. */
export interface Overlap {
  /** Counts one more, and resolves with what counts it out again once `width` have been inside together. */
  enter(): Promise<() => void>;
  /** The most that were inside together. */
  most(): number;
}

/**
 * An overlap of `width`: nobody leaves before that many are inside, so a busy machine cannot hide it. Where fewer
 * are let in, the test times out; a moment before the first leave lets one too many come in and be counted.
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
