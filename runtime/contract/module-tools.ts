/** Finds the tools that a module exports as objects, in the forms of schema libraries and agent SDKs. */

import { isMcpServer } from "./module-server.js";

/** The members of a tool, which may be an instance of a class. */
export type ToolObject = Readonly<Record<string, unknown>>;

/** One tool of a module. */
export interface ModuleTool {
  /** The export that it is, or is in. */
  readonly export: string;
  /** Its own name, else the key that it has; undefined if neither names it. */
  readonly name: string | undefined;
  readonly tool: ToolObject;
}

/** A member of a list of tools that is no tool, such as `item 2 of tools`. */
export interface NotATool {
  readonly export: string;
  readonly what: string;
}

/** The members that may hold the input schema, the first that is there counts. */
const SCHEMA_KEYS = ["inputSchema", "parameters", "schema", "input"] as const;
/** The members that may be the handler, the first that is there counts. */
const HANDLER_KEYS = ["execute", "handler", "func", "run"] as const;
/** Levels of lists and objects in which tools are looked for. */
const MAX_LEVELS = 3;
/** Most members of a module, in all of its lists and objects, that are looked at. */
const MAX_MEMBERS = 100_000;

/** The handler of a tool: the name of the member that it is. */
export type HandlerKey = (typeof HANDLER_KEYS)[number] | "invoke";

const isHolder = (value: unknown): value is ToolObject => typeof value === "object" && value !== null;

/** The input schema of a tool; undefined if it takes no arguments. */
export function schemaOfTool(tool: ToolObject): unknown {
  const key = SCHEMA_KEYS.find((one) => isSchemaValue(tool[one]));
  return key === undefined ? undefined : tool[key];
}

const isSchemaValue = (value: unknown): boolean => isHolder(value) || typeof value === "function";

/** Whether a value is a schema of a library, which implements Standard Schema: such a value is no tool. */
export const isStandardSchema = (value: unknown): boolean =>
  ((typeof value === "object" && value !== null) || typeof value === "function") && "~standard" in value;

/** Whether a tool is a runnable of LangChain, whose `invoke` checks its input by itself. */
const isRunnable = (tool: ToolObject): boolean => tool["lc_runnable"] === true && typeof tool["invoke"] === "function";

/** The member of a tool that handles its calls; undefined if it has none. */
export function handlerKeyOf(tool: ToolObject): HandlerKey | undefined {
  return isRunnable(tool) ? "invoke" : HANDLER_KEYS.find((one) => typeof tool[one] === "function");
}

function isTool(value: unknown): value is ToolObject {
  if (!isHolder(value) || Array.isArray(value) || isStandardSchema(value)) return false;
  const [isDescribed, hasHandler] = [typeof value["description"] === "string", handlerKeyOf(value) !== undefined];
  if (schemaOfTool(value) === undefined) return isDescribed && hasHandler;
  return isDescribed || hasHandler || typeof value["name"] === "string";
}

/** What a module exports. */
export interface FoundTools {
  readonly tools: readonly ModuleTool[];
  readonly strangers: readonly NotATool[];
}

/**
 * The tools of a module: what it exports that is a tool, a list of tools, or an object of tools by name. Each object counts once; the
 * default export comes last, because the key of another export may name its tools.
 *
 * @param exports what the module exports, in order; a promise is awaited
 * @throws Error if the module has too many members, and what its getters throw
 */
export async function toolsOfModule(exports: Readonly<Record<string, unknown>>): Promise<FoundTools> {
  const found: Search = { tools: [], strangers: [], seen: new Set(), left: MAX_MEMBERS };
  const names = Object.keys(exports);
  for (const name of [...names.filter((one) => one !== "default"), ...names.filter((one) => one === "default")]) {
    const key = name === "default" ? undefined : name;
    collectTools({ export: name, key, value: await exports[name], level: 0 }, found);
  }
  return found;
}

interface Search {
  readonly tools: ModuleTool[];
  readonly strangers: NotATool[];
  readonly seen: Set<unknown>;
  left: number;
}

interface Member {
  readonly export: string;
  /** The key that names it; undefined in a list. */
  readonly key: string | undefined;
  readonly value: unknown;
  readonly level: number;
}

function collectTools({ export: from, key, value, level }: Member, found: Search): void {
  found.left--;
  if (found.left < 0) throw new Error(`it exports more than ${MAX_MEMBERS} values`);
  if (!isHolder(value) || isStandardSchema(value) || isMcpServer(value) || found.seen.has(value)) return;
  found.seen.add(value);
  if (isTool(value)) {
    const own = value["name"];
    const name = typeof own === "string" && own.trim() !== "" ? own : key;
    found.tools.push({ export: from, name, tool: value });
    return;
  }
  if (level >= MAX_LEVELS) return;
  const [count, first] = [found.tools.length, found.strangers.length];
  const isList = Array.isArray(value);
  const members: readonly (readonly [string, unknown])[] = Object.entries(value);
  const others = members.flatMap(([at, one]) => {
    const before = found.tools.length + found.strangers.length;
    const isKnown = found.seen.has(one);
    collectTools({ export: from, key: isList ? undefined : at, value: one, level: level + 1 }, found);
    return isKnown || found.tools.length + found.strangers.length > before ? [] : [at];
  });
  // A list without any tool is a list of something else.
  if (isList && found.tools.length > count)
    found.strangers.splice(first, 0, ...others.map((at) => ({ export: from, what: `item ${at} of ${key ?? from}` })));
}
