/** Finds code that changes the values of variables of a file after they are declared, which reading without running would miss. */

import { ts } from "@ts-morph/common";
import { exportedBy } from "./assigned-exports.js";

/** A place where code changes a variable. */
export interface VariableChange {
  readonly node: ts.Node;
  /** For a message: `push`, or `=`. */
  readonly by: string;
}

/** Methods that change a list. */
const CHANGING: ReadonlySet<string> = new Set([
  "push",
  "unshift",
  "splice",
  "pop",
  "shift",
  "sort",
  "reverse",
  "fill",
  "copyWithin",
]);
/** Functions of `Object` that change their first argument. */
const ASSIGNING: ReadonlySet<string> = new Set(["assign", "defineProperty", "defineProperties", "setPrototypeOf"]);

/**
 * The changes of each variable, and of exports as `exports.NAME`. A name that a function declares itself is another variable there.
 *
 * @param first what gives a variable or an export its first value
 */
export function changesIn(
  source: ts.SourceFile,
  first: ReadonlySet<ts.Node>,
): ReadonlyMap<string, readonly VariableChange[]> {
  const found = new Map<string, VariableChange[]>();
  const visit = (node: ts.Node, hidden: ReadonlySet<string>): void => {
    const inside = ts.isFunctionLike(node) ? new Set([...hidden, ...declaredIn(node)]) : hidden;
    const change = first.has(node) ? undefined : changeOf(node);
    if (change && !inside.has(change.name))
      found.set(change.name, [...(found.get(change.name) ?? []), { node, by: change.by }]);
    ts.forEachChild(node, (child) => visit(child, inside));
  };
  visit(source, new Set());
  return found;
}

function declaredIn(within: ts.Node): readonly string[] {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if ((ts.isParameter(node) || ts.isVariableDeclaration(node)) && ts.isIdentifier(node.name))
      names.push(node.name.text);
    ts.forEachChild(node, visit);
  };
  visit(within);
  return names;
}

function changeOf(node: ts.Node): { readonly name: string; readonly by: string } | undefined {
  const named = (target: ts.Node | undefined, by: string) => {
    const name = target && variableOf(target);
    return name === undefined ? undefined : { name, by };
  };
  if (ts.isBinaryExpression(node)) {
    const { kind } = node.operatorToken;
    const assigns = kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
    return assigns ? named(node.left, ts.tokenToString(kind) ?? "=") : undefined;
  }
  if (ts.isDeleteExpression(node)) return named(node.expression, "delete");
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  const { expression: on, name } = node.expression;
  if (ts.isIdentifier(on) && on.text === "Object" && ASSIGNING.has(name.text))
    return named(node.arguments[0], `Object.${name.text}`);
  return CHANGING.has(name.text) ? named(on, name.text) : undefined;
}

/** The variable in which a changed value is: `tools` of `tools[0].function.name`. */
function variableOf(node: ts.Node): string | undefined {
  if (ts.isIdentifier(node)) return node.text;
  const exported = ts.isExpression(node) ? exportedBy(node) : undefined;
  if (exported !== undefined) return `exports.${exported}`;
  const holds =
    ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node) || ts.isNonNullExpression(node);
  return holds ? variableOf(node.expression) : undefined;
}
