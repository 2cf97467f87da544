/** Finds all constructs of the router's table in the tree. In doubt a construct counts as found. */

import { MISSING_BUILTINS } from "./engine/monty-faults.js";
import {
  addTo,
  childrenOf,
  holding,
  lineAt,
  lineStarts,
  nearest,
  type PyNode,
  type PyTree,
  textOf,
  unwrapped,
} from "./python-tree.js";
import type { Resolved } from "./resolve-names.js";
import { functionsByName, namesGiven, type Scopes } from "./scopes.js";
import type { Feature } from "./syntax-facts.js";
import { otherFeatures } from "./syntax-features-other.js";
import { valueFeatures } from "./syntax-features-values.js";

/** Modules that both engines have. */
const MODULES: ReadonlySet<string> = new Set("json math typing asyncio".split(" "));
const STRINGS: ReadonlySet<string> = new Set(["String", "FormatString", "ContinuedString"]);
const DICTIONARIES: ReadonlySet<string> = new Set(["DictionaryExpression", "DictionaryComprehensionExpression"]);
const CLOCK: ReadonlySet<string> = new Set(["now", "today", "utcnow"]);
const CHAINS: ReadonlySet<string> = new Set(["__cause__", "__context__"]);
const EXITS: ReadonlySet<string> = new Set(["SystemExit", "KeyboardInterrupt"]);
const CALLBACKS: ReadonlySet<string> = new Set(["map", "filter", "sorted", "min", "max", "sort", "reduce"]);
const LAMBDA: ReadonlySet<string> = new Set(["LambdaExpression"]);
const CALL: ReadonlySet<string> = new Set(["CallExpression"]);
const FUNCTION: ReadonlySet<string> = new Set(["FunctionDefinition"]);

/** Context of the readers below. */
interface Seen {
  readonly tree: PyTree;
  readonly scopes: Scopes;
  readonly resolved: Resolved;
  /** Names to which text is assigned somewhere, and names to which a dict is assigned. */
  readonly texts: ReadonlySet<string>;
  readonly dicts: ReadonlySet<string>;
  /** Names that are read and that the code does not bind. */
  readonly free: ReadonlySet<PyNode>;
  /** Outermost nodes that name an op or a pack, such as `demo.search` of `demo.search(1)`. */
  readonly tools: readonly PyNode[];
  /** Functions of the code that call a tool, directly or indirectly. */
  readonly toolful: ReadonlySet<string>;
  /** Whether a node contains a string literal. */
  readonly holdsText: (node: PyNode) => boolean;
  /** Whether a node contains a tool, or the name of a function that calls one. */
  readonly holdsTool: (node: PyNode) => boolean;
  /** Calls with a tool call as a direct argument. */
  readonly givenTools: ReadonlySet<PyNode | undefined>;
  readonly lambdaOf: (node: PyNode) => PyNode | undefined;
  readonly callOf: (node: PyNode) => PyNode | undefined;
  /** Whether the code reads the path of a project, for which Monty uses another path type. */
  readonly usesProject: boolean;
}

/** Finds the constructs of a tree, in the order of the text. */
export function readFeatures(tree: PyTree, scopes: Scopes, resolved: Resolved): readonly Feature[] {
  const tools = toolNodes(tree, resolved);
  const seen = seenIn(tree, scopes, resolved, tools);
  const starts = lineStarts(tree.code);
  const found = tree.nodes.flatMap((node) =>
    (READERS[node.name]?.(node, seen) ?? []).map((name) => ({ at: node, name })),
  );
  for (const one of valueFeatures(tree, scopes, resolved.isOfPack)) found.push(one);
  for (const tool of tools) for (const name of toolUse(tool, seen)) found.push({ at: tool, name });
  if (found.length === 0) found.push(...otherFeatures(tree, scopes, (node) => resolved.pathOf(node) !== undefined));
  return found
    .sort((a, b) => a.at.from - b.at.from || a.at.index - b.at.index)
    .slice(0, MAX_FEATURES)
    .map(({ at, name }) => ({ name: name.slice(0, MAX_NAME_LENGTH), line: lineAt(starts, at.from) }));
}

function seenIn(tree: PyTree, scopes: Scopes, resolved: Resolved, tools: readonly PyNode[]): Seen {
  const toolful = toolfulFunctions(tree, tools);
  const areTools = new Set(tools);
  return {
    ...{ tree, scopes, resolved, tools, toolful },
    texts: namesGiven(tree, ({ name }) => STRINGS.has(name)),
    dicts: namesGiven(tree, (value) => isDictionary(tree, value)),
    free: new Set(scopes.free),
    holdsText: holding(tree, ({ name }) => STRINGS.has(name)),
    holdsTool: holding(
      tree,
      (node) => areTools.has(node) || (node.name === "VariableName" && toolful.has(textOf(tree, node))),
    ),
    givenTools: new Set(
      tools.flatMap(({ parent }) => (parent?.name === "CallExpression" ? parent.parent?.parent : [])),
    ),
    lambdaOf: nearest(tree, LAMBDA),
    callOf: nearest(tree, CALL),
    usesProject: tools.some((tool) => resolved.isProject(resolved.pathOf(tool) ?? [])),
  };
}

