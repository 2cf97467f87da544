/**
 * Prints Python stubs of ops: a class for each pack and entity, and a `TypedDict` for each result that is an object.
 */

import { acceptedNames } from "./accepted-names.js";
import { knownResult } from "./known-result.js";
import { type NormalProperty, type NormalSchema, normalizeLearned, normalizeSchema } from "./normal-schema.js";
import { type Builtin, pythonLiteral, pythonType } from "./python-types.js";
import type { Tool } from "./registry.js";

/** The parts of a tool that a stub uses. */
export type StubTool = Pick<Tool, "op" | "parameters" | "parameters_schema" | "result_schema" | "learned_result">;

/** Stubs of some ops. */
export interface PythonStubs {
  /** Python: imports, results, classes, and a variable for each pack. */
  readonly text: string;
  /** Class to its dotted path: `_Onto_Task` is `onto.task`. */
  readonly classes: ReadonlyMap<string, string>;
  /** `TypedDict` to the op whose result it describes. */
  readonly results: ReadonlyMap<string, string>;
}

/**
 * Stubs of ops, in the order in which the ops are given.
 *
 * @param learned `keys`: of learned types only the keys are claimed, as a check of programs needs it, since another result may
 *   have an integer where all were floats, or no null where one was possible
 */
export function pythonStubs(tools: Iterable<StubTool>, learned: "types" | "keys" = "types"): PythonStubs {
  const printing = { ...printed(), learned };
  const root = treeOf(tools);
  for (const [name, node] of root.children) printClass(node, [name], printing);
  const packs = [...root.children.keys()].map((name) => `${name}: ${className([name])}\n`);
  const { results, classes } = printing;
  const body = `${results.length > 0 ? `${results.join("")}\n` : ""}${classes.join("\n")}\n${packs.join("")}`;
  return { text: `${importsOf(body)}\n${body}`, classes: printing.classPaths, results: printing.resultOps };
}

/**
 * Prints the result types of ops, and the `TypedDict`s that they name: a line each.
 *
 * @param builtin how built-in types are written
 * @param inside the same inside a `TypedDict`
 */
export function pythonResults(
  tools: readonly StubTool[],
  builtin: Builtin,
  inside: Builtin,
): { readonly text: string; readonly types: ReadonlyMap<string, string> } {
  const printing = printed();
  const types = new Map(tools.map((tool) => [tool.op, resultType(tool, builtin, printing, inside)]));
  return { text: printing.results.join(""), types };
}

const TYPING = ["Any", "Literal", "NotRequired", "TypedDict"] as const;

function importsOf(body: string): string {
  const used = TYPING.filter((name) => name === "Any" || name === "Literal" || body.includes(name));
  return `${body.includes("builtins.") ? "import builtins\n" : ""}from typing import ${used.join(", ")}\n`;
}

interface Printing {
  readonly results: string[];
  readonly classes: string[];
  readonly classPaths: Map<string, string>;
  readonly resultOps: Map<string, string>;
  readonly learned: "types" | "keys";
}

const printed = (): Printing => ({
  ...{ results: [], classes: [], learned: "types" },
  ...{ classPaths: new Map(), resultOps: new Map() },
});

interface Node {
  readonly children: Map<string, Node>;
  readonly tools: Map<string, StubTool>;
}

const empty = (): Node => ({ children: new Map(), tools: new Map() });

