/**
 * What a pattern of a schema is worth as a regular expression of JavaScript: patterns come from anybody, and one that tries
 * exponentially many ways to match would stop the generator and every server that checks arguments with it.
 */

import { createRequire } from "node:module";
import vm from "node:vm";
import type { Root, Token, Tokens, types as Types } from "ret";

/** What is wrong with a pattern; `legacy` where it means something without the flag `u` only. */
export type PatternFault = "invalid" | "endless" | "legacy";

/** How often the inside of a repetition is repeated to provoke it. Exponential patterns need minutes for it, others microseconds. */
const PUMPED = 36;
/** Milliseconds for all provocations of one pattern. */
const PATIENCE = 500;
/** Texts tried on one pattern. */
const MOST_TEXTS = 60;
/** What no repetition wants to see. */
const TAILS = ["\u0000", "!", "\n"];

type Parser = ((source: string) => Root) & { readonly types: typeof Types };

/** The parser, loaded by the first pattern: whoever judges none does not wait for it. */
const parser = (): Parser => createRequire(import.meta.url)("ret") as Parser;

const known = new Map<string, PatternFault | undefined>();

/** Judges a pattern; what was judged once is remembered, since servers repeat theirs. */
export function patternFault(source: string): PatternFault | undefined {
  if (!known.has(source)) known.set(source, judge(source));
  return known.get(source);
}

function judge(source: string): PatternFault | undefined {
  const unicode = compiles(source, "u");
  if (!unicode && !compiles(source, "")) return "invalid";
  if (isEndless(source, unicode ? "u" : "")) return "endless";
  return unicode ? undefined : "legacy";
}

function compiles(source: string, flags: string): boolean {
  try {
    new RegExp(source, flags);
    return true;
  } catch {
    return false;
  }
}

function isEndless(source: string, flags: string): boolean {
  const texts = provocations(source);
  if (texts.length === 0) return false;
  const code = "for (const text of texts) new RegExp(source, flags).test(text)";
  try {
    vm.runInNewContext(code, { source, flags, texts }, { timeout: PATIENCE });
    return false;
  } catch (error) {
    // The error is one of the other context.
    return (error as { readonly code?: unknown } | undefined)?.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
  }
}

/** For every repetition inside a repetition: what may stand before it, its inside many times, and an end that does not match. */
function provocations(source: string): readonly string[] {
  const texts = new Set<string>();
  try {
    collect(parser()(source), "", texts);
  } catch {
    return []; // The parser knows less than the engine; nothing is provoked then.
  }
  return [...texts].slice(0, MOST_TEXTS).flatMap((text) => TAILS.map((tail) => text + tail));
}

function collect(token: Tokens, before: string, texts: Set<string>): void {
  const { types } = parser();
  if (token.type === types.REPETITION) {
    if (token.max > PUMPED) for (const inside of samples(token.value)) texts.add(before + inside.repeat(PUMPED));
    collect(token.value, before, texts);
    return;
  }
  if (token.type !== types.ROOT && token.type !== types.GROUP) return;
  for (const branch of token.options ?? [token.stack ?? []]) {
    let prefix = before;
    for (const one of branch) {
      collect(one, prefix, texts);
      prefix += samples(one)[0] ?? "";
    }
  }
}

/** A few texts that a token may match, the shortest first. */
function samples(token: Token): readonly string[] {
  const { types } = parser();
  switch (token.type) {
    case types.CHAR:
      return [String.fromCodePoint(token.value)];
    case types.SET:
      return [token.not ? "x" : inSet(token.set[0])];
    case types.RANGE:
      return [String.fromCodePoint(token.from)];
    case types.REPETITION:
      return samples(token.value).map((one) => one.repeat(Math.min(Math.max(token.min, 1), 3)));
    case types.GROUP:
      return (token.options ?? [token.stack ?? []])
        .slice(0, 4)
        .map((branch) => branch.map((one) => samples(one)[0] ?? "").join(""));
    default:
      return [""];
  }
}

function inSet(first: Token | undefined): string {
  return first === undefined ? "" : (samples(first)[0] ?? "");
}
