/**
 * Checks the files that `handlers` of sources name, without running them: their syntax, that they export handlers, and that each key
 * of the exported object is an op.
 */

import { ts } from "@ts-morph/common";
import { closest } from "../../runtime/contract/closest.js";
import type { Config } from "../config/config.js";
import type { Place, Report } from "../core/diagnostic.js";
import { handlersByFile, type OpTool } from "./named-handlers.js";
import { nodePlace, reportSyntax, withoutAssertions } from "./parsed-file.js";

/** An op, and the tool that it is made from. */
export interface KnownOp extends OpTool {
  readonly name: string;
  readonly aliases: readonly string[];
}

/** Access to the files of a project. */
export interface HandlerReader {
  /** Text of a file by its path relative to the root, or undefined. */
  readonly read: (file: string) => string | undefined;
  /** Files that match a pattern below `definitions/`. */
  readonly list: (pattern: string) => readonly string[];
}

/**
 * Checks each file once; a file that is not there is reported where sources are read.
 *
 * @param ops all ops, or undefined if some could not be read: then keys are not checked
 */
export function checkHandlerFiles(
  { sources }: Pick<Config, "sources">,
  { read, list }: HandlerReader,
  ops: readonly KnownOp[] | undefined,
  report: Report,
): void {
  const files = new Set(sources.flatMap(({ handlers }) => (handlers === undefined ? [] : list(handlers))));
  const bound = new Map<string, ReadonlySet<string> | undefined>();
  for (const file of files) {
    const text = MODULE.test(file) ? read(file) : undefined;
    bound.set(file, text === undefined ? undefined : checkOne(parsed(file, text), ops, report));
  }
  const filesOf = handlersByFile({ sources }, list);
  for (const { op, place } of ops ?? []) {
    const own = filesOf.get(place.file) ?? [];
    const [file] = own;
    if (file !== undefined && own.every((one) => bound.get(one)?.has(op) === false))
      report.add("handler-missing", place, { op, file });
  }
}

/** Files that are modules of JavaScript; others cannot be read without running them. */
const MODULE = /\.m?[jt]s$/;

const parsed = (file: string, text: string): ts.SourceFile => {
  const kind = file.endsWith("js") ? ts.ScriptKind.JS : ts.ScriptKind.TS;
  return ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, false, kind);
};

/** @returns the ops that the file has handlers for, or that a misspelt key means; undefined if that cannot be known without running it */
function checkOne(
  source: ts.SourceFile,
  ops: readonly KnownOp[] | undefined,
  report: Report,
): ReadonlySet<string> | undefined {
  if (reportSyntax(source, report)) return undefined;
  const { names, isOpen } = exportsOf(source);
  checkExports(names, isOpen, source, report);
  const bound = names.get("handlers");
  const keys = bound ? keysOf(bound, source) : [];
  const known = ops && new Set(ops.map(({ op }) => op));
  const meant = keys.map((one) => opOfKey(one, source, { ops, known }, report));
  const name = bound && ts.isExportSpecifier(bound) ? (bound.propertyName ?? bound.name) : bound;
  const isKnown = name && ts.isIdentifier(name) && !names.has("default") && isWritten(name, source, new Set());
  return isKnown ? new Set(meant.filter((op) => op !== undefined)) : undefined;
}

/** All ops, and their names; undefined if some could not be read. */
interface Ops {
  readonly ops: readonly KnownOp[] | undefined;
  readonly known: ReadonlySet<string> | undefined;
}

/** The op that a key is for, or that it means if it is misspelt, which is reported. */
function opOfKey({ key, node, value }: Key, source: ts.SourceFile, { ops, known }: Ops, report: Report) {
  const place = nodePlace(source, node);
  if (ops && !known?.has(key)) {
    const nearest = nearestOp(key, ops);
    report.add("handler-unmatched", place, { key, nearest });
    return nearest;
  }
  if (value && VALUES.has(writtenValue(value, source).kind)) report.add("handler-invalid", place, { key });
  return key;
}

/** An object `handlers`, or a default function, must be exported. */
function checkExports(names: Exports["names"], isOpen: boolean, source: ts.SourceFile, report: Report): void {
  const refuse = (node: ts.Node | undefined, nearest: string | undefined, instead?: string): void => {
    const place: Place = node ? nodePlace(source, node) : { file: source.fileName, line: 1, column: 1 };
    report.add("handlers-unexported", place, { file: source.fileName, nearest, instead });
  };
  const [bound, dispatch] = [names.get("handlers"), names.get("default")];
  if (bound) {
    if (isNever(OBJECTS, bound, source)) refuse(bound, undefined, "its export `handlers` is no object");
  } else if (dispatch) {
    if (isNever(FUNCTIONS, dispatch, source)) refuse(dispatch, undefined, "its default export is no function");
  } else if (!isOpen) {
    const nearest = closest("handlers", [...names.keys()]);
    refuse(nearest === undefined ? undefined : names.get(nearest), nearest);
  }
}

/** Expressions that are neither a function nor an object, and those that are one of them, by their kind. */
const VALUES: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.ArrayLiteralExpression,
  ts.SyntaxKind.FalseKeyword,
  ts.SyntaxKind.NullKeyword,
  ts.SyntaxKind.NumericLiteral,
  ts.SyntaxKind.NoSubstitutionTemplateLiteral,
  ts.SyntaxKind.StringLiteral,
  ts.SyntaxKind.TemplateExpression,
  ts.SyntaxKind.TrueKeyword,
]);
const OBJECTS: ReadonlySet<ts.SyntaxKind> = new Set([
  ...VALUES,
  ts.SyntaxKind.ArrowFunction,
  ts.SyntaxKind.ClassDeclaration,
  ts.SyntaxKind.FunctionDeclaration,
  ts.SyntaxKind.FunctionExpression,
]);
const FUNCTIONS: ReadonlySet<ts.SyntaxKind> = new Set([
  ...VALUES,
  ts.SyntaxKind.ClassDeclaration,
  ts.SyntaxKind.ObjectLiteralExpression,
]);

