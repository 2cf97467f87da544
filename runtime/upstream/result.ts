/**
 * Converts a `tools/call` result to data. The structured value is the data; texts and other blocks that say something else are
 * a member of it. Without a structured value, the blocks are the data.
 */

import { typesOf } from "../call/arguments/schema.js";
import type { ContentBlock } from "../call/client-access.js";
import { objectOf, writeJson } from "../contract/exact-number.js";
import { isObject, isTooDeep, kindOf } from "../contract/json.js";
import type { PassedBound } from "../contract/json-survey.js";
import { readJson } from "../contract/read-json.js";
import type { JsonObject, JsonSchema, JsonValue } from "../contract/registry.js";
import { inTurns } from "../contract/turn.js";
import { type ContentItem, contentItem } from "./content-block.js";
import { sayingsOf } from "./structured-sayings.js";
import { readAnswer } from "./tolerated-answer.js";

/** A converted result. */
export interface ProxiedResult {
  readonly data: JsonValue;
  /** What the declared output schema is about: the structured value, else the data. */
  readonly checked: JsonValue;
  /** The structured value, if there is one. */
  readonly structured: JsonValue | undefined;
  /** The blocks that say something else than the structured value, in order; all of them without one. */
  readonly content: readonly ContentBlock[];
  /** The blocks other than texts, those that the structured value says too among them. */
  readonly media: readonly ContentBlock[];
  /** Whether they are all that is said. */
  readonly isWhole: boolean;
  readonly meta: JsonObject | undefined;
  readonly isError: boolean;
  /** Why the tool failed, in whatever block it says so. */
  readonly reason: string;
  readonly isTooDeep: boolean;
  /** The bound of answers that a text of JSON exceeds; its text is the data. */
  readonly passed: PassedBound | undefined;
  /** Departures from the protocol. */
  readonly faults: readonly string[];
  readonly isUnreadable: boolean;
}

/** What decides how a result is read. */
export interface ReadingOptions {
  /** The declared type of results. */
  readonly schema?: JsonSchema | undefined;
  /** Whether the server speaks the newer protocol. */
  readonly isNewer: boolean;
}

/** Converts a result, in several turns of the event loop if it has many blocks. */
export async function convertResult(
  answer: Readonly<Record<string, unknown>>,
  { schema, isNewer }: ReadingOptions,
): Promise<ProxiedResult> {
  const { content, structured: given, isError, meta, faults, isUnreadable } = readAnswer(answer, isNewer);
  const items: ContentItem[] = [];
  const isBlock = content.length > 0 ? await blockCheck() : () => false;
  await inTurns(content, (one) => void items.push(contentItem(one, isBlock)));
  const more = given === undefined ? items : unsaid(items, given);
  // Null and an empty object say nothing: they do not stand in place of a text.
  const structured = isEmpty(given) && more.length > 0 ? undefined : given;
  const left = structured === undefined ? items : more;
  const data = structured === undefined ? plainData(left, schema) : withContent(structured, left);
  return {
    data,
    checked: given ?? data,
    structured: given ?? undefined,
    content: blocksIn(left),
    media: blocksIn(items).filter(({ type }) => type !== "text"),
    isWhole: left.every(({ block }) => block !== undefined),
    meta,
    isError,
    reason: isError ? reasonIn(items, new Set(left), structured) : "",
    isTooDeep: isTooDeep(data),
    passed: items.find(({ passed }) => passed !== undefined)?.passed,
    faults: [...new Set([...faults, ...items.flatMap(({ fault }) => fault ?? [])])],
    isUnreadable,
  };
}

const blocksIn = (items: readonly ContentItem[]): readonly ContentBlock[] =>
  items.flatMap(({ block }) => (block ? [block] : []));

const isEmpty = (value: JsonValue | undefined): boolean =>
  value === null || (isObject(value) && Object.keys(value).length === 0);

/** Whether a client takes a block, by the schemas of the protocol. The library is there: it has received the answer. */
async function blockCheck(): Promise<(block: ContentBlock) => boolean> {
  const { specTypeSchemas } = await import("@modelcontextprotocol/client");
  return (block) => {
    const read = specTypeSchemas.ContentBlock["~standard"].validate(block);
    return !(read instanceof Promise) && !read.issues;
  };
}

