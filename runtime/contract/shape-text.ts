/**
 * One notation of shapes for every help page: `{ a: string; b?: number }[]`, `"x" | "y"`, `boolean | null`, and `…` for
 * what is left out. Members are added level by level while they fit a number of characters.
 */

import { dereference, isSchema, itemSchemas } from "./json-schema.js";
import { onLine } from "./message-text.js";
import type { JsonSchema } from "./registry.js";
import { clip } from "./scrub.js";
import { rangeText, stringText } from "./type-text.js";

/** A shape as text. */
export interface ShapeText {
  readonly text: string;
  /** The first place with an omission, as {@link memberAt} reads it; absent if the text is whole. */
  readonly cut?: string;
}

/** Schemas nested deeper without an object between them are `any`. */
const MAX_NESTED = 6;
/** Alternatives and positions of a tuple that are shown. */
const MAX_LISTED = 12;
/** Parts of one shape. */
const MAX_PARTS = 4000;

/** An object whose members are shown one by one. */
interface Holder {
  readonly kind: "object";
  readonly at: string;
  readonly shown: string[];
  readonly nodes: Node[];
  readonly schema: JsonSchema;
  /** The objects around it: an object inside itself is not written again. */
  readonly around: readonly JsonSchema[];
  left: number;
}

/** A part of a shape. Text that ends with `…` was cut. */
type Node =
  | string
  | { readonly kind: "union"; readonly members: readonly Node[] }
  | { readonly kind: "list"; readonly item: Node }
  | { readonly kind: "map"; readonly value: Node }
  | { readonly kind: "tuple"; readonly items: readonly Node[]; readonly rest: Node | undefined }
  | Holder;

/** Where a schema stands. */
interface Place {
  readonly at: string;
  readonly depth: number;
  readonly around: readonly JsonSchema[];
}

/** What one shape has spent, and what it left out. */
interface Walk {
  readonly root: JsonSchema;
  readonly characters: number;
  parts: number;
  readonly cut: string[];
}

/**
 * The shape of values that a schema accepts.
 *
 * @param root - the schema in which references are looked up
 * @param characters - longest text
 * @param at - the place of the schema, before the places of its members
 * @example
 * shapeOf({ type: "array", items: { properties: { id: { type: "string" } } } }, {}, 200); // { text: "{ id?: string }[]" }
 */
export function shapeOf(schema: unknown, root: JsonSchema, characters: number, at = ""): ShapeText {
  const walk: Walk = { root, characters, parts: 0, cut: [] };
  const top = nodeOf(schema, { at, depth: 0, around: [] }, walk);
  const whole = textOf(top);
  if (whole.length > characters) return { text: clip(whole, characters), cut: at };
  const queue = [...holdersIn(top)];
  let used = whole.length;
  for (let index = 0; index < queue.length; index++)
    used += fill(queue[index] as Holder, characters - used, queue, walk);
  const open = queue.find(({ left }) => left > 0)?.at ?? walk.cut[0];
  return { text: textOf(top), ...(open === undefined ? {} : { cut: open }) };
}

/** Shows as many members of an object as fit; gives the characters that they take. */
function fill(holder: Holder, room: number, queue: Holder[], walk: Walk): number {
  const before = textOf(holder).length;
  const { properties } = holder.schema;
  const required = new Set(Array.isArray(holder.schema["required"]) ? holder.schema["required"] : []);
  const names = Object.keys(isSchema(properties) ? properties : {});
  const ordered = [...names.filter((name) => required.has(name)), ...names.filter((name) => !required.has(name))];
  let used = 0;
  for (const name of ordered) {
    const at = joinName(holder.at, name);
    const around = [...holder.around, holder.schema];
    const cuts = walk.cut.length;
    const node = nodeOf(isSchema(properties) ? properties[name] : undefined, { at, depth: 0, around }, walk);
    const text = `${keyText(name)}${required.has(name) ? "" : "?"}: `;
    const more = text.length + textOf(node).length + (holder.left === 1 ? -1 : 2);
    if (used + more > room) {
      walk.cut.length = cuts;
      break;
    }
    used += more;
    holder.shown.push(text);
    holder.nodes.push(node);
    holder.left--;
    queue.push(...holdersIn(node));
  }
  return textOf(holder).length - before;
}

/** The place of a member. */
const joinName = (at: string, name: string): string => (at === "" ? name : `${at}.${name}`);

/** JSON on one line: it leaves some line breaks unescaped. */
const jsonText = (value: unknown): string => onLine(JSON.stringify(value));

const keyText = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : jsonText(name));

function nodeOf(schema: unknown, place: Place, walk: Walk): Node {
  if (!isSchema(schema) || place.depth > MAX_NESTED || walk.parts++ > MAX_PARTS)
    return schema === false ? "never" : "any";
  const said = dereference(schema, walk.root);
  if (typeof said["$ref"] === "string") return "any";
  if ("const" in said) return jsonText(said["const"]);
  if (Array.isArray(said["enum"])) return valuesText(said["enum"], place, walk);
  const union = unionIn(said);
  if (union) return unionOf(union, place, walk);
  const { type, nullable } = said;
  const types = Array.isArray(type) ? type.map(String) : [typeof type === "string" ? type : impliedType(said)];
  const all = type !== undefined && nullable === true ? [...types, "null"] : types;
  const [only] = all;
  if (all.length === 1 && only !== undefined) return typed(only, said, place, walk);
  return joined(all.map((one) => typed(one, said, place, walk)));
}

