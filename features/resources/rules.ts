/** The diagnostics of `expose.resources` and `expose.prompts`. */

import { didYouMean, rule } from "../../generator/core/rule.js";

/** Rules of their entries. */
export const EXPOSED_RULES = {
  "offer-unmatched": rule(
    "error",
    (p: { what: string; name: string; op: string; nearest: string | undefined }) =>
      `the ${p.what} ${p.name} names ${p.op}, which is no op`,
    (p) => `${didYouMean(p.nearest)}correct or remove the entry`,
  ),
  "offer-writes": rule(
    "error",
    (p: { what: string; name: string; op: string }) =>
      `the ${p.what} ${p.name} names ${p.op}, which writes; clients read resources and prompts unasked`,
    () => "name an op of kind read",
  ),
  "offer-incomplete": rule(
    "error",
    (p: { name: string; op: string; argument: string }) =>
      `the resource ${p.name} gives ${p.op} no ${p.argument}, which it requires`,
    (p) => `write {${p.argument}} into the address, or name another op`,
  ),
  "offer-ambiguous": rule(
    "error",
    (p: { one: string; other: string }) => `an address can be both ${p.one} and ${p.other}`,
    () => "tell the two templates apart by their text",
  ),
} as const;
