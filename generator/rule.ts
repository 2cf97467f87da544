/** What a rule of the catalogue of diagnostics is made of. */

/** How bad a diagnostic is. An error stops `generate` before anything is written. */
export type Severity = "error" | "warning" | "info";

/** One rule: `params` are what its two texts are made of. */
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
