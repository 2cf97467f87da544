/** What the readers of parsed TypeScript files share: places, syntax errors, and expressions without their type annotations. */

import { ts } from "@ts-morph/common";
import type { Place, Report } from "../core/diagnostic.js";

/** Place at which a node begins. */
export function nodePlace(source: ts.SourceFile, node: ts.Node): Place {
  const { line, character } = source.getLineAndCharacterOfPosition(node.getStart(source));
  return { file: source.fileName, line: line + 1, column: character + 1 };
}

/** Reports each syntax error at its place; returns whether there is one. */
export function reportSyntax(source: ts.SourceFile, report: Report): boolean {
  const found = (source as unknown as { parseDiagnostics?: readonly ts.DiagnosticWithLocation[] }).parseDiagnostics;
  for (const one of found ?? []) {
    const { line, character } = source.getLineAndCharacterOfPosition(one.start);
    const reason = ts.flattenDiagnosticMessageText(one.messageText, " ");
    report.add("syntax-error", { file: source.fileName, line: line + 1, column: character + 1 }, { reason });
  }
  return found !== undefined && found.length > 0;
}

/** An expression without parentheses, `as`, `satisfies` and other assertions. */
export function withoutAssertions(node: ts.Expression): ts.Expression {
  const wraps =
    ts.isAssertionExpression(node) ||
    ts.isSatisfiesExpression(node) ||
    ts.isParenthesizedExpression(node) ||
    ts.isNonNullExpression(node);
  return wraps ? withoutAssertions(node.expression) : node;
}
