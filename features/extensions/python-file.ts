/**
 * Finds the tools of a Python file in its text: public functions of the module with a docstring. No user code runs.
 */

import type { JsonObject, JsonValue, Kind } from "../../runtime/contract/registry.js";
import {
  childrenOf,
  enclosingNode,
  lineAt,
  lineStarts,
  type PyNode,
  type PyTree,
  parsePython,
  sourceText,
} from "../../runtime/run/languages/python/python-tree.js";
import { type Docstring, readDocstring } from "./docstring.js";
import type { ExtensionFault, ToolFunction } from "./extension-file.js";
import { type HintReader, type InTree, literalOf, schemaOf, typeUnion } from "./python-types.js";

/** Contents of a Python file. */
export interface PythonFile {
  /** First line of the module's docstring. */
  readonly summary: string;
  readonly functions: readonly ToolFunction[];
  /** Public functions that are not tools because they have no docstring. */
  readonly undocumented: readonly string[];
  /** Faults of functions; a fault of the whole file leaves no functions. */
  readonly faults: readonly ExtensionFault[];
  /** Functions that must be awaited. */
  readonly asynchronous: ReadonlySet<string>;
  /** Unknown type hints, for which any value is accepted. */
  readonly unknownHints: readonly string[];
}

const SYNTAX = "correct the file: toolwright run FILE says what Python makes of it";

const FUNCTION: ReadonlySet<string> = new Set(["FunctionDefinition"]);

/** Parses a file; `file` is its path in faults. */
export function readPythonFile(file: string, code: string): PythonFile {
  const tree = parsePython(code.replace(/^\uFEFF/, ""));
  const starts = lineStarts(tree.code);
  const lineOf = (node: PyNode): number => lineAt(starts, node.from);
  const functionOf = enclosingNode(tree, FUNCTION);
  const fault = tree.faults[0] ?? tree.nodes.find((one) => one.name === "ReturnStatement" && !functionOf(one));
  const statements = tree.root.children.flatMap((one) => (one.name === "StatementGroup" ? one.children : [one]));
  const nothing: PythonFile = {
    summary: "",
    functions: [],
    undocumented: [],
    faults: [],
    asynchronous: new Set(),
    unknownHints: [],
  };
  if (fault)
    return { ...nothing, faults: [{ file, line: lineOf(fault), message: "is not valid Python", remedy: SYNTAX }] };
  const reader = hintReader(tree, statements);
  const kinds = kindsOf(tree, statements);
  const { documented, undocumented } = documentedFunctions(tree, statements);
  const callable = documented.filter(({ node }) => namesEveryParameter(tree, node));
  const uncallable = documented.filter((one) => !callable.includes(one));
  const summary = readDocstring(docstringOf(tree, [undefined, ...statements]) ?? "").description.split("\n")[0] ?? "";
  return {
    summary,
    functions: callable.map(({ name, node, doc }) => ({
      name,
      description: doc.description || `Call ${name}.`,
      ...argumentsOf(tree, node, doc, reader),
      kind: kinds(name),
      line: lineOf(node),
    })),
    undocumented,
    faults: uncallable.map(({ name, node }) => ({
      file,
      line: lineOf(node),
      message: `${name} has parameters before /, which have no name to call them by`,
      remedy: "take the / out of its signature",
    })),
    asynchronous: new Set(callable.filter(({ node }) => node.children[0]?.name === "async").map(({ name }) => name)),
    unknownHints: [...reader.found],
  };
}

/** Public functions, divided by whether they have a docstring. */
function documentedFunctions(tree: PyTree, statements: readonly PyNode[]) {
  const found = [...publicFunctions(tree, statements)].map(([name, node]) => {
    const body = node.children.find((one) => one.name === "Body")?.children ?? [];
    return { name, node, text: docstringOf(tree, body)?.trim() ?? "" };
  });
  return {
    documented: found
      .filter(({ text }) => text !== "")
      .map(({ name, node, text }) => ({ name, node, doc: readDocstring(text) })),
    undocumented: found.filter(({ text }) => text === "").map(({ name }) => name),
  };
}

/** Public functions by name; the last definition counts, as in Python. */
function publicFunctions(tree: PyTree, statements: readonly PyNode[]): ReadonlyMap<string, PyNode> {
  const functions = new Map<string, PyNode>();
  for (const statement of statements) {
    const node =
      statement.name === "DecoratedStatement"
        ? statement.children.find(({ name }) => name === "FunctionDefinition")
        : statement;
    const name = node?.name === "FunctionDefinition" ? nameOf(tree, node) : "_";
    if (node && !name.startsWith("_")) functions.set(name, node);
  }
  return functions;
}

function nameOf(tree: PyTree, node: PyNode): string {
  const name = node.children.find((one) => one.name === "VariableName");
  return name ? sourceText(tree, name) : "_";
}

/** The docstring of a body: its first statement, if that is a string. */
function docstringOf(tree: PyTree, body: readonly (PyNode | undefined)[]): string | undefined {
  const opening = body.filter((one) => one?.name !== "Comment")[1];
  const statement = opening?.name === "StatementGroup" ? opening.children[0] : opening;
  const value = statement?.name === "ExpressionStatement" ? childrenOf(statement)[0] : undefined;
  if (value?.name !== "String" && value?.name !== "ContinuedString") return undefined;
  const text = literalOf(tree, value);
  return typeof text === "string" ? text : undefined;
}

