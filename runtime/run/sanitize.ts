/**
 * Marks a reply as untrusted content, and redacts text that a reader could mistake for instructions of the server.
 */

import { randomBytes } from "node:crypto";
import { isExact, mapMembers } from "../contract/exact-number.js";
import { isObject } from "../contract/json.js";
import type { Data } from "./languages/language.js";

/** The boundary of one reply. */
export interface Boundary {
  /** 12 random hex characters, which an attacker cannot predict. */
  readonly id: string;
  /** The called ops that require it; empty if only the code does. */
  readonly sources: readonly string[];
}

// Neither pattern may have adjacent runs of the same characters: on hostile text it would try every division of them.
const TAG = /<(?:\s*\/)?\s*external-content-[\w-]*(?:[^<>]*>)?/giu;
/** In JSON and YAML a letter before a trigger may end an escape, such as a line break. */
const TRIGGER =
  /(?:(?<![\p{L}\p{N}_])|(?<=\\(?:[abefnrtvLNP0]|x[0-9a-f]{2}|u[0-9a-f]{4})))(?:mcp__onetool[\p{L}\p{N}_]*|__onetool(?:__run)?|__ot(?:__run)?)(?![\p{L}\p{N}_])/giu;

/**
 * Whether a reply is sanitised: `__sanitize__` decides if the code sets it, by Python's truth value; else the called
 * ops decide.
 */
export function isSanitized(magic: Data | undefined, sources: readonly string[]): boolean {
  return magic === undefined || magic === null ? sources.length > 0 : isTruthy(magic);
}

const SWITCHED_OFF = /\b__sanitize__[ \t]*=[ \t]*(?:False|None|0)[ \t]*(?=[\n;#]|$)/g;

/**
 * Whether the answer of a failed run is sanitised. The value of `__sanitize__` at the time of the failure is unknown,
 * so code that names it is sanitised, unless it only switches it off.
 */
export const isFailureSanitized = (code: string, sources: readonly string[]): boolean =>
  sources.length > 0 || code.replace(SWITCHED_OFF, "").includes("__sanitize__");

function isTruthy(value: Data): boolean {
  if (typeof value !== "object" || value === null) return Boolean(value);
  if (value instanceof Uint8Array) return value.length > 0;
  if (!("$" in value)) return value.length > 0;
  if (value.$ === "dict") return value.entries.length > 0;
  if (value.$ === "tuple" || value.$ === "set") return value.items.length > 0;
  return value.$ !== "float" || Number(value.text) !== 0;
}

/** Makes the boundary of one reply. */
export const newBoundary = (sources: readonly string[]): Boundary => ({ id: randomBytes(6).toString("hex"), sources });

/** Redacts triggers and boundaries in a text. */
export const redactedText = (text: string): string =>
  text.replace(TAG, "[REDACTED:tag]").replace(TRIGGER, "[REDACTED:trigger]");

/** Redacts the texts of a value, which keeps its form. Names of members are redacted, too, and stay different. */
export function redactedTexts<T>(value: T): T;
export function redactedTexts(value: unknown): unknown {
  if (typeof value === "string") return redactedText(value);
  if (typeof value !== "object" || value === null || isExact(value)) return value;
  const made = mapMembers(value, redactedTexts);
  if (!isObject(made) || Object.keys(made).every((key) => redactedText(key) === key)) return made;
  const names = new Set<string>();
  return Object.fromEntries(
    Object.entries(made).map(([key, member]) => {
      let name = redactedText(key);
      while (names.has(name)) name += "_";
      names.add(name);
      return [name, member];
    }),
  );
}

/** The ops that were called, and those of stored results that were sanitised. */
interface Called {
  readonly called: ReadonlySet<string>;
  readonly counts: ReadonlyMap<string, number>;
  readonly foreign: ReadonlySet<string>;
}

/** The called ops from which untrusted text came: those that the settings name, and those of stored results that were. */
export const foreignSources = (
  { called, counts, foreign }: Called,
  sanitizes: (op: string) => boolean,
): readonly string[] => [...new Set([...[...called, ...counts.keys()].filter(sanitizes), ...foreign])];

/** A text of an answer, redacted and between the tags of a boundary of its own. */
export const markedText = (text: string, sources: readonly string[]): string =>
  boundaryText(redactedText(text), newBoundary(sources));

/** Puts redacted text between the tags of a boundary. */
export function boundaryText(text: string, { id, sources }: Boundary): string {
  const source = sources.map((one) => one.replace(/[^\w.,:/-]/g, "_")).join(",");
  return `<external-content-${id}${source ? ` source="${source}"` : ""}>\n${text}\n</external-content-${id}>`;
}
