/** Which names a piece of Python binds itself, and where: what resolves to something else is what is left. */

import { around, childrenOf, isIn, type PyNode, type PyTree, textOf, unwrapped } from "./python-tree.js";

/** Names that the code binds. */
export interface Scopes {
  /** Names bound anywhere. */
  readonly bound: ReadonlySet<string>;
  /** Names that are read, in the order of the text, without those the code binds where they stand. */
  readonly free: readonly PyNode[];
  /** Whether a name that is read here is one the code binds. */
  isBound(node: PyNode): boolean;
}

const COMPREHENSIONS: ReadonlySet<string> = new Set([
  "ComprehensionExpression",
  "ArrayComprehensionExpression",
  "DictionaryComprehensionExpression",
  "SetComprehensionExpression",
]);
const FUNCTIONS: ReadonlySet<string> = new Set(["FunctionDefinition", "LambdaExpression"]);
const LOOPS: ReadonlySet<string> = new Set(["ForStatement", "WhileStatement"]);
const STATEMENTS: ReadonlySet<string> = new Set([
  "AssignStatement",
  "UpdateStatement",
  "DeleteStatement",
  "TypeDefinition",
]);

/** The names a scope binds, with the place from which each is bound. */
type Bindings = Map<string, number>;

interface Binding {
  readonly node: PyNode;
  readonly scope: PyNode;
  /** Where the name comes into being: `x` of `x = x` is not there yet while its value is made. */
  readonly since: number;
}

/** Finds every binding and every free name. */
export function readScopes(tree: PyTree): Scopes {
  const outer = outerNames(tree);
  const bindings = new Map<PyNode, Bindings>();
  const binding = new Set<PyNode>();
  const bound = new Set<string>();
  for (const one of tree.nodes.flatMap((node) => bindingsOf(tree, node))) {
    const name = textOf(tree, one.node);
    const scope = outer.get(one.scope)?.has(name) ? (outer.get(one.scope)?.get(name) ?? tree.root) : one.scope;
    const names = bindings.get(scope) ?? new Map<string, number>();
    names.set(name, Math.min(names.get(name) ?? Number.POSITIVE_INFINITY, one.since));
    bindings.set(scope, names);
    binding.add(one.node);
    bound.add(name);
  }
  const isBound = (node: PyNode): boolean => boundAt(tree, bindings, node);
  const free = tree.nodes.filter(
    (node) => node.name === "VariableName" && !binding.has(node) && isRead(node) && !isBound(node),
  );
  return { bound, free, isBound };
}

/** Names that `global` and `nonlocal` take out of a function, with the scope they mean. */
function outerNames(tree: PyTree): ReadonlyMap<PyNode, ReadonlyMap<string, PyNode>> {
  const found = new Map<PyNode, Map<string, PyNode>>();
  for (const node of tree.nodes) {
    if (node.name !== "ScopeStatement") continue;
    const scope = scopeOf(tree, node);
    const isGlobal = node.children[0]?.name === "global";
    const names = found.get(scope) ?? new Map<string, PyNode>();
    for (const child of node.children)
      if (child.name === "VariableName")
        names.set(textOf(tree, child), isGlobal ? tree.root : (around(scope, FUNCTIONS) ?? tree.root));
    found.set(scope, names);
  }
  return found;
}

const isScope = (node: PyNode): boolean =>
  FUNCTIONS.has(node.name) || node.name === "ClassDefinition" || node.name === "Script" || isComprehension(node);

const isComprehension = (node: PyNode): boolean =>
  COMPREHENSIONS.has(node.name) || (node.name === "ArgList" && node.children.some(({ name }) => name === "for"));

/** The scope whose names a node at this place binds or reads first. */
function scopeOf(tree: PyTree, node: PyNode): PyNode {
  let child = node;
  for (let at = node.parent; at; child = at, at = at.parent) if (isScope(at) && !isOutside(at, child)) return at;
  return tree.root;
}

/** Whether a direct child of a scope is evaluated before it is entered: a decorator, a default, the first iterable. */
function isOutside(scope: PyNode, child: PyNode): boolean {
  if (scope.name === "Script") return false;
  if (isComprehension(scope)) {
    const start = scope.children.findIndex(({ name }) => name === "in");
    const end = scope.children.findIndex(({ name }, i) => i > start && CLAUSE.has(name));
    const at = scope.children.indexOf(child);
    return start >= 0 && at > start && (end < 0 || at < end);
  }
  if (scope.name === "LambdaExpression") return child.name === "ParamList";
  return child.name !== "Body";
}

const CLAUSE: ReadonlySet<string> = new Set(["for", "if", "async", ")", "]", "}"]);

function boundAt(tree: PyTree, bindings: ReadonlyMap<PyNode, Bindings>, node: PyNode): boolean {
  const name = textOf(tree, node);
  const first = scopeOf(tree, node);
  for (let scope: PyNode | undefined = first; scope; scope = scope === tree.root ? undefined : scopeOf(tree, scope)) {
    const since = bindings.get(scope)?.get(name);
    if (since === undefined || (scope.name === "ClassDefinition" && scope !== first)) continue;
    // Statements of the outermost level run in the order of the text: before it is bound, a name is not.
    if (scope !== tree.root || first !== tree.root || since <= node.from || around(node, LOOPS)) return true;
  }
  return false;
}

/** What a node binds in which scope. */
function bindingsOf(tree: PyTree, node: PyNode): readonly Binding[] {
  const targets = TARGETS[node.name]?.(node, tree) ?? (isComprehension(node) ? between(node, "for", "in") : []);
  if (targets.length === 0) return [];
  const scope = scopeFor(tree, node);
  const since = STATEMENTS.has(node.name) ? node.to : node.from;
  return targets.flatMap(namesIn).map((name) => ({ node: name, scope, since }));
}

