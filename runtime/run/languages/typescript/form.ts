/** Recognizes TypeScript in code without a fence, by forms that Python does not have. */

import { quietCode } from "../../quiet-code.js";

/** Longest code that is looked at, in characters: the form of code shows at its start. */
const MAX_LENGTH = 20_000;

const CERTAIN =
  /(?<![\w$.])await\s+[\w$.]+\(\s*\{\s*[A-Za-z_$][\w$]*\s*:|(?<![\w$.])console\s*\.\s*(?:log|info|warn|error|table|debug|dir)\s*\(|(?<![\w$.])new\s+[A-Z]\w*\s*[(<]|(?<![\w$.])throw\s+new\s|^\s*(?:const|let|var)\s+[[{\w$]|`/m;

const LIKELY =
  /^\s*(?:export\s+)?(?:const|let|var)\s+[\w$[{]|=>|[{;]\s*$|[=!]==|\?\.|\?\?|&&|\|\||(?<![\w.])\d+n\b|^\s*import\s.*\sfrom\s|\bfunction\b\s*[\w$*]*\s*\(|^\s*(?:interface|type)\s+\w+|\}\s*(?:else|catch|finally)\b|\b(?:typeof|void)\s|\+\+|--|`/m;

/**
 * How code looks to TypeScript.
 *
 * @example
 * looksOfTypescript("const x = 1") // "likely"
 */
export function looksOfTypescript(code: string): "certain" | "likely" | "valid" {
  const bare = quietCode(code.slice(0, MAX_LENGTH));
  if (CERTAIN.test(bare)) return "certain";
  return LIKELY.test(bare) ? "likely" : "valid";
}
