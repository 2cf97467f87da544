/** How an answer repeats a value that was sent: short, and without secrets. */

import { isExact } from "../contract/exact-number.js";
import { clip, isSecretName, scrub } from "../observe/scrub.js";

/** Characters of a value that an answer repeats. */
const LONGEST = 80;
/** Characters of a text that are looked at before it is clipped. */
const LOOKED_AT = 400;

/** A value as compact JSON, clipped to 80 characters and scrubbed; `nothing` for an absent one. */
export function received(value: unknown, name = ""): string {
  if (value === undefined) return "nothing";
  if (isSecretName(name) && value !== null && value !== "") return "***";
  if (typeof value === "string") return clip(JSON.stringify(scrub(value.slice(0, LOOKED_AT))), LONGEST);
  if (typeof value !== "object" || value === null) return String(value);
  if (isExact(value)) return clip(value.text, LONGEST);
  const keys = Array.isArray(value) ? `array of ${value.length}` : Object.keys(value).slice(0, 8).join(", ");
  return clip(scrub(Array.isArray(value) ? keys : `object {${keys}}`), LONGEST);
}

/** `an integer`, `a date`; what begins with a number stands alone. */
export function withArticle(name: string): string {
  if (/^\d/.test(name)) return name;
  return `${/^[aeio]/i.test(name) ? "an" : "a"} ${name}`;
}