/** Whether what an export declares has one of these kinds. */
function isNever(kinds: ReadonlySet<ts.SyntaxKind>, declared: ts.Node, source: ts.SourceFile): boolean {
  if (ts.isExportAssignment(declared)) return kinds.has(writtenValue(declared.expression, source).kind);
  const name = ts.isExportSpecifier(declared) ? (declared.propertyName ?? declared.name) : declared;
  return kinds.has((ts.isIdentifier(name) ? writtenValue(name, source) : declared).kind);
}

/** An expression without type annotations; the value of the const that it names, if there is one at the top of the file. */
function writtenValue(node: ts.Expression, source: ts.SourceFile): ts.Expression {
  const value = withoutAssertions(node);
  const target = ts.isIdentifier(value) ? constOf(value.text, source) : undefined;
  return target ? withoutAssertions(target) : value;
}

/** The op of the tool or alias of this name, else the op that is spelled most like it. */
function nearestOp(key: string, ops: readonly KnownOp[]): string | undefined {
  const named = ops.find(({ name, aliases }) => name === key || aliases.includes(key));
  return named?.op ?? closest(key, new Set(ops.map((one) => one.op)));
}

interface Exports {
  /** Exported names, each with the node that declares it. */
  readonly names: ReadonlyMap<string, ts.Node>;
  /** Whether further names come from other files. */
  readonly isOpen: boolean;
}

function exportsOf({ statements }: ts.SourceFile): Exports {
  const names = new Map(statements.flatMap(exportedBy));
  return { names, isOpen: statements.some((one) => ts.isExportDeclaration(one) && !one.exportClause) };
}

type NamedNode = readonly [name: string, node: ts.Node];

/** The names that a statement exports. */
function exportedBy(statement: ts.Statement): readonly NamedNode[] {
  if (ts.isExportAssignment(statement)) return [["default", statement]];
  if (ts.isExportDeclaration(statement)) {
    const { exportClause: clause } = statement;
    if (!clause) return [];
    return (ts.isNamedExports(clause) ? clause.elements : [clause]).map((one) => [one.name.text, one]);
  }
  if (!hasModifier(statement, ts.SyntaxKind.ExportKeyword)) return [];
  if (hasModifier(statement, ts.SyntaxKind.DefaultKeyword)) return [["default", statement]];
  if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement))
    return [[statement.name?.text ?? "default", statement]];
  return ts.isVariableStatement(statement)
    ? statement.declarationList.declarations.flatMap(({ name }) => boundNames(name))
    : [];
}

const hasModifier = (node: ts.Statement, kind: ts.SyntaxKind): boolean =>
  ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some((one) => one.kind === kind);

const boundNames = (name: ts.BindingName): readonly NamedNode[] =>
  ts.isIdentifier(name)
    ? [[name.text, name]]
    : name.elements.flatMap((one) => (ts.isBindingElement(one) ? boundNames(one.name) : []));

interface Key {
  readonly key: string;
  readonly node: ts.Node;
  /** Absent for a method and a shorthand. */
  readonly value?: ts.Expression;
}

/** The written keys of the object behind an export; what is computed, spread from elsewhere or made by a call is left out. */
function keysOf(declared: ts.Node, source: ts.SourceFile): readonly Key[] {
  const name = ts.isExportSpecifier(declared) ? (declared.propertyName ?? declared.name) : declared;
  return ts.isIdentifier(name) ? keysIn(name, source, new Set()) : [];
}

/** @param seen names of consts that were read; each counts once */
function keysIn(node: ts.Expression, source: ts.SourceFile, seen: Set<string>): readonly Key[] {
  const value = withoutAssertions(node);
  if (ts.isIdentifier(value)) {
    const target = seen.has(value.text) ? undefined : constOf(value.text, source);
    seen.add(value.text);
    return target ? keysIn(target, source, seen) : [];
  }
  if (!ts.isObjectLiteralExpression(value)) return [];
  return value.properties.flatMap((one): readonly Key[] => {
    if (ts.isSpreadAssignment(one)) return keysIn(one.expression, source, seen);
    const { name } = one;
    const value = ts.isPropertyAssignment(one) ? { value: one.initializer } : {};
    return name && "text" in name ? [{ key: name.text, node: name, ...value }] : [];
  });
}

/** Whether {@link keysIn} finds all keys: none is computed, spread from elsewhere or made by a call. */
function isWritten(node: ts.Expression, source: ts.SourceFile, seen: Set<string>): boolean {
  const value = withoutAssertions(node);
  if (ts.isIdentifier(value)) {
    const target = constOf(value.text, source);
    if (target === undefined || seen.has(value.text)) return target !== undefined;
    seen.add(value.text);
    return isWritten(target, source, seen);
  }
  if (!ts.isObjectLiteralExpression(value)) return false;
  return value.properties.every((one) =>
    ts.isSpreadAssignment(one) ? isWritten(one.expression, source, seen) : "text" in one.name,
  );
}

/** The value of a const at the top of the file. */
function constOf(name: string, source: ts.SourceFile): ts.Expression | undefined {
  const declarations = source.statements.flatMap((one) =>
    ts.isVariableStatement(one) ? one.declarationList.declarations : [],
  );
  return declarations.find((one) => ts.isIdentifier(one.name) && one.name.text === name)?.initializer;
}
