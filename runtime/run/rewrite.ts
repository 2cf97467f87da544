/** Python as the engines take it: names resolved and the result captured on the tree, strings, comments and lines untouched. */

import { captureResult, type Ending, soundness } from "./capture.js";
import { type Edit, edited } from "./edits.js";
import { guardEdits } from "./engine/monty-guards.js";
import type { SyntaxFacts } from "./facts.js";
import { importedModules, readFeatures } from "./features.js";
import { fenceHint } from "./fence-processor.js";
import { normaliseIndentation } from "./indentation.js";
import type { Names } from "./names.js";
import { childrenOf, type Parse, type PyNode, type PyTree, parsePython, textOf, unwrapped } from "./python-tree.js";
import { type Resolved, resolveNames } from "./resolve-names.js";
import { readScopes } from "./scopes.js";

/** What comes of a piece of Python. */
export interface RewrittenCode {
  /** The code to run: as many lines as were sent. */
  readonly code: string;
  /** The code as it was before names and result, for the line that an error shows and for the type check. */
  readonly source: string;
  readonly facts: SyntaxFacts;
  /** `print` is a direct call of print at the end: nothing is captured, what was printed is the reply. */
  readonly outcome: Ending;
  /** Names that could mean several ops. */
  readonly ambiguous: ReadonlyMap<string, readonly string[]>;
  /** What a syntax error of this code adds. */
  readonly hint?: string;
}

/** What comes of a piece of Python, where its tree is at hand. */
export interface Rewritten extends RewrittenCode {
  /** The code as a type check takes it, made when it is wanted: aliases and parameter prefixes written out, nothing captured. */
  checkable(): string;
}

/** The full name of a parameter of an op that a call names by this text. */
export type ParameterNamed = (op: string, text: string) => string | undefined;

/** Rewrites code; what does not parse goes through as it is, but for whole statements that are sound. */
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
  const code = edited(tree.code, [...renames, ...capture.edits]);
  const checked = (): string => {
    if (tree.faults.length > 0) return code;
    const { opening, closing } = guardEdits(tree, scopes.free, resolved.isOfPack);
    return edited(tree.code, [...closing, ...capture.edits, ...opening, ...renames]);
  };
  return {
    code,
    source: tree.code,
    facts: {
      parsed: tree.faults.length === 0,
      features: readFeatures(tree, scopes, resolved),
      imports: importsOf(tree),
      bound: scopes.bound,
      ...(lastCall && { lastCall }),
      checked,
    },
    outcome: capture.outcome,
    ambiguous: resolved.ambiguous,
    ...(hint && { hint }),
    checkable: () => edited(tree.code, [...renames, ...prefixEdits(tree, resolved, parameterNamed)]),
  };
}

/** The op path that a direct call calls. */
function callPath(resolved: Resolved, value: PyNode): readonly string[] | undefined {
  const call = unwrapped(value);
  const called = call.name === "CallExpression" ? call.children[0] : undefined;
  return called && resolved.pathOf(called);
}

function importsOf(tree: PyTree): readonly string[] {
  const imports = tree.nodes.filter(({ name }) => name === "ImportStatement");
  return [...new Set(imports.flatMap((node) => importedModules(tree, node)))];
}

function aliasEdits(tree: PyTree, { replaced }: Resolved): readonly Edit[] {
  const isSound = soundness(tree);
  return [...replaced].filter(([node]) => isSound(node)).map(([{ from, to }, path]) => ({ from, to, text: path }));
}

/** The names of keyword arguments in calls of ops, written out. */
function prefixEdits(tree: PyTree, resolved: Resolved, parameterNamed: ParameterNamed): readonly Edit[] {
  return tree.nodes.flatMap((node) => {
    const [called, list] = node.name === "CallExpression" ? childrenOf(node) : [];
    const op = called && resolved.pathOf(called)?.join(".");
    const parts = op === undefined || !list ? [] : childrenOf(list);
    const keys = parts.filter(({ name }, at) => name === "VariableName" && parts[at + 1]?.name === "AssignOp");
    return keys.flatMap((key) => {
      const full = parameterNamed(op ?? "", textOf(tree, key));
      return full === undefined ? [] : [{ from: key.from, to: key.to, text: full }];
    });
  });
}

/** `from __future__` means nothing here, and would have to stand first: an empty tuple over the same lines takes its place. */
function futureImports(tree: PyTree): readonly Edit[] {
  return tree.nodes
    .filter(({ name, children }) => {
      const module = name === "ImportStatement" ? children[1] : undefined;
      return module?.name === "VariableName" && textOf(tree, module) === "__future__";
    })
    .map((node) => {
      const blank = textOf(tree, node).replace(/[^\n]/g, " ");
      return { from: node.from, to: node.to, text: `(${blank.slice(1, -1)})` };
    });
}
