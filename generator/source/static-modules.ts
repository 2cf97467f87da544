/** Parses TypeScript files without running them, and finds the consts behind the names that they import and export. */

import { dirname, join } from "node:path/posix";
import { ts } from "@ts-morph/common";
import type { Place, Report } from "../core/diagnostic.js";
import { assignedExports, assignedVariables } from "./assigned-exports.js";
import { boundNames } from "./bound-names.js";
import { nodePlace, reportSyntax, withoutAssertions } from "./parsed-file.js";
import { changesIn, type VariableChange } from "./variable-changes.js";

/** A name of another file, or of the file itself. */
export interface ImportBinding {
  readonly file: string;
  readonly name: string;
  /** Place of the import or export that names it; absent for a const of the file itself. */
  readonly from?: Place;
}

/** What a name of a file is bound to. */
export type BoundDeclaration = ts.Expression | ts.FunctionDeclaration | ts.ClassDeclaration;

/** A parsed file. */
export interface Module {
  readonly source: ts.SourceFile;
  /** Variables, functions and classes at the top, and the default export under `default`. */
  readonly consts: ReadonlyMap<string, BoundDeclaration>;
  /** Where code changes the value of a variable later, with what it does. */
  readonly changes: ReadonlyMap<string, readonly VariableChange[]>;
  readonly imports: ReadonlyMap<string, ImportBinding>;
  /** Exported name to the local or imported binding behind it. */
  readonly exports: ReadonlyMap<string, ImportBinding>;
  /** Files all of whose exports it exports too (`export * from`). */
  readonly passedOn: readonly Omit<Required<ImportBinding>, "name">[];
  /** Exports that are those of packages. */
  readonly foreign: readonly ForeignExport[];
}

/** An export that is of a package, whose files are not read. */
export interface ForeignExport {
  readonly name: string;
  readonly of: string;
  readonly from: Place;
}

/** What is known of a file while its statements are read. */
interface Names extends Pick<Module, "source"> {
  readonly consts: Map<string, BoundDeclaration>;
  readonly exports: Map<string, ImportBinding>;
  readonly imports: Map<string, ImportBinding>;
  /** The packages of imported names. */
  readonly packages: Map<string, string>;
  readonly foreign: ForeignExport[];
}

/** The name that `import * as fields` imports. */
export const WHOLE_MODULE = "*";

/** An export of a file, or one of another file that an export stands for. */
export interface Exported {
  readonly file: string;
  readonly name: string;
  /** The name that the file exports it as, or everything that it is of. */
  readonly as: string;
}

/** What a name is bound to, with its file. */
export interface Declaration {
  readonly node: BoundDeclaration;
  readonly module: Module;
}

/** Parsed files; each is read once. */
export interface Modules {
  /** A parsed file. A missing file is reported once, at the import or export that names it. */
  moduleOf(file: string, from?: Place): Module | undefined;
  /** Names that a file exports, in the order of the file, then those that it passes on. */
  exportNames(file: string): readonly string[];
  /** The exports that names of a file stand for: those of another file, where a name is all of them. */
  exportsOf(file: string): readonly Exported[];
  /** What an exported name stands for, in this file or another. */
  bindingOf(file: string, name: string): ImportBinding | undefined;
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
  const { exportNames, exportsOf, bindingOf } = exportsIn(moduleOf);
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
      const node = ts.isExpression(at.node) ? withoutAssertions(at.node) : at.node;
      if (!ts.isIdentifier(node) || seen.has(node)) return { node, module: at.module };
      seen.add(node);
      at = constOf(at.module.source.fileName, node.text, []);
    }
    return undefined;
  };
  const boundTo = (file: string, name: string) => constOf(file, name, []);
  return {
    moduleOf,
    exportNames,
    exportsOf: (file) => exportsOf(file),
    bindingOf,
    declarationOf,
    initializerOf,
    boundTo,
  };
}

/** The names of exports, and what they stand for, also where other files have them. */
function exportsIn(moduleOf: Modules["moduleOf"]): Pick<Modules, "exportNames" | "exportsOf" | "bindingOf"> {
  const exportNames = (file: string, from?: Place, seen: Set<string> = new Set()): readonly string[] => {
    const module = seen.has(file) ? undefined : moduleOf(file, from);
    seen.add(file);
    const further = module?.passedOn.flatMap((one) => exportNames(one.file, one.from, seen)) ?? [];
    return [...new Set([...(module?.exports.keys() ?? []), ...further])];
  };
  const bindingOf = (file: string, name: string): ImportBinding | undefined => {
    const module = moduleOf(file);
    const further = module?.passedOn.find((one) => exportNames(one.file, one.from, new Set([file])).includes(name));
    return module?.exports.get(name) ?? (further && { ...further, name });
  };
  const exportsOf = (file: string, via: readonly string[] = [file]): readonly Exported[] =>
    exportNames(file).flatMap((name): readonly Exported[] => {
      const whole = wholeOf(file, name);
      if (!whole) return [{ file, name, as: name }];
      return via.includes(whole) ? [] : exportsOf(whole, [...via, whole]).map((one) => ({ ...one, as: name }));
    });
  /** The file all of whose exports a name stands for. */
  const wholeOf = (file: string, name: string): string | undefined => {
    const binding = bindingOf(file, name);
    const own = binding?.file === file ? moduleOf(file)?.imports.get(binding.name) : binding;
    return own?.name === WHOLE_MODULE && moduleOf(own.file, own.from) ? own.file : undefined;
  };
  return { exportNames: (file) => exportNames(file), exportsOf: (file) => exportsOf(file), bindingOf };
}

