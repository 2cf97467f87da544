/** The complete list of repairs to arguments before validation; each repair is reported. */

import { acceptedNames } from "../../contract/accepted-names.js";
import { canonicalJson } from "../../contract/canonical.js";
import { received } from "../../contract/error-body.js";
import { objectOf } from "../../contract/exact-number.js";
import { isObject, own } from "../../contract/json.js";
import type { JsonObject, JsonSchema, JsonValue, Tool } from "../../contract/registry.js";
import { withoutSeparators } from "../../contract/typo.js";
import { renameAliases } from "./aliases.js";
import { matchingBranch } from "./branch.js";
import { withoutNulls } from "./empty.js";
import { claimedTwice, newNotes, type RepairNotes } from "./notes.js";
import { expandReferences } from "./references.js";
import { joinPath, memberSchema } from "./schema.js";
import { cutUnknown } from "./unknown-members.js";

/** Repaired arguments, with notes about the repairs and about open questions. */
export interface Repaired extends Readonly<RepairNotes> {
  readonly args: JsonObject;
}

type Repair = (args: JsonObject, tool: Tool, notes: RepairNotes) => JsonObject;

/** The order matters: unwrapped arguments may contain an alias, and an alias may have a value to repair. */
const REPAIRS: readonly Repair[] = [unwrap, spreadEndpoints, cutUnknown, mendValues, withoutNulls, expandReferences];

/** Applies all repairs. The given arguments are not changed. */
export function repairArguments(tool: Tool, given: JsonObject): Repaired {
  const notes = newNotes();
  const args = REPAIRS.reduce((mended, repair) => repair(mended, tool, notes), given);
  return { args, ...notes };
}

/** `{task: {title}}`, `{args: {title}}` → `{title}`. */
function unwrap(args: JsonObject, tool: Tool, notes: RepairNotes): JsonObject {
  const { accepts } = acceptedNames(tool.parameters_schema);
  const wrappers = ["args", "input", ...(tool.entity === undefined ? [] : [tool.entity])];
  return wrappers.reduce<JsonObject>((outer, name) => {
    const inner = own(outer, name);
    if (!isObject(inner) || accepts(name) || isAlias(tool, name)) return outer;
    const beside = objectOf(Object.entries(outer).filter(([key]) => key !== name));
    const differs = (key: string): boolean => canonicalJson(inner[key]) !== canonicalJson(beside[key]);
    const twice = Object.keys(inner).filter((key) => Object.hasOwn(beside, key) && differs(key));
    for (const key of twice) {
      notes.errors.push(claimedTwice(`${name}.${key}`, [`${name}.${key}`, key], inner[key]));
      notes.undecided.push({ path: joinPath("", key), values: [beside[key] ?? null, inner[key] ?? null] });
    }
    notes.warnings.push(`arg_unwrapped: the arguments inside ${name} were read as the op's own`);
    return objectOf([...Object.entries(inner), ...Object.entries(beside)]);
  }, args);
}

const isAlias = (tool: Tool, name: string): boolean =>
  tool.parameters.some((parameter) => parameter.name === name || parameter.aliases.includes(name));

/** `{from: {kind, id}}` → `{src_kind, src_id}`, where the schema's `x-endpoints` declares it. */
function spreadEndpoints(args: JsonObject, tool: Tool, notes: RepairNotes): JsonObject {
  const endpoints = tool.parameters_schema["x-endpoints"];
  if (!isObject(endpoints)) return args;
  return Object.entries(endpoints).reduce((outer, [name, targets]) => {
    const end = own(outer, name);
    if (!isObject(end) || !Array.isArray(targets) || !isEndpoint(end)) return outer;
    const [kind, id] = targets.map(String);
    if (kind === undefined || id === undefined) return outer;
    const beside = Object.entries(outer).filter(([key]) => key !== name);
    const twice = [kind, id].filter((target) => Object.hasOwn(outer, target));
    for (const target of twice) {
      notes.errors.push(claimedTwice(name, [name, target], end));
      const ends = [outer[target] ?? null, own(end, target === kind ? "kind" : "id") ?? null];
      notes.undecided.push({ path: joinPath("", target), values: ends });
    }
    if (twice.length > 0) return objectOf(beside);
    notes.warnings.push(`arg_renamed: ${name} was read as ${kind} and ${id}`);
    const spread = [["kind", kind] as const, ["id", id] as const];
    const members = spread.flatMap(([key, target]) => (end[key] === undefined ? [] : [[target, end[key]] as const]));
    return objectOf([...beside, ...members]);
  }, args);
}

