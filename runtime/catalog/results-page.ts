/** The answer of `tool_help` to words: the ops that a search finds, five a page. */

import { echo } from "../contract/error-body.js";
import { resultSchema } from "../contract/known-result.js";
import type { OwnWords } from "../contract/learned-words.js";
import type { Parameter, Tool } from "../contract/registry.js";
import { clip } from "../contract/scrub.js";
import { titleOf } from "../contract/search/tool-words.js";
import { shapeOf } from "../contract/shape-text.js";
import { withoutNull } from "../contract/type-text.js";
import type { ResultsAnswer } from "./help-answers.js";
import { MAX_PAGE } from "./help-pages.js";
import { type FoundOps, opSearchOf, type SearchedProject } from "./op-search.js";
import type { RegistryView } from "./registry.js";

/** Ops on a page. */
const PAGE_SIZE = 5;
/** Ops that are shown with signature and result, in every list of found ops. */
export const DETAILED_OPS = 3;

/** Longest text that is searched for, in characters, since `next` repeats it; and most bytes of a signature, a result and a title. */
const LONGEST = { words: 1000, signature: 500, result: 200, title: 200 } as const;
/** Bytes of an answer with which these lengths fit; a smaller bound has smaller ones. */
const USUAL_BYTES = 6000;
/** The share of these lengths below which an answer is not made smaller: 15 characters of the words. */
const MIN_SHARE = 1 / 64;
/** Optional arguments that are shown, and the longest list of values. */
const MAX_OPTIONAL = 4;
const MAX_VALUES_LENGTH = 40;

/** What is searched. */
interface Searched {
  readonly view: RegistryView;
  readonly project: SearchedProject;
  /** The words of the caller. */
  readonly own?: OwnWords | undefined;
  readonly path: string;
  /** From 1 to {@link MAX_PAGE}. */
  readonly page: number;
  /** Most bytes of the answer. */
  readonly bytes: number;
}

/**
 * Searches for the words of a path; words behind a group are searched for in it. Returns undefined if nothing is found, or if the path has
 * a dot, a slash or a colon: then it is a mistyped path.
 */
export function resultsPage(searched: Searched): ResultsAnswer | undefined {
  let share = Math.min(1, searched.bytes / USUAL_BYTES);
  let answer = answerOf(searched, share);
  // Characters of the words may have many bytes.
  while (answer && share > MIN_SHARE && Buffer.byteLength(JSON.stringify(answer)) > searched.bytes) {
    share /= 2;
    answer = answerOf(searched, share);
  }
  return answer;
}

function answerOf(searched: Searched, share: number): ResultsAnswer | undefined {
  const { view, project, own, page } = searched;
  const text = searched.path.slice(0, LONGEST.words * share);
  const search = opSearchOf(view, project);
  const [, first = "", rest = ""] = /^(\S+)\s+(\S.*)$/su.exec(text) ?? [];
  const group = rest === "" ? undefined : view.prefix(first);
  const words = group === undefined ? text : rest;
  if (isPathLike(words)) return undefined;
  const below = group === undefined ? undefined : search(rest, PAGE_SIZE * page, { below: group, own });
  const found = below && below.count > 0 ? below : search(text, PAGE_SIZE * page, { own });
  return found.count === 0 ? undefined : pageOf({ ...searched, path: text }, found, share);
}

function pageOf(searched: Searched, { count, best, unknown }: FoundOps, share: number): ResultsAnswer {
  const { path, page } = searched;
  const tools = best.slice(PAGE_SIZE * (page - 1));
  return {
    type: "results",
    query: echo(path),
    found: count,
    items: tools.map(({ tool }, at) =>
      at < DETAILED_OPS ? detailed(tool, share) : `${tool.op} — ${shortTitle(tool, share)}`,
    ),
    ...(unknown.length > 0 ? { no_op_has: unknown } : {}),
    ...(page < lastPage(count) ? { next: { path, page: page + 1 } } : {}),
  };
}

/** Whether a text has a sign that parts the names of a path. */
export const isPathLike = (text: string): boolean => /[./:]/.test(text);

/** A text without these signs, which is the same to the search. */
export const asWords = (text: string): string => text.replaceAll(/\s*[./:]+\s*/g, " ").trim();

/** The last page of so many found ops. */
export const lastPage = (found: number): number => Math.min(MAX_PAGE, Math.ceil(found / PAGE_SIZE));

const detailed = (tool: Tool, share: number): string => `${usageLine(tool, share)} — ${shortTitle(tool, share)}`;

/**
 * How an op is called and what it answers, on a line: `github.pulls_list(owner, repo, state?=open|closed|all, …) -> { id: number; … }[]`.
 *
 * @param share - of the longest line of 700 bytes, from 0 to 1
 */
export function usageLine(tool: Tool, share = 1): string {
  const schema = resultSchema(tool);
  const result = schema === undefined ? "" : ` -> ${shapeOf(schema, schema, LONGEST.result * share).text}`;
  return `${cut(signatureOf(tool), LONGEST.signature * share)}${result}`;
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
function argumentOf({ name, required, type: whole }: Parameter): string {
  const type = withoutNull(whole);
  const isValues = type.length <= MAX_VALUES_LENGTH && /^[^{}[\]()<>]+\|[^{}[\]()<>]+$/.test(type) && !TYPES.test(type);
  return `${name}${required ? "" : "?"}${isValues ? `=${type}` : ""}`;
}

const shortTitle = (tool: Tool, share: number): string =>
  cut(titleOf(tool).replace(/\s+/g, " ").trim().replace(/\.$/, ""), LONGEST.title * share);

/** The beginning of a text, in so many bytes. */
function cut(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  const whole = Buffer.from(text)
    .subarray(0, bytes - 3)
    .toString("utf8");
  return clip(whole.replace(/\uFFFD+$/u, ""), bytes).concat("…");
}
