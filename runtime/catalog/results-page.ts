/** The answer of `tool_help` to words: the ops that a search finds, five a page. */

import { echo } from "../contract/error-body.js";
import type { Parameter, Tool } from "../contract/registry.js";
import { clip } from "../contract/scrub.js";
import { titleOf } from "../contract/search/tool-words.js";
import { typeText } from "../contract/type-text.js";
import { type FoundOps, opSearchOf, type SearchedProject } from "./op-search.js";
import type { RegistryView } from "./registry.js";

/** Ops that a search finds. */
export interface ResultsAnswer {
  readonly type: "results";
  /** What was searched for. */
  readonly query: string;
  /** How many ops were found. */
  readonly found: number;
  /** Ops, the best first: with signature and result for the first three of them, and a title. */
  readonly items: readonly string[];
  /** The call that gives more of them; absent on the last page. */
  readonly next?: { readonly path: string; readonly page: number };
}

/** The first and the last page, and ops on one. */
export const MAX_RESULTS_PAGE = 500;
const PAGE_SIZE = 5;
/** Ops that are shown with signature and result. */
const DETAILED = 3;

/** Longest text that is searched for, in characters, since `next` repeats it. */
const MAX_WORDS_LENGTH = 1000;
/** Most bytes of a signature, of a result, and of a title: an answer has at most 6,000. */
const MAX_SIGNATURE = 500;
const MAX_RESULT = 200;
const MAX_TITLE = 200;
/** Optional arguments that are shown, and the longest list of values. */
const MAX_OPTIONAL = 4;
const MAX_VALUES_LENGTH = 40;

/** What is searched. */
interface Searched {
  readonly view: RegistryView;
  readonly project: SearchedProject;
  readonly path: string;
  /** From 1 to {@link MAX_RESULTS_PAGE}. */
  readonly page: number;
}

/**
 * Searches for the words of a path; words behind a group are searched for in it. Returns undefined if nothing is found, or if the path has
 * a dot, a slash or a colon: then it is a mistyped path.
 */
export function resultsPage({ view, project, path, page }: Searched): ResultsAnswer | undefined {
  const text = path.slice(0, MAX_WORDS_LENGTH);
  const search = opSearchOf(view, project);
  const [, first = "", rest = ""] = /^(\S+)\s+(\S.*)$/su.exec(text) ?? [];
  const group = rest === "" ? undefined : view.prefix(first);
  const words = group === undefined ? text : rest;
  if (/[./:]/.test(words)) return undefined;
  const below = group === undefined ? undefined : search(rest, PAGE_SIZE * page, group);
  const found = below && below.count > 0 ? below : search(text, PAGE_SIZE * page);
  return found.count === 0 ? undefined : pageOf(text, page, found);
}

function pageOf(text: string, page: number, { count, best }: FoundOps): ResultsAnswer {
  const tools = best.slice(PAGE_SIZE * (page - 1));
  const isLast = page === MAX_RESULTS_PAGE || count <= PAGE_SIZE * page;
  return {
    type: "results",
    query: echo(text),
    found: count,
    items: tools.map(({ tool }, at) => (at < DETAILED ? detailed(tool) : `${tool.op} — ${shortTitle(tool)}`)),
    ...(isLast ? {} : { next: { path: text, page: page + 1 } }),
  };
}

function detailed(tool: Tool): string {
  const { result_schema, learned_result } = tool;
  const schema = result_schema ?? learned_result?.schema;
  const result = schema === undefined ? "" : ` -> ${cut(typeText(schema), MAX_RESULT)}`;
  return `${cut(signatureOf(tool), MAX_SIGNATURE)}${result} — ${shortTitle(tool)}`;
}

/** `github.pulls_list(owner, repo, state?=open|closed|all, …)`: required arguments first, then some of the others. */
function signatureOf({ op, parameters }: Tool): string {
  const required = parameters.filter((one) => one.required);
  const optional = parameters.filter((one) => !one.required);
  const shown = [...required, ...optional.slice(0, MAX_OPTIONAL)].map(argumentOf);
  return `${op}(${[...shown, ...(optional.length > MAX_OPTIONAL ? ["…"] : [])].join(", ")})`;
}

/** A union of types, as the page of an op shows it. */
const TYPES = /(?:^|\|)(?:any|array|boolean|integer|null|number|object|string)\b/;

/** A list of values is short enough to be shown; another type is on the page of the op. */
function argumentOf({ name, required, type }: Parameter): string {
  const isValues = type.length <= MAX_VALUES_LENGTH && /^[^{}[\]()<>]+\|[^{}[\]()<>]+$/.test(type) && !TYPES.test(type);
  return `${name}${required ? "" : "?"}${isValues ? `=${type}` : ""}`;
}

const shortTitle = (tool: Tool): string =>
  cut(titleOf(tool).replace(/\s+/g, " ").trim().replace(/\.$/, ""), MAX_TITLE);

/** The beginning of a text, in so many bytes. */
function cut(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  const whole = Buffer.from(text).subarray(0, bytes - 3).toString("utf8");
  return clip(whole.replace(/\uFFFD+$/u, ""), bytes).concat("…");
}
