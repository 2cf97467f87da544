/** What statements make a file export, or give to its variables, without the word `export`: in the form of CommonJS, and later. */

import { ts } from "@ts-morph/common";
import { withoutAssertions } from "./parsed-file.js";

/** A value with the name that it gets: of an export, `default` for all of them, or of a variable. */
export interface Assigned {
  readonly name: string;
  readonly value: ts.Expression;
  /** What assigns it. */
  readonly by: ts.Node;
}

/** The exports that a statement assigns: `exports.B = …`, `module.exports = …`, `Object.assign(exports, …)`. */
export function assignedExports(statement: ts.Statement): readonly Assigned[] {
  const made = ts.isExpressionStatement(statement) ? withoutAssertions(statement.expression) : undefined;
  if (made && ts.isCallExpression(made) && ts.isPropertyAccessExpression(made.expression)) {
    const { expression: on, name } = made.expression;
    const [target, ...values] = made.arguments;
    const assigns = ts.isIdentifier(on) && on.text === "Object" && name.text === "assign";
    return assigns && target && isExports(target) ? values.flatMap((one) => membersOf(one, made)) : [];
  }
  return assignments(made).flatMap(({ target, value, by }) => {
    const name = exportedBy(target);
    if (name !== undefined) return [{ name, value, by }];
    return isExports(target) && !ts.isIdentifier(target) ? membersOf(value, by) : [];
  });
}

/** The variables that a statement at the top gives a value. */
export const assignedVariables = (statement: ts.Statement): readonly Assigned[] =>
  assignments(ts.isExpressionStatement(statement) ? withoutAssertions(statement.expression) : undefined).flatMap(
    ({ target, value, by }) => (ts.isIdentifier(target) ? [{ name: target.text, value, by }] : []),
  );

interface Assignment {
  readonly target: ts.Expression;
  readonly value: ts.Expression;
  readonly by: ts.Node;
}

/** The assignments of `a = b = value`. */
function assignments(node: ts.Expression | undefined): readonly Assignment[] {
  if (!node || !ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.EqualsToken) return [];
  const further = assignments(withoutAssertions(node.right));
  const target = withoutAssertions(node.left);
  return [{ target, value: further.at(-1)?.value ?? node.right, by: node }, ...further];
}

/** A member that an expression names by its text. */
function accessOf(node: ts.Expression): { readonly on: ts.Expression; readonly name: string } | undefined {
  if (ts.isPropertyAccessExpression(node)) return { on: node.expression, name: node.name.text };
  if (!ts.isElementAccessExpression(node) || !ts.isStringLiteralLike(node.argumentExpression)) return undefined;
  return { on: node.expression, name: node.argumentExpression.text };
}

/** Whether an expression is `exports` or `module.exports`. */
function isExports(node: ts.Expression): boolean {
  if (ts.isIdentifier(node)) return node.text === "exports";
  const access = accessOf(node);
  return access?.name === "exports" && ts.isIdentifier(access.on) && access.on.text === "module";
}

/** The export that an expression names: `B` of `exports.B`. */
export function exportedBy(node: ts.Expression): string | undefined {
  const access = accessOf(node);
  return access && isExports(access.on) ? access.name : undefined;
}

/** The exports that an object has as members; the object itself where one of them has no name in its text. */
function membersOf(value: ts.Expression, by: ts.Node): readonly Assigned[] {
  const object = withoutAssertions(value);
  const whole = [{ name: "default", value, by }];
  if (!ts.isObjectLiteralExpression(object)) return whole;
  return object.properties.flatMap((one): readonly Assigned[] => {
    if (ts.isShorthandPropertyAssignment(one)) return [{ name: one.name.text, value: one.name, by }];
    if (!ts.isPropertyAssignment(one)) return ts.isSpreadAssignment(one) ? whole : [];
    return ts.isIdentifier(one.name) || ts.isStringLiteral(one.name)
      ? [{ name: one.name.text, value: one.initializer, by }]
      : whole;
  });
}
