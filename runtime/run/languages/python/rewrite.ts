/**
 * Rewrites Python before it runs: resolves names and captures the result by edits of the tree; strings, comments and
 * line breaks stay unchanged.
 */

import { digestText } from "../../../contract/canonical.js";
import { type Edit, withEdits } from "../../../contract/text-edits.js";
import { fenceHint } from "../../fence-processor.js";
import type { Names } from "../../names.js";
import { type CaptureKind, captureResult, soundness } from "./capture.js";
import { normaliseIndentation } from "./indentation.js";
import {
  childrenOf,
  type Parse,
  type PyNode,
  type PyTree,
  parsePython,
  sourceText,
  withoutParentheses,
} from "./python-tree.js";
import { type ResolvedNames, resolveNames } from "./resolve-names.js";
import { readScopes } from "./scopes.js";
import type { SyntaxFacts } from "./syntax-facts.js";

/** Rewritten Python. */
export interface RewrittenCode {
  /** The code to run, with as many lines as were sent. */
  readonly code: string;
  /** The code before names and result were rewritten, for the line in an error and for the type check. */
  readonly source: string;
  readonly facts: SyntaxFacts;
  /** `print` means a direct call of print at the end: nothing is captured, and the output is the reply. */
  readonly outcome: CaptureKind;
  /** Names with several possible ops. */
  readonly ambiguous: ReadonlyMap<string, readonly string[]>;
  /** Hint for a syntax error in this code. */
  readonly hint?: string;
}

/** Rewritten Python whose tree is available. */
export interface Rewritten extends RewrittenCode {
  /** The code for a type check, made on demand: aliases and parameter prefixes are expanded, nothing is captured. */
  checkable(): string;
}

/** The full name of the parameter of an op that a call names with this text. */
export type ParameterNamed = (op: string, text: string) => string | undefined;

/** Rewrites code; in code that does not parse, only complete statements that are sound are rewritten. */
export function rewrite(
  source: string,
  names: Names,
  parameterNamed: ParameterNamed = () => undefined,
  parse: Parse = parsePython,
): Rewritten {
  const tree = normaliseIndentation(source, parse);
  const scopes = readScopes(tree);
  const resolved = resolveNames(tree, scopes, names);
  const capture = captureResult(tree, scopes);
  const lastCall = capture.value && callPath(resolved, capture.value);
  const renames = [...futureImports(tree), ...aliasEdits(tree, resolved)];
  const hint = tree.faults.length > 0 ? fenceHint(tree.code) : undefined;
  const code = withEdits(tree.code, [...renames, ...capture.edits]);
  return {
    code,
    source: tree.code,
    facts: {
      bound: scopes.bound,
      ...(lastCall && { lastCall }),
    },
    outcome: capture.outcome,
    ambiguous: resolved.ambiguous,
    ...(hint && { hint }),
    checkable: () => withEdits(tree.code, [...renames, ...prefixEdits(tree, resolved, parameterNamed)]),
  };
}

/** The op path of a direct call. */
function callPath(resolved: ResolvedNames, value: PyNode): readonly string[] | undefined {
  const call = withoutParentheses(value);
  const called = call.name === "CallExpression" ? call.children[0] : undefined;
  return called && resolved.pathOf(called);
}

function aliasEdits(tree: PyTree, { replaced }: ResolvedNames): readonly Edit[] {
  const isSound = soundness(tree);
  return [...replaced].filter(([node]) => isSound(node)).map(([{ from, to }, path]) => ({ from, to, text: path }));
}

/** Expands prefixes of keyword arguments in calls of ops. */
function prefixEdits(tree: PyTree, resolved: ResolvedNames, parameterNamed: ParameterNamed): readonly Edit[] {
  return tree.nodes.flatMap((node) => {
    const [called, list] = node.name === "CallExpression" ? childrenOf(node) : [];
    const op = called && resolved.pathOf(called)?.join(".");
    const parts = op === undefined || !list ? [] : childrenOf(list);
    const keys = parts.filter(({ name }, at) => name === "VariableName" && parts[at + 1]?.name === "AssignOp");
    return keys.flatMap((key) => {
      const full = parameterNamed(op ?? "", sourceText(tree, key));
      return full === undefined ? [] : [{ from: key.from, to: key.to, text: full }];
    });
  });
}

/**
 * Replaces `from __future__` imports, which have no effect here and would have to come first, by an empty tuple over
 * the same lines.
 */
function futureImports(tree: PyTree): readonly Edit[] {
  return tree.nodes
    .filter(({ name, children }) => {
      const module = name === "ImportStatement" ? children[1] : undefined;
      return module?.name === "VariableName" && sourceText(tree, module) === "__future__";
    })
    .map((node) => {
      const blank = sourceText(tree, node).replace(/[^\n]/g, " ");
      return { from: node.from, to: node.to, text: `(${blank.slice(1, -1)})` };
    });
}

/** Digests of programs that come again, which are read once. */
const codeHashes = new WeakMap<RewrittenCode, string>();

/** The digest of the code that an engine gets. */
export function codeHashOf(rewritten: RewrittenCode): string {
  const hash = codeHashes.get(rewritten) ?? digestText(rewritten.code);
  codeHashes.set(rewritten, hash);
  return hash;
}