/** The alternatives of a schema, each with the type that stands beside them. */
function unionIn(schema: JsonSchema): readonly unknown[] | undefined {
  const union = schema["anyOf"] ?? schema["oneOf"];
  if (!Array.isArray(union) || union.length === 0 || isSchema(schema["properties"])) return undefined;
  const { type, nullable } = schema;
  const said = union.map((one) => (isSchema(one) && type !== undefined ? { type, ...one } : one));
  return nullable === true ? [...said, { type: "null" }] : said;
}

function unionOf(union: readonly unknown[], place: Place, walk: Walk): Node {
  const below = { ...place, depth: place.depth + 1 };
  const members = union.slice(0, MAX_LISTED).map((one) => nodeOf(one, below, walk));
  if (union.length > MAX_LISTED) walk.cut.push(place.at);
  return joined([...members, ...(union.length > MAX_LISTED ? ["…"] : [])]);
}

/** A union of parts: equal texts once, `null` last. */
function joined(nodes: readonly Node[]): Node {
  const flat = nodes.flatMap((one) => (typeof one !== "string" && one.kind === "union" ? one.members : [one]));
  const texts = [...new Set(flat.filter((one) => typeof one === "string"))];
  const members = [
    ...texts.filter((one) => one !== "null" && one !== "…"),
    ...flat.filter((one) => typeof one !== "string"),
    ...texts.filter((one) => one === "…"),
    ...texts.filter((one) => one === "null"),
  ];
  const [only = "never"] = members;
  return members.length < 2 ? only : { kind: "union", members };
}

function impliedType(schema: JsonSchema): string {
  if (isSchema(schema["properties"])) return "object";
  return schema["items"] === undefined && schema["prefixItems"] === undefined ? "any" : "array";
}

/** Values of an enum that take at most half of the characters. */
function valuesText(values: readonly unknown[], place: Place, walk: Walk): Node {
  const texts: string[] = [];
  let used = 0;
  for (const value of values) {
    const text = jsonText(value);
    used += text.length + 3;
    if (used > walk.characters / 2) {
      walk.cut.push(place.at);
      texts.push("…");
      break;
    }
    texts.push(text);
  }
  return joined(texts);
}

function typed(type: string, schema: JsonSchema, place: Place, walk: Walk): Node {
  if (type === "string") return stringText(schema);
  if (type === "integer" || type === "number") return type + rangeText(schema);
  if (type === "array") return arrayOf(schema, place, walk);
  if (type === "object") return objectOf(schema, place, walk);
  return type === "boolean" || type === "null" ? type : "any";
}

function arrayOf(schema: JsonSchema, place: Place, walk: Walk): Node {
  const { tuple, rest } = itemSchemas(schema);
  const below = (one: unknown, index = ""): Node =>
    nodeOf(one, { ...place, at: `${place.at}[${index}]`, depth: place.depth + 1 }, walk);
  if (tuple.length === 0) return { kind: "list", item: below(rest ?? true) };
  const isClosed = rest === false || (typeof schema["maxItems"] === "number" && schema["maxItems"] <= tuple.length);
  const items = tuple.slice(0, MAX_LISTED).map((one, index) => below(one, String(index)));
  if (tuple.length > MAX_LISTED) walk.cut.push(place.at);
  const last = tuple.length > MAX_LISTED ? ["…"] : [];
  return { kind: "tuple", items: [...items, ...last], rest: isClosed ? undefined : below(rest ?? true) };
}

function objectOf(schema: JsonSchema, place: Place, walk: Walk): Node {
  const { properties, additionalProperties: values } = schema;
  const count = isSchema(properties) ? Object.keys(properties).length : 0;
  if (count === 0) {
    if (!isSchema(values) || Object.keys(values).length === 0) return "object";
    return { kind: "map", value: nodeOf(values, { ...place, at: `${place.at}.*`, depth: place.depth + 1 }, walk) };
  }
  if (place.around.includes(schema)) return "{ … }";
  return { kind: "object", at: place.at, shown: [], nodes: [], schema, around: place.around, left: count };
}

function holdersIn(node: Node): readonly Holder[] {
  if (typeof node === "string") return [];
  switch (node.kind) {
    case "object":
      return [node];
    case "union":
      return node.members.flatMap(holdersIn);
    case "list":
      return holdersIn(node.item);
    case "map":
      return holdersIn(node.value);
    case "tuple":
      return [...node.items, node.rest ?? ""].flatMap(holdersIn);
  }
}

function textOf(node: Node): string {
  if (typeof node === "string") return node;
  switch (node.kind) {
    case "object": {
      const members = node.nodes.map((one, index) => `${node.shown[index] ?? ""}${textOf(one)}`);
      return `{ ${[...members, ...(node.left > 0 ? ["…"] : [])].join("; ")} }`;
    }
    case "union":
      return node.members.map(textOf).join(" | ");
    case "list":
      return listText(node.item);
    case "map":
      return `Record<string, ${textOf(node.value)}>`;
    case "tuple": {
      const rest = node.rest === undefined ? [] : [`...${listText(node.rest)}`];
      return `[${[...node.items.map(textOf), ...rest].join(", ")}]`;
    }
  }
}

function listText(item: Node): string {
  const text = textOf(item);
  const isOne = typeof item === "string" ? !text.includes(" ") || text.startsWith("{") : item.kind !== "union";
  return isOne ? `${text}[]` : `(${text})[]`;
}
