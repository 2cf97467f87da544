/** Keeps the best of many numbered entries. */

/** An entry with its score. */
export interface Scored {
  readonly number: number;
  readonly score: number;
}

/** The best of the entries that were added. */
export interface Best {
  /** Adds an entry; each once. */
  add(number: number, score: number): void;
  /** How many were added. */
  count(): number;
  /** The best first; of equal ones that with the lowest number. */
  kept(): readonly Scored[];
}

/** Keeps the best so many of the entries that are added. They stay in order, so that most others are compared with the last alone. */
export function keepBest(most: number): Best {
  const kept: Scored[] = [];
  let count = 0;
  return {
    add(number, score) {
      count++;
      let at = kept.length;
      while (at > 0 && isBefore(number, score, kept[at - 1])) at--;
      if (at === most) return;
      kept.splice(at, 0, { number, score });
      if (kept.length > most) kept.pop();
    },
    count: () => count,
    kept: () => kept,
  };
}

const isBefore = (number: number, score: number, other: Scored | undefined): boolean =>
  other === undefined || score > other.score || (score === other.score && number < other.number);
