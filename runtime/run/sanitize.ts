/** Marks a reply as foreign content, and takes out of it what a reader could take for an order of ours. */

import { randomBytes } from "node:crypto";
import type { Value } from "./engine/engine.js";

/** The boundary of one reply. */
export interface Boundary {
  /** 12 hex characters, which nobody can foresee. */
  readonly id: string;
  /** The called ops that asked for it: none where only the code did. */
  readonly sources: readonly string[];
}

// Neither may have two runs of the same characters beside each other: on hostile text each would try them in every division.
const TAG = /<(?:\s*\/)?\s*external-content-[\w-]*(?:[^<>]*>)?/giu;
/** In JSON and YAML a letter before a trigger may end an escape, as that of a line break does. */
const TRIGGER =
  /(?:(?<![\p{L}\p{N}_])|(?<=\\(?:[abefnrtvLNP0]|x[0-9a-f]{2}|u[0-9a-f]{4})))(?:mcp__onetool[\p{L}\p{N}_]*|__onetool(?:__run)?|__ot(?:__run)?)(?![\p{L}\p{N}_])/giu;

/** Whether a reply is sanitised: `__sanitize__` decides where the code sets it, by Python's idea of truth; else the called ops do. */
export function isSanitized(magic: Value | undefined, sources: readonly string[]): boolean {
  return magic === undefined || magic === null ? sources.length > 0 : isTruthy(magic);
}

const SWITCHED_OFF = /\b__sanitize__[ \t]*=[ \t]*(?:False|None|0)[ \t]*(?=[\n;#]|$)/g;

/**
 * Whether the answer of a failed run is sanitised. The value that `__sanitize__` had when the code failed is unknown, so that
 * code which names it is sanitised, unless it only switches it off.
 */
export const isFailureSanitized = (code: string, sources: readonly string[]): boolean =>
  sources.length > 0 || code.replace(SWITCHED_OFF, "").includes("__sanitize__");

function isTruthy(value: Value): boolean {
  if (typeof value !== "object" || value === null) return Boolean(value);
  if (value instanceof Uint8Array) return value.length > 0;
  if (!("$" in value)) return value.length > 0;
  if (value.$ === "dict") return value.entries.length > 0;
  if (value.$ === "tuple" || value.$ === "set") return value.items.length > 0;
  return value.$ !== "float" || Number(value.text) !== 0;
}

/** A boundary for one reply. */
export const newBoundary = (sources: readonly string[]): Boundary => ({ id: randomBytes(6).toString("hex"), sources });

/** Text without live triggers and boundaries. */
export const redacted = (text: string): string =>
  text.replace(TAG, "[REDACTED:tag]").replace(TRIGGER, "[REDACTED:trigger]");

/** Text between the tags of a boundary; it must be redacted already. */
export function bounded(text: string, { id, sources }: Boundary): string {
  const source = sources.map((one) => one.replace(/[^\w.,:/-]/g, "_")).join(",");
  return `<external-content-${id}${source ? ` source="${source}"` : ""}>\n${text}\n</external-content-${id}>`;
}
