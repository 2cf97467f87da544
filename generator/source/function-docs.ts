/** Reads the documentation comments of a typed function, its arguments, and the members of their types. */

import { ts } from "@ts-morph/common";
import { isSchema } from "../../runtime/contract/json-schema.js";
import type { JsonObject, JsonSchema, JsonValue } from "../../runtime/contract/registry.js";

/** Reports a tag that cannot be used: `fact` completes "`@minimum` of args.count …". */
export type Complain = (tag: string, path: string, fact: string) => void;

/** A documentation comment. */
export interface Doc {
  readonly text: string;
  readonly tags: readonly DocTag[];
}

/** `@name text`. */
interface DocTag {
  readonly name: string;
  readonly text: string;
}

/** The comment of a symbol; `{@link X}` reads X. */
export function docOf(symbol: ts.Symbol, checker: ts.TypeChecker): Doc {
  const textOf = (parts: readonly ts.SymbolDisplayPart[] | undefined): string =>
    withoutLinks(ts.displayPartsToString(parts ? [...parts] : []));
  const text = textOf(symbol.getDocumentationComment(checker));
  const tags = symbol.getJsDocTags(checker).map((one) => ({ name: one.name, text: textOf(one.text) }));
  if (text !== "" || tags.length > 0) return { text, tags };
  const [inline] = (symbol.declarations ?? []).flatMap((one) => inlineDoc(one) ?? []);
  return {
    text: withoutLinks(inline?.text ?? ""),
    tags: (inline?.tags ?? []).map((one) => ({ name: one.name, text: withoutLinks(one.text) })),
  };
}

const withoutLinks = (text: string): string =>
  text
    .replace(
      /\{@link(?:code|plain)?\s+([^}|]*?)\s*(?:\|\s*([^}]*))?\}/g,
      (_, target: string, label?: string) => label ?? target,
    )
    .trim();

/** Text of the first tag with one of the names; undefined without one. */
export const tagText = (doc: Doc, ...names: readonly string[]): string | undefined =>
  doc.tags.find((one) => names.includes(one.name))?.text;

/** `@param args.query - what to look for`: path to text. */
export function paramTexts(doc: Doc): ReadonlyMap<string, string> {
  const params = doc.tags.filter((one) => one.name === "param" || one.name === "arg");
  return new Map(
    params.map(({ text }) => {
      const [, path = "", about = ""] = /^(\S+)\s*([\s\S]*)$/.exec(text) ?? [];
      return [path.replace(/^\[|(?:=.*)?\]$/g, ""), about.replace(/^-\s*/, "").trim()] as const;
    }),
  );
}

type Read = (text: string, schema: JsonSchema) => JsonValue | undefined;

const number: Read = (text) => (/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined);
const count: Read = (text) => (/^\d+$/.test(text) ? Number(text) : undefined);
const words: Read = (text) => (text === "" ? undefined : text);

/** Reads a JSON value, or the text as it is if the schema is a string. */
const value: Read = (text, { type }) => {
  const plain = text.replace(/^`([\s\S]*)`$/, "$1");
  try {
    const parsed = JSON.parse(plain) as JsonValue;
    return type === "string" && typeof parsed !== "string" ? plain : parsed;
  } catch {
    const quoted = /^'([^']*)'$/.exec(plain)?.[1];
    return [type].flat().includes("string") && plain !== "" ? (quoted ?? plain) : undefined;
  }
};

const pattern: Read = (text) => {
  const plain = /^\/(.*)\/u?$/.exec(text)?.[1] ?? text;
  try {
    new RegExp(plain, "u");
    return plain === "" ? undefined : plain;
  } catch {
    return undefined;
  }
};

interface KeywordTag {
  readonly keyword: string;
  readonly wanted: string;
  readonly read: Read;
  /** Types to which the keyword applies; absent for any. */
  readonly of?: readonly string[];
}

const NUMBERS = ["number", "integer"];
const limit = (keyword: string): KeywordTag => ({ keyword, wanted: "a number", read: number, of: NUMBERS });
const size = (keyword: string, type: string): KeywordTag => ({
  keyword,
  wanted: "a whole number",
  read: count,
  of: [type],
});

/** Tags of a member that become keywords of its schema, with the expected form and the reader. */
const KEYWORDS: Readonly<Record<string, KeywordTag>> = {
  default: { keyword: "default", wanted: "a JSON value", read: value },
  defaultValue: { keyword: "default", wanted: "a JSON value", read: value },
  minimum: limit("minimum"),
  maximum: limit("maximum"),
  exclusiveMinimum: limit("exclusiveMinimum"),
  exclusiveMaximum: limit("exclusiveMaximum"),
  multipleOf: {
    keyword: "multipleOf",
    wanted: "a number over 0",
    read: (text, schema) => number(text, schema) || undefined,
    of: NUMBERS,
  },
  minLength: size("minLength", "string"),
  maxLength: size("maxLength", "string"),
  minItems: size("minItems", "array"),
  maxItems: size("maxItems", "array"),
  pattern: { keyword: "pattern", wanted: "a regular expression", read: pattern, of: ["string"] },
  format: { keyword: "format", wanted: "the name of a format", read: words },
  id: {
    keyword: "x-id",
    wanted: "a word for what the id names",
    read: (text) => /^\w+$/.exec(text)?.[0],
    of: ["string"],
  },
};

