/** Looks at the text of exports, without their values: what code makes may hold tools that cannot be read. */

import { ts } from "@ts-morph/common";
import type { Place } from "../core/diagnostic.js";
import { placeIn, unwrapped } from "./parsed-file.js";
import type { Bound, Declaration, Modules } from "./static-modules.js";
import type { Change } from "./variable-changes.js";

/** A test of an object that is written somewhere; one inside of a function may be made from something else. */
export type AcceptsObject = (node: ts.ObjectLiteralExpression, inFunction: boolean) => boolean;

/** The changes of the variable that is declared here. */
export function changesOf({ node, module }: Declaration): readonly Change[] {
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

/** Lists at the top of a file with an object that a test accepts, which neither are exported nor used by what is, by name. */
export function unusedLists(modules: Modules, file: string, accepts: AcceptsObject): ReadonlyMap<string, Place> {
  const module = modules.moduleOf(file);
  if (!module) return new Map();
  const used = new Set<ts.Node>();
  const visit = (node: ts.Node): void => {
    if (used.has(node)) return;
    used.add(node);
    const bound = ts.isIdentifier(node) ? module.consts.get(node.text) : undefined;
    if (bound) visitAll(bound);
    ts.forEachChild(node, visit);
  };
  const visitAll = (node: Bound): void => {
    for (const one of [node, ...changesOf({ node, module }).map((change) => change.node)]) visit(one);
  };
  for (const { file: from, name } of module.exports.values()) {
    const bound = from === file ? module.consts.get(name) : undefined;
    if (bound) visitAll(bound);
  }
  const isList = (node: Bound): boolean => {
    const list = ts.isExpression(node) ? unwrapped(node) : node;
    if (used.has(node) || !ts.isArrayLiteralExpression(list)) return false;
    return list.elements.some((one) => ts.isObjectLiteralExpression(one) && accepts(one, false));
  };
  const found = [...module.consts].filter(([, node]) => isList(node));
  return new Map(found.map(([name, node]) => [name, placeIn(module.source, node)]));
}

/** What an export is: `computed` if code makes it, `other` if it is certainly no array that stays as it is written. */
export type ExportForm = "array" | "computed" | "other";

/** The form of an export, by its initializer. */
export function formOfExport(modules: Modules, file: string, name: string): ExportForm {
  const [found, declared] = [modules.initializerOf(file, name), modules.declarationOf(file, name)];
  if (!found) return "array";
  if (NEVER_ARRAYS.has(found.node.kind) || (declared && changesOf(declared).length > 0)) return "other";
  return COMPUTED.has(found.node.kind) ? "computed" : "array";
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
