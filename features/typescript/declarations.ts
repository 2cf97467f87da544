/** Declarations of ops as TypeScript: an interface for each pack, with the signatures that help shows. */

import type { Tool } from "../../runtime/contract/registry.js";
import { PACK_TYPE } from "./compile.js";
import { learnedType } from "./learned-results.js";

/** What a declaration of an op shows. */
export type DeclaredTool = Pick<Tool, "op" | "signature" | "result_schema" | "learned_result">;

interface PackNode {
  readonly children: Map<string, PackNode>;
  tool?: DeclaredTool;
}

const emptyNode = (): PackNode => ({ children: new Map() });

/** Of a signature, what follows the name of the op; a result that nobody declared can be used as anything. @param learned its type */
function tailOf({ op, signature: { typescript } }: DeclaredTool, learned: string | undefined): string {
  const tail = typescript.slice(op.length);
  const end = tail.lastIndexOf("): ");
  if (end >= 0 && learned !== undefined) return `${tail.slice(0, end)}): Promise<${learned}>`;
  return end < 0 ? UNTYPED : `${tail.slice(0, end)}${tail.slice(end).replace(/\bunknown\b(?!\??:)/g, "any")}`;
}
/** The signature of an op of which only the name counts. */
const UNTYPED = "(args?: any): Promise<any>";

const isName = (name: string): boolean => /^[A-Za-z_$][\w$]*$/.test(name);
const nameText = (name: string): string => (isName(name) ? name : JSON.stringify(name));

/**
 * Declarations of ops. With code, only packs that it names, and signatures of ops whose last name it names: the others exist, so that
 * unknown names are still found.
 *
 * @example
 * declarations(tools) // interface Pack$onto$task { get(args: { task_id: string }): Promise<any> } …
 */
export function declarations(tools: Iterable<DeclaredTool>, code?: string): string {
  const words = code === undefined ? undefined : new Set(code.match(/[\w$]+/g));
  const root = emptyNode();
  for (const tool of tools) {
    const path = tool.op.split(".");
    if (words && !words.has(path[0] ?? "")) continue;
    let at = root;
    for (const part of path) {
      const next = at.children.get(part) ?? emptyNode();
      at.children.set(part, next);
      at = next;
    }
    at.tool = tool;
  }
  const printed: string[] = [];
  const signatureOf = (name: string, tool: DeclaredTool): string => {
    if (words?.has(name) === false) return UNTYPED;
    const learned = learnedType(tool);
    if (learned) printed.push(learned.text);
    return tailOf(tool, learned?.type);
  };
  const print = (node: PackNode, path: readonly string[]): string => {
    const members = [...node.children].map(([name, child]) => {
      if (child.children.size === 0 && child.tool) return `  ${nameText(name)}${signatureOf(name, child.tool)};\n`;
      return `  readonly ${nameText(name)}: ${print(child, [...path, name])};\n`;
    });
    const own = node.tool ? `  ${signatureOf(path.at(-1) ?? "", node.tool)};\n` : "";
    const type = PACK_TYPE + path.map((part) => part.replace(/\W/g, "_")).join("$");
    printed.push(`interface ${type} {\n${own}${members.join("")}}\n`);
    return type;
  };
  const packs = [...root.children].map(([name, node]) => {
    if (node.children.size === 0 && node.tool) return `declare function ${name}${signatureOf(name, node.tool)};\n`;
    return `declare const ${name}: ${print(node, [name])};\n`;
  });
  return printed.join("") + packs.join("");
}