function scopeFor(tree: PyTree, node: PyNode): PyNode {
  if (isComprehension(node)) return node;
  if (node.name === "ParamList" || node.name === "TypeParam") return around(node, SCOPED) ?? tree.root;
  let scope = scopeOf(tree, node);
  if (node.name === "NamedExpression" || node.name === "ArgList")
    while (isComprehension(scope)) scope = scopeOf(tree, scope);
  return scope;
}

const SCOPED: ReadonlySet<string> = new Set([
  "FunctionDefinition",
  "LambdaExpression",
  "ClassDefinition",
  "TypeDefinition",
]);

/** The names of a target: `(a, *b)` has two, `a.b` and `a[b]` have none. */
function namesIn(target: PyNode): readonly PyNode[] {
  const found: PyNode[] = [];
  const open = [target];
  for (let at = open.pop(); at; at = open.pop()) {
    if (at.name === "VariableName") found.push(at);
    else if (NESTED.has(at.name)) open.push(...at.children);
  }
  return found;
}

const NESTED: ReadonlySet<string> = new Set(["TupleExpression", "ArrayExpression", "ParenthesizedExpression", "⚠"]);

/** What stands between each `start` and the next `end` among the children. */
function between(node: PyNode, start: string, end: string): readonly PyNode[] {
  let isOpen = false;
  return node.children.filter(({ name }) => {
    if (name === start) isOpen = true;
    else if (name === end) isOpen = false;
    else return isOpen;
    return false;
  });
}

/** Names that follow one of these tokens. */
const following = (node: PyNode, ...tokens: readonly string[]): readonly PyNode[] =>
  node.children.filter((_, i) => tokens.includes(node.children[i - 1]?.name ?? ""));

const first = (node: PyNode): readonly PyNode[] => node.children.slice(0, 1);
const firstName = (node: PyNode): readonly PyNode[] =>
  node.children.filter(({ name }) => name === "VariableName").slice(0, 1);
const lastName = (node: PyNode): readonly PyNode[] =>
  node.children.filter(({ name }) => name === "VariableName").slice(-1);

/** The targets of every construct that binds. */
const TARGETS: Readonly<Record<string, (node: PyNode, tree: PyTree) => readonly PyNode[]>> = {
  AssignStatement: (node) => {
    const last = node.children.findLastIndex(({ name }) => name === "AssignOp");
    return last < 0 ? first(node) : node.children.slice(0, last);
  },
  UpdateStatement: first,
  DeleteStatement: (node) => node.children.slice(1),
  ForStatement: (node) => between(node, "for", "in"),
  WithStatement: (node) => following(node, "as"),
  TryStatement: (node) => following(node, "as"),
  ImportStatement: importedNames,
  FunctionDefinition: firstName,
  ClassDefinition: firstName,
  TypeDefinition: firstName,
  TypeParam: firstName,
  ParamList: (node) =>
    node.children.filter(({ name }, i) => name === "VariableName" && node.children[i - 1]?.name !== "AssignOp"),
  NamedExpression: first,
  ArgList: (node, tree) => [
    ...node.children.filter((child, i) => {
      const next = node.children[i + 1];
      return child.name === "VariableName" && next?.name === "AssignOp" && textOf(tree, next) === ":=";
    }),
    ...(isComprehension(node) ? between(node, "for", "in") : []),
  ],
  CapturePattern: firstName,
  AsPattern: lastName,
};

/** `import a.b` binds `a`, `import a.b as c` and `from a import b as c` bind `c`. */
function importedNames(node: PyNode): readonly PyNode[] {
  const { children } = node;
  const start = children.findIndex(({ name }) => name === "import");
  return children.filter((child, i) => {
    if (i <= start || child.name !== "VariableName") return false;
    const before = children[i - 1]?.name;
    if (before === "as") return true;
    if (before === ".") return false;
    let last = i;
    while (children[last + 1]?.name === ".") last += 2;
    return children[last + 1]?.name !== "as";
  });
}

/** Whether a name is evaluated: not the name of a keyword argument, not part of an import, not declared by `global`. */
function isRead(node: PyNode): boolean {
  const { parent } = node;
  if (!parent || NEVER.has(parent.name)) return false;
  if (parent.name !== "ArgList") return true;
  const next = parent.children[parent.children.indexOf(node) + 1];
  return next?.name !== "AssignOp";
}

const NEVER: ReadonlySet<string> = new Set(["ImportStatement", "ScopeStatement", "TypeParam", "KeywordPattern"]);

/** A function of the code by its name, where it is defined once. */
export function functionsByName(tree: PyTree): ReadonlyMap<string, PyNode> {
  const found = new Map<string, PyNode>();
  for (const node of tree.nodes) {
    const name = node.name === "FunctionDefinition" ? firstName(node)[0] : undefined;
    if (name) found.set(textOf(tree, name), node);
  }
  return found;
}

/** Names that an assignment gives a value of one of these kinds. */
export function namesGiven(tree: PyTree, isKind: (value: PyNode) => boolean): ReadonlySet<string> {
  const found = new Set<string>();
  for (const node of tree.nodes) {
    if (node.name !== "AssignStatement") continue;
    const value = childrenOf(node).at(-1);
    if (!value || value === node.children[0] || !isKind(unwrapped(value))) continue;
    for (const child of node.children)
      if (child.name === "VariableName" && !isIn(child, value)) found.add(textOf(tree, child));
  }
  return found;
}
