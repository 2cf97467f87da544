/** Patterns of ops, as configuration names them. */

/** Whether an op matches a pattern: in `onto.task.*` an asterisk stands for any characters, dots too. */
export function opGlob(glob: string): (op: string) => boolean {
  const parts = glob.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(`^${parts.join(".*")}$`, "s");
  return (op) => pattern.test(op);
}
