/** Finds the tools that a TypeScript file exports, without running it. */

import { ts } from "@ts-morph/common";
import type { Place, Report } from "../core/diagnostic.js";
import type { SourceFile } from "./source.js";
import { type StaticModules, staticModules, UNREADABLE } from "./static-eval.js";
import type { Bound } from "./static-modules.js";
import { type Found, isOneOfMany, type Listed, TOOL_KEYS, toolsIn } from "./tool-forms.js";

/** The lists of tools that a TypeScript file exports. Code that makes tools is reported at its place. */
export function readTypeScript(file: SourceFile, report: Report): Found {
  const read = (path: string) => (path === file.file ? file.text : file.read(path));
  let current = "tools";
  const modules: StaticModules = staticModules(read, report, () =>
    exportCommand(file, current, modules.initializerOf(file.file, current)),
  );
  const wanted = file.entry.exports;
  const lists: Listed[] = [];
  const names = modules.exportNames(file.file);
  const formOf = (name: string) => modules.formOf(file.file, name);
  const holds = new Set(names.filter((name) => modules.holds(file.file, name, isToolText)));
  const chosen = names.filter((name) => (wanted ? wanted.includes(name) : formOf(name) === "array" || holds.has(name)));
  const computed = wanted ? [] : names.filter((name) => formOf(name) === "computed" && !holds.has(name));
  const add = (name: string): void => {
    current = name;
    const value = modules.resultOf(file.file, name);
    const list = value === UNREADABLE ? { items: [] } : toolsIn(value);
    const isWanted = wanted !== undefined && Array.isArray(value);
    if (!list && !isWanted) return;
    const declared = modules.declaredAt(file.file, name);
    const placeOf: Listed["placeOf"] = ({ value: item }, ...keys) => placeWithin(modules, item, keys) ?? declared;
    const items = list?.items ?? (value as readonly unknown[]).map((one, index) => ({ value: one, path: [index] }));
    lists.push({ name, items, placeOf });
  };
  for (const name of chosen) add(name);
  // Code beside arrays of tools is most often about them, as in `TOOLS.map((tool) => tool.function.name)`.
  if (lists.length === 0 && !isOneOfMany(file)) for (const name of computed) add(name);
  else for (const name of computed) report.add("export-computed", modules.declaredAt(file.file, name), { name });
  if (!wanted)
    for (const [name, place] of modules.unusedLists(file.file, isToolText))
      report.add("tools-unexported", place, { name });
  return { lists, names, imports: modules.importsOf(file.file) };
}

/** Whether an object in a text is a tool. In a function, one whose name is no text is made from something else. */
function isToolText(node: ts.ObjectLiteralExpression, inFunction: boolean): boolean {
  const members = new Map(
    node.properties.flatMap((one) => {
      const key = one.name && (ts.isIdentifier(one.name) || ts.isStringLiteral(one.name)) ? one.name.text : undefined;
      return key === undefined ? [] : [[key, ts.isPropertyAssignment(one) ? one.initializer : undefined] as const];
    }),
  );
  const isText = (one: ts.Expression | undefined): boolean => one !== undefined && ts.isStringLiteralLike(one);
  const inner = members.get("function");
  if (inner && ts.isObjectLiteralExpression(inner)) return members.has("type") && isNamedText(inner, inFunction);
  const type = members.get("type");
  const isFunction = type !== undefined && ts.isStringLiteralLike(type) && type.text === "function";
  const isDescribed = members.has("name") || members.has("description");
  if (!(isFunction && isDescribed) && !(isDescribed && TOOL_KEYS.some((key) => members.has(key)))) return false;
  return !inFunction || (members.has("name") ? isText(members.get("name")) : isText(members.get("description")));
}

const isNamedText = (node: ts.ObjectLiteralExpression, inFunction: boolean): boolean =>
  !inFunction ||
  node.properties.some(
    (one) =>
      ts.isPropertyAssignment(one) &&
      ts.isIdentifier(one.name) &&
      one.name.text === "name" &&
      ts.isStringLiteralLike(one.initializer),
  );

/** How to go on where code makes what a file exports under a name. */
function exportCommand({ file, text }: SourceFile, name: string, node: Bound | undefined): string {
  const member = /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
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

const isAsync = (node: Bound): boolean =>
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
