/** Resolves references of a batch entry to results of earlier entries. */

import { echo, received } from "../../contract/error-body.js";
import { objectOf } from "../../contract/exact-number.js";
import type { FieldError } from "../../contract/handler.js";
import { isObject, MAX_JSON_DEPTH, own } from "../../contract/json.js";
import { unescapePointer } from "../../contract/json-pointer.js";
import type { JsonObject, JsonValue } from "../../contract/registry.js";
import { joinPath, memberValue } from "../arguments/schema.js";
import type { Resolved } from "../call.js";

/** An answer that a reference may point into, and whether it succeeded. */
interface Source {
  readonly ok: boolean;
  readonly answer: JsonObject;
}

/** Finds an earlier entry by id, or by index if no entry has that id; undefined if there is no such entry. */
export type FindSource = (name: string) => Source | undefined;

/** A parsed `{"$ref": "find#/result/items/0/id"}`. */
interface Reference {
  readonly source: string;
  readonly pointer: string;
}

const FORM = '{"$ref": "<id or index>#/<pointer>"}';

/**
 * Whether an object is a reference: `$ref` and nothing else. `{"$literal": ...}` passes such an object through as
 * data.
 */
const isReference = (value: JsonObject): boolean => Object.keys(value).length === 1 && Object.hasOwn(value, "$ref");
const isLiteral = (value: JsonObject): boolean => Object.keys(value).length === 1 && Object.hasOwn(value, "$literal");

function parse(value: JsonValue | undefined): Reference | undefined {
  const [, source, pointer] = typeof value === "string" ? (/^([^#]+)#((?:\/.*)?)$/s.exec(value) ?? []) : [];
  return source === undefined || pointer === undefined ? undefined : { source, pointer };
}

/** The names of the entries that a value refers to; empty without references. */
export function referencedSources(value: JsonValue | undefined, depth = 0): readonly string[] {
  if (typeof value !== "object" || value === null || depth > MAX_JSON_DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap((item: JsonValue) => referencedSources(item, depth + 1));
  if (!isObject(value) || isLiteral(value)) return [];
  if (isReference(value)) return [parse(own(value, "$ref"))?.source ?? ""];
  return Object.values(value).flatMap((member) => referencedSources(member, depth + 1));
}

/** Longest text that is compared with the forms of references, and warnings about such texts in one entry. */
const MAX_LIKE_LENGTH = 200;
const MAX_WARNINGS = 3;

/** How other systems write references: `$0.id`, `${a.id}`, `$ref:0#/id`, `{{a.result.id}}`, and the text of a reference alone. */
const LIKE = [/^\$\{?[\w:-]+[.[#]\S+$/, /^\{\{[^{}]+\}\}$/, /^[\w-]+#\/\S+$/];

/** Whether a text is written like a path into the answer of an earlier entry. */
function isLikeReference(text: string, isEarlier: (name: string) => boolean): boolean {
  if (text.length > MAX_LIKE_LENGTH || !LIKE.some((form) => form.test(text))) return false;
  const parts = text.split(/[^\w-]+/);
  return parts.some(isEarlier) && parts.some((part) => /^[a-z_]/i.test(part) && part !== "ref" && !isEarlier(part));
}

/** Warnings about texts that look like references, which are sent as they are: `{"$literal": …}` has none. */
export function referenceWarnings(args: JsonValue, isEarlier: (name: string) => boolean): readonly string[] {
  return likeReferences(args, isEarlier)
    .slice(0, MAX_WARNINGS)
    .map(
      ([path, text]) =>
        `reference_text: ${echo(path)} is sent as the text ${JSON.stringify(text)}; a value of an earlier entry is ${FORM}, such as {"$ref": "0#/result/id"}`,
    );
}

type Located = readonly [path: string, text: string];

function likeReferences(
  value: JsonValue,
  isEarlier: (name: string) => boolean,
  path = "",
  depth = 0,
): readonly Located[] {
  if (typeof value === "string") return isLikeReference(value, isEarlier) ? [[path || "args", value]] : [];
  if (typeof value !== "object" || value === null || depth > MAX_JSON_DEPTH) return [];
  const inside = (one: JsonValue, key: string | number) =>
    likeReferences(one, isEarlier, joinPath(path, key), depth + 1);
  if (Array.isArray(value)) return value.flatMap((one: JsonValue, at) => inside(one, at));
  if (!isObject(value) || isLiteral(value) || isReference(value)) return [];
  return Object.entries(value).flatMap(([key, one]) => inside(one, key));
}

/** Replaces references by the values they point to. An unresolvable reference is an error with keyword `ref`. */
export function resolveReferences(args: JsonValue, find: FindSource): Resolved {
  const errors: FieldError[] = [];
  return { args: resolve(args, "", 0, find, errors), errors };
}

function resolve(value: JsonValue, path: string, depth: number, find: FindSource, errors: FieldError[]): JsonValue {
  // Deeper nesting is refused afterwards anyway.
  if (typeof value !== "object" || value === null || depth > MAX_JSON_DEPTH) return value;
  const member = (one: JsonValue, key: string | number) => resolve(one, joinPath(path, key), depth + 1, find, errors);
  if (Array.isArray(value)) return value.map(member);
  if (!isObject(value)) return value;
  if (isLiteral(value)) return own(value, "$literal") ?? null;
  if (!isReference(value)) return objectOf(Object.entries(value).map(([key, one]) => [key, member(one, key)] as const));
  const found = follow(value, find);
  if (typeof found === "object") return found.value;
  const at = path || "args";
  const sent = received(own(value, "$ref"));
  errors.push({ path: at, keyword: "ref", message: `${at}: ${found}`, expected: FORM, received: sent });
  return null;
}

/** The value that a reference points to, or why it does not resolve. */
function follow(value: JsonObject, find: FindSource): { readonly value: JsonValue } | string {
  const reference = parse(own(value, "$ref"));
  if (!reference) return "the reference is not of the expected form";
  const source = find(reference.source);
  if (!source) return `no earlier entry is called ${reference.source.slice(0, 80)}`;
  let at: JsonValue | undefined = source.answer;
  for (const part of reference.pointer.split("/").slice(1)) {
    const key = unescapePointer(part);
    at = memberValue(at, Array.isArray(at) && /^(?:0|[1-9]\d*)$/.test(key) ? Number(key) : key);
    if (at === undefined)
      return `there is no value at ${reference.pointer.slice(0, 80)} of ${reference.source.slice(0, 80)}`;
  }
  return { value: at };
}
