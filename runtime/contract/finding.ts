/**
 * Findings of a comparison of two registries, shared by `breaking`, the lock on live servers and the change log of the
 * site.
 */

import type { Tool } from "./registry.js";

/** How bad a finding is: callers or agents fail, they may act differently, or neither. */
export type FindingLevel = "error" | "warning" | "info";

/**
 * Who is affected: callers by tool name, callers by op path, what a model reads, users of the generated TypeScript.
 */
export type Surface = "wire" | "op" | "agent" | "code";

/** One rule's result. */
export interface Finding {
  /** Code of the rule: `arg-required-added`. */
  readonly rule: string;
  readonly level: FindingLevel;
  readonly surface: readonly Surface[];
  readonly op: string;
  readonly tool: string;
  /** JSON Pointer into the input or the result; empty if the finding is about the whole tool. */
  readonly pointer: string;
  /** The old and the new value as text; empty where a side has none. */
  readonly before: string;
  readonly after: string;
  readonly message: string;
  /** File of the changed definition, relative to the root; line and column are 0 if only the file is known. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The first 12 hex digits of the sha256 of rule, op, pointer, before and after, joined by NUL. */
  readonly fingerprint: string;
  /** JSON of a value that was accepted before and is refused now; of a result, one that was impossible and is possible now. */
  readonly counterexample?: string;
  /** Why the level differs from that of the rule. */
  readonly reason?: string;
  /** Who uses what changed: names of snippets, aliases, examples and pins, and how often it was called. */
  readonly hurt?: readonly string[];
}

/** Compares two lists of tools: what changed for callers. */
export type CompareTools = (before: readonly Tool[], after: readonly Tool[]) => Promise<readonly Finding[]>;

/** Number of findings at each level. */
export function countLevels(findings: readonly Finding[]): Readonly<Record<FindingLevel, number>> {
  const of = (level: FindingLevel): number => findings.filter((one) => one.level === level).length;
  return { error: of("error"), warning: of("warning"), info: of("info") };
}

/** Which part of the version number a release of the later registry should raise. */
export type Advice = "major" | "minor" | "patch";

/** An error means major, a warning or a new tool minor, anything else patch. */
export function adviceOf(findings: readonly Finding[]): Advice {
  const { error, warning } = countLevels(findings);
  if (error > 0) return "major";
  return warning > 0 || findings.some((one) => one.rule === "tool-added") ? "minor" : "patch";
}
