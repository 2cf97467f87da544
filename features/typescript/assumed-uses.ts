/**
 * What a program does with the answers of calls: which members it reads, and to which calls it passes them on. What is not known
 * to pass an answer on counts as looking at it: the program may do something else with another answer.
 */

import type { ts as Compiler } from "@ts-morph/common";

/** What happens to the answers of calls by a path. */
export interface PassedAnswers {
  /** Paths of members that are read, such as `task.id`. */
  readonly members: readonly string[];
  /** Paths of the calls whose arguments they become. */
  readonly targets: readonly string[];
}

/** By the path of a call as it is written; null if the program looks at the answers, or if the path is a value itself. */
export type AssumedUses = Readonly<Record<string, PassedAnswers | null>>;

/** Names with which code reads what it does not write. */
const READERS: ReadonlySet<string> = new Set(["eval", "Function", "globalThis", "arguments"]);

/** An answer or a member of one. */
interface Value {
  readonly node: Compiler.Node;
  /** The member, as a path. */
  readonly path: string;
  /** Whether it has become a part of something else: of a text, a list or an object. */
  readonly isPart: boolean;
}

/** Where a value ends up. */
interface End {
  readonly targets?: readonly string[];
  readonly variables?: readonly (readonly [name: string, path: string])[];
}

/** What the body of a program does with the answers of its calls. */
export function assumedUsesIn(ts: typeof Compiler, body: Compiler.Block): AssumedUses {
  const names = new Map<string, Compiler.Identifier[]>();
  const visit = (node: Compiler.Node): void => {
    if (ts.isIdentifier(node) && isRead(ts, node)) names.set(node.text, [...(names.get(node.text) ?? []), node]);
    ts.forEachChild(node, visit);
  };
  visit(body);
  if ([...READERS].some((name) => names.has(name))) return {};
  const calls = new Map<string, Compiler.Node[] | null>();
  for (const [root, reads] of names)
    for (const read of reads) {
      const { node, path } = longestPath(ts, read, root);
      const { parent } = node;
      const others = calls.get(path);
      const isCall = ts.isCallExpression(parent) && parent.expression === node && !parent.questionDotToken;
      calls.set(path, isCall && others !== null ? [...(others ?? []), parent] : null);
    }
  const uses = (nodes: readonly Compiler.Node[]) => usesOf(ts, body, names, nodes) ?? null;
  return Object.fromEntries([...calls].map(([path, nodes]) => [path, nodes && uses(nodes)]));
}

/** Whether a name reads a variable. */
function isRead(ts: typeof Compiler, node: Compiler.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isPropertyAssignment(parent)) return parent.initializer === node;
  if (ts.isBindingElement(parent)) return parent.initializer === node;
  if (ts.isVariableDeclaration(parent) || ts.isParameter(parent)) return parent.initializer === node;
  if (ts.isBinaryExpression(parent))
    return parent.left !== node || parent.operatorToken.kind !== ts.SyntaxKind.EqualsToken;
  return true;
}

/** The path that begins with a name, such as that of a call. */
function longestPath(ts: typeof Compiler, root: Compiler.Node, name: string) {
  let [node, path] = [root, name];
  for (let { parent } = node; ts.isPropertyAccessExpression(parent) && !parent.questionDotToken; { parent } = node) {
    if (parent.expression !== node) break;
    path += `.${parent.name.text}`;
    node = parent;
  }
  return { node, path };
}

/** What becomes of the answers of some calls; undefined if the program looks at one. */
function usesOf(
  ts: typeof Compiler,
  body: Compiler.Block,
  names: ReadonlyMap<string, readonly Compiler.Identifier[]>,
  calls: readonly Compiler.Node[],
): PassedAnswers | undefined {
  const [members, targets, followed] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const waiting: Value[] = calls.map((node) => ({ node, path: "", isPart: false }));
  for (let value = waiting.pop(); value; value = waiting.pop()) {
    const end = endOf(ts, body, value);
    if (!end) return undefined;
    for (const target of end.targets ?? []) targets.add(target);
    if (end.path !== "") members.add(end.path);
    for (const [name, path] of end.variables ?? []) {
      const key = `${name} ${path} ${end.isPart}`;
      if (followed.has(key)) continue;
      followed.add(key);
      waiting.push(...(names.get(name) ?? []).map((node) => ({ node, path, isPart: end.isPart })));
    }
  }
  return { members: [...members], targets: [...targets] };
}

/** Where a value ends up: in variables, in a call, or nowhere; undefined if the program looks at it. */
function endOf(ts: typeof Compiler, body: Compiler.Block, from: Value): (End & Omit<Value, "node">) | undefined {
  let { path, isPart } = from;
  for (let { node } = from; ; node = node.parent) {
    const { parent } = node;
    const ends = (end: End = {}) => ({ ...end, path, isPart });
    if (ts.isExpressionStatement(parent)) return ends();
    if (ts.isReturnStatement(parent)) return isOfProgram(ts, parent, body) ? ends() : undefined;
    if (ts.isVariableDeclaration(parent)) {
      const variables = boundTo(ts, parent.name, path, isPart);
      return variables && ends({ variables });
    }
    if (ts.isCallExpression(parent) && parent.expression !== node) {
      const target = pathOfCall(ts, parent);
      if (target?.startsWith("console.")) return ends();
      if (target !== "Promise.all" || !ts.isArrayLiteralExpression(node)) {
        const isArguments = ts.isObjectLiteralExpression(node) && parent.arguments[0] === node;
        return target !== undefined && isArguments ? ends({ targets: [target] }) : undefined;
      }
    } else if (ts.isPropertyAccessExpression(parent) || ts.isElementAccessExpression(parent)) {
      const name = memberOf(ts, parent, node);
      if (name === undefined || isPart) return undefined;
      path = path === "" ? name : `${path}.${name}`;
    } else if (isHolder(ts, parent)) isPart = true;
    else if (!isSame(ts, parent)) return undefined;
  }
}

