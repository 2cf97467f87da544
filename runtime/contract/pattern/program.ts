/**
 * Compiles the tree of a pattern to the instructions that the analysis and the matchers read, and groups characters into
 * classes that the sets of the pattern do not distinguish.
 */

import type { AST } from "@eslint-community/regexpp";
import { type CharacterNode, type PatternFlags, type Ranges, rangesOf } from "./syntax.js";

/** One step of a match; `next` is the index of the instruction that follows. */
export type Instruction =
  | { readonly kind: "set"; readonly set: number; readonly next: number }
  | { readonly kind: "split"; readonly first: number; readonly second: number }
  | { readonly kind: "assert"; readonly at: "start" | "end" | "word" | "no-word"; readonly next: number }
  | { readonly kind: "look"; readonly look: number; readonly next: number }
  | { readonly kind: "save"; readonly slot: number; readonly next: number }
  | { readonly kind: "reset"; readonly slots: readonly number[]; readonly next: number }
  | { readonly kind: "reference"; readonly group: number; readonly next: number }
  | { readonly kind: "advanced"; readonly slot: number; readonly next: number }
  | { readonly kind: "match" };

/** A lookahead or lookbehind: its instructions, and whether those read the text backwards. */
export interface Look {
  readonly negate: boolean;
  readonly start: number;
  readonly backward: boolean;
}

/** A compiled pattern. */
export interface PatternProgram {
  readonly instructions: readonly Instruction[];
  readonly start: number;
  /** Inner ones before those that contain them. */
  readonly looks: readonly Look[];
  readonly sets: readonly Ranges[];
  /** Registers that a backtracking matcher keeps: ends of groups, and starts of iterations. */
  readonly slots: number;
}

/** How a pattern is compiled. */
export interface CompileOptions {
  /**
   * `run`: every part reads in the direction of the specification. `scan`: lookaheads read backwards and lookbehinds forwards, so that
   * one pass over the text finds all places where they hold.
   */
  readonly order: "run" | "scan";
  /** Whether groups are recorded, which only back-references need. */
  readonly groups?: boolean;
  /** Whether iterations that consume nothing are ended, as the specification says; they change no answer. */
  readonly iterations?: boolean;
  /**
   * Whether a counted repetition is compiled as an unbounded one, which has at least as many ways to match and few
   * instructions.
   */
  readonly uncounted?: boolean;
  /** Whether optional parts at the end of the pattern are left out, because the engine never goes back into them. */
  readonly trimmed?: boolean;
}

/** Largest program that is compiled, in instructions. */
const MAX_INSTRUCTIONS = 8000;
/** Most lookarounds in one pattern. */
const MAX_LOOKS = 20;

class UnsupportedError extends Error {}
const unsupported = (): never => {
  throw new UnsupportedError("the pattern is too large, or uses syntax that is not supported");
};

/** Compiles a pattern; undefined for one that is too large, or has syntax that is not supported. */
export function compileProgram(
  pattern: AST.Pattern,
  flags: PatternFlags,
  options: CompileOptions,
): PatternProgram | undefined {
  try {
    return new Compiler(flags, options).compile(pattern);
  } catch (error) {
    // A tree that is too deep to walk is too large, too.
    if (error instanceof UnsupportedError || error instanceof RangeError) return undefined;
    throw error;
  }
}

type Node = AST.Element | AST.QuantifiableElement;

class Compiler {
  private readonly instructions: Instruction[] = [];
  private readonly looks: Look[] = [];
  private readonly sets: Ranges[] = [];
  private readonly setOf = new Map<string, number>();
  private slots = 0;
  private visited = 0;

  private readonly flags: PatternFlags;
  private readonly options: CompileOptions;

  constructor(flags: PatternFlags, options: CompileOptions) {
    this.flags = flags;
    this.options = options;
  }

  compile(pattern: AST.Pattern): PatternProgram {
    const groups = countGroups(pattern);
    this.slots = this.options.groups ? 2 * groups : 0;
    const alternatives = this.options.trimmed ? pattern.alternatives.map(trimmed) : pattern.alternatives;
    const start = this.choice(
      alternatives.map((one) => one.elements),
      this.add({ kind: "match" }),
      false,
    );
    const { instructions, looks, sets, slots } = this;
    return { instructions, start, looks, sets, slots };
  }

  private add(instruction: Instruction): number {
    if (this.instructions.length >= MAX_INSTRUCTIONS) unsupported();
    return this.instructions.push(instruction) - 1;
  }

  private choice(alternatives: readonly (readonly Node[])[], next: number, backward: boolean): number {
    return alternatives
      .map((elements) => this.sequence(elements, next, backward))
      .reduceRight((second, first) => this.add({ kind: "split", first, second }));
  }

