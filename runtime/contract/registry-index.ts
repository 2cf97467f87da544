/**
 * `generated/registry-index.json`: what a start needs of each tool, and where the tool is in `registry.json`, so that a start does not
 * read that file, and the rest of a tool is read when it is asked for.
 */

import { fail } from "./handler.js";
import { type HeldFile, holdFile } from "./held-file.js";
import type { Registry, Tool } from "./registry.js";
import { isLocked } from "./search/search-file.js";

/** Path in `generated/`. */
export const INDEX_FILE = "registry-index.json";

/** Raise it with every change of what the file holds. */
export const INDEX_VERSION = 1;

/** The members of a tool that the file holds: those that a server reads of all tools. */
const KEPT: ReadonlySet<string> = new Set<keyof Tool>([
  ...(["op", "tool_name", "group", "kind", "entity", "action", "access", "target", "project_from"] as const),
  ...(["aliases", "summary", "source", "tokens"] as const),
]);

/** A tool: its length in `registry.json`, the beginning of its digest, the index of its other members in `others`, and itself. */
type Entry = readonly [bytes: number, digest: string, others: number, kept: Tool];

interface IndexFile {
  readonly index_version: number;
  /** Size of `registry.json`. */
  readonly bytes: number;
  /** Where its first tool begins. */
  readonly start: number;
  readonly registry: Omit<Registry, "tools">;
  /** Names of members that the file does not hold, one list for all tools that have the same. */
  readonly others: readonly (readonly string[])[];
  readonly tools: readonly Entry[];
}

const DIGEST_LENGTH = 16;
/** What is in `registry.json` before, between and after tools, which the printer indents by four. */
const BEFORE = '\n  "tools": [\n    ';
const BETWEEN = ",\n    ";
const END = "\n    }";

/**
 * The file of a registry: a line for each tool, in ASCII, which is decoded fastest.
 *
 * @param text that of `registry.json`, as the generator prints it
 */
export function registryIndex(registry: Registry, text: string): string {
  const { tools, ...whole } = registry;
  const others = new Map<string, number>();
  const lines: string[] = [];
  const first = tools.length === 0 ? 0 : text.indexOf(BEFORE) + BEFORE.length;
  let at = first;
  for (const tool of tools) {
    const end = text.indexOf(END, at) + END.length;
    const members = Object.entries(tool).filter(([, value]) => value !== undefined);
    const names = JSON.stringify(members.flatMap(([name]) => (KEPT.has(name) ? [] : [name])));
    const kind = others.get(names) ?? others.size;
    others.set(names, kind);
    const entry = [Buffer.byteLength(text.slice(at, end)), tool.digest.op.slice(0, DIGEST_LENGTH), kind];
    lines.push(JSON.stringify([...entry, Object.fromEntries(members.filter(([name]) => KEPT.has(name)))]));
    at = end + BETWEEN.length;
  }
  const head = {
    ...{ index_version: INDEX_VERSION, bytes: Buffer.byteLength(text), start: Buffer.byteLength(text.slice(0, first)) },
    registry: whole,
  };
  const list = (of: Iterable<string>): string => `[\n${[...of].join(",\n")}\n]`;
  const json = `${JSON.stringify(head).slice(0, -1)},\n"others": ${list(others.keys())},\n"tools": ${list(lines)}}\n`;
  return json.replace(/[^\n -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Bytes at the start of `registry.json` that contain its version. */
const VERSION_WITHIN_BYTES = 200;

/**
 * The registry that the index and `registry.json` hold together. Undefined if the lock does not confirm the index, or if it is not that of
 * `registry.json`: then this file has to be read.
 *
 * @param registryFile path of `registry.json`
 * @param bytes the index
 */
export function indexedRegistry(
  registryFile: string,
  bytes: Buffer | undefined,
  lock: string | undefined,
): Registry | undefined {
  if (!bytes || !isLocked(lock, INDEX_FILE, bytes)) return undefined;
  const index: IndexFile = JSON.parse(bytes.toString("latin1"));
  const held = index.index_version === INDEX_VERSION ? holdFile(registryFile) : undefined;
  if (held?.size !== index.bytes) return undefined;
  const head = held.read(0, Math.min(VERSION_WITHIN_BYTES, held.size));
  if (!head.includes(index.registry.registry_version)) return undefined;
  return { ...index.registry, tools: toolsOf(held, index) };
}

/** The tools, whose other members are read on demand. These are members of the tool itself, so that a copy of a tool is whole. */
function toolsOf(file: HeldFile, { start, others, tools }: IndexFile): readonly Tool[] {
  let places: ReadonlyMap<string, Place> | undefined;
  const known = new Map<string, Tool>();
  const wholeOf = (op: string): Tool => {
    const before = known.get(op);
    if (before) return before;
    places ??= placesOf(start, tools);
    const whole = readTool(file, op, places.get(op));
    known.set(op, whole);
    return whole;
  };
  // One function for a name, whichever tool has it: V8 then gives all tools one shape.
  const names = [...new Set(others.flat())];
  const reading = new Map(
    names.map((name): [string, PropertyDescriptor] => [
      name,
      {
        enumerable: true,
        get(this: Tool) {
          return wholeOf(this.op)[name as keyof Tool];
        },
      },
    ]),
  );
  const members = others.map((list) => Object.fromEntries(list.map((name) => [name, reading.get(name) ?? {}])));
  return tools.map(([, , kind, kept]) => Object.defineProperties(kept, members[kind] ?? {}));
}

/** Where a tool is in `registry.json`, and the beginning of its digest. */
interface Place {
  readonly offset: number;
  readonly bytes: number;
  readonly digest: string;
}

function placesOf(start: number, tools: IndexFile["tools"]): ReadonlyMap<string, Place> {
  let offset = start;
  return new Map(
    tools.map(([bytes, digest, , { op }]) => {
      const place = { offset, bytes, digest };
      offset += bytes + BETWEEN.length;
      return [op, place] as const;
    }),
  );
}

/** @throws ToolFailure UNAVAILABLE if the file no longer is the one that was generated */
function readTool(file: HeldFile, op: string, place: Place | undefined): Tool {
  try {
    const tool: Tool = JSON.parse(file.read(place?.offset ?? 0, place?.bytes ?? 0).toString("utf8"));
    if (tool.op === op && tool.digest.op.startsWith(place?.digest ?? op)) return tool;
  } catch {
    // Said below.
  }
  const remedy = 'run "toolwright generate", then ot.reload() or start the server again';
  return fail("UNAVAILABLE", `generated/registry.json is not as it was when it was opened, at ${op}: ${remedy}.`);
}
