/** Finds where the text of a module names its tools; the tools themselves are read by running it. */

import { ts } from "@ts-morph/common";
import type { Place } from "../core/diagnostic.js";
import { nodePlace } from "./parsed-file.js";

/**
 * Places of tools: where the text gives the name as a member `name`, as an argument of a call, or as a key; else where the export is
 * declared; else the beginning of the file.
 */
export function placesIn(file: string, text: string): (exported: string, name?: string) => Place {
  const kind = /\.[cm]?js$/.test(file) ? ts.ScriptKind.JS : ts.ScriptKind.TS;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true, kind);
  const values = new Map<string, ts.Node>();
  const keys = new Map<string, ts.Node>();
  const note = (found: Map<string, ts.Node>, name: string, node: ts.Node): void => {
    if (!found.has(name)) found.set(name, node);
  };
  const left: ts.Node[] = [source];
  for (let node = left.pop(); node; node = left.pop()) {
    if (ts.isStringLiteralLike(node) && names(node)) note(values, node.text, node);
    else if (ts.isObjectLiteralElement(node) && node.name && "text" in node.name) note(keys, node.name.text, node);
    else if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name)) note(keys, node.name.text, node);
    else if (ts.isExportAssignment(node)) note(keys, "default", node);
    const children: ts.Node[] = [];
    ts.forEachChild(node, (one) => void children.push(one));
    left.push(...children.reverse());
  }
  return (exported, name = exported) => {
    const node = values.get(name) ?? keys.get(name) ?? keys.get(exported);
    return node ? nodePlace(source, node) : { file, line: 1, column: 1 };
  };
}

/** Whether a text may be the name of a tool: `name: "…"`, or an argument. */
const names = ({ parent }: ts.Node): boolean =>
  (ts.isPropertyAssignment(parent) && "text" in parent.name && parent.name.text === "name") ||
  ts.isCallExpression(parent);