  private sequence(elements: readonly Node[], next: number, backward: boolean): number {
    const order = backward ? elements : elements.toReversed();
    return order.reduce((after, element) => this.node(element, after, backward), next);
  }

  private node(node: Node, next: number, backward: boolean): number {
    // Counted here as well, because empty groups add no instruction, however often they repeat.
    if (++this.visited > MAX_INSTRUCTIONS) unsupported();
    switch (node.type) {
      case "Character":
      case "CharacterSet":
      case "CharacterClass":
      case "ExpressionCharacterClass":
        return this.add({ kind: "set", set: this.setFor(node), next });
      case "Group":
        if (node.modifiers) unsupported();
        return this.choice(contents(node), next, backward);
      case "CapturingGroup":
        return this.group(node, next, backward);
      case "Quantifier":
        return this.repetition(node, next, backward);
      case "Assertion":
        return this.assertion(node, next);
      case "Backreference":
        return this.reference(node, next);
    }
  }

  private setFor(node: CharacterNode): number {
    const known = this.setOf.get(node.raw);
    if (known !== undefined) return known;
    this.setOf.set(node.raw, this.sets.length);
    return this.sets.push(rangesOf(node, this.flags)) - 1;
  }

  private group(node: AST.CapturingGroup, next: number, backward: boolean): number {
    if (!this.options.groups) return this.choice(contents(node), next, backward);
    const slot = 2 * groupNumber(node);
    const [opening, closing] = backward ? [slot + 1, slot] : [slot, slot + 1];
    const after = this.add({ kind: "save", slot: closing, next });
    return this.add({ kind: "save", slot: opening, next: this.choice(contents(node), after, backward) });
  }

  private repetition(node: AST.Quantifier, next: number, backward: boolean): number {
    const { element, greedy } = node;
    const uncounted = this.options.uncounted === true && node.max > 1 && !isNullable(element);
    const [min, max] = uncounted ? [Math.min(node.min, 1), Number.POSITIVE_INFINITY] : [node.min, node.max];
    const choose = (body: number, leave: number): Instruction =>
      greedy ? { kind: "split", first: body, second: leave } : { kind: "split", first: leave, second: body };
    let start = next;
    if (max === Number.POSITIVE_INFINITY) {
      start = this.add({ kind: "match" });
      this.instructions[start] = choose(this.iteration(element, start, backward, true), next);
    } else
      for (let i = min; i < max; i++) start = this.add(choose(this.iteration(element, start, backward, true), next));
    for (let i = 0; i < min; i++) start = this.iteration(element, start, backward, false);
    return start;
  }

  /** One iteration: its groups are reset first, and an optional iteration must consume something. */
  private iteration(element: AST.QuantifiableElement, next: number, backward: boolean, optional: boolean): number {
    const checked = this.options.iterations && optional && isNullable(element);
    const slot = checked ? this.slots++ : 0;
    const body = this.node(element, checked ? this.add({ kind: "advanced", slot, next }) : next, backward);
    const marked = checked ? this.add({ kind: "save", slot, next: body }) : body;
    if (!this.options.groups) return marked;
    const slots = groupsIn(element).flatMap((one) => [2 * groupNumber(one), 2 * groupNumber(one) + 1]);
    return slots.length > 0 ? this.add({ kind: "reset", slots, next: marked }) : marked;
  }

  private assertion(node: AST.Assertion, next: number): number {
    if (node.kind === "lookahead" || node.kind === "lookbehind") return this.lookaround(node, next);
    if (node.kind !== "word") return this.add({ kind: "assert", at: node.kind, next });
    // With both flags, two letters outside ASCII are word characters as well.
    if (this.flags.unicode && this.flags.ignoreCase) unsupported();
    return this.add({ kind: "assert", at: node.negate ? "no-word" : "word", next });
  }

  private lookaround(node: AST.LookaroundAssertion, next: number): number {
    const backward = (node.kind === "lookbehind") === (this.options.order === "run");
    const start = this.choice(contents(node), this.add({ kind: "match" }), backward);
    if (this.looks.length >= MAX_LOOKS) unsupported();
    const look = this.looks.push({ negate: node.negate, start, backward }) - 1;
    return this.add({ kind: "look", look, next });
  }

  private reference(node: AST.Backreference, next: number): number {
    if (node.ambiguous || this.flags.ignoreCase || !this.options.groups) return unsupported();
    return this.add({ kind: "reference", group: groupNumber(node.resolved), next });
  }
}

