/** Tools in the text of a file that nothing reads, since they are in no form of an export. */

import { ts } from "@ts-morph/common";
import { isRecord } from "../../runtime/contract/json.js";
import type { Place, Report } from "../core/diagnostic.js";
import { nodePlace, withoutAssertions } from "./parsed-file.js";
import type { StaticModules } from "./static-eval.js";
import { type Declaration, type Exported, type Modules, WHOLE_MODULE } from "./static-modules.js";
import { holdsObject, outermostNodes, reachableNodes } from "./static-scan.js";
import { type ListedTools, TOOL_FORM, TOOL_KEYS } from "./tool-forms.js";

/** What was read of a file. */
interface ReadFile {
  readonly values: StaticModules;
  readonly file: string;
  readonly lists: readonly ListedTools[];
  /** What the lists are declared as, also those that could not be read. */
  readonly declared: readonly Declaration[];
}

/**
 * Reports tools that nothing reads, at their place. Those in a variable, function or class that is not exported are a warning.
 *
 * @param command how to export the value of a name as JSON, or of the whole module under `*`
 * @returns whether there is an error
 */
export function reportUnread(
  { values, file, lists, declared }: ReadFile,
  report: Report,
  command: (name: string) => string,
): boolean {
  const module = values.modules.moduleOf(file);
  if (!module) return false;
  const read = new Set(lists.flatMap(({ items }) => items.flatMap(({ value }) => placesOf(values, value))));
  const [used, failed] = [
    reachableNodes(declared),
    reachableNodes(declared.filter((_, index) => !lists[index]?.items.length)),
  ];
  const isDone = (node: ts.Node): boolean =>
    failed.has(node) ||
    (ts.isObjectLiteralExpression(node) &&
      [node, ...node.properties].some((one) => read.has(keyOf(nodePlace(module.source, one)))));
  const names = new Map<ts.Node, string>([...module.consts].map(([name, node]) => [node, name]));
  const exported = new Set([...module.exports.values()].map((one) => one.name));
  const said = new Set<string>();
  const errors = outermostNodes(module.source, isLikeTool, isDone).flatMap(({ node, within }) => {
    const bound = within.find((one) => names.has(one));
    const name = bound && names.get(bound);
    if (bound && name !== undefined && !exported.has(name) && used.has(bound)) return [];
    if (bound && name !== undefined && !exported.has(name) && ts.isExpression(bound)) {
      const isKnown = said.has(name);
      said.add(name);
      if (!isKnown) report.add("tools-unexported", nodePlace(module.source, bound), { name });
      return [];
    }
    const [what, way] = formOf(within, module.source, name);
    const isKnown = said.has(`${within[0]?.pos} ${what}`);
    said.add(`${within[0]?.pos} ${what}`);
    if (!isKnown) report.add("tools-unread", nodePlace(module.source, node), { what, way: way(command) });
    return [what];
  });
  return errors.length > 0;
}

const keyOf = ({ file, line, column }: Place): string => `${file}:${line}:${column}`;

/** Where a tool, its members and the object in it are written. */
function placesOf(values: StaticModules, value: unknown): readonly string[] {
  if (!isRecord(value)) return [];
  const places = [values.placeOf(value), ...Object.keys(value).map((key) => values.placeOf(value, key))];
  const inner = ["function", "toolSpec"].flatMap((key) => placesOf(values, value[key]));
  return [...places.flatMap((one) => (one ? [keyOf(one)] : [])), ...inner];
}

type Way = (command: (name: string) => string) => string;

const AS_LIST = `write it as ${TOOL_FORM} in a list that the file exports`;