const keywordTag = (name: string): KeywordTag | undefined =>
  Object.hasOwn(KEYWORDS, name) ? KEYWORDS[name] : undefined;

/** Whether a keyword applies to the types of a schema; true if the schema has no type. */
function applies({ of }: KeywordTag, { type }: JsonSchema): boolean {
  const types = type === undefined ? [] : [type].flat();
  return !of || types.length === 0 || types.some((one) => of.includes(String(one)));
}

/** Reports tags on a function that belong to an argument, and examples that start like JSON but are invalid. */
export function reportStrayTags(doc: Doc, complain: Complain): void {
  for (const { name, text } of doc.tags) {
    if (keywordTag(name)) complain(name, "", "is on the function, not on one of its arguments");
    if (name === "example" && unfenced(text).startsWith("{") && !exampleCall(text))
      complain(name, "", `is ${JSON.stringify(text.slice(0, 60))}, not a JSON object`);
  }
}

/** Keywords from the comment of a member, for its schema. */
export function documentedKeywords(doc: Doc, path: string, schema: JsonSchema, complain: Complain): JsonObject {
  const said = doc.tags.flatMap(({ name, text }): readonly (readonly [string, JsonValue])[] => {
    const rule = keywordTag(name);
    if (rule && !applies(rule, schema)) {
      complain(name, path, `is for ${rule.of?.[0]}s, not for ${[schema["type"]].flat().join(" or ")}`);
      return [];
    }
    const read = rule?.read(text, schema);
    if (rule && read === undefined) complain(name, path, `is ${JSON.stringify(text.slice(0, 60))}, not ${rule.wanted}`);
    return rule && read !== undefined ? [[rule.keyword, read]] : [];
  });
  const has = (tag: string): boolean => tagText(doc, tag) !== undefined;
  const examples = doc.tags
    .filter((one) => one.name === "example")
    .flatMap(({ text }) => {
      const example = value(text, schema);
      return example === undefined ? [] : [example];
    });
  return {
    ...(doc.text === "" ? {} : { description: doc.text }),
    ...Object.fromEntries(said),
    ...(has("integer") && schema["type"] === "number" ? { type: "integer" } : {}),
    ...(has("deprecated") ? { deprecated: true } : {}),
    ...(examples.length > 0 ? { examples } : {}),
  };
}

/** A schema with a description at a path of members; undefined if the path does not exist. */
export function describedSchema(schema: JsonSchema, path: readonly string[], text: string): JsonSchema | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return text === "" ? schema : { ...schema, description: text };
  const { properties } = schema;
  const member = isSchema(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  const below = isSchema(member) ? describedSchema(member, rest, text) : undefined;
  if (!below) return undefined;
  const members = Object.entries(properties as JsonSchema).map(([key, one]) => [key, key === name ? below : one]);
  return { ...schema, properties: Object.fromEntries(members) };
}

/** Example calls: each `@example` that is a JSON object, plain or in a code fence. Others are prose. */
export const exampleCalls = (doc: Doc): readonly JsonObject[] =>
  doc.tags
    .filter((one) => one.name === "example")
    .map(({ text }) => exampleCall(text))
    .filter((one) => one !== undefined);

const unfenced = (text: string): string => text.replace(/^```\w*\n([\s\S]*?)\n?```$/, "$1");

function exampleCall(text: string): JsonObject | undefined {
  try {
    const parsed: unknown = JSON.parse(unfenced(text));
    return isSchema(parsed) ? (parsed as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/** A parsed comment: its text, and its tags by name. */
export interface InlineDoc {
  readonly text: string;
  readonly tags: readonly { readonly name: string; readonly text: string }[];
}

/** The comment between a declaration and the token before it on the same line; undefined without one. */
export function inlineDoc(declaration: ts.Declaration): InlineDoc | undefined {
  const { text } = declaration.getSourceFile();
  const ranges = declaration.pos > 0 ? (ts.getTrailingCommentRanges(text, declaration.pos) ?? []) : [];
  const last = ranges.findLast(({ pos, end }) => end - pos > 4 && text.startsWith("/**", pos));
  if (!last || isAboutBefore(text, declaration, last.end)) return undefined;
  const alone = `${text.slice(last.pos, last.end)}\nlet x;`;
  const [statement] = ts.createSourceFile("doc.ts", alone, ts.ScriptTarget.ES2023, true).statements;
  const doc = statement && ts.getJSDocCommentsAndTags(statement).find(ts.isJSDoc);
  return doc && { text: textOf(doc.comment), tags: (doc.tags ?? []).map(tagOf) };
}

/** Whether a comment belongs to the token before it: it ends its line, and the token does not open a list. */
function isAboutBefore(text: string, declaration: ts.Declaration, end: number): boolean {
  return !/[{(<[]/.test(text[declaration.pos - 1] ?? "") && /^[ \t]*[\r\n]/.test(text.slice(end, declaration.end));
}

const textOf = (comment: ts.JSDocTag["comment"]): string => ts.getTextOfJSDocComment(comment) ?? "";

const tagOf = (tag: ts.JSDocTag): InlineDoc["tags"][number] => ({ name: tag.tagName.text, text: textOf(tag.comment) });
