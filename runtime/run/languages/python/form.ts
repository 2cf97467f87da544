/** Recognizes Python in code without a fence. */

import { quietCode } from "../../quiet-code.js";
import { parsePython } from "./python-tree.js";

/** Time limit of the parser, in milliseconds, and longest code that is looked at, in characters. */
const PARSE_MS = 20;
const MAX_LENGTH = 20_000;

/** Forms that no other language has, in code without texts and comments. */
const FORMS: readonly RegExp[] = [
  // Blocks, and statements by their first word.
  /^[ \t]*(?:(?:async\s+)?def\s+\w+\s*\(.*:|(?:async\s+)?(?:if|elif|while|for|with|try|except|else|finally|class|match)\b[^{;]{0,500}:\s*(?:#.*)?$)/m,
  /^[ \t]*(?:from\s+[\w.]+\s+import\s|import\s+[\w., ]+(?:;|$)|elif\b|pass\s*$|(?:raise|assert|del|global|nonlocal)\s+[\w'])/m,
  // Texts with a prefix or over lines, comments, what is done with texts.
  /(?<![\w$])(?:[rbfu]|[rbf]{2})''/i,
  /""""""|# |''\s*(?:%|\.(?:join|format)\()/,
  // Expressions.
  /(?<![\w$.])(?:True|False|None)(?![\w$]|\s*[:=(.])/,
  /(?<![\w$.])(?:not|and|or|is\s+not)\s+[\w('"[{-]/,
  /\bfor\s+\w[\w\s,]{0,100}\sin\s/,
  /(?<![\w$.])lambda(?:\s+[\w*][^:\n]{0,100})?:/,
  /(?<!\belse)\sif\s[^;{\n]{1,200}\selse\s/,
  // Arguments by name, lists and dicts that are spread, parts of lists.
  /\((?<=[\w)\]]\()(?<!\bfunction\s*\*?\s*[\w$]*\()(?:[^()]*,)?\s*[A-Za-z_]\w*=(?![=>\s])/,
  /[(,{]\s*\*\*|[[(]\s*\*\w/,
  /\w\[[^\][?{]{0,100}:[^\][]{0,100}\]/,
];

/** Calls of builtins, which code in another language has by mistake: they count in code that Python parses. */
const BUILTIN = /(?<![\w$.])(?:print|len|sorted|enumerate|isinstance|dict|tuple|getattr|repr)\s*\(/;

/** A variable without a word that declares it; such words, and what else ends or follows it elsewhere. */
const ASSIGNED = /^(?!__)[A-Za-z_]\w*(?:,\s*\*?\w+)*(?:\s*:[^=\n]+)?\s*[-+|]?=(?![=>])/m;
const DECLARED = /(?<![\w$.])(?:const|let|var|function|class|=>)(?![\w$])|;[ \t]*$/m;

/**
 * How code looks to Python.
 *
 * @example
 * looksOfPython("const x = 1") // "none"
 */
export function looksOfPython(code: string): "certain" | "valid" | "none" {
  const start = code.slice(0, MAX_LENGTH);
  const bare = quietCode(start);
  if (FORMS.some((form) => form.test(bare)) || (ASSIGNED.test(bare) && !DECLARED.test(bare))) return "certain";
  try {
    if (parsePython(start, performance.now() + PARSE_MS).faults.length > 0) return "none";
    return BUILTIN.test(bare) ? "certain" : "valid";
  } catch {
    return "none";
  }
}
