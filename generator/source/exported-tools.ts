/** Finds the tools that a TypeScript file exports, without running it. */

import { ts } from "@ts-morph/common";
import { type Place, Report } from "../core/diagnostic.js";
import type { SourceFile } from "./source.js";
import { type StaticModules, staticModules, UNREADABLE } from "./static-eval.js";
import {
  type BoundDeclaration,
  type Declaration,
  type Exported,
  type Modules,
  WHOLE_MODULE,
} from "./static-modules.js";
import { changesOf, formOfExport, holdsObject } from "./static-scan.js";
import { type FileToolLists, isOneOfMany, type ListedTools, toolsIn } from "./tool-forms.js";
import { isToolText, makesTools, reportUnread } from "./unread-tools.js";

/** The lists of tools that a TypeScript file exports. Code that makes tools is reported at its place. */
export function readTypeScript(file: SourceFile, report: Report): FileToolLists {
  const read = (path: string) => (path === file.file ? file.text : file.read(path));
  let current: Exported | undefined;
  const values = staticModules(read, report, () =>
    exportCommand(file, current?.as ?? "tools", current && modules.initializerOf(current.file, current.name)?.node),
  );
  const { modules } = values;
  const [lists, declared]: [ListedTools[], Declaration[]] = [[], []];
  const add = (one: Exported): void => {
    current = one;
    const list = listOf(values, one, file.entry.exports !== undefined);
    const declaration = modules.declarationOf(one.file, one.name);
    if (list) lists.push(list);
    if (list && declaration) declared.push(declaration);
  };
  const wanted = file.entry.exports;
  const exported = modules.exportsOf(file.file).filter(({ as }) => !wanted || wanted.includes(as));
  for (const one of exported) if (wanted || isRead(modules, one)) add(one);
  if (!wanted) {
    const isBeside = lists.length > 0 || isOneOfMany(file);
    const trial = staticModules(read, new Report());
    for (const one of exported)
      if (!isRead(modules, one) && isMadeByCode({ modules, trial, declared, isBeside }, one, report)) add(one);
    for (const { name, of, from } of modules.moduleOf(file.file)?.foreign ?? [])
      if (!TYPE_NAME.test(name)) report.add("export-foreign", from, { name, of });
    const isUnread = reportUnread({ values, file: file.file, lists, declared }, report, (name) =>
      exportCommand(file, name, undefined),
    );
    // A list without items is one that could not be read, which has been reported.
    if (isUnread) lists.push({ name: WHOLE_MODULE, items: [], placeOf: () => file.place });
  }
  return { lists, names: modules.exportNames(file.file), imports: importsOf(modules, file.file) };
}

interface Beside {
  readonly modules: Modules;
  /** Reads values without a report. */
  readonly trial: StaticModules;
  /** The lists that are read. */
  readonly declared: readonly Declaration[];
  /** Whether there are others: code beside lists of tools is most often about them, as in `TOOLS.map((tool) => tool.function.name)`. */
  readonly isBeside: boolean;
}

/** Whether code makes an export that has tools, or may have; reports it if nothing can be said. */
function isMadeByCode({ modules, trial, declared, isBeside }: Beside, one: Exported, report: Report): boolean {
  const isComputed = formOf(modules, one) === "computed";
  const node = modules.initializerOf(one.file, one.name)?.node;
  // The parts of a tool may be those of another object: `{ name, ...base }`.
  const isReadable = isComputed || (node !== undefined && ts.isObjectLiteralExpression(node));
  if (isComputed && !isBeside) return true;
  if ((isComputed || isChanged(modules, one)) && makesTools(modules, one, declared)) return true;
  const value = isReadable ? trial.resultOf(one.file, one.name) : undefined;
  if (value === UNREADABLE && !isComputed) return false;
  if (value === UNREADABLE) report.add("export-computed", trial.declaredAt(one.file, one.name), { name: one.as });
  return value !== UNREADABLE && toolsIn(value) !== undefined;
}