function parse(file: string, text: string, report: Report): Module {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, false, ts.ScriptKind.TS);
  reportSyntax(source, report);
  const [consts, exports, imports, packages] = [new Map(), new Map(), new Map(), new Map()];
  const names: Names = { source, consts, exports, imports, packages, foreign: [] };
  const passedOn: Module["passedOn"][number][] = [];
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) indexImports(statement, names);
    if (ts.isExportDeclaration(statement)) indexExports(statement, names, passedOn);
    if (ts.isVariableStatement(statement)) indexConsts(statement, names);
    if (ts.isExportAssignment(statement)) indexBound(statement.expression, "default", names);
    if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) {
      const name = statement.name?.text;
      if (name !== undefined) names.consts.set(name, statement);
      const isDefault = hasModifier(statement, ts.SyntaxKind.DefaultKeyword);
      if (hasModifier(statement, ts.SyntaxKind.ExportKeyword))
        indexBound(statement, isDefault ? "default" : (name ?? "default"), names);
    }
  }
  const changes = changesIn(source, indexAssigned(names));
  for (const [exported, { file: of, name, from }] of names.exports) {
    if (of !== file || names.consts.has(name) || names.imports.has(name)) continue;
    const [change] = changes.get(name) ?? [];
    if (change && ts.isExpression(change.node)) names.consts.set(name, change.node);
    else if (!from) names.exports.delete(exported);
  }
  return { source, consts, exports, imports, foreign: names.foreign, changes, passedOn };
}

const hasModifier = (node: ts.HasModifiers, kind: ts.SyntaxKind): boolean =>
  node.modifiers?.some((one) => one.kind === kind) ?? false;

function indexBound(node: BoundDeclaration, name: string, { source, consts, exports }: Names): void {
  consts.set(name, node);
  exports.set(name, { file: source.fileName, name });
}

/** Finds values that statements assign to exports, and to variables without one. Returns the statements' parts that do, which change nothing. */
function indexAssigned({ source, consts, exports }: Names): ReadonlySet<ts.Node> {
  const first = new Set<ts.Node>();
  for (const { name, value, by } of source.statements.flatMap(assignedVariables))
    if (!consts.has(name)) {
      consts.set(name, value);
      first.add(by);
    }
  for (const { name, value, by } of source.statements.flatMap(assignedExports)) {
    const own = `exports.${name}`;
    if (exports.get(name)?.name === own) continue;
    const node = withoutAssertions(value);
    consts.set(own, value);
    exports.set(name, { file: source.fileName, name: ts.isIdentifier(node) ? node.text : own });
    first.add(by);
  }
  return first;
}

function indexConsts(statement: ts.VariableStatement, { source, consts, exports }: Names): void {
  const isExported = hasModifier(statement, ts.SyntaxKind.ExportKeyword);
  for (const { name, initializer } of statement.declarationList.declarations)
    for (const [own, value] of boundNames(name, initializer)) {
      if (value) consts.set(own, value);
      if (isExported) exports.set(own, { file: source.fileName, name: own });
    }
}

/** `./model.js` names the file `model.ts` beside it. */
function targetOf(specifier: ts.Expression | undefined, from: string): string | undefined {
  if (!specifier || !ts.isStringLiteral(specifier) || !specifier.text.startsWith(".")) return undefined;
  const path = join(dirname(from), specifier.text);
  return path.endsWith(".ts") ? path : `${path.replace(/\.js$/, "")}.ts`;
}

function indexImports(node: ts.ImportDeclaration, { source, imports, packages }: Names): void {
  const { moduleSpecifier: specifier, importClause: clause } = node;
  const file = targetOf(specifier, source.fileName);
  const from = nodePlace(source, specifier);
  const add = (local: ts.Identifier, name: string): void => {
    if (file) imports.set(local.text, { file, name, from });
    else if (ts.isStringLiteral(specifier)) packages.set(local.text, specifier.text);
  };
  if (clause?.name) add(clause.name, "default");
  const named = clause?.namedBindings;
  if (named && ts.isNamespaceImport(named)) add(named.name, WHOLE_MODULE);
  else for (const { name, propertyName } of named?.elements ?? []) add(name, (propertyName ?? name).text);
}

function indexExports(node: ts.ExportDeclaration, names: Names, passedOn: Module["passedOn"][number][]): void {
  const { source, exports, packages, foreign } = names;
  const { moduleSpecifier: specifier, exportClause: clause } = node;
  if (node.isTypeOnly) return;
  const file = specifier ? targetOf(specifier, source.fileName) : source.fileName;
  const from = nodePlace(source, node);
  const add = (exported: string, name: string): void => {
    const of = specifier && ts.isStringLiteral(specifier) ? specifier.text : packages.get(name);
    if (file && !(of !== undefined && file === source.fileName)) exports.set(exported, { file, name, from });
    else if (of !== undefined) foreign.push({ name: exported, of, from });
  };
  if (!clause) {
    if (file) passedOn.push({ file, from });
    else add(WHOLE_MODULE, WHOLE_MODULE);
  } else if (ts.isNamespaceExport(clause)) add(clause.name.text, WHOLE_MODULE);
  else
    for (const { name, propertyName, isTypeOnly } of clause.elements)
      if (!isTypeOnly) add(name.text, (propertyName ?? name).text);
}
