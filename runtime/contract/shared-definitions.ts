/**
 * The form of a registry in `registry.json`. Where many schemas of a pack hold the same definitions, the file has each once for the
 * pack, and a schema gets those that it reaches when it is read. All other code sees whole schemas.
 */

import { byCodeUnit } from "./canonical.js";
import { unescapePointer } from "./json-pointer.js";
import { isSchema } from "./json-schema.js";
import type { JsonObject, JsonSchema, Registry, Tool } from "./registry.js";

/**
 * A schema in the file. Where its `$defs` is a list, it has the shared definitions that it reaches, and those that the list holds. The
 * name of a definition stands for that definition as a root.
 */
type FileSchema = JsonSchema | string;

/** A tool in the file. */
export type FileTool = Omit<Tool, Member> & { readonly [key in Member]?: FileSchema };

/** Definitions of a pack by name. */
export type Definitions = Readonly<Record<string, JsonSchema>>;

/** The definitions that tools share, by pack. */
export type SharedDefinitions = Readonly<Record<string, Definitions>>;

/** `registry.json`. Version 1 has whole schemas, version 1.1 shared definitions. */
export type RegistryFile = Omit<Registry, "ir_version" | "tools"> & {
  readonly ir_version: 1 | 1.1;
  readonly tools: readonly FileTool[];
  readonly definitions?: SharedDefinitions;
};

/** Versions of the file that this program reads. */
export const FILE_VERSIONS: readonly unknown[] = [1, 1.1];

const MEMBERS = ["parameters_schema", "result_schema"] as const;
type Member = (typeof MEMBERS)[number];

/** Fewest characters that shared definitions save a pack: files of small packs stay as their schemas are written. */
const MIN_SAVED = 100_000;

const DEFINITION = /^#\/\$defs\/([^/]+)$/;
/** Stands for a reference that leads to another place than a definition. */
const ELSEWHERE = "";

/** Names of the definitions that a schema refers to, by schema: schemas never change. */
const REFERRED = new WeakMap<object, ReadonlySet<string>>();

function referredIn(schema: object): ReadonlySet<string> {
  const known = REFERRED.get(schema);
  if (known) return known;
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      if (key === "$ref" && typeof member === "string") found.add(decoded(DEFINITION.exec(member)?.[1] ?? ELSEWHERE));
      else visit(member);
    }
  };
  visit(schema);
  REFERRED.set(schema, found);
  return found;
}

function decoded(name: string): string {
  try {
    return unescapePointer(decodeURIComponent(name));
  } catch {
    return name; // Invalid percent encoding.
  }
}

/** Texts of definitions, which many schemas hold. */
const TEXTS = new WeakMap<object, string>();

/** JSON of a definition, made once. */
export function definitionJson(schema: unknown): string {
  if (!isSchema(schema)) return JSON.stringify(schema) ?? "";
  const text = TEXTS.get(schema) ?? JSON.stringify(schema);
  TEXTS.set(schema, text);
  return text;
}

const definitionsIn = ({ $defs }: JsonSchema): readonly (readonly [string, JsonSchema])[] =>
  isSchema($defs) ? Object.entries($defs).flatMap(([name, one]) => (isSchema(one) ? [[name, one] as const] : [])) : [];

/** Shared definitions of each registry, which several emitters ask for. */
const SHARED = new WeakMap<readonly object[], SharedDefinitions>();

/** The definitions of each pack that several of its schemas hold; none of a pack where that saves little. */
export function sharedDefinitions(tools: readonly Pick<Tool, "group" | Member>[]): SharedDefinitions {
  const known = SHARED.get(tools) ?? definitionsOf(tools);
  SHARED.set(tools, known);
  return known;
}

function definitionsOf(tools: readonly Pick<Tool, "group" | Member>[]): SharedDefinitions {
  const packs = new Map<string, Map<string, Held[1]>>();
  for (const tool of tools) {
    const known = packs.get(tool.group) ?? new Map<string, Held[1]>();
    packs.set(tool.group, known);
    for (const [name, schema] of MEMBERS.flatMap((key) => definitionsIn(tool[key] ?? {}))) {
      const first = known.get(name) ?? { schema, uses: 0 };
      known.set(name, first);
      if (isSame(first.schema, schema)) first.uses += 1;
    }
  }
  const shared = [...packs].map(([pack, known]) => {
    const several = closed([...known].filter(([, { uses }]) => uses > 1)).sort(([a], [b]) => byCodeUnit(a, b));
    const saved = several.reduce((sum, [, { schema, uses }]) => sum + (uses - 1) * definitionJson(schema).length, 0);
    return [pack, saved < MIN_SAVED ? [] : several.map(([name, { schema }]) => [name, schema] as const)] as const;
  });
  return Object.fromEntries(
    shared.flatMap(([pack, list]) => (list.length === 0 ? [] : [[pack, Object.fromEntries(list)]])),
  );
}

/** A definition, and how many schemas hold it. */
type Held = readonly [name: string, { readonly schema: JsonSchema; uses: number }];

/** Those whose references lead to others of the list. */
function closed(list: readonly Held[]): Held[] {
  const names = new Set(list.map(([name]) => name));
  const kept = list.filter(([, { schema }]) => [...referredIn(schema)].every((name) => names.has(name)));
  return kept.length === list.length ? [...list] : closed(kept);
}

const isSame = (a: JsonSchema | undefined, b: JsonSchema): boolean =>
  a === b || (a !== undefined && definitionJson(a) === definitionJson(b));

