/** What every op of the pack `ot` does with `pattern` and `info`. */

import { type ErrorCode, fail } from "../contract/handler.js";
import { textRepr } from "../run/python-text.js";
import type { HostContext } from "../shipped.js";

const LEVELS = ["list", "min", "full"] as const;

/** How much is told of each entry. */
export type Info = (typeof LEVELS)[number];

/** A mistake in an argument that the schema cannot see. */
export const valueError = (message: string): never => fail("VALIDATION_ERROR", message, { exception: "ValueError" });

/** The text of a failure that an op answers as its value. Statistics count the call as failed, with this code. */
export function errorText({ failedAs }: Pick<HostContext, "failedAs">, code: ErrorCode, text: string): string {
  failedAs?.(code);
  return `Error: ${text}`;
}

/**
 * The level of that name.
 *
 * @throws ToolFailure a ValueError that lists the levels
 */
export function infoOf(text: string): Info {
  const level = LEVELS.find((one) => one === text);
  return level ?? valueError(`info must be one of: ${LEVELS.join(", ")}. Got ${textRepr(text)}`);
}

/** Whether one of the texts holds the pattern, letter case ignored. */
export function matches(pattern: string, ...texts: readonly string[]): boolean {
  // Lower case is never shorter, so what is longer than a text is not in it; a long pattern is not converted for each entry.
  const longEnough = texts.map((text) => text.toLowerCase()).filter((text) => text.length >= pattern.length);
  if (longEnough.length === 0) return false;
  const wanted = pattern.toLowerCase();
  return longEnough.some((text) => text.includes(wanted));
}