/** What holds a tool that nothing reads, and how to go on. */
function formOf(within: readonly ts.Node[], source: ts.SourceFile, name: string | undefined): readonly [string, Way] {
  const text = (node: ts.Node): string => node.getText(source).replace(/\s+/g, " ").slice(0, 60);
  const [node, ...around] = within.toReversed();
  if (node && ts.isCallExpression(node))
    return [
      `the tool that ${text(node.expression)} adds`,
      () => `name the MCP server under \`servers\` (\`toolwright add\`), or ${AS_LIST}`,
    ];
  const space = around.findLast(ts.isModuleDeclaration);
  if (space)
    return [
      `the tool in the namespace ${text(space.name)}`,
      (command) => `${AS_LIST}, or ${command(text(space.name))}`,
    ];
  for (const one of around) {
    if (ts.isCallExpression(one) || ts.isNewExpression(one))
      return [`the tool in a call of ${text(one.expression)}`, () => `${AS_LIST}, or in a JSON file under \`sources\``];
    if (ts.isBinaryExpression(one))
      return [`the tool in an assignment to ${text(one.left)}`, (command) => `${AS_LIST}, or ${command(WHOLE_MODULE)}`];
  }
  return [`the tool in ${name ?? "this statement"}`, (command) => `${AS_LIST}, or ${command(name ?? WHOLE_MODULE)}`];
}

/** Whether code that computes an export makes tools, and not from those that are read elsewhere. */
export function makesTools(modules: Modules, { file, name }: Exported, read: readonly Declaration[]): boolean {
  const declaration = modules.declarationOf(file, name);
  if (!declaration) return false;
  const { imports, source } = declaration.module;
  const known = reachableNodes(read);
  const nodes = [...reachableNodes([declaration])];
  const tools = nodes.filter((one) => isLikeTool(one, false));
  const isOfOthers = (node: ts.Node): boolean => {
    const used =
      ts.isIdentifier(node) && imports.has(node.text) ? modules.boundTo(source.fileName, node.text) : undefined;
    return used !== undefined && holdsObject(modules, used, isToolText);
  };
  return tools.length > 0 && !tools.some((one) => known.has(one)) && !nodes.some(isOfOthers);
}

/** Methods of MCP servers that add a tool. */
const ADDING: ReadonlySet<string> = new Set(["registerTool", "addTool", "tool"]);

/** Whether a node is a tool, or a call that adds one to an MCP server. */
function isLikeTool(node: ts.Node, inFunction: boolean): boolean {
  if (ts.isObjectLiteralExpression(node)) return isToolText(node, inFunction) && !isSchema(node);
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  const [first, ...more] = node.arguments;
  if (!ADDING.has(node.expression.name.text) || !first) return false;
  const last = more.at(-1);
  return ts.isStringLiteralLike(first)
    ? last !== undefined && (ts.isFunctionLike(last) || ts.isIdentifier(last))
    : ts.isObjectLiteralExpression(first) && isLikeTool(first, true);
}

/** Whether what is like a tool describes one, as the properties of a schema do, or has its parts in another form. */
const isSchema = (node: ts.ObjectLiteralExpression): boolean =>
  node.properties.some((one) => {
    if (!ts.isPropertyAssignment(one) || !("text" in one.name)) return false;
    const { kind } = withoutAssertions(one.initializer);
    const isObject = kind === ts.SyntaxKind.ObjectLiteralExpression;
    return TOOL_KEYS.includes(one.name.text) ? PLAIN.has(kind) : DESCRIBED.has(one.name.text) && isObject;
  });

const DESCRIBED: ReadonlySet<string> = new Set(["name", "description", "type"]);
/** Forms of expressions that are no schema. */
const PLAIN: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.StringLiteral,
  ts.SyntaxKind.NumericLiteral,
  ts.SyntaxKind.ArrayLiteralExpression,
  ts.SyntaxKind.ArrowFunction,
  ts.SyntaxKind.FunctionExpression,
]);

/** Whether an object in a text is a tool. In a function, one whose name is no text is made from something else. */
export function isToolText(node: ts.ObjectLiteralExpression, inFunction: boolean): boolean {
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
