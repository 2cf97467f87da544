/** Parses regular expressions into a tree. The parser is loaded with the first pattern that needs it. */

import type { AST } from "@eslint-community/regexpp";

type Regexpp = typeof import("@eslint-community/regexpp");

/** Patterns with more characters are not analysed. */
const MAX_PATTERN_LENGTH = 20_000;

let loaded: Regexpp | undefined;

/** Loaded synchronously, because validators are synchronous, and without an import that a bundler would follow. */
function regexpp(): Regexpp {
  loaded ??= process.getBuiltinModule("node:module").createRequire(import.meta.url)(
    "@eslint-community/regexpp",
  ) as Regexpp;
  return loaded;
}

/** Supported flags: those that the validators and formats use. */
export interface PatternFlags {
  readonly unicode: boolean;
  readonly ignoreCase: boolean;
}

/** Parses flags such as `u`; undefined if one of them is not supported. */
export const flagsOf = (flags: string): PatternFlags | undefined =>
  /^[iu]*$/.test(flags) ? { unicode: flags.includes("u"), ignoreCase: flags.includes("i") } : undefined;

/** The tree of a pattern; undefined for one that is not valid, is too long, or nests too deeply. */
export function parsePattern(source: string, { unicode }: PatternFlags): AST.Pattern | undefined {
  if (source.length > MAX_PATTERN_LENGTH) return undefined;
  try {
    return new (regexpp().RegExpParser)().parsePattern(source, 0, source.length, { unicode });
  } catch {
    return undefined;
  }
}

/** A part of a pattern that consumes one character. */
export type CharacterNode = AST.Character | AST.CharacterSet | AST.CharacterClass | AST.ExpressionCharacterClass;

/** Ranges of code points, both ends included, sorted and apart. */
export type Ranges = readonly (readonly [from: number, to: number])[];

const SPACES: Ranges = [
  [9, 13],
  [32, 32],
  [160, 160],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
const LINE_ENDS: Ranges = [
  [10, 10],
  [13, 13],
  [0x2028, 0x2029],
];
const DIGITS: Ranges = [[48, 57]];
const WORDS: Ranges = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
];
const ESCAPES: Readonly<Record<string, Ranges>> = { digit: DIGITS, space: SPACES, word: WORDS };

const lastCodePoint = ({ unicode }: PatternFlags): number => (unicode ? 0x10_ff_ff : 0xff_ff);

/** The characters that a part of a pattern matches. */
export function rangesOf(node: CharacterNode, flags: PatternFlags): Ranges {
  if (flags.ignoreCase) return nativeRanges(node.raw, flags);
  if (node.type === "Character") return [[node.value, node.value]];
  if (node.type === "CharacterSet") return setRanges(node, flags);
  if (node.type === "ExpressionCharacterClass") return nativeRanges(node.raw, flags);
  const parts = node.elements.map((one): Ranges | undefined => {
    if (one.type === "Character") return [[one.value, one.value]];
    if (one.type === "CharacterClassRange") return [[one.min.value, one.max.value]];
    return one.type === "CharacterSet" ? setRanges(one, flags) : undefined;
  });
  const known = parts.filter((one) => one !== undefined);
  if (known.length < parts.length) return nativeRanges(node.raw, flags);
  const joined = join(known.flat());
  return node.negate ? complement(joined, flags) : joined;
}

function setRanges(node: AST.CharacterSet, flags: PatternFlags): Ranges {
  if (node.kind === "any") return complement(LINE_ENDS, flags);
  const ranges = ESCAPES[node.kind];
  if (!ranges || node.kind === "property") return nativeRanges(node.raw, flags);
  return node.negate ? complement(ranges, flags) : ranges;
}

function join(ranges: Ranges): Ranges {
  const joined: (readonly [number, number])[] = [];
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = joined.at(-1);
    if (last && from <= last[1] + 1) joined[joined.length - 1] = [last[0], Math.max(last[1], to)];
    else joined.push([from, to]);
  }
  return joined;
}

function complement(ranges: Ranges, flags: PatternFlags): Ranges {
  const others: (readonly [number, number])[] = [];
  let from = 0;
  for (const [start, end] of ranges) {
    if (start > from) others.push([from, start - 1]);
    from = end + 1;
  }
  return from <= lastCodePoint(flags) ? [...others, [from, lastCodePoint(flags)]] : others;
}

/**
 * Code points tested against the engine at once. Surrogates of both kinds lie in blocks of their own, so that they
 * form no pairs.
 */
const BLOCK = 0x400;
const native = new Map<string, Ranges>();

/**
 * The characters that a class matches according to the engine: for properties, and for patterns that ignore letter
 * case.
 */
function nativeRanges(raw: string, flags: PatternFlags): Ranges {
  const letters = `${flags.unicode ? "u" : ""}${flags.ignoreCase ? "i" : ""}`;
  const key = `${letters} ${raw}`;
  const known = native.get(key);
  if (known) return known;
  const expression = new RegExp(`(?:${raw})+`, `g${letters}`);
  const found: (readonly [number, number])[] = [];
  for (let from = 0; from <= lastCodePoint(flags); from += BLOCK) {
    const size = from < 0x1_00_00 ? 1 : 2;
    const text = String.fromCodePoint(...Array.from({ length: BLOCK }, (_, i) => from + i));
    for (const { 0: run, index } of text.matchAll(expression))
      found.push([from + index / size, from + (index + run.length) / size - 1]);
  }
  const ranges = join(found);
  native.set(key, ranges);
  return ranges;
}