/** Most reported constructs, and longest name of one: code may contain any number of them. */
const MAX_FEATURES = 100;
const MAX_NAME_LENGTH = 100;

type Reader = (node: PyNode, seen: Seen) => readonly string[];

const always =
  (name: string): Reader =>
  () => [name];
const when = (isSo: boolean, name: string): readonly string[] => (isSo ? [name] : []);
const has = (node: PyNode, token: string): boolean => node.children.some(({ name }) => name === token);

/** Constructs by kind of node. */
const READERS: Readonly<Record<string, Reader>> = {
  ClassDefinition: always("class"),
  Decorator: always("decorator"),
  YieldStatement: always("yield"),
  YieldExpression: always("yield"),
  MatchStatement: always("match"),
  DeleteStatement: always("del"),
  WithStatement: (node) => [has(node, "async") ? "async with" : "with"],
  TryStatement: (node) =>
    when(
      node.children.some(({ name }, i) => name === "*" && node.children[i - 1]?.name === "except"),
      "except*",
    ),
  AssignStatement: (node) => when(targets(node).some(holdsSlice), "slice assignment"),
  UpdateStatement: updates,
  ForStatement: asyncFor,
  ArgList: asyncFor,
  ComprehensionExpression: asyncFor,
  ArrayComprehensionExpression: asyncFor,
  SetComprehensionExpression: asyncFor,
  DictionaryComprehensionExpression: asyncFor,
  BinaryExpression: operators,
  ImportStatement: (node, { tree }) => [
    ...importedModules(tree, node)
      .filter((name) => !MODULES.has(name) && name !== "__future__")
      .map((name) => `import ${name}`),
    ...when(
      node.children.some((child) => child.name === "VariableName" && textOf(tree, child) === "TypedDict"),
      "TypedDict",
    ),
  ],
  VariableName: (node, { tree, free, usesProject }) => {
    const name = textOf(tree, node);
    if (!free.has(node)) return [];
    return [
      ...when(MISSING_BUILTINS.has(name) || name === "TypedDict", name),
      ...when(name === "type" && usesProject, "type of a project's path"),
    ];
  },
  MemberExpression: members,
  CallExpression: calls,
  RaiseStatement: (node, { tree }) => {
    const raised = childrenOf(node)[1];
    const type = raised?.name === "CallExpression" ? raised.children[0] : raised;
    const name = type ? textOf(tree, type) : "";
    return when(EXITS.has(name), `raise ${name}`);
  },
};

/** The imported modules by their first segment; a relative import is `.`. */
export function importedModules(tree: PyTree, node: PyNode): readonly string[] {
  const { children } = node;
  if (children[0]?.name === "from") {
    const from = children[1];
    return from ? [from.name === "VariableName" ? textOf(tree, from) : "."] : [];
  }
  return children
    .filter(({ name }, i) => name === "VariableName" && ["import", ",", "("].includes(children[i - 1]?.name ?? ""))
    .map((child) => textOf(tree, child));
}

function asyncFor(node: PyNode): readonly string[] {
  return when(has(node, "async"), "async for");
}

/** The targets of an assignment. */
function targets(node: PyNode): readonly PyNode[] {
  const last = node.children.findLastIndex(({ name }) => name === "AssignOp");
  return last < 0 ? [] : node.children.slice(0, last);
}

/** Whether a target, or a part of it, is `x[a:b]`. */
function holdsSlice(target: PyNode): boolean {
  const open = [target];
  for (let at = open.pop(); at; at = open.pop()) {
    if (at.name === "MemberExpression") {
      if (has(at, "[") && has(at, ":")) return true;
    } else if (at.name !== "CallExpression") for (const child of at.children) open.push(child);
  }
  return false;
}

function updates(node: PyNode, seen: Seen): readonly string[] {
  const [target, operator] = childrenOf(node);
  const value = childrenOf(node).at(-1);
  if (!target || !operator || !value) return [];
  const text = textOf(seen.tree, operator);
  return [
    ...when(holdsSlice(target), "slice assignment"),
    ...when(text === "|=" && (isDict(target, seen) || isDict(value, seen)), "dict with |"),
    ...when(text === "%=" && (isText(target, seen) || isTupleOrDict(value)), "% formatting"),
  ];
}

function operators(node: PyNode, seen: Seen): readonly string[] {
  const [left, operator, right] = childrenOf(node);
  if (!left || !operator || !right) return [];
  const text = textOf(seen.tree, operator);
  if (text === "%") return when(isText(left, seen) || isTupleOrDict(unwrapped(right)), "% formatting");
  return when(text === "|" && (isDict(left, seen) || isDict(right, seen)), "dict with |");
}

function isText(node: PyNode, { tree, texts, holdsText }: Seen): boolean {
  const at = unwrapped(node);
  if (at.name === "BinaryExpression") return holdsText(at);
  return STRINGS.has(at.name) || (at.name === "VariableName" && texts.has(textOf(tree, at)));
}

