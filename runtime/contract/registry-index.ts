/**
 * `generated/registry-index.json`: what a start needs of each tool, and where the tool is in `registry.json`, so that a start does not
 * read that file, and the rest of a tool is read when it is asked for.
 */

import { createHash } from "node:crypto";
import { fail } from "./handler.js";
import { type HeldFile, holdFile } from "./held-file.js";
import type { Registry, Tool } from "./registry.js";
import { type FileTool, type SharedDefinitions, wholeTool } from "./shared-definitions.js";

/** Path in `generated/`. */
export const INDEX_FILE = "registry-index.json";

/** What to do when a file of `generated/` is not the one that was generated, for messages. */
export const GENERATE_AGAIN = 'run "toolwright generate", then start the server again or send it SIGHUP';

/** Raise it with every change of what the file holds. */
export const INDEX_VERSION = 1;

/** The members of a tool that the file holds: those that a server reads of all tools. */
const KEPT: ReadonlySet<string> = new Set<keyof Tool>([
  ...(["op", "tool_name", "group", "kind", "entity", "action", "access", "target", "project_from"] as const),
  ...(["aliases", "summary", "tokens"] as const),
]);

/** Where a tool is from, which many tools have in common, and the names of its members that the file does not hold. */
interface Common {
  readonly source: Tool["source"];
  readonly others: readonly string[];
}

/** A tool: its length in `registry.json`, the beginning of its digest, the index of what it has in common with others, and its members. */
type Entry = readonly [bytes: number, digest: string, common: number, kept: Tool];

interface IndexFile {
  readonly index_version: number;
  /** Size of `registry.json`. */
  readonly bytes: number;
  /** Where its first tool begins. */
  readonly start: number;
  /** Where the definitions begin that its tools share; absent if there are none. */
  readonly definitions?: number;
  readonly registry: Omit<Registry, "tools">;
  readonly common: readonly Common[];
  readonly tools: readonly Entry[];
}

const DIGEST_LENGTH = 16;
/** What is in `registry.json` before, between and after tools, which the printer indents by four. */
const BEFORE = '\n  "tools": [\n    ';
const BETWEEN = ",\n    ";
const END = "\n    }";
/** What is before and after the definitions, which are last. */
const DEFINITIONS = ',\n  "definitions": ';
const LAST = "\n}\n";

/**
 * The file of a registry: a line for each tool, in ASCII, which is decoded fastest. The first line has the digest of the others.
 *
 * @param text that of `registry.json`, as the generator prints it
 */
