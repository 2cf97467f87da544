/** Finds the names that a piece of Python binds, and where; all other names are free. */

import { countUpTo } from "../../count.js";
import { appendTo, enclosingNode, nextSibling, type PyNode, type PyTree, sourceText } from "./python-tree.js";

/** Bound and free names of the code. */
export interface Scopes {
  /** Names bound anywhere. */
  readonly bound: ReadonlySet<string>;
  /** Names that are read and not bound at their place, in the order of the text. */
  readonly free: readonly PyNode[];
  /** Whether the code binds a name that is read here. */
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

/** The names that a scope binds, with the offset from which each is bound. */
type Bindings = Map<string, number>;

interface Binding {
  readonly node: PyNode;
  readonly scope: PyNode;
  /** Offset from which the name exists: in `x = x` it does not exist while its value is computed. */
  readonly since: number;
}

/** Finds all bindings and all free names. */
export function readScopes(tree: PyTree): Scopes {
  const map = scopeMap(tree);
  const outer = outerNames(tree, map);
  const bindings = new Map<PyNode, Bindings>();
  const binding = new Set<PyNode>();
  const bound = new Set<string>();
  for (const one of tree.nodes.flatMap((node) => bindingsOf(tree, map, node))) {
    const name = sourceText(tree, one.node);
    const scope = outer.get(one.scope)?.get(name) ?? one.scope;
    const names = bindings.get(scope) ?? new Map<string, number>();
    names.set(name, Math.min(names.get(name) ?? Number.POSITIVE_INFINITY, one.since));
    bindings.set(scope, names);
    binding.add(one.node);
    bound.add(name);
  }
  const read = tree.nodes.filter((node) => node.name === "VariableName" && !binding.has(node) && isRead(node));
  const isBound = boundNames(tree, map, bindings, read);
  return { bound, free: read.filter((node) => !isBound(node)), isBound };
}

/** The scopes around each node; each table has an entry for each node of the tree. */
interface ScopeMap {
  /** The scope in which a node at this place binds or first looks up names. */
  scopeOf(node: PyNode): PyNode;
  isComprehension(node: PyNode): boolean;
  /** The nearest scope, from this one outwards, that is not a comprehension. */
  lasting(scope: PyNode): PyNode;
  /** The function or class that parameters and type parameters belong to. */
  ownerOf(node: PyNode): PyNode | undefined;
  functionOf(node: PyNode): PyNode | undefined;
  loopOf(node: PyNode): PyNode | undefined;
}

/** Finds the scope of every node in one pass, because parents precede their children. */
function scopeMap(tree: PyTree): ScopeMap {
  const { root } = tree;
  const isOutside: (((child: PyNode) => boolean) | undefined)[] = [];
  const scopes: PyNode[] = [];
  const lasting: PyNode[] = [];
  for (const node of tree.nodes) {
    const { parent } = node;
    const isInner = parent && isOutside[parent.index]?.(node) === false;
    const scope = !parent ? root : isInner ? parent : (scopes[parent.index] ?? root);
    scopes.push(scope);
    isOutside.push(outsideOf(node));
    lasting.push(isComprehension(node) ? (lasting[scope.index] ?? root) : node);
  }
  return {
    scopeOf: ({ index }) => scopes[index] ?? root,
    isComprehension: ({ index }) => lasting[index] !== tree.nodes[index],
    lasting: ({ index }) => lasting[index] ?? root,
    ownerOf: enclosingNode(tree, SCOPED),
    functionOf: enclosingNode(tree, FUNCTIONS),
    loopOf: enclosingNode(tree, LOOPS),
  };
}

/** Names that `global` and `nonlocal` declare in a function, with the scope they refer to. */
function outerNames(tree: PyTree, map: ScopeMap): ReadonlyMap<PyNode, ReadonlyMap<string, PyNode>> {
  const found = new Map<PyNode, Map<string, PyNode>>();
  for (const node of tree.nodes) {
    if (node.name !== "ScopeStatement") continue;
    const scope = map.scopeOf(node);
    const isGlobal = node.children[0]?.name === "global";
    const names = found.get(scope) ?? new Map<string, PyNode>();
    for (const child of node.children)
      if (child.name === "VariableName")
        names.set(sourceText(tree, child), isGlobal ? tree.root : (map.functionOf(scope) ?? tree.root));
    found.set(scope, names);
  }
  return found;
}

const isComprehension = (node: PyNode): boolean =>
  COMPREHENSIONS.has(node.name) || (node.name === "ArgList" && node.children.some(({ name }) => name === "for"));

const isNever = (): boolean => false;

/** Whether a direct child of a scope is evaluated outside it: a decorator, a default, the first iterable. */
function outsideOf(scope: PyNode): ((child: PyNode) => boolean) | undefined {
  if (scope.name === "Script") return isNever;
  if (scope.name === "LambdaExpression") return ({ name }) => name === "ParamList";
  if (scope.name === "FunctionDefinition" || scope.name === "ClassDefinition") return ({ name }) => name !== "Body";
  if (!isComprehension(scope)) return undefined;
  const start = scope.children.findIndex(({ name }) => name === "in");
  const end = scope.children.findIndex(({ name }, i) => i > start && CLAUSE.has(name));
  return ({ position }) => start >= 0 && position > start && (end < 0 || position < end);
}

const CLAUSE: ReadonlySet<string> = new Set(["for", "if", "async", ")", "]", "}"]);

/**
 * The names that are bound at the place where they are read: by the scope that reads them, by an enclosing scope other
 * than a class, or at module level.
 */
function boundNames(
  tree: PyTree,
  map: ScopeMap,
  bindings: ReadonlyMap<PyNode, Bindings>,
  read: readonly PyNode[],
): (node: PyNode) => boolean {
  const { root } = tree;
  const bound = new Set<PyNode>();
  const isEnclosed = enclosedNames(tree, map, bindings);
  for (const node of read) {
    const name = sourceText(tree, node);
    const first = map.scopeOf(node);
    const since = bindings.get(root)?.get(name);
    if (first !== root && bindings.get(first)?.has(name)) bound.add(node);
    else if (isEnclosed(first, name)) bound.add(node);
    // Module-level statements run in the order of the text: before its binding, a name is free.
    else if (since !== undefined && (first !== root || since <= node.from || map.loopOf(node))) bound.add(node);
  }
  return (node) => bound.has(node);
}

/** Position of a scope in a walk over all scopes: inner scopes are entered after it and left before it. */
interface Interval {
  readonly enter: number;
  leave: number;
}

/**
 * Returns a check whether an enclosing scope binds a name; classes and module level do not count. The scopes of a name
 * are searched by bisection, so that the cost does not grow with the depth at which it is read.
 */
function enclosedNames(
  tree: PyTree,
  map: ScopeMap,
  bindings: ReadonlyMap<PyNode, Bindings>,
): (scope: PyNode, name: string) => boolean {
  const intervals = scopeIntervals(tree, map);
  const byName = new Map<string, Interval[]>();
  for (const [scope, names] of bindings) {
    const interval = intervals.get(scope);
    if (!interval || scope === tree.root || scope.name === "ClassDefinition") continue;
    for (const name of names.keys()) appendTo(byName, name, interval);
  }
  const covered = new Map([...byName].map(([name, all]) => [name, outermost(all)]));
  return (scope, name) => {
    const at = intervals.get(scope)?.enter ?? 0;
    const { enters = [], leaves = [] } = covered.get(name) ?? {};
    return at < (leaves[countUpTo(enters, at) - 1] ?? 0);
  };
}

/** Starts and ends of the intervals that are in no other, in order. */
function outermost(intervals: readonly Interval[]): { readonly enters: number[]; readonly leaves: number[] } {
  const enters: number[] = [];
  const leaves: number[] = [];
  for (const { enter, leave } of [...intervals].sort((a, b) => a.enter - b.enter)) {
    if (enter < (leaves.at(-1) ?? 0)) continue;
    enters.push(enter);
    leaves.push(leave);
  }
  return { enters, leaves };
}

/** The interval of every scope, in a walk from module level inwards. */
function scopeIntervals(tree: PyTree, { scopeOf }: ScopeMap): ReadonlyMap<PyNode, Interval> {
  const inner = new Map<PyNode, PyNode[]>();
  for (const node of tree.nodes) {
    if (node !== tree.root && outsideOf(node) !== undefined) appendTo(inner, scopeOf(node), node);
  }
  const found = new Map<PyNode, Interval>();
  const open: { readonly scope: PyNode; readonly isDone: boolean }[] = [{ scope: tree.root, isDone: false }];
  let clock = 0;
  for (let at = open.pop(); at; at = open.pop()) {
    const known = found.get(at.scope);
    if (at.isDone && known) known.leave = ++clock;
    else {
      found.set(at.scope, { enter: ++clock, leave: Number.POSITIVE_INFINITY });
      open.push({ scope: at.scope, isDone: true });
      for (const scope of inner.get(at.scope) ?? []) open.push({ scope, isDone: false });
    }
  }
  return found;
}

/** The names that a node binds, with their scopes. */
function bindingsOf(tree: PyTree, map: ScopeMap, node: PyNode): readonly Binding[] {
  const targets = TARGETS[node.name]?.(node, tree) ?? (map.isComprehension(node) ? between(node, "for", "in") : []);
  if (targets.length === 0) return [];
  const scope = scopeFor(tree, map, node);
  const since = STATEMENTS.has(node.name) ? node.to : node.from;
  return targets.flatMap(namesIn).map((name) => ({ node: name, scope, since }));
}

function scopeFor(tree: PyTree, map: ScopeMap, node: PyNode): PyNode {
  if (map.isComprehension(node)) return node;
  if (node.name === "ParamList" || node.name === "TypeParam") return map.ownerOf(node) ?? tree.root;
  const scope = map.scopeOf(node);
  return node.name === "NamedExpression" || node.name === "ArgList" ? map.lasting(scope) : scope;
}

const SCOPED: ReadonlySet<string> = new Set([
  "FunctionDefinition",
  "LambdaExpression",
  "ClassDefinition",
  "TypeDefinition",
]);

/** The names in a target: `(a, *b)` has two, `a.b` and `a[b]` have none. */
function namesIn(target: PyNode): readonly PyNode[] {
  const found: PyNode[] = [];
  const open = [target];
  for (let at = open.pop(); at; at = open.pop()) {
    if (at.name === "VariableName") found.push(at);
    else if (NESTED.has(at.name)) for (const child of at.children) open.push(child);
  }
  return found;
}

const NESTED: ReadonlySet<string> = new Set(["TupleExpression", "ArrayExpression", "ParenthesizedExpression", "⚠"]);

/** The children between each `start` and the next `end`. */
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

/** The targets of all binding constructs. */
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
      return child.name === "VariableName" && next?.name === "AssignOp" && sourceText(tree, next) === ":=";
    }),
    ...(isComprehension(node) ? between(node, "for", "in") : []),
  ],
  CapturePattern: firstName,
  AsPattern: lastName,
};

/** The names that an import binds: `a` for `import a.b`, `c` for `import a.b as c` and `from a import b as c`. */
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

/** Whether a name is evaluated: not the name of a keyword argument, part of an import, or declared by `global`. */
function isRead(node: PyNode): boolean {
  const { parent } = node;
  if (!parent || NEVER.has(parent.name)) return false;
  return parent.name !== "ArgList" || nextSibling(node)?.name !== "AssignOp";
}

const NEVER: ReadonlySet<string> = new Set(["ImportStatement", "ScopeStatement", "TypeParam", "KeywordPattern"]);
