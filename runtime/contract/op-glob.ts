/** Patterns of ops, as configuration names them. */

import { literalPattern } from "./literal-pattern.js";

/** Whether an op matches a pattern: in `onto.task.*` an asterisk stands for any characters, dots too. */
export function opGlob(glob: string): (op: string) => boolean {
  const parts = glob.split("*").map(literalPattern);
  const pattern = new RegExp(`^${parts.join(".*")}$`, "s");
  return (op) => pattern.test(op);
}
