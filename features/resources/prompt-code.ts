/**
 * The prompts `batch_search` and `transform_data`, which produce Python code. Argument values are quoted, so they
 * cannot become code.
 */

import { literal } from "../../runtime/contract/python-language.js";
import { withoutNewlines } from "../../runtime/run/format.js";
import { wellFormed } from "../../runtime/run/text-repr.js";
import type { TRIGGERS } from "../../runtime/run/triggers.js";
import { invalidParamsError } from "../../runtime/serve/mcp/pages.js";

/** Prompt arguments; clients send texts only. */
export type Given = Readonly<Record<string, string>>;

/** A built-in prompt. */
export interface CodePrompt {
  readonly title: string;
  readonly description: string;
  /** The op that its code calls. */
  readonly op: string;
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: boolean }[];
  /** @throws ProtocolError that names the missing or invalid argument */
  code(given: Given): string;
}

const DEFAULT_COUNT = 5;
const MAX_RESULTS = 100;

const batchSearch: CodePrompt = {
  title: "Search several topics",
  description: "Code that searches the web for each of several topics and collects what it finds by topic.",
  op: "brave.web_search",
  arguments: [
    { name: "topics", description: 'JSON list, or texts between commas: ["AI", "ML"]', required: true },
    { name: "count", description: `Results a topic, ${DEFAULT_COUNT} unless given`, required: false },
  ],
  code(given) {
    const topics = listOf(given, "batch_search", "topics", /,/);
    const count = countOf(given, "batch_search");
    return lines(
      `topics = ${literal(topics)}`,
      "results = {}",
      "for topic in topics:",
      `    results[topic] = brave_web_search(query=topic, count=${count})`,
      "results",
    );
  },
};

const transformData: CodePrompt = {
  title: "Fetch pages and work on them",
  description: "Code that fetches each of several pages, with an instruction on what to make of them.",
  op: "web.fetch",
  arguments: [
    {
      name: "urls",
      description: 'JSON list, or addresses one after the other: ["https://example.com"]',
      required: true,
    },
    { name: "instruction", description: "What to make of the pages", required: true },
  ],
  code(given) {
    // A URL may contain a comma, but does not begin with one.
    const urls = listOf(given, "transform_data", "urls", /\s+|,(?=\s*[a-z][a-z0-9+.-]*:)|,\s/i);
    const [first, ...rest] = linesOf(textOf(given, "transform_data", "instruction"));
    return lines(
      `# Instruction: ${first}`.trimEnd(),
      ...rest.map((line) => `# ${line}`.trimEnd()),
      `urls = ${literal(urls)}`,
      "pages = {}",
      "for url in urls:",
      "    pages[url] = web_fetch(url=url)",
      "pages",
    );
  },
};

/** The built-in prompts by name. */
export const CODE_PROMPTS: ReadonlyMap<string, CodePrompt> = new Map([
  ["batch_search", batchSearch],
  ["transform_data", transformData],
]);

/** The message that asks for code to be run: the trigger, and the code in a fence longer than any in it. */
export function codeMessage(code: string, language = "python"): string {
  let ticks = 3;
  for (const [, run = ""] of code.matchAll(/^[^\S\n]*(`{3,})/gm)) ticks = Math.max(ticks, run.length + 1);
  const fence = "`".repeat(ticks);
  return lines(TRIGGER, `${fence}${language}`, withoutNewlines(code), fence);
}

const TRIGGER: (typeof TRIGGERS)[number] = "__onetool__run";

const lines = (...all: readonly string[]): string => all.join("\n");

/** The text of an argument. */
export function textOf(given: Given, prompt: string, name: string): string {
  const text = Object.hasOwn(given, name) ? wellFormed(given[name] ?? "").trim() : "";
  if (text === "") throw invalidParamsError(`${prompt}: '${name}' is required`);
  return text;
}

/** A JSON list, or texts with separators. */
function listOf(given: Given, prompt: string, name: string, between: RegExp): readonly string[] {
  const text = textOf(given, prompt, name);
  const items = text.startsWith("[") ? jsonList(text) : text.split(between);
  if (!items) throw invalidParamsError(`${prompt}: '${name}' must be a JSON list of texts, such as ["a", "b"]`);
  const texts = items.map((one) => wellFormed(one).trim()).filter((one) => one !== "");
  if (texts.length === 0) throw invalidParamsError(`${prompt}: '${name}' is required`);
  if (texts.length > MAX_RESULTS)
    throw invalidParamsError(`${prompt}: '${name}' has ${texts.length} entries, and may have ${MAX_RESULTS}`);
  return texts;
}

function jsonList(text: string): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((one) => typeof one === "string") ? value : undefined;
  } catch {
    return undefined;
  }
}

function countOf(given: Given, prompt: string): number {
  const text = (Object.hasOwn(given, "count") ? given["count"] : undefined)?.trim() || String(DEFAULT_COUNT);
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= MAX_RESULTS) return count;
  throw invalidParamsError(
    `${prompt}: 'count' must be an integer from 1 to ${MAX_RESULTS}, got ${JSON.stringify(text.slice(0, 40))}`,
  );
}

/** Splits text at every line break that any reader may recognize: all control and separator characters except tabs. */
const linesOf = (text: string): readonly string[] => text.split(/\r\n|(?!\t)[\p{Cc}\p{Zl}\p{Zp}]/u);