function isChanged(modules: Modules, { file, name }: Exported): boolean {
  const declared = modules.declarationOf(file, name);
  return declared !== undefined && changesOf(declared).length > 0;
}

/** Names of types and classes, as most people write them. */
const TYPE_NAME = /^[A-Z]\w*[a-z]/;

const formOf = (modules: Modules, { file, name }: Exported) => formOfExport(modules, file, name);

/** Whether an export is read: an array, or anything with a tool in its text. */
function isRead(modules: Modules, one: Exported): boolean {
  const declared = modules.declarationOf(one.file, one.name);
  return formOf(modules, one) === "array" || (declared !== undefined && holdsObject(modules, declared, isToolText));
}

/** The list that an export is; one without items if it cannot be read; undefined if it has no tools, unless it is wanted. */
function listOf(values: StaticModules, { file, name, as }: Exported, isWanted: boolean): ListedTools | undefined {
  const value = values.resultOf(file, name);
  const list = value === UNREADABLE ? { items: [] } : toolsIn(value);
  if (!list && !(isWanted && Array.isArray(value))) return undefined;
  const declared = values.declaredAt(file, name);
  const placeOf: ListedTools["placeOf"] = ({ value: item }, ...keys) => placeWithin(values, item, keys) ?? declared;
  const items = list?.items ?? (value as readonly unknown[]).map((one, index) => ({ value: one, path: [index] }));
  return { name: as, items, placeOf };
}

/** Files that a file imports or exports again. */
function importsOf(modules: Modules, file: string): readonly string[] {
  const module = modules.moduleOf(file);
  const bindings = [...(module?.imports.values() ?? []), ...(module?.exports.values() ?? [])];
  return [...bindings, ...(module?.passedOn ?? [])].map((one) => one.file).filter((one) => one !== file);
}

/** How to go on where code makes what a file exports under a name, or all that it exports. */
function exportCommand({ file, text }: SourceFile, name: string, node: BoundDeclaration | undefined): string {
  const isWhole = name === WHOLE_MODULE;
  const member = isWhole ? "" : /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
  const required = `require(${JSON.stringify(`./${file}`)})${member}`;
  const value =
    node && ts.isFunctionLike(node) ? `${required}()` : node && ts.isClassLike(node) ? `new (${required})()` : required;
  const replacer = /from ["']zod/.test(text) ? '(_, v) => (v?._zod ? require("zod").toJSONSchema(v) : v)' : "null";
  const print = (of: string): string => `console.log(JSON.stringify(${of}, ${replacer}, 2))`;
  const script = node && isAsync(node) ? `(async () => ${print(`await ${value}`)})()` : print(value);
  const json = file.replace(/\.\w+$/, ".json");
  return `export the tools as JSON and name that file under \`sources\`: npx tsx -e ${quoted(script)} > ${/^[\w./-]+$/.test(json) ? json : quoted(json)}`;
}

/** A word of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const isAsync = (node: BoundDeclaration): boolean =>
  ts.isFunctionLike(node) &&
  ((ts.canHaveModifiers(node) && node.modifiers?.some((one) => one.kind === ts.SyntaxKind.AsyncKeyword)) ||
    (node.type !== undefined && ts.isTypeReferenceNode(node.type) && isPromise(node.type)));

const isPromise = ({ typeName }: ts.TypeReferenceNode): boolean =>
  ts.isIdentifier(typeName) && typeName.text === "Promise";

function placeWithin(modules: StaticModules, item: unknown, keys: readonly string[]): Place | undefined {
  let at: unknown = item;
  let place = isObject(at) ? modules.placeOf(at) : undefined;
  for (const key of keys) {
    if (!isObject(at)) break;
    place = modules.placeOf(at, key) ?? place;
    at = Object.hasOwn(at, key) ? (at as Readonly<Record<string, unknown>>)[key] : undefined;
  }
  return place;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