/** The items that say something else than the structured value. */
function unsaid(items: readonly ContentItem[], structured: JsonValue): readonly ContentItem[] {
  if (items.length === 0) return items;
  const says = sayingsOf(structured, items.length > 1);
  const texts = items.flatMap(({ text }) => (text === undefined ? [] : [text]));
  const isWhole = texts.length > 1 && (says(texts.join("\n")) || says(texts.join("")));
  return items.filter(({ text, value }) => !(text === undefined ? says(value) : isWhole || says(text)));
}

/** The data of blocks without a structured value: that of one, a list for several, `null` for none. */
function plainData(items: readonly ContentItem[], schema: JsonSchema | undefined): JsonValue {
  const [first, ...rest] = items;
  if (!first) return null;
  if (rest.length > 0) return items.map(({ value }) => value);
  return first.text === undefined || first.passed || !schema ? first.value : typedText(first.text, first.value, schema);
}

/** What a text says where the type of results is declared: a text if that is one, a scalar only if that is one. */
function typedText(text: string, value: JsonValue, schema: JsonSchema): JsonValue {
  const types = typesOf(schema);
  const isText = types.includes("string");
  if (typeof value !== "string") return isText && !types.includes(kindOf(value)) ? text : value;
  const scalar = isText ? undefined : scalarIn(text);
  const kinds = [kindOf(scalar), ...(Number.isInteger(Number(scalar)) ? ["integer"] : [])];
  return scalar !== undefined && kinds.some((kind) => types.includes(kind)) ? scalar : text;
}

/** The number, boolean or null that a text is as JSON; no number beyond the range of JSON's readers. */
function scalarIn(text: string): JsonValue | undefined {
  try {
    const value = readJson(text) as JsonValue;
    return kindOf(value) === "number" && !Number.isFinite(Number(value)) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Members for what is said beside a structured value; the second one if that has a member of the first name. */
const BESIDE = ["content", "mcp_content"] as const;

/**
 * A structured value with what is said beside it.
 *
 * @example
 * withContent({ pages: 1 }, [{ value: "Chapter 1" }]); // { pages: 1, content: "Chapter 1" }
 */
function withContent(structured: JsonValue, left: readonly ContentItem[]): JsonValue {
  if (left.length === 0) return structured;
  const content = plainData(left, undefined);
  if (!isObject(structured)) return { result: structured, content };
  const [first, second] = BESIDE;
  let name: string = Object.hasOwn(structured, first) ? second : first;
  while (Object.hasOwn(structured, name)) name += "_";
  return objectOf<JsonValue>([...Object.entries(structured), [name, content]]);
}

/** Why a tool failed: its texts, else its structured value, else what its other blocks are. Prose counts also if that says it. */
function reasonIn(
  items: readonly ContentItem[],
  left: ReadonlySet<ContentItem>,
  structured: JsonValue | undefined,
): string {
  const said = items
    .filter((item) => left.has(item) || typeof item.value === "string")
    .flatMap((item) => item.text ?? textIn(item.value) ?? [])
    .filter((one) => one.trim() !== "");
  if (said.length > 0) return said.join("\n");
  if ((structured ?? null) !== null) return typeof structured === "string" ? structured : writeJson(structured);
  return [...left].map(({ value }) => mediaText(value)).join("\n");
}

/** The text of an embedded resource. */
const textIn = (value: JsonValue): string | undefined =>
  isObject(value) && typeof value["text"] === "string" ? value["text"] : undefined;

/** A block without text, in words: `an image (image/png, 68 bytes)`. The text of a text in bytes; any other value as JSON. */
function mediaText(value: JsonValue): string {
  if (!isObject(value)) return typeof value === "string" ? value : writeJson(value);
  const { type, uri, mime, bytes, name } = value;
  const what = NOUNS.get(String(type));
  if (what === undefined || (typeof bytes !== "string" && typeof uri !== "string")) return writeJson(value);
  if (typeof bytes === "string" && typeof mime === "string" && /^text\//i.test(mime))
    return Buffer.from(bytes, "base64").toString("utf8");
  const size = typeof bytes === "string" ? `${Buffer.byteLength(bytes, "base64")} bytes` : undefined;
  const said = [name, mime, size].filter((one) => typeof one === "string" && one !== "").join(", ");
  return [what, ...(typeof uri === "string" ? [uri] : []), ...(said === "" ? [] : [`(${said})`])].join(" ");
}

const NOUNS: ReadonlyMap<string, string> = new Map([
  ["image", "an image"],
  ["audio", "a sound"],
  ["resource", "the resource"],
  ["resource_link", "a link to"],
]);
