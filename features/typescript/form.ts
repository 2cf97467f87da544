/** Recognizes TypeScript in code without a fence, by forms that Python does not have. */

import { quietCode } from "../../runtime/run/quiet-code.js";

/** Longest code that is looked at, in characters: the form of code shows at its start. */
const MAX_LENGTH = 20_000;

/** Forms that no other language has, in code without texts and comments. */
const CERTAIN: readonly RegExp[] = [
  // Calls with an object, and what every program has.
  /(?<![\w$.])await\s+[\w$.]+\(\s*\{\s*(?:[A-Za-z_$][\w$]*\s*[:,}]|\.\.\.)/,
  /(?<![\w$.])console\s*\.\s*(?:log|info|warn|error|table|debug|dir)\s*\(/,
  /(?<![\w$.])(?:JSON|Object|Promise|Array|Math|Number|Date)\.[a-z]\w*\(/,
  /(?<![\w$.])(?:structuredClone|parseInt|parseFloat|setTimeout|encodeURIComponent)\(/,
  /\.length\b(?!\s*[=(])/,
  // Statements and expressions.
  /(?<![\w$.])(?:new[ \t]+[A-Z]\w*\s*[(<]|throw[ \t]+new\s)/,
  /^\s*(?:const|let|var)\s+[[{\w$]|`/m,
];

/** Forms that other languages rarely have. */
const LIKELY: readonly RegExp[] = [
  // Declarations and statements.
  /^\s*(?:export\s+)?(?:const|let|var)\s+[\w$[{]|^\s*import\s.*\sfrom\s|^\s*(?:interface|type|enum)\s+\w+/m,
  /\bfunction\b\s*[\w$*]*\s*\(|\bfor\s*(?:await\s*)?\(\s*(?:const|let|var)\s|\}\s*(?:else|catch|finally)\b|[{;]\s*$/m,
  // Operators and literals.
  /=>|[=!]==|\?\.|\?\?|&&|\|\||\+\+|--|`|![\w$(]|\.\.\.[\w$'[{(]|(?<![\w.])\d+n\b|\b(?:typeof|void)\s|\/[a-z]*\.test\(/,
  // Comments.
  /^\s*\/\//m,
];

/**
 * How code looks to TypeScript.
 *
 * @example
 * looksOfTypescript("const x = 1") // "likely"
 */
export function looksOfTypescript(code: string): "certain" | "likely" | "valid" {
  const bare = quietCode(code.slice(0, MAX_LENGTH));
  if (CERTAIN.some((form) => form.test(bare))) return "certain";
  return LIKELY.some((form) => form.test(bare)) ? "likely" : "valid";
}
