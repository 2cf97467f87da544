/** Looks at the text of files and exports, without their values: what code makes may hold tools that cannot be read. */

import { ts } from "@ts-morph/common";
import { isMemberOfPattern } from "./bound-names.js";
import type { Declaration, Module, Modules } from "./static-modules.js";
import type { VariableChange } from "./variable-changes.js";

/** A test of an object that is written somewhere; one inside of a function may be made from something else. */
export type AcceptsObject = (node: ts.ObjectLiteralExpression, inFunction: boolean) => boolean;

/** The changes of the variable that is declared here. */
export function changesOf({ node, module }: Declaration): readonly VariableChange[] {
  const name = [...module.consts].find(([, bound]) => bound === node)?.[0];
  return name === undefined ? [] : (module.changes.get(name) ?? []);
}

/**
 * Whether a declaration, what changes it, or what it uses has an object that a test accepts. Exports are looked at on their own, and what
 * functions and calls use is material for them.
 */
export function holdsObject(modules: Modules, declared: Declaration, accepts: AcceptsObject): boolean {
  const seen = new Set<ts.Node>();
  const within = (one: Declaration): boolean => {
    const { source, exports } = one.module;
    const isExported = new Set([...exports.values()].map(({ file, name }) => (file === source.fileName ? name : "")));
    const usedBy = (at: ts.Node): Declaration | undefined =>
      ts.isIdentifier(at) && !isExported.has(at.text) ? modules.boundTo(source.fileName, at.text) : undefined;
    const visit = (at: ts.Node, isMade: boolean, inFunction: boolean): boolean => {
      if (seen.has(at)) return false;
      seen.add(at);
      if (ts.isObjectLiteralExpression(at) && accepts(at, inFunction)) return true;
      const used = isMade ? undefined : usedBy(at);
      if (used && within(used)) return true;
      const isFunction = ts.isFunctionLike(at);
      const makes = isMade || isFunction || ts.isCallExpression(at);
      return ts.forEachChild(at, (child) => visit(child, makes, inFunction || isFunction)) ?? false;
    };
    return [one.node, ...changesOf(one).map(({ node }) => node)].some((node) => visit(node, false, false));
  };
  return within(declared);
}

/** What a test accepts in the text of a file, and what lies around it. */
export interface ScanMatch {
  readonly node: ts.Node;
  /** Nodes from the statement down to it. */
  readonly within: readonly ts.Node[];
}

/** The outermost nodes of a file that a test accepts, but none in what is left out. */
export function outermostNodes(
  source: ts.SourceFile,
  accepts: (node: ts.Node, inFunction: boolean) => boolean,
  leftOut: (node: ts.Node) => boolean,
): readonly ScanMatch[] {
  const found: ScanMatch[] = [];
  const visit = (node: ts.Node, within: readonly ts.Node[], inFunction: boolean): void => {
    if (leftOut(node)) return;
    const inside = [...within, node];
    if (accepts(node, inFunction)) found.push({ node, within: inside });
    else ts.forEachChild(node, (child) => visit(child, inside, inFunction || ts.isFunctionLike(node)));
  };
  for (const statement of source.statements) visit(statement, [], false);
  return found;
}

/** All nodes of declarations, of what changes them, and of what they name in the same file. */
export function reachableNodes(declared: readonly Declaration[]): ReadonlySet<ts.Node> {
  const seen = new Set<ts.Node>();
  const visitAll = (one: Declaration): void => {
    for (const node of [one.node, ...changesOf(one).map((change) => change.node)]) visit(node, one.module);
  };
  const visit = (node: ts.Node, module: Module): void => {
    if (seen.has(node)) return;
    seen.add(node);
    const bound = ts.isIdentifier(node) ? module.consts.get(node.text) : undefined;
    if (bound) visitAll({ node: bound, module });
    ts.forEachChild(node, (child) => visit(child, module));
  };
  for (const one of declared) visitAll(one);
  return seen;
}

/** What an export is: `computed` if code makes it, `other` if it is certainly no array that stays as it is written. */
export type ExportForm = "array" | "computed" | "other";

/** The form of an export, by its initializer. */
export function formOfExport(modules: Modules, file: string, name: string): ExportForm {
  const [found, declared] = [modules.initializerOf(file, name), modules.declarationOf(file, name)];
  if (!found) return isType(modules, file, name) ? "other" : "array";
  if (NEVER_ARRAYS.has(found.node.kind) || (declared && changesOf(declared).length > 0)) return "other";
  return COMPUTED.has(found.node.kind) || isMemberOfPattern(found.node) ? "computed" : "array";
}

/** Whether an export is neither a value nor one that another file should have. */
function isType(modules: Modules, file: string, name: string, via: readonly string[] = []): boolean {
  const binding = modules.bindingOf(file, name);
  const module = binding && modules.moduleOf(binding.file, binding.from);
  if (!module || via.includes(`${file}#${name}`)) return false;
  const next = [...via, `${file}#${name}`];
  if (binding.file !== file) return isType(modules, binding.file, binding.name, next);
  const imported = module.imports.get(binding.name);
  return imported ? isType(modules, imported.file, imported.name, next) : !module.consts.has(binding.name);
}

const NEVER_ARRAYS: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.ArrowFunction,
  ts.SyntaxKind.FunctionDeclaration,
  ts.SyntaxKind.FunctionExpression,
  ts.SyntaxKind.ClassDeclaration,
  ts.SyntaxKind.ClassExpression,
  ts.SyntaxKind.ObjectLiteralExpression,
  ts.SyntaxKind.StringLiteral,
  ts.SyntaxKind.NoSubstitutionTemplateLiteral,
  ts.SyntaxKind.TemplateExpression,
  ts.SyntaxKind.NumericLiteral,
  ts.SyntaxKind.RegularExpressionLiteral,
  ts.SyntaxKind.NewExpression,
]);

const COMPUTED: ReadonlySet<ts.SyntaxKind> = new Set([ts.SyntaxKind.CallExpression, ts.SyntaxKind.AwaitExpression]);