type Holder = AST.Group | AST.CapturingGroup | AST.LookaroundAssertion;

const contents = (node: Holder): readonly (readonly AST.Element[])[] => node.alternatives.map((one) => one.elements);

/** An alternative whose last repetitions of one character match the minimum only. */
function trimmed(alternative: AST.Alternative): AST.Alternative {
  const last = alternative.elements.at(-1);
  if (last?.type !== "Quantifier" || !isCharacter(last.element)) return alternative;
  const rest = alternative.elements.slice(0, -1);
  if (last.min === 0) return trimmed({ ...alternative, elements: rest });
  return { ...alternative, elements: [...rest, { ...last, max: last.min }] };
}

const isCharacter = ({ type }: Node): boolean => type.startsWith("Character") || type === "ExpressionCharacterClass";

/** Whether a part of a pattern may match without consuming anything. */
function isNullable(node: Node): boolean {
  if (isCharacter(node)) return false;
  if (node.type === "Quantifier") return node.min === 0 || isNullable(node.element);
  if (node.type === "Group" || node.type === "CapturingGroup")
    return node.alternatives.some((one) => one.elements.every(isNullable));
  return true;
}

/** Groups inside a part of a pattern, including the part itself, in the order of their numbers. */
function groupsIn(node: Node | AST.Pattern | AST.Alternative): readonly AST.CapturingGroup[] {
  if (node.type === "Quantifier") return groupsIn(node.element);
  if (node.type === "Alternative") return node.elements.flatMap(groupsIn);
  if (!("alternatives" in node)) return [];
  const inner = node.alternatives.flatMap((one): readonly AST.CapturingGroup[] =>
    one.type === "Alternative" ? groupsIn(one) : [],
  );
  return node.type === "CapturingGroup" ? [node, ...inner] : inner;
}

const numbers = new WeakMap<AST.CapturingGroup, number>();
const groupNumber = (group: AST.CapturingGroup): number => numbers.get(group) ?? unsupported();

function countGroups(pattern: AST.Pattern): number {
  const groups = groupsIn(pattern);
  for (const [i, group] of groups.entries()) numbers.set(group, i);
  return groups.length;
}

/** Whether a pattern has back-references. */
export const hasReferences = (pattern: AST.Pattern): boolean =>
  groupsIn(pattern).some(({ references }) => references.length > 0);

/** Returns whether a text, as code points or code units, matches; undefined for a text that takes too much work. */
export type Matcher = (codes: ArrayLike<number>) => boolean | undefined;

const isWord = (code: number | undefined): boolean =>
  code !== undefined &&
  ((code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95);

/** Whether a word begins or ends at a place. */
export const isBoundary = (codes: ArrayLike<number>, place: number): boolean =>
  isWord(codes[place - 1]) !== isWord(codes[place]);

/** The classes of a pattern's characters. */
export interface Alphabet {
  readonly size: number;
  /** The class of a code point. */
  readonly classOf: (codePoint: number) => number;
  /** Whether a set has the characters of a class. */
  readonly has: (set: number, characterClass: number) => boolean;
}

/** Divides all code points into as few classes as the sets need. */
export function alphabetOf(sets: readonly Ranges[]): Alphabet {
  const bounds = [...new Set([0, ...sets.flat().flatMap(([from, to]) => [from, to + 1])])].sort((a, b) => a - b);
  const bySignature = new Map<string, number>();
  const inside: (readonly boolean[])[] = [];
  const cursors = sets.map(() => 0);
  const classAt = bounds.map((bound) => {
    const signature = sets.map((ranges, set) => {
      while ((ranges[cursors[set] as number]?.[1] ?? Number.POSITIVE_INFINITY) < bound) (cursors[set] as number)++;
      return (ranges[cursors[set] as number]?.[0] ?? Number.POSITIVE_INFINITY) <= bound;
    });
    const key = signature.map(Number).join("");
    if (!bySignature.has(key)) bySignature.set(key, inside.push(signature) - 1);
    return bySignature.get(key) as number;
  });
  const ascii = Uint16Array.from({ length: 128 }, (_, code) => classAt[lastAtMost(bounds, code)] as number);
  return {
    size: inside.length,
    classOf: (code) => (code < 128 ? (ascii[code] as number) : (classAt[lastAtMost(bounds, code)] as number)),
    has: (set, characterClass) => inside[characterClass]?.[set] === true,
  };
}

/** Index of the last bound that is not above a code point. */
function lastAtMost(bounds: readonly number[], code: number): number {
  let low = 0;
  let high = bounds.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((bounds[middle] as number) <= code) low = middle;
    else high = middle - 1;
  }
  return low;
}