const isEndpoint = (value: JsonObject): boolean => {
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => key === "kind" || key === "id");
};

function mendValues(args: JsonObject, tool: Tool, notes: RepairNotes): JsonObject {
  const schema = tool.parameters_schema;
  const mended = mend(renameAliases(args, schema, "", notes, tool.parameters), schema, schema, "", notes);
  return isObject(mended) ? mended : args;
}

/**
 * Repairs aliases of nested names, spaces around ids, and spellings of enum values, at every level that the schema
 * describes.
 */
function mend(value: JsonValue, schema: JsonSchema, root: JsonSchema, path: string, notes: RepairNotes): JsonValue {
  const rule = matchingBranch(schema, value, root);
  if (typeof value === "string") return mendText(value, rule === schema ? rule : { ...schema, ...rule }, path, notes);
  if (Array.isArray(value))
    return value.map((item: JsonValue, index) =>
      mendMember(item, memberSchema(rule, index), root, joinPath(path, index), notes),
    );
  if (!isObject(value)) return value;
  const named = path === "" ? value : renameAliases(value, rule, path, notes);
  const members = Object.entries(named).map(([name, member]) => {
    return [name, mendMember(member, memberSchema(rule, name), root, joinPath(path, name), notes)] as const;
  });
  return objectOf(members);
}

const mendMember = (
  value: JsonValue,
  schema: JsonSchema | undefined,
  root: JsonSchema,
  path: string,
  notes: RepairNotes,
): JsonValue => (schema ? mend(value, schema, root, path, notes) : value);

function mendText(value: string, rule: JsonSchema, path: string, notes: RepairNotes): string {
  const trimmed = value.trim();
  if (typeof rule["x-id"] === "string" && trimmed !== value && trimmed !== "") {
    notes.warnings.push(`id_trimmed: spaces around ${path} were dropped`);
    return trimmed;
  }
  const meant = enumMeant(value, rule);
  if (meant === undefined) return value;
  notes.warnings.push(`enum_alias: ${path} ${received(value)} was read as ${meant}`);
  return meant;
}

/** The enum value of another spelling or of a declared alias. */
function enumMeant(value: string, rule: JsonSchema): string | undefined {
  const spellings = spellingsOf(rule);
  if (spellings.size === 0) return undefined;
  const folded = fold(value);
  const spelled = spellings.get(folded) ?? [];
  if (spelled.includes(value)) return undefined;
  if (spelled.length === 1) return spelled[0];
  const aliases = rule["x-values"];
  const alias = isObject(aliases) ? (own(aliases, value) ?? own(aliases, folded)) : undefined;
  if (typeof alias === "string") return alias;
  const [only, ...others] = spellings.get(lettersKey(value)) ?? [];
  return others.length === 0 ? only : undefined;
}

/** The texts of enums by their folded form and by their letters: an enum may have thousands, and a call thousands of values. */
const keptSpellings = new WeakMap<JsonSchema, ReadonlyMap<string, readonly string[]>>();

function spellingsOf(rule: JsonSchema): ReadonlyMap<string, readonly string[]> {
  const known = keptSpellings.get(rule);
  if (known) return known;
  const texts = Array.isArray(rule["enum"]) ? rule["enum"].filter((one) => typeof one === "string") : [];
  const made = new Map<string, string[]>();
  for (const text of texts) {
    for (const key of [fold(text), lettersKey(text)]) made.set(key, [...(made.get(key) ?? []), text]);
  }
  keptSpellings.set(rule, made);
  return made;
}

const fold = (value: string): string =>
  value
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_");

/** A key that no folded text is. */
const lettersKey = (text: string): string => `letters ${withoutSeparators(text)}`;
