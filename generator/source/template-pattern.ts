/** Converts template literal types to patterns of JSON Schema. */

import { ts } from "@ts-morph/common";

/** Pattern of a number in a template or a member name. */
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
