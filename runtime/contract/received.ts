/** Formats a value that was sent for an answer: short, and without secrets. */

import { isExact } from "./exact-number.js";
import { clip, isSecretName, scrub } from "./scrub.js";

/** Characters of a value that an answer repeats. */
const MAX_RECEIVED_LENGTH = 80;
/** Characters of a text that are scrubbed before it is clipped. */
const LOOKED_AT = 400;

/** A value as compact JSON, clipped to 80 characters and scrubbed; `nothing` if it is undefined. */
export function received(value: unknown, name = ""): string {
  if (value === undefined) return "nothing";
  if (isSecretName(name) && value !== null && value !== "") return "***";
  if (typeof value === "string") return clip(JSON.stringify(scrub(value.slice(0, LOOKED_AT))), MAX_RECEIVED_LENGTH);
  if (typeof value !== "object" || value === null) return String(value);
  if (isExact(value)) return clip(value.text, MAX_RECEIVED_LENGTH);
  const keys = Array.isArray(value) ? `array of ${value.length}` : Object.keys(value).slice(0, 8).join(", ");
  return clip(scrub(Array.isArray(value) ? keys : `object {${keys}}`), MAX_RECEIVED_LENGTH);
}

/** `an integer`, `a date`; a name that begins with a digit gets no article. */
export function withArticle(name: string): string {
  if (/^\d/.test(name)) return name;
  return `${/^[aeio]/i.test(name) ? "an" : "a"} ${name}`;
}
