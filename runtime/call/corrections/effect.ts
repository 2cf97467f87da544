/** Reads the fields that decide what a call may change, however they are spelt: `dry_run` and `idempotency_key`. */

import { editDistance } from "../../contract/closest.js";
import type { CallEffect } from "../../contract/envelope.js";
import type { JsonValue } from "../../contract/registry.js";
import { wordsIn } from "../../contract/typo.js";

/** The fields, by their letters; that many letters may be wrong. */
const FIELDS: readonly (readonly [letters: string, field: keyof CallEffect, wrong: number])[] = [
  ["dryrun", "dry_run", 1],
  ["isdryrun", "dry_run", 0],
  ["idempotencykey", "idempotency_key", 2],
  ["idempotencytoken", "idempotency_key", 0],
  ["idempotentkey", "idempotency_key", 0],
];

/** Other words for a dry run. */
const PREVIEWS: ReadonlySet<string> = new Set(
  "preview previewonly simulate simulation validateonly whatif noop testrun checkonly".split(" "),
);

/** The field that a name means; undefined for any other name. */
export function effectField(name: string): keyof CallEffect | undefined {
  const letters = wordsIn(name).join("");
  if (PREVIEWS.has(letters)) return "dry_run";
  return FIELDS.find(([known, , wrong]) => editDistance(letters, known) <= wrong)?.[1];
}

/** `true`, `"true"`, `"True"`, `1`, `"yes"`; undefined if it is neither true nor false. */
export function readFlag(value: JsonValue | undefined): boolean | undefined {
  if (typeof value === "boolean") return value;
  const word = typeof value === "string" || typeof value === "number" ? String(value).trim().toLowerCase() : "";
  if (["true", "yes", "on", "1"].includes(word)) return true;
  return ["false", "no", "off", "0"].includes(word) ? false : undefined;
}

/** Whether a text can be an idempotency key. */
export const isKey = (value: unknown): value is string =>
  typeof value === "string" && /^[^\p{C}]{1,200}$/u.test(value) && value.trim() !== "";

/** The key as text; undefined if it cannot be one. */
const readKey = (value: JsonValue): string | undefined =>
  isKey(value) ? value : typeof value === "number" && Number.isSafeInteger(value) ? String(value) : undefined;

/** Both effects in one; undefined if they contradict each other. */
export function joinEffects(a: CallEffect, b: CallEffect): CallEffect | undefined {
  const differs = (field: keyof CallEffect): boolean =>
    a[field] !== undefined && b[field] !== undefined && a[field] !== b[field];
  return differs("dry_run") || differs("idempotency_key") ? undefined : { ...a, ...b };
}

/** The effect that one field states; undefined if its value cannot be read. */
export function readEffect(field: keyof CallEffect, value: JsonValue): CallEffect | undefined {
  if (field === "dry_run") {
    const dry_run = readFlag(value);
    return dry_run === undefined ? undefined : { dry_run };
  }
  const idempotency_key = readKey(value);
  return idempotency_key === undefined ? undefined : { idempotency_key };
}
