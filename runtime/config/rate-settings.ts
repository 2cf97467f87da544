/** Rate limit of a key. */

/** `access.rate`. */
export interface RateSettings {
  /** Calls that a key may make in one burst. */
  readonly burst: number;
  /** Calls that are added to the allowance each second. */
  readonly perSecond: number;
}