/** The file of a registry. `wholeRegistry` gives the registry again. */
export function registryFile(registry: Registry): RegistryFile {
  const definitions = sharedDefinitions(registry.tools);
  if (Object.keys(definitions).length === 0) return registry;
  const tools = registry.tools.map((tool): FileTool => {
    const shared = Object.hasOwn(definitions, tool.group) ? definitions[tool.group] : undefined;
    if (!shared) return tool;
    return { ...tool, ...members(tool, (schema) => withoutShared(schema, shared)) };
  });
  return { ...registry, ir_version: 1.1, tools, definitions };
}

/** A schema in two parts: its root with definitions of its own, and the names of the shared ones that it refers to. */
export interface Apart {
  readonly root: JsonSchema;
  /** Set if the root is this definition. */
  readonly named?: string;
  readonly isShared: (name: string) => boolean;
}

/** Takes the shared definitions out of a schema; undefined if it has none. */
export function apart(schema: JsonSchema, shared: Definitions | undefined): Apart | undefined {
  const short = shared && withoutShared(schema, shared);
  if (!shared || short === undefined || short === schema) return undefined;
  const { $defs: _, ...bare } = schema;
  if (referredIn(bare).has(ELSEWHERE)) return undefined;
  if (typeof short === "string") return { root: shared[short] ?? {}, named: short, isShared: () => true };
  const { $defs, ...root } = short;
  const own = Array.isArray($defs) ? ($defs[0] as JsonSchema | undefined) : undefined;
  return {
    root: own ? { ...root, $defs: own as JsonObject } : root,
    isShared: (name) => !Object.hasOwn(own ?? {}, name) && Object.hasOwn(shared, name),
  };
}

function members<T extends FileSchema, U extends FileSchema>(
  tool: { readonly [key in Member]?: T },
  map: (schema: T) => U,
): { readonly [key in Member]?: U } {
  const entries = MEMBERS.flatMap((key) => {
    const schema = tool[key];
    return schema === undefined ? [] : [[key, map(schema)] as const];
  });
  return Object.fromEntries(entries);
}

/** Schemas without their shared definitions. */
const SHORT = new WeakMap<Definitions, WeakMap<JsonSchema, FileSchema>>();

function withoutShared(whole: JsonSchema, shared: Definitions): FileSchema {
  const known = SHORT.get(shared) ?? new WeakMap<JsonSchema, FileSchema>();
  SHORT.set(shared, known);
  const short = known.get(whole) ?? shortened(whole, shared);
  known.set(whole, short);
  return short;
}

/** A schema without its shared definitions; as it is where these would not lead back to it. */
function shortened(whole: JsonSchema, shared: Definitions): FileSchema {
  const held = definitionsIn(whole);
  if (held.length === 0) return whole;
  const own = held.filter(([name, schema]) => !Object.hasOwn(shared, name) || !isSame(shared[name], schema));
  const { $defs: all, ...root } = whole;
  const named = own.length === 0 ? nameOf(root, shared) : undefined;
  if (own.length === held.length) return whole;
  const short = { ...root, $defs: own.length === 0 ? [] : [Object.fromEntries(own) as JsonObject] };
  const again = definitionsIn(wholeSchema(short, shared));
  const leadsBack = again.length === held.length && again.every(([name]) => held.some(([one]) => one === name));
  return leadsBack ? (named ?? short) : whole;
}

/** Definitions by their text. */
const NAMES = new WeakMap<Definitions, ReadonlyMap<string, string>>();

function nameOf(root: JsonSchema, shared: Definitions): string | undefined {
  const names = NAMES.get(shared) ?? new Map(Object.entries(shared).map(([name, one]) => [definitionJson(one), name]));
  NAMES.set(shared, names);
  return names.get(JSON.stringify(root));
}

/** A schema with the shared definitions that it reaches, in the order of their names. */
function wholeSchema(schema: FileSchema, shared: Definitions): JsonSchema {
  if (typeof schema === "string") return wholeSchema({ ...shared[schema], $defs: [] }, shared);
  const { $defs, ...root } = schema;
  if (!Array.isArray($defs)) return schema;
  const own = ($defs[0] ?? {}) as unknown as Definitions;
  const reached = new Map<string, JsonSchema>(Object.entries(own));
  const waiting: object[] = [root, ...Object.values(own)];
  for (let at = waiting.pop(); at; at = waiting.pop())
    for (const name of referredIn(at)) {
      const found = !reached.has(name) && Object.hasOwn(shared, name) ? shared[name] : undefined;
      if (!found) continue;
      reached.set(name, found);
      waiting.push(found);
    }
  const sorted = [...reached].sort(([a], [b]) => byCodeUnit(a, b));
  return { ...root, $defs: Object.fromEntries(sorted) as JsonObject };
}

/** A tool of the file with whole schemas. */
export function wholeTool(tool: FileTool, definitions: SharedDefinitions | undefined): Tool {
  const shared = definitions && Object.hasOwn(definitions, tool.group) ? definitions[tool.group] : undefined;
  return (shared ? { ...tool, ...members(tool, (schema) => wholeSchema(schema, shared)) } : tool) as Tool;
}

/** The registry of a file. */
export function wholeRegistry({ definitions, ...file }: RegistryFile): Registry {
  return { ...file, ir_version: 1, tools: file.tools.map((tool) => wholeTool(tool, definitions)) };
}