function treeOf(tools: Iterable<StubTool>): Node {
  const root = empty();
  for (const tool of tools) {
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

/** Nested classes come first, so that a name is defined before its use. An op that is a pack too is called as its object. */
function printClass(node: Node, path: readonly string[], printing: Printing, own?: StubTool): void {
  for (const [name, child] of node.children) printClass(child, [...path, name], printing, node.tools.get(name));
  const fields = [...node.children.keys()].map((name) => `    ${name}: ${className([...path, name])}\n`);
  const members = new Set([...node.children.keys(), ...node.tools.keys()]);
  // A method such as `list` hides the built-in type of that name.
  const builtin: Builtin = (name) => (members.has(name) ? `builtins.${name}` : name);
  const plain = [...node.tools].filter(([name]) => !node.children.has(name));
  const all: readonly (readonly [string, StubTool])[] = own ? [["__call__", own], ...plain] : plain;
  const methods = all.map(
    ([name, tool]) => `    def ${name}${callable(tool, resultType(tool, builtin, printing), builtin, printing)}: ...\n`,
  );
  printing.classes.push(`class ${className(path)}:\n${fields.join("")}${methods.join("")}`);
  printing.classPaths.set(className(path), path.join("."));
}

/** `(self, project_id: str, limit: int = 20) -> Any`; in a check, None may stand for what is left out. */
function callable(tool: StubTool, result: string, builtin: Builtin, { learned }: Printing): string {
  const { parameters_schema: input } = tool;
  const { declared, open } = acceptedNames(input);
  const list = tool.parameters.map(({ name, original, required, default: fallback }) => {
    const preset = fallback === undefined ? "..." : pythonLiteral(fallback);
    const type = pythonType(normalizeSchema(declared.get(original), input), builtin);
    if (required) return `${name}: ${type}`;
    return `${name}: ${type}${learned === "keys" && !/\bAny$|\bNone$/.test(type) ? " | None" : ""} = ${preset}`;
  });
  const free = (name: string): string => (tool.parameters.some((one) => one.name === name) ? free(`_${name}`) : name);
  const others = open ? [`**${free("arguments")}: Any`] : [];
  return `(${[free("self"), ...(open ? ["/"] : []), ...list, ...others].join(", ")}) -> ${result}`;
}

/** Most characters for the results of one op; a longer one is printed less deeply. */
const MAX_RESULT_LENGTH = 2000;
/** Levels of nested objects in a result that get a type. */
const MAX_RESULT_DEPTH = 3;

/** The type of a result; the `TypedDict`s that it names are printed before it. */
function resultType(tool: StubTool, builtin: Builtin, printing: Printing, inside: Builtin = (name) => name): string {
  const { op } = tool;
  const schema = knownResult(tool);
  if (schema === undefined) return "Any";
  const whole = tool.result_schema ? normalizeSchema(schema, schema) : normalizeLearned(schema);
  const normal = printing.learned === "keys" && !tool.result_schema ? keysOnly(whole) : whole;
  const stem = `_${op.replaceAll(".", "_")}_result`;
  const attempt = (depth: number) => {
    const [texts, names]: [string[], string[]] = [[], []];
    const type = typedResult(normal, { stem, depth, builtin, inside, texts, names, taken: printing.resultOps });
    return { type, texts, names };
  };
  let best: ReturnType<typeof attempt> = { type: pythonType(normal, builtin), texts: [], names: [] };
  for (let depth = 1; depth <= MAX_RESULT_DEPTH; depth++) {
    const deeper = attempt(depth);
    if (deeper.texts.join("").length > MAX_RESULT_LENGTH) break;
    best = deeper;
  }
  printing.results.push(...best.texts);
  for (const name of best.names) printing.resultOps.set(name, op);
  return best.type;
}

/** A type without what it says of values other than objects and lists, and of null. */
function keysOnly(schema: NormalSchema): NormalSchema {
  switch (schema.kind) {
    case "array":
      return { kind: "array", items: keysOnly(schema.items) };
    case "object":
      return {
        ...schema,
        properties: schema.properties.map((one) => ({ ...one, schema: keysOnly(one.schema) })),
        ...(schema.values ? { values: keysOnly(schema.values) } : {}),
      };
    case "union": {
      const [only, ...others] = schema.members.filter(({ kind }) => kind !== "null");
      return only && others.length === 0 ? keysOnly(only) : { kind: "unknown" };
    }
    default:
      return { kind: "unknown" };
  }
}

interface Typing {
  readonly stem: string;
  readonly depth: number;
  readonly builtin: Builtin;
  /** How built-in types are written inside a `TypedDict`: at module level no method hides a name. */
  readonly inside: Builtin;
  readonly texts: string[];
  readonly names: string[];
  /** Names of other ops. */
  readonly taken: ReadonlyMap<string, string>;
}

/** As `pythonType`, but an object with known members becomes a `TypedDict`. */
function typedResult(schema: NormalSchema, typing: Typing): string {
  const { builtin, stem } = typing;
  if (schema.kind === "array" && schema.items.kind !== "unknown")
    return `${builtin("list")}[${typedResult(schema.items, { ...typing, stem: `${stem}_item` })}]`;
  if (schema.kind === "object" && schema.values && schema.values.kind !== "unknown")
    return `${builtin("dict")}[${builtin("str")}, ${typedResult(schema.values, { ...typing, stem: `${stem}_value` })}]`;
  if (schema.kind === "union") {
    const members = schema.members.map((one, at) => typedResult(one, { ...typing, stem: `${stem}_${at + 1}` }));
    return members.includes("Any") ? "Any" : [...new Set(members)].join(" | ");
  }
  const isKnown = schema.kind === "object" && schema.properties.length > 0 && !schema.extra && typing.depth > 0;
  return isKnown ? typedDict(schema.properties, typing) : pythonType(schema, builtin);
}

/** A free name for a stem: `a.b_c` and `a.b.c` have the same stem. */
function freeName(stem: string, { taken, names }: Typing): string {
  const isTaken = (name: string): boolean => taken.has(name) || names.includes(name);
  if (!isTaken(stem)) return stem;
  for (let count = 2; ; count++) if (!isTaken(`${stem}_${count}`)) return `${stem}_${count}`;
}

function typedDict(properties: readonly NormalProperty[], typing: Typing): string {
  const { stem, depth, inside } = typing;
  const members = properties.map(({ name, required, schema }) => {
    const word = name.replace(/\W/g, "_");
    const below = { ...typing, stem: `${stem}_${word}`, depth: depth - 1, builtin: inside };
    const type = typedResult(schema, below);
    return `${pythonLiteral(name)}: ${required ? type : `NotRequired[${type}]`}`;
  });
  const name = freeName(stem, typing);
  typing.names.push(name);
  typing.texts.push(`${name} = TypedDict('${name}', {${members.join(", ")}})\n`);
  return name;
}
