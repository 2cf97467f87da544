/** Faults of the command line or of an unreadable input, thrown by this half; recognised by name, as the runtime's own are. */

/** Thrown where a person has to change something before we can go on: exit 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
