/** The code of the prompts `batch_search` and `transform_data`. No value can leave its place in it. */

import { literal } from "../ot/tools.js";
import type { TRIGGERS } from "../run/fence-processor.js";
import { withoutNewlines } from "../run/format.js";
import { wellFormed } from "../run/python-text.js";
import { invalid } from "./pages.js";

/** Arguments as a client sends them: all are texts. */
export type Given = Readonly<Record<string, string>>;

/** A prompt that is always offered. */
export interface CodePrompt {
  readonly title: string;
  readonly description: string;
  /** The op that its code calls. */
  readonly op: string;
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: boolean }[];
  /** @throws ProtocolError naming the argument that is missing or wrong */
  code(given: Given): string;
}

const DEFAULT_COUNT = 5;
const MOST = 100;

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
    // An address may hold a comma, but none begins with one.
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

/** The prompts by name. */
export const CODE_PROMPTS: ReadonlyMap<string, CodePrompt> = new Map([
  ["batch_search", batchSearch],
  ["transform_data", transformData],
]);

/** The message that asks for code to be run: the trigger, and the code in a fence that nothing in it ends. */
export function codeMessage(code: string): string {
  let ticks = 3;
  for (const [, run = ""] of code.matchAll(/^[^\S\n]*(`{3,})/gm)) ticks = Math.max(ticks, run.length + 1);
  const fence = "`".repeat(ticks);
  return lines(TRIGGER, `${fence}python`, withoutNewlines(code), fence);
}

const TRIGGER: (typeof TRIGGERS)[number] = "__onetool__run";

const lines = (...all: readonly string[]): string => all.join("\n");

/** The text of an argument. */
export function textOf(given: Given, prompt: string, name: string): string {
  const text = Object.hasOwn(given, name) ? wellFormed(given[name] ?? "").trim() : "";
  if (text === "") throw invalid(`${prompt}: '${name}' is required`);
  return text;
}

/** A list in JSON, or texts with something between them. */
function listOf(given: Given, prompt: string, name: string, between: RegExp): readonly string[] {
  const text = textOf(given, prompt, name);
  const items = text.startsWith("[") ? jsonList(text) : text.split(between);
  if (!items) throw invalid(`${prompt}: '${name}' must be a JSON list of texts, such as ["a", "b"]`);
  const texts = items.map((one) => wellFormed(one).trim()).filter((one) => one !== "");
  if (texts.length === 0) throw invalid(`${prompt}: '${name}' is required`);
  if (texts.length > MOST) throw invalid(`${prompt}: '${name}' has ${texts.length} entries, and may have ${MOST}`);
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
  if (count >= 1 && count <= MOST) return count;
  throw invalid(`${prompt}: 'count' must be an integer from 1 to ${MOST}, got ${JSON.stringify(text.slice(0, 40))}`);
}

/** Lines as every reader of text counts them: at anything that does not print, but for tabs. */
const linesOf = (text: string): readonly string[] => text.split(/\r\n|(?!\t)[\p{Cc}\p{Zl}\p{Zp}]/u);
