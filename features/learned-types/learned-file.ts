/** `definitions/learned/<pack>.json`: the learned types of the ops of a pack, an op a line, sorted. */

import { byCodeUnit, canonicalJson } from "../../runtime/contract/canonical.js";
import { isRecord } from "../../runtime/contract/json.js";
import { nestsDeeper } from "../../runtime/contract/json-schema.js";
import type { JsonSchema, LearnedResult } from "../../runtime/contract/registry.js";
import { messageOf } from "../../runtime/contract/thrown.js";

/** Folder of the files, relative to the root. */
export const LEARNED_FOLDER = "definitions/learned";

const VERSION = 1;
/** Largest schema that is read, in levels. */
const MAX_DEPTH = 64;

/** The learned type of one op. */
export interface LearnedEntry extends Omit<LearnedResult, "stale" | "pinned"> {
  /** Digest of the input of the op when the type was learned. */
  readonly digest: string;
  /** The rules that the type was learned by. */
  readonly rules: string;
  /** Whether a person wrote it; it is never overwritten. */
  readonly pinned?: true;
}

/** Learned types by op. */
export type LearnedFile = ReadonlyMap<string, LearnedEntry>;

/** The text of a file. */
export function learnedText(entries: LearnedFile): string {
  const lines = [...entries]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([op, entry]) => `  ${JSON.stringify(op)}: ${canonicalJson(entry)}`);
  return `{"version":${VERSION},"ops":{\n${lines.join(",\n")}\n}}\n`;
}

/** What calls have shown about an op. */
export interface JudgedOp {
  readonly op: string;
  /** Digest of the input of the op. */
  readonly digest: string;
  /** Band of the calls. */
  readonly calls: string;
  /** Absent if its results have no type to learn. */
  readonly entry?: LearnedEntry;
  /** What would make the type locked, a sentence each; empty if it is. */
  readonly lacks: readonly string[];
  /** What these calls showed that a schema does not allow, as a clause; undefined if it allows all of it. */
  readonly against: (schema: JsonSchema) => string | undefined;
}

/** The number of calls that `30+` says at least. */
export const leastCalls = (band: string): number => Number.parseInt(band, 10) || 0;

/** What is wrong with a file: a sentence, and the op that it is about. */
export class LearnedFault extends Error {
  /** Absent if the file as a whole is meant. */
  readonly op: string | undefined;

  constructor(message: string, op?: string) {
    super(message);
    this.op = op;
  }
}

/** Reads a file. @throws LearnedFault saying what is wrong */
export const readLearned = (text: string): LearnedFile =>
  new Map(Object.entries(learnedOps(text, VERSION)).map(([op, entry]) => [op, checked(op, entry)]));

/** The ops of a file of `definitions/learned/`, unchecked. @throws LearnedFault if it is of another version or form */
export function learnedOps(text: string, version: number): Readonly<Record<string, unknown>> {
  const body = parsed(text);
  if (body["version"] !== version)
    throw new LearnedFault(
      `its version is ${JSON.stringify(body["version"] ?? null)}; this toolwright reads ${version}`,
    );
  if (!isRecord(body["ops"])) throw new LearnedFault(`"ops" is not an object`);
  return body["ops"];
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    throw new LearnedFault(`it is not JSON: ${messageOf(error)}`);
  }
  if (!isRecord(body)) throw new LearnedFault("it is not a JSON object");
  return body;
}

const LEVELS: readonly unknown[] = ["hint", "locked"] satisfies readonly LearnedResult["level"][];
const NEWS: readonly unknown[] = ["≤1%", "≤10%", ">10%"] satisfies readonly LearnedResult["news"][];
const isText = (value: unknown): boolean => typeof value === "string";

/** What the fields of an entry must be. */
const FIELDS: Readonly<Record<keyof LearnedEntry, readonly [isRight: (value: unknown) => boolean, what: string]>> = {
  calls: [(value) => isText(value) && /^\d{1,9}\+$/.test(String(value)), 'a band of calls such as "30+"'],
  digest: [isText, "a text"],
  level: [(value) => LEVELS.includes(value), '"hint" or "locked"'],
  news: [(value) => NEWS.includes(value), '"≤1%", "≤10%" or ">10%"'],
  pinned: [(value) => value === undefined || value === true, "true, or absent"],
  rules: [isText, "a text"],
  schema: [(value) => isRecord(value) && !nestsDeeper(value, MAX_DEPTH), `a schema of at most ${MAX_DEPTH} levels`],
  variants: [
    (value) => value === undefined || (Array.isArray(value) && value.every(isText)),
    "a list of texts, or absent",
  ],
};

/** What an entry that a person writes may leave out. */
const WRITTEN = { calls: "0+", digest: "", news: "≤1%", rules: "" } as const;

function checked(op: string, given: unknown): LearnedEntry {
  if (!isRecord(given)) throw new LearnedFault(`${op} is not an object`, op);
  const entry: Readonly<Record<string, unknown>> = given["pinned"] === true ? { ...WRITTEN, ...given } : given;
  for (const [field, [isRight, what]] of Object.entries(FIELDS))
    if (!isRight(entry[field])) throw new LearnedFault(`${op}: "${field}" must be ${what}`, op);
  const extra = Object.keys(entry).find((field) => !Object.hasOwn(FIELDS, field));
  if (extra !== undefined) throw new LearnedFault(`${op} has an unknown field ${JSON.stringify(extra)}`, op);
  const fault = schemaFault(entry["schema"] as JsonSchema);
  if (fault !== undefined) throw new LearnedFault(`${op}: ${fault}`, op);
  return entry as unknown as LearnedEntry;
}

const TYPES: readonly unknown[] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/** What is wrong with a schema that a person wrote. */
function schemaFault(schema: JsonSchema): string | undefined {
  const { $ref, type, properties, required, items, additionalProperties } = schema;
  if ($ref !== undefined) return `"$ref" has no place in the schema of a learned type: write the schema out`;
  const wrong = (Array.isArray(type) ? type : type === undefined ? [] : [type]).find((one) => !TYPES.includes(one));
  if (wrong !== undefined) return `${JSON.stringify(wrong)} is no type of JSON: write one of ${TYPES.join(", ")}`;
  if (properties !== undefined && !isRecord(properties)) return `"properties" of its schema must be an object`;
  if (required !== undefined && !(Array.isArray(required) && required.every(isText)))
    return `"required" of its schema must be a list of texts`;
  for (const one of [...Object.values(properties ?? {}), items, additionalProperties]) {
    const fault = isRecord(one) ? schemaFault(one as JsonSchema) : undefined;
    if (fault !== undefined) return fault;
  }
  return undefined;
}
