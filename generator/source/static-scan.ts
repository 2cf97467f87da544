/** Looks at the text of exports, without their values: what code makes may hold tools that cannot be read. */

import { ts } from "@ts-morph/common";
import type { Declaration, Modules } from "./static-modules.js";
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
