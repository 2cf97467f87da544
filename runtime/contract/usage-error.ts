/** Errors of the command line, the configuration or an unreadable input: one line with the next step, exit 2. */

/**
 * Thrown if the user has to change something before the program can continue.
 *
 * @example
 * throw new UsageError("definitions/toolwright.yaml is missing: run \"toolwright init\"");
 */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/**
 * Whether a thrown value is a {@link UsageError}, from this copy of the package or another.
 *
 * @example
 * const remedy = (error: unknown) => (isUsageError(error) ? error.message : undefined);
 */
export const isUsageError = (value: unknown): value is UsageError =>
  value instanceof Error && value.name === "UsageError";

/** What to do about EMFILE and ENFILE: too many open files. */
export const FILE_LIMIT_REMEDY = "raise the limit of open files (ulimit -n 1024, or LimitNOFILE of a systemd service)";
