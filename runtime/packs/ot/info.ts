/** The arguments `pattern` and `info`, which the list ops of the pack `ot` share. */

import { type ErrorCode, fail } from "../../contract/handler.js";
import { textRepr } from "../../run/text-repr.js";
import type { HostContext } from "../host.js";

const LEVELS = ["list", "min", "full"] as const;

/** Level of detail. */
export type Info = (typeof LEVELS)[number];

/** Fails for an argument error that the schema cannot express. */
export const valueError = (message: string): never => fail("VALIDATION_ERROR", message, { exception: "ValueError" });

/** The error text that a program gets as the value of an op. For other callers the call fails with this code. */
export function errorText({ failedAs }: Pick<HostContext, "failedAs">, code: ErrorCode, text: string): string {
  failedAs?.(code);
  return `Error: ${text}`;
}

/**
 * Parses a level of detail.
 *
 * @throws ToolFailure a ValueError that lists the levels
 */
export function infoOf(text: string): Info {
  const level = LEVELS.find((one) => one === text);
  return level ?? valueError(`info must be one of: ${LEVELS.join(", ")}. Got ${textRepr(text)}`);
}

/** Whether one of the texts contains the pattern, ignoring case. */
export function anyContains(pattern: string, ...texts: readonly string[]): boolean {
  // Lower case is never shorter, so a longer pattern cannot match; a long pattern is not converted for each entry.
  const longEnough = texts.map((text) => text.toLowerCase()).filter((text) => text.length >= pattern.length);
  if (longEnough.length === 0) return false;
  const wanted = pattern.toLowerCase();
  return longEnough.some((text) => text.includes(wanted));
}
