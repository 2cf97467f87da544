/** Recognizes Python in code without a fence. */

import { parsePython } from "./python-tree.js";

/** Time limit of the parser, in milliseconds, and longest code that is looked at, in characters. */
const PARSE_MS = 20;
const MAX_LENGTH = 20_000;

const CERTAIN =
  /^[ \t]*(?:(?:async\s+)?def\s+\w+\s*\(.*:|from\s+[\w.]+\s+import\s|import\s+[\w., ]+$|(?:if|elif|while|for|with|try|except|else|class)\b[^{;]*:\s*(?:#.*)?$|print\s*\()/m;

/**
 * How code looks to Python.
 *
 * @example
 * looksOfPython("const x = 1") // "none"
 */
export function looksOfPython(code: string): "certain" | "valid" | "none" {
  const start = code.slice(0, MAX_LENGTH);
  if (CERTAIN.test(start)) return "certain";
  try {
    return parsePython(start, performance.now() + PARSE_MS).faults.length === 0 ? "valid" : "none";
  } catch {
    return "none";
  }
}
