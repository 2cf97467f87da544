/** Values that are members: of a pattern in a declaration of variables, and static ones of a class. They are read as expressions. */

import { ts } from "@ts-morph/common";
import { withoutAssertions } from "./parsed-file.js";

/**
 * Names with their values. The value of a member is an access that is nowhere in the text, at the place of the name;
 * {@link isMemberOfPattern} recognises it.
 */
export function boundNames(
  name: ts.BindingName,
  value: ts.Expression | undefined,
): readonly (readonly [name: string, value: ts.Expression | undefined])[] {
  if (ts.isIdentifier(name)) return [[name.text, value]];
  if (!value) return [];
  return name.elements.flatMap((one, index) => {
    if (ts.isOmittedExpression(one)) return [];
    const member = memberOf(value, one, ts.isArrayBindingPattern(name) ? index : undefined);
    const given = one.initializer
      ? ts.factory.createBinaryExpression(member, ts.SyntaxKind.QuestionQuestionToken, one.initializer)
      : member;
    return boundNames(one.name, ts.setTextRange(given, one));
  });
}

/** Whether an expression is the value of a member in a declaration such as `const { a } = b`. */
export const isMemberOfPattern = (node: ts.Node): boolean => (node.flags & ts.NodeFlags.Synthesized) !== 0;

function memberOf(value: ts.Expression, one: ts.BindingElement, index: number | undefined): ts.Expression {
  const { factory } = ts;
  const { name, propertyName: key = name } = one;
  if (one.dotDotDotToken) return ts.setTextRange(factory.createSpreadElement(value), one);
  const at =
    index !== undefined
      ? factory.createNumericLiteral(index)
      : ts.isComputedPropertyName(key)
        ? key.expression
        : factory.createStringLiteral("text" in key ? key.text : "");
  return ts.setTextRange(factory.createElementAccessExpression(value, at), one);
}

const isStatic = (node: ts.PropertyDeclaration): boolean =>
  node.modifiers?.some((one) => one.kind === ts.SyntaxKind.StaticKeyword) ?? false;

/** The static lists and objects of a class, as one object; undefined without any. */
export function staticMembers(node: ts.Declaration): ts.ObjectLiteralExpression | undefined {
  const members = ts.isClassLike(node) ? node.members : [];
  const found = members.flatMap((one) => {
    if (!ts.isPropertyDeclaration(one) || !one.initializer || !isStatic(one)) return [];
    const value = withoutAssertions(one.initializer);
    const isPlain = ts.isArrayLiteralExpression(value) || ts.isObjectLiteralExpression(value);
    return isPlain && !ts.isPrivateIdentifier(one.name)
      ? [ts.setTextRange(ts.factory.createPropertyAssignment(one.name, one.initializer), one)]
      : [];
  });
  return found.length === 0 ? undefined : ts.setTextRange(ts.factory.createObjectLiteralExpression(found), node);
}
