/** `stubs.pyi`: Python signatures of every op, for type checks of `run()` code and for people. */

import { dereference, isSchema, type JsonSchema, type Registry, type Tool } from "toolwright/codegen";
import { normalizeSchema } from "../pass/normalize.js";
import { pythonLiteral, pythonType } from "../pass/signature.js";
import type { Emitter } from "./emitter.js";
import { header } from "./printer.js";
import { sourcesOf } from "./sources-of.js";

/** Emits `stubs.pyi`. */
export const stubs: Emitter = {
  name: "stubs",
  emit: (registry) => {
    const root = treeOf(registry);
    const classes: string[] = [];
    for (const [name, node] of root.children) printClass(node, [name], classes);
    const packs = [...root.children.keys()].map((name) => `${name}: ${className([name])}\n`);
    const shadowed = classes.some((one) => one.includes("builtins."));
    const imports = `${shadowed ? "import builtins\n" : ""}from typing import Any, Literal\n`;
    const text = `${header("#", sourcesOf(registry))}${imports}\n${classes.join("\n")}\n${packs.join("")}`;
    return [{ path: "stubs.pyi", text }];
  },
};

interface Node {
  readonly children: Map<string, Node>;
  readonly tools: Map<string, Tool>;
}

const empty = (): Node => ({ children: new Map(), tools: new Map() });

function treeOf(registry: Registry): Node {
  const root = empty();
  for (const tool of registry.tools) {
    const path = tool.op.split(".");
    const name = path.pop() ?? "";
    let at = root;
    for (const part of path) {
      const next = at.children.get(part) ?? empty();
      at.children.set(part, next);
      at = next;
    }
    at.tools.set(name, tool);
  }
  return root;
}

const className = (path: readonly string[]): string =>
  `_${path.map((part) => (part[0]?.toUpperCase() ?? "") + part.slice(1)).join("_")}`;

/** Classes below come first, so that a reader meets a name after its definition. */
function printClass(node: Node, path: readonly string[], classes: string[]): void {
  for (const [name, child] of node.children) printClass(child, [...path, name], classes);
  const fields = [...node.children.keys()].map((name) => `    ${name}: ${className([...path, name])}\n`);
  const members = new Set([...node.children.keys(), ...node.tools.keys()]);
  const builtin: Builtin = (name) => (members.has(name) ? `builtins.${name}` : name);
  const methods = [...node.tools].map(([name, tool]) => `    def ${name}${callable(tool, builtin)}: ...\n`);
  classes.push(`class ${className(path)}:\n${fields.join("")}${methods.join("")}`);
}

/** How a built-in type is written: plainly, unless a member of the class has its name, as a method `list` has. */
type Builtin = (name: string) => string;

/** `(self, project_id: str, limit: int = 20) -> Any` */
function callable(tool: Tool, builtin: Builtin): string {
  const { parameters_schema: input, result_schema: result } = tool;
  const declared = dereference(input, input)["properties"];
  const properties = isSchema(declared) ? declared : {};
  const type = (schema: unknown, root: JsonSchema): string => pythonType(normalizeSchema(schema, root), builtin);
  const list = tool.parameters.map(({ name, original, required, default: fallback }) => {
    const preset = fallback === undefined ? "..." : pythonLiteral(fallback);
    return `${name}: ${type(properties[original], input)}${required ? "" : ` = ${preset}`}`;
  });
  const receiver = tool.parameters.some(({ name }) => name === "self") ? "_self" : "self";
  return `(${[receiver, ...list].join(", ")}) -> ${result ? type(result, result) : "Any"}`;
}
