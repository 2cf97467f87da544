/** Parses TypeScript files without running them, and finds the consts behind the names that they import and export. */

import { dirname, join } from "node:path/posix";
import { ts } from "@ts-morph/common";
import type { Place, Report } from "../core/diagnostic.js";
import { placeIn, reportSyntax, unwrapped } from "./parsed-file.js";
import { type Change, changesIn } from "./variable-changes.js";

/** A name of another file, or of the file itself. */
export interface Binding {
  readonly file: string;
  readonly name: string;
  /** Place of the import or export that names it; absent for a const of the file itself. */
  readonly from?: Place;
}

/** What a name of a file is bound to. */
export type Bound = ts.Expression | ts.FunctionDeclaration | ts.ClassDeclaration;

/** A parsed file. */
export interface Module {
  readonly source: ts.SourceFile;
  /** Variables, functions and classes at the top, and the default export under `default`. */
  readonly consts: ReadonlyMap<string, Bound>;
  /** Where code changes the value of a variable later, with what it does. */
  readonly changes: ReadonlyMap<string, readonly Change[]>;
  readonly imports: ReadonlyMap<string, Binding>;
  /** Exported name to the local or imported binding behind it. */
  readonly exports: ReadonlyMap<string, Binding>;
  /** Files all of whose exports it exports too (`export * from`). */
  readonly passedOn: readonly Omit<Required<Binding>, "name">[];
}

/** The name that `import * as fields` imports. */
export const WHOLE_MODULE = "*";

/** What a name is bound to, with its file. */
export interface Declaration {
  readonly node: Bound;
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
  initializerOf(file: string, name: string): Declaration | undefined;
  /** What a name of a file is bound to, in this file or another. */
  boundTo(file: string, name: string): Declaration | undefined;
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
    if (imported) return moduleOf(imported.file, imported.from) && declarationOf(imported.file, imported.name, via);
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
  const initializerOf = (file: string, name: string): Declaration | undefined => {
    const seen = new Set<ts.Node>();
    for (let at = declarationOf(file, name); at; ) {
      const node = ts.isExpression(at.node) ? unwrapped(at.node) : at.node;
      if (!ts.isIdentifier(node) || seen.has(node)) return { node, module: at.module };
      seen.add(node);
      at = constOf(at.module.source.fileName, node.text, []);
    }
    return undefined;
  };
  const boundTo = (file: string, name: string) => constOf(file, name, []);
  return { moduleOf, exportNames, bindingOf, declarationOf, initializerOf, boundTo };
}

function parse(file: string, text: string, report: Report): Module {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, false, ts.ScriptKind.TS);
  reportSyntax(source, report);
  const consts = new Map<string, Bound>();
  const imports = new Map<string, Binding>();
  const exports = new Map<string, Binding>();
  const passedOn: Module["passedOn"][number][] = [];
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) indexImports(statement, source, imports);
    if (ts.isExportDeclaration(statement)) indexExports(statement, source, exports, passedOn);
    if (ts.isVariableStatement(statement)) indexConsts(statement, source, consts, exports);
    if (ts.isExportAssignment(statement)) indexBound(statement.expression, ["default"], source, consts, exports);
    if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) {
      const name = statement.name?.text;
      if (name !== undefined) consts.set(name, statement);
      const isDefault = hasModifier(statement, ts.SyntaxKind.DefaultKeyword);
      if (hasModifier(statement, ts.SyntaxKind.ExportKeyword))
        indexBound(statement, [isDefault ? "default" : (name ?? "default")], source, consts, exports);
    }
  }
  return { source, consts, changes: changesIn(source), imports, exports, passedOn };
}

const hasModifier = (node: ts.HasModifiers, kind: ts.SyntaxKind): boolean =>
  node.modifiers?.some((one) => one.kind === kind) ?? false;

function indexBound(
  node: Bound,
  names: readonly string[],
  source: ts.SourceFile,
  consts: Map<string, Bound>,
  exports: Map<string, Binding>,
): void {
  for (const name of names) {
    consts.set(name, node);
    exports.set(name, { file: source.fileName, name });
  }
}

function indexConsts(
  statement: ts.VariableStatement,
  source: ts.SourceFile,
  consts: Map<string, Bound>,
  exports: Map<string, Binding>,
): void {
  const isExported = hasModifier(statement, ts.SyntaxKind.ExportKeyword);
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
