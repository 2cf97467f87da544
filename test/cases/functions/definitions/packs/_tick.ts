/**
 * Says the time.
 * @kind read
 */
export function tick(): string {
  return "now";
}
