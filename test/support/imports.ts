/** The imports between files of the checkout, as the compiler reads them. */

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { ts } from "ts-morph";
import { CHECKOUT } from "./project.js";

/** One import of a file. */
export interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

/** Tests and benchmarks of a feature, which lie in its folder. */
const OF_TESTS = /^features\/[^/]+\/(?:bench|test)\//;

/** TypeScript files below a folder of the checkout, without the tests of features, by path from its root. */
export const filesOf = (folder: string): readonly string[] =>
  readdirSync(join(CHECKOUT, folder), { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile() && /\.(tsx?|js)$/.test(one.name))
    .map((one) => relative(CHECKOUT, join(one.parentPath, one.name)))
    .filter((one) => !OF_TESTS.test(one))
    .sort();

/** Every import of a file, dynamic ones and `import()` types included; relative ones as paths from the root. */
function importsOf(from: string): readonly Import[] {
  const source = ts.createSourceFile(from, readFileSync(join(CHECKOUT, from), "utf8"), ts.ScriptTarget.ES2023, true);
  const found: Import[] = [];
  const add = (node: ts.Node | undefined, typeOnly: boolean): void => {
    if (!node || !ts.isStringLiteralLike(node)) return;
    const target = node.text.startsWith(".") ? join(dirname(from), node.text) : node.text;
    found.push({
      from,
      to: target.replace(/(?<=^(?:core|features|generator|runtime|definitions|generated|test)\/.*)\.js$/, ".ts"),
      typeOnly,
    });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node))
      add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword);
    if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true);
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], false);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Every import of definitions, generated code and both halves. */
export const imports = ["core", "definitions", "features", "generated", "generator", "runtime"]
  .flatMap(filesOf)
  .flatMap(importsOf);
/** A circle of imports, or nothing. */
export function circleIn(edges: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const done = new Set<string>();
  const walk = (at: string, path: readonly string[]): readonly string[] => {
    if (path.includes(at)) return [...path.slice(path.indexOf(at)), at];
    if (done.has(at)) return [];
    for (const next of edges.get(at) ?? []) {
      const found = walk(next, [...path, at]);
      if (found.length > 0) return found;
    }
    done.add(at);
    return [];
  };
  for (const file of edges.keys()) {
    const found = walk(file, []);
    if (found.length > 0) return found;
  }
  return [];
}
