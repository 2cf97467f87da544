/** Reads constants from source files, for texts that repeat them. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CHECKOUT } from "./project.js";

/**
 * The value of a constant in a source file: a number, or a product of numbers and other constants of the file.
 *
 * @param file path from the root of the checkout
 * @throws Error if the file has no such constant
 */
export function constantIn(file: string, name: string): number {
  const text = readFileSync(join(CHECKOUT, file), "utf8");
  const [, value] = new RegExp(`\\bconst ${name} = ([\\w.]+(?: \\* [\\w.]+)*);`).exec(text) ?? [];
  if (value === undefined) throw new Error(`${file} has no constant ${name}`);
  return value
    .split(" * ")
    .map((one) => (/^\d/.test(one) ? Number(one.replaceAll("_", "")) : constantIn(file, one)))
    .reduce((product, one) => product * one, 1);
}