/** Reads `readonly = True` of the module, and `name.readonly = True` of a function, which wins. */
function kindsOf(tree: PyTree, statements: readonly PyNode[]): (name: string) => Kind {
  const said = new Map<string, boolean>();
  for (const statement of statements) {
    const text = statement.name === "AssignStatement" ? sourceText(tree, statement) : "";
    const [, name = "", value] = /^(?:(\w+)\s*\.\s*)?readonly\s*=\s*(True|False)$/.exec(text) ?? [];
    if (value !== undefined) said.set(name, value === "True");
  }
  return (name) => ((said.get(name) ?? said.get("") ?? false) ? "read" : "write");
}

function hintReader(tree: PyTree, statements: readonly PyNode[]): HintReader & { readonly found: ReadonlySet<string> } {
  const aliases = new Map<string, InTree>();
  const classes = new Map<string, InTree>();
  const found = new Set<string>();
  for (const statement of statements) {
    const parts = childrenOf(statement);
    const named = parts.find(({ name }) => name === "VariableName");
    const value = parts.at(-1);
    if (!named || !value) continue;
    const isAlias = statement.name === "AssignStatement" ? parts[0] === named : statement.name === "TypeDefinition";
    if (statement.name === "ClassDefinition") classes.set(sourceText(tree, named), { tree, node: statement });
    else if (isAlias && value !== named) aliases.set(sourceText(tree, named), { tree, node: value });
  }
  return { names: { aliases, classes }, known: new Map(), unknown: (name) => void found.add(name), found };
}

/** One parameter of a signature. */
interface PythonParameter {
  readonly name: string;
  readonly hint?: PyNode;
  readonly preset?: PyNode;
}

const parametersIn = (node: PyNode): readonly PyNode[] =>
  node.children.find(({ name }) => name === "ParamList")?.children ?? [];

/** Whether the parameters contain no `/`, which the parser leaves out of the tree. */
function namesEveryParameter(tree: PyTree, node: PyNode): boolean {
  const parts = parametersIn(node).filter(({ name }) => name !== "Comment");
  return !parts.some(({ from }, i) => {
    const before = parts[i - 1];
    const gap = before ? tree.code.slice(before.to, from) : "";
    return gap.replace(/#.*/g, "").includes("/");
  });
}

/** Parameters that a caller can name; `*args` and `**kwargs` stay empty. */
function parametersOf(tree: PyTree, node: PyNode): readonly PythonParameter[] {
  const found: PythonParameter[] = [];
  const parts = childrenOf({ ...node, children: parametersIn(node) });
  for (let at = 1; at < parts.length; at++) {
    const group = parts.slice(at, at + parts.slice(at).findIndex(({ name }) => name === "," || name === ")"));
    at += group.length;
    const [name] = group;
    if (name?.name !== "VariableName") continue;
    const hint = group.find((one) => one.name === "TypeDef");
    const type = hint && childrenOf(hint)[1];
    const preset = group[group.findIndex((one) => one.name === "AssignOp") + 1];
    const hasPreset = group.some((one) => one.name === "AssignOp");
    found.push({
      name: sourceText(tree, name),
      ...(type ? { hint: type } : {}),
      ...(hasPreset && preset ? { preset } : {}),
    });
  }
  return found;
}

function argumentsOf(
  tree: PyTree,
  node: PyNode,
  doc: Docstring,
  reader: HintReader,
): Pick<ToolFunction, "parameters" | "result"> {
  const parameters = parametersOf(tree, node);
  const properties = parameters.map((one) => [one.name, propertyOf(tree, one, doc, reader)] as const);
  const required = parameters.filter(({ preset }) => !preset).map(({ name }) => name);
  const result = resultOf(tree, node, doc, reader);
  return {
    parameters: {
      type: "object",
      properties: Object.fromEntries(properties),
      ...(required.length > 0 ? { required } : {}),
      additionalProperties: false,
    },
    ...(result ? { result } : {}),
  };
}

function propertyOf(
  tree: PyTree,
  { name, hint, preset }: PythonParameter,
  doc: Docstring,
  reader: HintReader,
): JsonObject {
  const typed = hint ? schemaOf({ tree, node: hint }, reader) : {};
  const value: JsonValue | undefined = preset && literalOf(tree, preset);
  // `x: str = None` means that None is allowed.
  const { description: noted, ...plain } = typed;
  const schema = value === null ? typeUnion([plain, { type: "null" }]) : plain;
  const description = doc.parameters.get(name) ?? noted;
  return {
    ...schema,
    ...(description === undefined ? {} : { description }),
    ...(value === undefined ? {} : { default: value }),
  };
}

function resultOf(tree: PyTree, node: PyNode, doc: Docstring, reader: HintReader): JsonObject | undefined {
  const hint = node.children.find(({ name }) => name === "TypeDef");
  const type = hint && childrenOf(hint).find(({ name }) => name !== "->");
  const schema = type ? schemaOf({ tree, node: type }, reader) : {};
  if (Object.keys(schema).length === 0 || schema["type"] === "null") return undefined;
  return doc.returns === "" ? schema : { ...schema, description: doc.returns };
}
