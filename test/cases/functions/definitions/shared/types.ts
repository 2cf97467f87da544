export type State = "open" | "shipped" | "closed";

/** A page of something. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Where to go on; absent on the last page. */
  readonly next?: string;
}

/** A part that may hold parts. */
export interface Part {
  readonly name: string;
  readonly parts?: readonly Part[];
}

export enum Priority {
  Low = 1,
  High = 2,
}
