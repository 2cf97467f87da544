/** Makes valid calls from schemas. */

import type { JsonObject, JsonValue } from "toolwright/codegen";
import type { Tool } from "../../runtime/contract/registry.js";
import { type Call, isObject, pick, plain, propertiesOf, typesOf } from "./model.js";

const WORDS = ["Call Anna", "Fix login", "Budget draft", "Release notes", "Ship beta", "Review plan"];
const LETTERS = "abcdefghjkmnpqrstuvwxyz23456789";
/** Texts for the patterns of the worked example, by how they begin. */
const FORMS: readonly (readonly [pattern: RegExp, prefix: string])[] = [
  [/^\^\(\?:\(\?:proj\|task/, "task_"],
  [/^\^\(\?:\(\?:task\|goal/, "goal_"],
  [/^\^\(\?:([a-z]+_)\[/, ""],
];
const TYPE_KEYS = /^\^(project|task|goal|plan|document|requirement)\\\./;

type Random = () => number;

const code = (length: number, random: Random): string =>
  Array.from({ length }, () => pick([...LETTERS], random)).join("");

const twoDigits = (random: Random, most: number): string => String(1 + Math.floor(random() * most)).padStart(2, "0");
const day = (random: Random): string => `2026-${twoDigits(random, 12)}-${twoDigits(random, 28)}`;

function textOf(schema: JsonObject, name: string, random: Random): string | undefined {
  const { pattern, format } = schema;
  if (typeof pattern === "string") return patterned(pattern, random);
  if (format === "date") return day(random);
  if (format === "date-time") return `${day(random)}T${twoDigits(random, 22)}:30:00Z`;
  if (format === "uri" || format === "url" || /(^|_)url$/i.test(name)) return `https://example.com/${code(5, random)}`;
  if (format === "email") return `${code(5, random)}@example.com`;
  if (format !== undefined) return undefined;
  if (/(id|key|sha|token|cursor|owner|repo|branch|head|base)$/i.test(name)) return `${name[0]}${code(7, random)}`;
  return `${pick(WORDS, random)} ${code(2, random)}`;
}

function patterned(pattern: string, random: Random): string | undefined {
  for (const [form, prefix] of FORMS) {
    const found = form.exec(pattern);
    if (found) return `${prefix || found[1]}${code(16, random)}`;
  }
  const kind = TYPE_KEYS.exec(pattern)?.[1];
  if (kind !== undefined) return `${kind}.${code(5, random)}.${code(4, random)}`;
  if (pattern.startsWith("^[Hh]")) return `https://example.com/${code(5, random)}`;
  return undefined;
}

/** A value for a schema; undefined if none is known. */
function madeFor(schema: JsonValue | undefined, name: string, root: JsonObject, random: Random): JsonValue | undefined {
  const rule = plain(schema, root);
  if (rule["const"] !== undefined) return rule["const"];
  if (Array.isArray(rule["enum"])) return pick(rule["enum"], random);
  const type = typesOf(rule).find((one) => one !== "null") ?? "string";
  if (type === "string") return textOf(rule, name, random);
  if (type === "boolean") return random() < 0.5;
  if (type === "integer" || type === "number") return numberOf(rule, type === "integer", random);
  if (type === "array") return listOf(rule, name, root, random);
  return type === "object" ? objectOf(rule, root, random, 0.4) : undefined;
}

function numberOf(rule: JsonObject, isWhole: boolean, random: Random): number {
  const low = typeof rule["minimum"] === "number" ? rule["minimum"] : 1;
  const high = Math.min(typeof rule["maximum"] === "number" ? rule["maximum"] : low + 90, low + 90);
  const value = low + random() * (high - low);
  return isWhole ? Math.round(value) : Math.round(value * 4) / 4;
}

function listOf(rule: JsonObject, name: string, root: JsonObject, random: Random): JsonValue | undefined {
  const items = Array.from({ length: 1 + Math.floor(random() * 2) }, () =>
    madeFor(rule["items"] as JsonValue | undefined, name.replace(/s$/, ""), root, random),
  );
  return items.every((item) => item !== undefined) ? items : undefined;
}

function objectOf(rule: JsonObject, root: JsonObject, random: Random, share: number): JsonObject | undefined {
  const required = Array.isArray(rule["required"]) ? rule["required"].map(String) : [];
  const made: Record<string, JsonValue> = {};
  for (const [name, schema] of propertiesOf(rule)) {
    if (name === "dry_run" || (!required.includes(name) && random() >= share)) continue;
    const value = madeFor(schema, name, root, random);
    if (value !== undefined) made[name] = value;
    else if (required.includes(name)) return undefined;
  }
  return made;
}

/** A call of a tool that is probably valid; the runner keeps only those that are. */
export function callOf(tool: Tool, random: Random): Call | undefined {
  const root = isObject(tool.parameters_schema) ? tool.parameters_schema : {};
  const args = objectOf(root, root, random, 0.45);
  if (!args) return undefined;
  if (tool.kind === "read") return { op: tool.op, args };
  const effect = random();
  if (effect < 0.3) return { op: tool.op, args, dry_run: true };
  return effect < 0.5 ? { op: tool.op, args, idempotency_key: `key-${code(6, random)}` } : { op: tool.op, args };
}
