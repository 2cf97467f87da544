/** Reads the tags of a function that declare its op: `@kind`, `@access`, `@target`, `@project_from`, `@op`. */

import { closest } from "../../runtime/contract/closest.js";
import type { Declared } from "../core/ir.js";
import { complaintsOf, type ExportedFunction } from "./exported-function.js";
import { tagText } from "./function-docs.js";

const CHOICES = {
  kind: ["read", "write"],
  access: ["read", "write", "admin"],
  target: ["global", "project"],
} as const;

/** What the tags of a function declare. */
export function declaredBy(one: ExportedFunction): Declared {
  const complain = complaintsOf(one);
  const chosen = Object.entries(CHOICES).flatMap(([tag, choices]) => {
    const text = tagText(one.doc, tag);
    if (text === undefined) return [];
    if ((choices as readonly string[]).includes(text)) return [[tag, text] as const];
    const nearest = closest(text, choices);
    complain(
      tag,
      "",
      `is ${JSON.stringify(text)}, not ${choices.join(", ")}${nearest ? `; did you mean ${nearest}?` : ""}`,
    );
    return [];
  });
  const op = tagText(one.doc, "op");
  const project_from = tagText(one.doc, "project_from");
  return { ...Object.fromEntries(chosen), ...(op ? { op } : {}), ...(project_from ? { project_from } : {}) };
}