/** What is around a value and changes nothing of it. */
const isSame = (ts: typeof Compiler, node: Compiler.Node): boolean =>
  ts.isAwaitExpression(node) ||
  ts.isParenthesizedExpression(node) ||
  ts.isAsExpression(node) ||
  ts.isSatisfiesExpression(node) ||
  ts.isNonNullExpression(node);

/** What a value becomes a part of: a list, an object, a text. */
function isHolder(ts: typeof Compiler, parent: Compiler.Node): boolean {
  return (
    (ts.isBinaryExpression(parent) && isTextual(ts, parent)) ||
    ts.isArrayLiteralExpression(parent) ||
    ts.isObjectLiteralExpression(parent) ||
    ts.isPropertyAssignment(parent) ||
    ts.isShorthandPropertyAssignment(parent) ||
    ts.isTemplateSpan(parent) ||
    (ts.isTemplateExpression(parent) && !ts.isTaggedTemplateExpression(parent.parent))
  );
}

/** Whether an expression is a text, by how it is written. */
function isTextual(ts: typeof Compiler, node: Compiler.Expression): boolean {
  if (ts.isParenthesizedExpression(node)) return isTextual(ts, node.expression);
  if (ts.isBinaryExpression(node))
    return (
      node.operatorToken.kind === ts.SyntaxKind.PlusToken && [node.left, node.right].some((one) => isTextual(ts, one))
    );
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

/** The name of a member that is read and not called. */
function memberOf(
  ts: typeof Compiler,
  access: Compiler.PropertyAccessExpression | Compiler.ElementAccessExpression,
  node: Compiler.Node,
): string | undefined {
  const isCalled = ts.isCallExpression(access.parent) && access.parent.expression === access;
  if (access.expression !== node || access.questionDotToken || isCalled) return undefined;
  if (ts.isPropertyAccessExpression(access)) return access.name.text;
  return ts.isStringLiteral(access.argumentExpression) ? access.argumentExpression.text : undefined;
}

/** The variables of a declaration, with the members that they hold; undefined for one that looks at the value. */
function boundTo(
  ts: typeof Compiler,
  name: Compiler.BindingName,
  path: string,
  isPart: boolean,
): readonly (readonly [string, string])[] | undefined {
  if (ts.isIdentifier(name)) return [[name.text, path]];
  if (ts.isArrayBindingPattern(name) || isPart) return undefined;
  const found: (readonly [string, string])[] = [];
  for (const { dotDotDotToken, initializer, propertyName = undefined, name: inner } of name.elements) {
    const key = propertyName ?? inner;
    if (dotDotDotToken || initializer || !ts.isIdentifier(key)) return undefined;
    const below = boundTo(ts, inner, path === "" ? key.text : `${path}.${key.text}`, isPart);
    if (!below) return undefined;
    found.push(...below);
  }
  return found;
}

/** Whether a statement is of the program itself, not of a function in it. */
function isOfProgram(ts: typeof Compiler, node: Compiler.Node, body: Compiler.Block): boolean {
  for (let at = node; at !== body; at = at.parent) if (ts.isFunctionLike(at)) return false;
  return true;
}

const pathOfCall = (ts: typeof Compiler, { expression }: Compiler.CallExpression): string | undefined => {
  let root: Compiler.Node = expression;
  while (ts.isPropertyAccessExpression(root)) root = root.expression;
  if (!ts.isIdentifier(root)) return undefined;
  const { node, path } = longestPath(ts, root, root.text);
  return node === expression ? path : undefined;
};

/**
 * Whether a program only passes on the answers of ops.
 *
 * @param pathOf - the path of an op that a call names otherwise
 * @param isOp - whether an op with this path may get such an answer as an argument
 * @param has - whether the answers of an op have a member: one that is absent would be left out without a failure
 */
export function forwardsAnswers(
  uses: AssumedUses,
  ops: Iterable<string>,
  pathOf: (name: string) => string,
  isOp: (path: string) => boolean,
  has: (op: string, member: string) => boolean,
): boolean {
  const all = Object.entries(uses).map(([name, passed]) => [pathOf(name), passed] as const);
  return [...ops].every((op) => {
    const own = all.filter(([path]) => path === op);
    const isValue = all.some(([path, passed]) => passed === null && op.startsWith(`${path}.`));
    const isMember = all.some(([path]) => path.startsWith(`${op}.`));
    // A call that is not found by its name is made in another way.
    if (own.length === 0 || isValue || isMember) return false;
    return own.every(
      ([, passed]) =>
        passed?.targets.every((target) => isOp(pathOf(target))) && passed.members.every((member) => has(op, member)),
    );
  });
}
