/** Finds members of a tool definition whose names are misspelt: nothing reads them, so what they say would be lost. */

import { closest } from "../../runtime/contract/closest.js";
import type { MisspeltMember } from "../core/ir.js";

/**
 * The members of a tool whose names are near to a known one, and not known themselves.
 *
 * @param known names of members; short ones are near to too many words
 * @example
 * misspeltMembers({ name: "get_a", paramaters: {} }, ["parameters"]) // [{ name: "paramaters", meant: "parameters" }]
 */
export function misspeltMembers(tool: object, known: readonly string[]): readonly MisspeltMember[] {
  return Object.keys(tool).flatMap((name) => {
    const meant = known.includes(name) ? undefined : closest(name, known);
    return meant === undefined ? [] : [{ name, meant }];
  });
}
