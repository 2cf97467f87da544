/** The type of a rule in the catalogue of diagnostics. */

/** Severity of a diagnostic. An error stops `generate` before anything is written. */
export type Severity = "error" | "warning" | "info";

/** One rule: `params` are the parameters of its two texts. */
export interface Rule<P> {
  readonly severity: Severity;
  readonly message: (params: P) => string;
  readonly fix: (params: P) => string;
}

/** Makes a rule. */
export const rule = <P>(severity: Severity, message: (params: P) => string, fix: (params: P) => string): Rule<P> => ({
  severity,
  message,
  fix,
});

/** `did you mean NEAREST? `, or nothing, as the start of a fix. */
export const didYouMean = (nearest: string | undefined): string =>
  nearest === undefined ? "" : `did you mean ${nearest}? `;
