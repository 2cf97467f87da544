/** Parses TypeScript files without running them, and finds the consts behind the names that they import and export. */

import { dirname, join } from "node:path/posix";
import { ts } from "@ts-morph/common";
import type { Place, Report } from "../core/diagnostic.js";
import { placeIn, reportSyntax, unwrapped } from "./parsed-file.js";

/** A name of another file, or of the file itself. */
export interface Binding {
  readonly file: string;
  readonly name: string;
  /** Place of the import or export that names it; absent for a const of the file itself. */
  readonly from?: Place;
}

/** A parsed file. */
export interface Module {
  readonly source: ts.SourceFile;
  readonly consts: ReadonlyMap<string, ts.Expression>;
  readonly imports: ReadonlyMap<string, Binding>;
  /** Exported name to the local or imported binding behind it. */
  readonly exports: ReadonlyMap<string, Binding>;
  /** Files all of whose exports it exports too (`export * from`). */
  readonly passedOn: readonly Omit<Required<Binding>, "name">[];
}

/** The name that `import * as fields` imports. */
export const WHOLE_MODULE = "*";

/** A const with its file. */
interface Declaration {
  readonly node: ts.Expression;
  readonly module: Module;
}

/** Parsed files; each is read once. */
export interface Modules {
  /** A parsed file. A missing file is reported once, at the import or export that names it. */
  moduleOf(file: string, from?: Place): Module | undefined;
  /** Names that a file exports, in the order of the file, then those that it passes on. */
  exportNames(file: string): readonly string[];
  /** What an exported name stands for, in this file or another. */
  bindingOf(file: string, name: string): Binding | undefined;
  /** The const behind an export. */
  declarationOf(file: string, name: string): Declaration | undefined;
  /** The expression behind an export, without type annotations: names of other consts are followed. */
  initializerOf(file: string, name: string): ts.Expression | undefined;
}

/** Opens modules; `read` takes paths relative to the root. */
export function parsedModules(read: (file: string) => string | undefined, report: Report): Modules {
  const parsed = new Map<string, Module | undefined>();
  const moduleOf = (file: string, from: Place = { file, line: 0, column: 0 }): Module | undefined => {
    if (!parsed.has(file)) {
      const text = read(file);
      if (text === undefined) report.add("file-unreadable", from, { reason: `${file} is not there` });
      parsed.set(file, text === undefined ? undefined : parse(file, text, report));
    }
    return parsed.get(file);
  };
  const exportNames = (file: string, from?: Place, seen: Set<string> = new Set()): readonly string[] => {
    const module = seen.has(file) ? undefined : moduleOf(file, from);
    seen.add(file);
    const further = module?.passedOn.flatMap((one) => exportNames(one.file, one.from, seen)) ?? [];
    return [...new Set([...(module?.exports.keys() ?? []), ...further])];
  };
  const bindingOf = (file: string, name: string): Binding | undefined => {
    const module = moduleOf(file);
    const further = module?.passedOn.find((one) => exportNames(one.file, one.from, new Set([file])).includes(name));
    return module?.exports.get(name) ?? (further && { ...further, name });
  };
  /** The const behind a name of a file, which may be imported. `via` holds what led here. */
  const constOf = (file: string, name: string, via: readonly string[]): Declaration | undefined => {
    const module = moduleOf(file);
    const imported = module?.imports.get(name);
    if (imported) return declarationOf(imported.file, imported.name, via);
    const node = module?.consts.get(name);
    return module && node ? { node, module } : undefined;
  };
  const declarationOf = (file: string, name: string, via: readonly string[] = []): Declaration | undefined => {
    const here = `${file}#${name}`;
    const binding = via.includes(here) ? undefined : bindingOf(file, name);
    if (!binding || !moduleOf(binding.file, binding.from)) return undefined;
    const next = [...via, here];
    return binding.file === file ? constOf(file, binding.name, next) : declarationOf(binding.file, binding.name, next);
  };
  const initializerOf = (file: string, name: string): ts.Expression | undefined => {
    const seen = new Set<ts.Expression>();
    for (let at = declarationOf(file, name); at; ) {
      const node = unwrapped(at.node);
      if (!ts.isIdentifier(node) || seen.has(node)) return node;
      seen.add(node);
      at = constOf(at.module.source.fileName, node.text, []);
    }
    return undefined;
  };
  return { moduleOf, exportNames, bindingOf, declarationOf, initializerOf };
}

function parse(file: string, text: string, report: Report): Module {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, false, ts.ScriptKind.TS);
  reportSyntax(source, report);
  const consts = new Map<string, ts.Expression>();
  const imports = new Map<string, Binding>();
  const exports = new Map<string, Binding>();
  const passedOn: Module["passedOn"][number][] = [];
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) indexImports(statement, source, imports);
    if (ts.isExportDeclaration(statement)) indexExports(statement, source, exports, passedOn);
    if (ts.isVariableStatement(statement)) indexConsts(statement, source, consts, exports);
  }
  return { source, consts, imports, exports, passedOn };
}

function indexConsts(
  statement: ts.VariableStatement,
  source: ts.SourceFile,
  consts: Map<string, ts.Expression>,
  exports: Map<string, Binding>,
): void {
  if (!(statement.declarationList.flags & ts.NodeFlags.Const)) return;
  const isExported = statement.modifiers?.some((one) => one.kind === ts.SyntaxKind.ExportKeyword) ?? false;
  for (const { name, initializer } of statement.declarationList.declarations) {
    if (!ts.isIdentifier(name) || !initializer) continue;
    consts.set(name.text, initializer);
    if (isExported) exports.set(name.text, { file: source.fileName, name: name.text });
  }
}

/** `./model.js` names the file `model.ts` beside it. */
function targetOf(specifier: ts.Expression | undefined, from: string): string | undefined {
  if (!specifier || !ts.isStringLiteral(specifier) || !specifier.text.startsWith(".")) return undefined;
  const path = join(dirname(from), specifier.text);
  return path.endsWith(".ts") ? path : `${path.replace(/\.js$/, "")}.ts`;
}

function indexImports(node: ts.ImportDeclaration, source: ts.SourceFile, imports: Map<string, Binding>): void {
  const file = targetOf(node.moduleSpecifier, source.fileName);
  const named = node.importClause?.namedBindings;
  if (!file || !named) return;
  const from = placeIn(source, node.moduleSpecifier);
  if (ts.isNamespaceImport(named)) imports.set(named.name.text, { file, name: WHOLE_MODULE, from });
  else
    for (const { name, propertyName } of named.elements)
      imports.set(name.text, { file, name: (propertyName ?? name).text, from });
}

function indexExports(
  node: ts.ExportDeclaration,
  source: ts.SourceFile,
  exports: Map<string, Binding>,
  passedOn: Module["passedOn"][number][],
): void {
  const file = node.moduleSpecifier ? targetOf(node.moduleSpecifier, source.fileName) : source.fileName;
  if (!file || node.isTypeOnly) return;
  const from = placeIn(source, node);
  if (!node.exportClause) passedOn.push({ file, from });
  else if (ts.isNamedExports(node.exportClause))
    for (const { name, propertyName } of node.exportClause.elements)
      exports.set(name.text, { file, name: (propertyName ?? name).text, from });
}