export function registryIndex(registry: Registry, text: string): string {
  const { tools, ...whole } = registry;
  const common = new Map<string, number>();
  const first = tools.length === 0 ? 0 : text.indexOf(BEFORE) + BEFORE.length;
  let at = first;
  const lines = tools.map((tool) => {
    const end = text.indexOf(END, at) + END.length;
    const bytes = Buffer.byteLength(text.slice(at, end));
    at = end + BETWEEN.length;
    const members = Object.entries(tool).filter(([, value]) => value !== undefined);
    const others = members.flatMap(([name]) => (KEPT.has(name) || name === "source" ? [] : [name]));
    const shared = JSON.stringify({ source: tool.source, others } satisfies Common);
    const which = common.get(shared) ?? common.size;
    common.set(shared, which);
    const kept = Object.fromEntries(members.filter(([name]) => KEPT.has(name)));
    return JSON.stringify([bytes, tool.digest.op.slice(0, DIGEST_LENGTH), which, kept]);
  });
  const [bytes, start] = [Buffer.byteLength(text), Buffer.byteLength(text.slice(0, first))];
  const shared = text.indexOf(DEFINITIONS, at);
  const definitions = shared < 0 ? {} : { definitions: Buffer.byteLength(text.slice(0, shared + DEFINITIONS.length)) };
  const head = JSON.stringify({ index_version: INDEX_VERSION, bytes, start, ...definitions, registry: whole });
  const list = (of: Iterable<string>): string => `[\n${[...of].join(",\n")}\n]`;
  const body = `${head.slice(1, -1)},\n"common": ${list(common.keys())},\n"tools": ${list(lines)}}\n`;
  const ascii = body.replace(/[^\n -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return firstLine(ascii) + ascii;
}

const firstLine = (rest: string | Buffer): string =>
  `{"sha256":"${createHash("sha256").update(rest).digest("hex")}",\n`;

/** Whether the first line has the digest of the others: the file is as it was written. */
function isIntact(bytes: Buffer): boolean {
  const end = bytes.indexOf("\n") + 1;
  return bytes.toString("latin1", 0, end) === firstLine(bytes.subarray(end));
}

/** Bytes at the start of `registry.json` that contain its version. */
const VERSION_WITHIN_BYTES = 200;

/**
 * The registry that the index and `registry.json` hold together. Undefined if the index is not as it was written, or not that of
 * `registry.json`: then this file has to be read.
 *
 * @param registryFile path of `registry.json`
 * @param bytes the index
 */
export function indexedRegistry(registryFile: string, bytes: Buffer | undefined): Registry | undefined {
  if (!bytes || !isIntact(bytes)) return undefined;
  const index: IndexFile = JSON.parse(bytes.toString("latin1"));
  const held = index.index_version === INDEX_VERSION ? holdFile(registryFile) : undefined;
  if (held?.size !== index.bytes) return undefined;
  const head = held.read(0, Math.min(VERSION_WITHIN_BYTES, held.size));
  if (!head.includes(index.registry.registry_version)) return undefined;
  return { ...index.registry, tools: toolsOf(held, index) };
}

/** Reads the definitions that tools share, at the first question. */
function definitionsOf(file: HeldFile, { definitions: start }: IndexFile): () => SharedDefinitions | undefined {
  let known: SharedDefinitions | undefined;
  return () => {
    if (start === undefined) return undefined;
    known ??= JSON.parse(file.read(start, file.size - start - LAST.length).toString("utf8")) as SharedDefinitions;
    return known;
  };
}

/** The tools, whose other members are read on demand. These are members of the tool itself, so that a copy of a tool is whole. */
function toolsOf(file: HeldFile, index: IndexFile): readonly Tool[] {
  const { start, common, tools } = index;
  const definitions = definitionsOf(file, index);
  let places: ReadonlyMap<string, Place> | undefined;
  const known = new Map<string, Tool>();
  const wholeOf = (op: string): Tool => {
    const before = known.get(op);
    if (before) return before;
    places ??= placesOf(start, tools);
    const whole = readTool(file, { op, definitions }, places.get(op));
    known.set(op, whole);
    return whole;
  };
  // One function for a name, whichever tool has it: V8 then gives all tools one shape.
  const names = [...new Set(common.flatMap(({ others }) => others))];
  const reading = new Map(names.map((name) => [name, readingOf(name as keyof Tool, wholeOf)]));
  const shared = common.map(({ source, others }) => ({
    source: { enumerable: true, value: source },
    ...Object.fromEntries(others.map((name) => [name, reading.get(name) ?? {}])),
  }));
  return tools.map(([, , which, kept]) => Object.defineProperties(kept, shared[which] ?? {}));
}

/** A member that is read when it is asked for. */
const readingOf = (name: keyof Tool, wholeOf: (op: string) => Tool): PropertyDescriptor => ({
  enumerable: true,
  get(this: Tool) {
    return wholeOf(this.op)[name];
  },
});

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

/** A tool to read. */
interface Wanted {
  readonly op: string;
  readonly definitions: () => SharedDefinitions | undefined;
}

/** @throws ToolFailure UNAVAILABLE if the file no longer is the one that was generated */
function readTool(file: HeldFile, { op, definitions }: Wanted, place: Place | undefined): Tool {
  try {
    const tool: FileTool = JSON.parse(file.read(place?.offset ?? 0, place?.bytes ?? 0).toString("utf8"));
    if (tool.op === op && tool.digest.op.startsWith(place?.digest ?? op)) return wholeTool(tool, definitions());
  } catch {
    // Said below.
  }
  return fail(
    "UNAVAILABLE",
    `generated/registry.json is not as it was when it was opened, at ${op}: ${GENERATE_AGAIN}.`,
  );
}
