/**
 * Reads a command: text in, rewritten Python, facts and faults out. Input and output are plain data, so that it can
 * run in a worker.
 */

import type { Parameter } from "../../../contract/registry.js";
import { parameterFor } from "../../call-arguments.js";
import type { TextFault } from "../../fault.js";
import type { Names } from "../../names.js";
import type { SnippetCall } from "../../snippet-call.js";
import { NOTATIONS, type Notation, readNotation } from "./notations.js";
import { isParseLimitError, type Parse, parsePython, unparsedTree } from "./python-tree.js";
import { type RewrittenCode, rewrite } from "./rewrite.js";
import { unwrapPython } from "./unwrap.js";

/** Parameter names of each op, in the order of its signature. */
export type ParameterTable = ReadonlyMap<string, readonly Pick<Parameter, "name" | "original" | "aliases">[]>;

/** The names with which code is read. */
export interface Vocabulary {
  readonly names: Names;
  /** Needed for a type check only. */
  readonly parameters?: ParameterTable;
}

/** Code after reading. */
export interface Read {
  readonly kind: "read";
  readonly rewritten: RewrittenCode;
}

/** Code in the form for a type check. */
export interface Checkable {
  readonly kind: "checkable";
  readonly text: string;
}

/** Results of the steps of reading; each step takes a text. */
export interface Steps {
  /** Strips the wrapping, then parses the call of a snippet or the code. */
  readonly command: Read | SnippetCall | TextFault;
  /** Parses code alone: the text of a rendered snippet. */
  readonly code: Read;
  readonly checkable: Checkable;
}

/** One of the steps. */
export type Step = keyof Steps;

/** The vocabulary with a parser. */
interface Reading extends Vocabulary {
  readonly parse: Parse;
  readonly notations?: readonly Notation[] | undefined;
}

const NONE = (): undefined => undefined;

function codeOf(code: string, { names, parse }: Reading): Read {
  const { checkable: _, ...rewritten } = rewrite(code, names, NONE, parse);
  return { kind: "read", rewritten };
}

const STEPS: { readonly [S in Step]: (text: string, reading: Reading) => Steps[S] } = {
  command(command, reading) {
    const { notations = NOTATIONS } = reading;
    const words = notations.flatMap((one) => one.words);
    const unwrapped = unwrapPython(command, words);
    const read = unwrapped.kind === "fault" ? unwrapped : readNotation(unwrapped, notations);
    return read.kind === "code" ? codeOf(read.code, reading) : read;
  },
  code: codeOf,
  checkable(code, { names, parameters, parse }) {
    const parameterNamed = (op: string, text: string) => parameterFor(parameters?.get(op) ?? [], text)?.name;
    return { kind: "checkable", text: rewrite(code, names, parameterNamed, parse).checkable() };
  },
};

/**
 * Runs one step at once; undefined if the parser exceeds this many milliseconds.
 *
 * @param notations - the notations of a command
 */
export function readQuickly<S extends Step>(
  step: S,
  text: string,
  vocabulary: Vocabulary,
  ms: number,
  notations?: readonly Notation[],
): Steps[S] | undefined {
  const until = performance.now() + ms;
  try {
    return STEPS[step](text, { ...vocabulary, notations, parse: (code) => parsePython(code, until) });
  } catch (error) {
    if (isParseLimitError(error)) return undefined;
    throw error;
  }
}

/** Runs one step. If the parser exceeds its time, the code is left as it is, and the engine's own parser decides. */
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
