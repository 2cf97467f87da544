/** What the check of one value may cost in all: findings, comparisons, alternatives, characters that patterns look at. */

/** Units of work of one check; a unit is about 0.1 µs. */
export const MAX_WORK = 1_000_000;

/** Units that are left; the steps of one call share them. */
export interface WorkBudget {
  left: number;
}

export const newBudget = (): WorkBudget => ({ left: MAX_WORK });

/** Whether work was ended because of this budget: nothing further is tried then. */
export const isSpent = ({ left }: WorkBudget): boolean => left < 0;

/** What runs now may spend. It never pauses, so there is one budget at most. */
let running: WorkBudget | undefined;

/** Ends a check that has used up its units. */
export class TooMuchWork extends Error {
  override readonly name = "TooMuchWork";
}

/** Takes units from the check that runs; without one, nothing is counted. */
export function spend(units: number): void {
  if (!running) return;
  running.left -= units;
  if (running.left < 0) throw new TooMuchWork();
}

/** Does work that spends units of a budget; inside other such work, of the budget of that. */
export function withBudget<T>(work: () => T, budget: WorkBudget = newBudget()): T {
  if (running) return work();
  running = budget;
  try {
    return work();
  } finally {
    running = undefined;
  }
}
