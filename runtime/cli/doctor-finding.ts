/** What `toolwright doctor` finds. */

/** Result of one check. */
export interface Finding {
  readonly what: string;
  readonly ok: boolean;
  readonly found: string;
  /** What to do if it is not ok. */
  readonly remedy?: string;
  /** Work that only a person can do, a line each; it is no fault. */
  readonly needs_person?: readonly string[];
}
