/** The usage error of the generator, for faults of the command line or of inputs; recognised by name, like the runtime's. */

/** Thrown if the user has to change something first: exit 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
