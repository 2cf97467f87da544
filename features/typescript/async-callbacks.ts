/** Async functions that are given to methods of lists which do not wait for them: each promise would count as true. */

import type { ts as Compiler } from "@ts-morph/common";

/** What methods make of the promise of an async callback. */
const MISREADINGS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(["filter", "some", "every"].map((name) => [name, "each promise counts as true"])),
  ...Object.fromEntries(
    ["find", "findIndex", "findLast", "findLastIndex"].map((name) => [name, "the first promise counts as true"]),
  ),
  ...Object.fromEntries(["sort", "toSorted"].map((name) => [name, "no promise is a number"])),
};

/** A call that would not wait. */
export interface AsyncCallback {
  /** The callback, in the tree. */
  readonly node: Compiler.Node;
  readonly message: string;
  readonly instead: string;
}

/**
 * The async callbacks of such methods of lists, and of values without a known type, such as answers of ops.
 *
 * @example
 * // items.filter(async (one) => (await onto.task.get({ task_id: one.id })).open)
 */
export function asyncCallbacksIn(
  ts: typeof Compiler,
  checker: Compiler.TypeChecker,
  body: Compiler.Block,
): readonly AsyncCallback[] {
  const found: AsyncCallback[] = [];
  const visit = (node: Compiler.Node): void => {
    const called = ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) && node.expression;
    const [callback] = called ? (node as Compiler.CallExpression).arguments : [];
    if (called && callback) {
      const { text } = called.name;
      const why = Object.hasOwn(MISREADINGS, text) ? MISREADINGS[text] : undefined;
      if (why !== undefined && isListLike(ts, checker, called.expression) && givesPromise(checker, callback))
        found.push({
          node: callback,
          message: `${text} does not wait for an async function: ${why}`,
          instead: `const values = await Promise.all(items.map(async …)), then ${text} by values, without async`,
        });
    }
    ts.forEachChild(node, visit);
  };
  visit(body);
  return found;
}

/** Whether all ways to call a value give a promise. */
function givesPromise(checker: Compiler.TypeChecker, callback: Compiler.Expression): boolean {
  const ways = checker.getTypeAtLocation(callback).getCallSignatures();
  return ways.length > 0 && ways.every((one) => one.getReturnType().getSymbol()?.name === "Promise");
}

/** Whether a value is a list, or any value that the program has not made or typed itself. */
function isListLike(ts: typeof Compiler, checker: Compiler.TypeChecker, node: Compiler.Expression): boolean {
  const type = checker.getNonNullableType(checker.getTypeAtLocation(node));
  if (checker.isArrayType(type) || checker.isTupleType(type)) return true;
  if ((type.flags & ts.TypeFlags.Any) === 0) return false;
  let root: Compiler.Node = node;
  while (ts.isPropertyAccessExpression(root) || ts.isElementAccessExpression(root) || ts.isNonNullExpression(root))
    root = root.expression;
  const declared = ts.isIdentifier(root) ? checker.getSymbolAtLocation(root)?.declarations : undefined;
  return (declared ?? []).every((one) => {
    if (ts.isParameter(one) || ts.isVariableDeclaration(one)) return one.type === undefined;
    return ts.isBindingElement(one);
  });
}
