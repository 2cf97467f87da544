/** What a program is told of a failed call beside its message. */

import type { ErrorBody } from "../contract/error-body.js";
import { writeJson } from "../contract/exact-number.js";
import { isObject } from "../contract/json.js";
import { clip } from "../contract/scrub.js";
import { MAY_HAVE_TAKEN_EFFECT } from "../contract/write-outcome.js";

/** Longest message before details, and longest details, in characters: reports of runs have messages of 2,000. */
const MAX_SAID_LENGTH = 1_200;
const MAX_DETAILS_LENGTH = 600;

/** A message with the data of the server and whether a write may have taken effect, for programs that show or end with it. */
export function withDetails(message: string, { details: { upstream, outcome } }: ErrorBody): string {
  const data = upstream === undefined ? "" : writeJson(upstream);
  const isUncertain = outcome === "unknown" && !message.includes("read before");
  const more = [
    ...(data === "" || message.includes(data) ? [] : [clip(data, MAX_DETAILS_LENGTH)]),
    ...(isUncertain ? [MAY_HAVE_TAKEN_EFFECT] : []),
  ];
  if (more.length === 0) return message;
  const said = clip(message, MAX_SAID_LENGTH);
  return [/[.!?…]$/.test(said) ? said : `${said}.`, ...more].join(" ");
}

/** Longest list of allowed values, in characters. */
const MAX_ALLOWED_LENGTH = 600;

/**
 * A message about arguments with the values that the first finding allows, unless it lists them.
 *
 * @example
 * withAllowedValues("options.priority is none of the allowed values", error)
 * // options.priority is none of the allowed values (expected: low|normal|high)
 */
export function withAllowedValues(message: string, { details: { field_errors: errors } }: ErrorBody): string {
  const [first] = Array.isArray(errors) ? errors : [];
  const { keyword, expected } = isObject(first) ? first : {};
  if (keyword !== "enum" || typeof expected !== "string") return message;
  const isListed = message.split(/[^\w.-]+/).includes(expected.split("|", 1)[0] ?? "");
  return isListed ? message : `${message.replace(/\.$/, "")} (expected: ${clip(expected, MAX_ALLOWED_LENGTH)})`;
}
