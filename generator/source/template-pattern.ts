/** Template literal types as patterns: what JSON Schema has for texts of one form. */

import { ts } from "@ts-morph/common";

/** A number as a template or the name of a member writes it. */
export const NUMBER_PATTERN = "-?(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:[eE][+-]?\\d+)?";

/** The pattern of a template literal type: `^x-` for one that begins with `x-` and goes on with any text. */
export function templatePattern({ texts, types }: ts.TemplateLiteralType): string {
  const parts = texts.map((text, i) => escaped(text) + (types[i] ? partOf(types[i]) : ""));
  return `^${parts.join("")}$`.replace(/^\^\[\\s\\S\]\*(?=.)/, "").replace(/(?<=.)\[\\s\\S\]\*\$$/, "");
}

const escaped = (text: string): string => text.replace(/[\^$\\.*+?()[\]{}|/]/g, "\\$&");

function partOf({ flags }: ts.Type): string {
  if ((flags & ts.TypeFlags.BigIntLike) !== 0) return "-?\\d+";
  return (flags & ts.TypeFlags.NumberLike) !== 0 ? NUMBER_PATTERN : "[\\s\\S]*";
}
