/** Reads a command: text in, rewritten Python, facts and faults out. Plain data crosses, so that a worker can do it. */

import type { Parameter } from "../contract/registry.js";
import { parameterFor } from "./call-arguments.js";
import { firstLack } from "./engine/routes.js";
import type { SyntaxFacts } from "./facts.js";
import type { TextFault } from "./fault.js";
import { unwrapCommand } from "./fence-processor.js";
import type { Names } from "./names.js";
import { isParseLimitError, type Parse, parsePython, unparsedTree } from "./python-tree.js";
import { type RewrittenCode, rewrite } from "./rewrite.js";
import { isSnippet, readSnippetCall, type SnippetCall } from "./snippet-call.js";

/** Names of the parameters of each op, in the order of its signature. */
export type ParameterTable = ReadonlyMap<string, readonly Pick<Parameter, "name" | "original" | "aliases">[]>;

/** What code is read with. */
export interface Vocabulary {
  readonly names: Names;
  /** Only a type check needs it. */
  readonly parameters?: ParameterTable;
}

/** Code that has been read. */
export interface Read {
  readonly kind: "read";
  readonly rewritten: RewrittenCode;
}

/** Code as a type check takes it. */
export interface Checkable {
  readonly kind: "checkable";
  readonly text: string;
}

/** The steps of reading. Each takes a text. */
export interface Steps {
  /** What stands around the code, the call of a snippet, and the code itself. */
  readonly command: Read | SnippetCall | TextFault;
  /** Code alone: the text that a snippet became. */
  readonly code: Read;
  readonly checkable: Checkable;
}

/** One of the steps. */
export type Step = keyof Steps;

/** Reads as far as one parser goes. */
interface Reading extends Vocabulary {
  readonly parse: Parse;
}

const NONE = (): undefined => undefined;

function codeOf(code: string, { names, parse }: Reading): Read {
  const { checkable: _, ...rewritten } = rewrite(code, names, NONE, parse);
  return { kind: "read", rewritten };
}

const STEPS: { readonly [S in Step]: (text: string, reading: Reading) => Steps[S] } = {
  command(command, reading) {
    const unwrapped = unwrapCommand(command);
    if (unwrapped.kind === "fault") return unwrapped;
    const { code } = unwrapped;
    return isSnippet(code) ? readSnippetCall(code) : codeOf(code, reading);
  },
  code: codeOf,
  checkable(code, { names, parameters, parse }) {
    const parameterNamed = (op: string, text: string) => parameterFor(parameters?.get(op) ?? [], text)?.name;
    return { kind: "checkable", text: rewrite(code, names, parameterNamed, parse).checkable() };
  },
};

/** Does one step at once, unless it takes the parser longer than so many milliseconds. */
export function readQuickly<S extends Step>(
  step: S,
  text: string,
  vocabulary: Vocabulary,
  ms: number,
): Steps[S] | undefined {
  const until = performance.now() + ms;
  try {
    return STEPS[step](text, { ...vocabulary, parse: (code) => parsePython(code, until) });
  } catch (error) {
    if (isParseLimitError(error)) return undefined;
    throw error;
  }
}

/** Does one step. Code that takes the parser longer is taken as it stands: what it means, the engine's own parser says. */
export function readWholly<S extends Step>(step: S, text: string, vocabulary: Vocabulary, ms: number): Steps[S] {
  const until = performance.now() + ms;
  const parse = (code: string) => {
    try {
      return parsePython(code, until);
    } catch (error) {
      if (isParseLimitError(error)) return unparsedTree(code);
      throw error;
    }
  };
  return STEPS[step](text, { ...vocabulary, parse });
}

/** What a step gives, without functions. */
export type Packed = Exclude<Steps[Step], Read> | (Omit<Read, "rewritten"> & { readonly rewritten: PackedCode });

interface PackedCode extends Omit<RewrittenCode, "facts"> {
  readonly facts: Omit<SyntaxFacts, "checked">;
  /** Absent where Monty will not run the code. */
  readonly checked?: string;
}

/** The result of a step as data. */
export function packed(result: Steps[Step]): Packed {
  if (result.kind !== "read") return result;
  const { facts, ...rest } = result.rewritten;
  const { checked, ...plain } = facts;
  const made = checked && firstLack(facts) === undefined ? { checked: checked() } : {};
  return { kind: "read", rewritten: { ...rest, facts: plain, ...made } };
}

/** The result of a step from its data. */
export function unpacked<S extends Step>(_step: S, result: Packed): Steps[S] | TextFault {
  if (result.kind !== "read") return result as Steps[S];
  const { facts, checked, ...rest } = result.rewritten;
  const rewritten = { ...rest, facts: { ...facts, ...(checked === undefined ? {} : { checked: () => checked }) } };
  return { kind: "read", rewritten } as Steps[S];
}
