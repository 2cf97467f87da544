/** Steps that must not overlap. */

/** Runs steps one at a time; requests while a step is under way share the next one. */
export function oneAtATime(step: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | undefined;
  return () => {
    if (waiting) return waiting;
    const turn = last.then(() => {
      waiting = undefined;
      return step();
    });
    waiting = turn;
    last = turn.catch(() => undefined);
    return turn;
  };
}
