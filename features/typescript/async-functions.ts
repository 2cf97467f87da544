/**
 * Has the promises of async functions followed: a failure that nothing waits for ends the program, as that of a call does. The
 * interpreter itself drops it.
 */

import type { ts as Compiler } from "@ts-morph/common";
import type { TextChange } from "./strip.js";

/** The parameter of a program: a function that takes the name, the line and the async function. */
export const FOLLOW = "$$follow";

/**
 * The changes that wrap async functions; lines stay. A declaration is wrapped where its block begins, as it can be called from there.
 * Methods are left: nothing can stand around them.
 *
 * @param lineOf - the line of a position in the code as sent
 *
 * @example
 * // items.forEach(async (one) => { … }) becomes items.forEach($$follow("",1,async (one) => { … }))
 */
export function followChanges(
  ts: typeof Compiler,
  file: Compiler.SourceFile,
  body: Compiler.Block,
  lineOf: (start: number) => number,
): readonly TextChange[] {
  const changes: TextChange[] = [];
  const insert = (start: number, text: string): void => void changes.push({ start, end: start, text });
  const visit = (node: Compiler.Node): void => {
    if (isAsync(ts, node)) {
      const start = node.getStart(file);
      const before = (name: string): string => `${FOLLOW}(${JSON.stringify(name)},${lineOf(start)},`;
      if (ts.isFunctionDeclaration(node)) {
        const name = node.name?.text;
        if (name !== undefined && ts.isBlock(node.parent))
          insert(node.parent.getStart(file) + 1, `${name}=${before(name)}${name});`);
      } else {
        insert(start, before(nameOf(ts, node)));
        insert(node.end, ")");
      }
    }
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(body, visit);
  return changes;
}

type AsyncFunction = Compiler.FunctionDeclaration | Compiler.FunctionExpression | Compiler.ArrowFunction;

function isAsync(ts: typeof Compiler, node: Compiler.Node): node is AsyncFunction {
  const isFunction = ts.isFunctionDeclaration(node) || ts.isFunctionExpression(node) || ts.isArrowFunction(node);
  if (!isFunction || node.asteriskToken || !node.body) return false;
  return node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword) === true;
}

/** The name of a function, or of the variable or member that holds it. */
function nameOf(ts: typeof Compiler, { name, parent }: AsyncFunction): string {
  const isHeld = ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent);
  const named = name ?? (isHeld ? parent.name : undefined);
  return named && ts.isIdentifier(named) ? named.text : "";
}