const isTupleOrDict = (node: PyNode): boolean => node.name === "TupleExpression" || DICTIONARIES.has(node.name);

function isDict(node: PyNode, { tree, dicts }: Seen): boolean {
  const at = unwrapped(node);
  return isDictionary(tree, at) || (at.name === "VariableName" && dicts.has(textOf(tree, at)));
}

/** Whether a node is a dict display, or a call of `dict(...)`. */
function isDictionary(tree: PyTree, node: PyNode): boolean {
  const called = node.name === "CallExpression" ? node.children[0] : undefined;
  if (called) return called.name === "VariableName" && textOf(tree, called) === "dict";
  // `{} | a | b` nests to the left, so checking the first operand is enough.
  const left = node.name === "BinaryExpression" ? node.children[0] : undefined;
  return DICTIONARIES.has((left ?? node).name);
}

function members(node: PyNode, { tree, resolved }: Seen): readonly string[] {
  const property = childrenOf(node).at(-1);
  if (property?.name !== "PropertyName") return [];
  const name = textOf(tree, property);
  if (CHAINS.has(name)) return [name];
  if (name === "exit" && textOf(tree, node) === "sys.exit") return ["sys.exit"];
  return when(CLOCK.has(name) && !resolved.isOfPack(node), `datetime.${name}`);
}

/** The last part of the called name: `sort` of `x.sort(...)`. */
function calledName(tree: PyTree, node: PyNode): string {
  const called = node.children[0];
  const last = called?.name === "MemberExpression" ? childrenOf(called).at(-1) : called;
  return last && (last.name === "PropertyName" || last.name === "VariableName") ? textOf(tree, last) : "";
}

function calls(node: PyNode, seen: Seen): readonly string[] {
  const { tree, resolved, toolful } = seen;
  const called = node.children[0];
  if (!called || resolved.isOfPack(called)) return [];
  const name = calledName(tree, node);
  if (name === "format") return when(called.name === "MemberExpression", "str.format");
  if (name === "gather") return when(seen.holdsTool(node), "gather over tools");
  if (textOf(tree, called) === "asyncio.run") return when(seen.givenTools.has(node), "asyncio.run over a tool");
  if (!CALLBACKS.has(name)) return [];
  const list = node.children.find((child) => child.name === "ArgList");
  const isToolful = list?.children.some((child) => child.name === "VariableName" && toolful.has(textOf(tree, child)));
  return when(isToolful === true, `tool in a function given to ${name}`);
}

/** Nodes that name an op or a pack, with all dots: `demo.search`, not the `demo` in it. */
function toolNodes(tree: PyTree, resolved: Resolved): readonly PyNode[] {
  return tree.nodes.filter((node) => {
    if (node.name !== "VariableName" && node.name !== "MemberExpression") return false;
    const { parent } = node;
    const goesOn = parent?.name === "MemberExpression" && parent.children[0] === node && has(parent, ".");
    return !goesOn && resolved.isOfPack(node);
  });
}

/** Uses of a tool other than a call. */
function toolUse(tool: PyNode, { resolved, lambdaOf, callOf }: Seen): readonly string[] {
  const isCalled = tool.parent?.name === "CallExpression" && tool.parent.children[0] === tool;
  if (isCalled) return when(lambdaOf(tool) !== undefined, "tool in a lambda");
  const isProject = resolved.isProject(resolved.pathOf(tool) ?? []);
  const isMethod = isProject && callOf(tool)?.children[0] === tool.parent;
  return when(!isProject && !isMethod, "tool as a value");
}

/** Names of functions that call a tool, or a function that does. */
function toolfulFunctions(tree: PyTree, tools: readonly PyNode[]): ReadonlySet<string> {
  const functions = functionsByName(tree);
  const functionOf = nearest(tree, FUNCTION);
  const names = new Map([...functions].map(([name, node]) => [node, name]));
  const users = usersOf(tree, functions, functionOf);
  const reached = new Set<PyNode>();
  const open = tools.flatMap((tool) => functionOf(tool) ?? []);
  for (let at = open.pop(); at; at = open.pop()) {
    if (reached.has(at)) continue;
    reached.add(at);
    for (const one of [functionOf(at) ?? [], users.get(names.get(at) ?? "") ?? []].flat()) open.push(one);
  }
  return new Set([...reached].flatMap((node) => names.get(node) ?? []));
}

/** The functions that refer to each function. */
function usersOf(
  tree: PyTree,
  functions: ReadonlyMap<string, PyNode>,
  functionOf: (node: PyNode) => PyNode | undefined,
): ReadonlyMap<string, readonly PyNode[]> {
  const users = new Map<string, PyNode[]>();
  for (const node of tree.nodes) {
    const user = node.name === "VariableName" ? functionOf(node) : undefined;
    const name = user ? textOf(tree, node) : "";
    if (user && functions.has(name)) addTo(users, name, user);
  }
  return users;
}
