/** `tool_help`: corrects a request, and resolves its path to help about an op, a directory or suggestions. */

import { echo, errorBody } from "../contract/error-body.js";
import { grantKey } from "../contract/grant.js";
import { type HelpLevel, isLong, levelAt } from "../contract/groups.js";
import type { FieldError, Principal } from "../contract/handler.js";
import type { HelpCall, HelpOptions } from "../contract/help.js";
import type { OwnWords } from "../contract/learned-words.js";
import { MAX_AT_LENGTH } from "../contract/op-page.js";
import { placeholder } from "../contract/placeholder.js";
import type { JsonObject, Kind } from "../contract/registry.js";
import {
  asRequest,
  checkFields,
  type FieldRules,
  flagField,
  notAnObject,
  oneOf,
  textField,
} from "../contract/request-fields.js";
import { refusedRequest } from "./corrected-help.js";
import { directoryItems, type ItemOptions, topDirectory } from "./directory.js";
import type { DirectoryAnswer, ErrorAnswer, HelpAnswer, NotFoundAnswer } from "./help-answers.js";
import { answerPage, fittingFailure, MAX_PAGE } from "./help-pages.js";
import { type OpQuery, opAnswer, refusedHelp } from "./op-answer.js";
import { spelledOp, withoutEnds } from "./op-words.js";
import type { Project } from "./project.js";
import { helpPath, namesakesOf, type RegistryIndex, type RegistryView } from "./registry.js";
import { asWords, isPathLike, lastPage, resultsPage } from "./results-page.js";
import { MAX_SUGGESTIONS, suggest } from "./search.js";
import { rememberNewest, type Session } from "./session.js";

/** Answers help requests of one project. */
export interface Help {
  /** Never throws, whatever the request contains. */
  help(request: unknown, principal: Principal, session?: Session): HelpAnswer;
}

/** Whether the answer is a failure. */
export const isHelpFailure = (answer: HelpAnswer): answer is NotFoundAnswer | ErrorAnswer =>
  answer.type === "not_found" || answer.type === "error";

/** Answers in the cache; a registry of a hundred ops has fewer useful ones. */
const MAX_CACHED_ANSWERS = 1000;

const FIELDS: FieldRules = new Map([
  ["path", textField],
  ["query", textField],
  ["format", oneOf("short", "full")],
  ["include_examples", flagField],
  ["include_schemas", flagField],
  [
    "page",
    {
      expected: `integer 1..${MAX_PAGE}`,
      accepts: (value: unknown) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_PAGE,
    },
  ],
  [
    "at",
    {
      expected: `string of 1..${MAX_AT_LENGTH} characters`,
      form: true as const,
      accepts: (value: unknown) => typeof value === "string" && value !== "" && value.length <= MAX_AT_LENGTH,
    },
  ],
]);

/**
 * Makes the help of a project.
 *
 * @param ownWords - the words by which a caller looks for ops
 */
export function createHelp(
  project: Project,
  index: RegistryIndex,
  ownWords?: (principal: Principal) => OwnWords,
): Help {
  const cache = new Map<string, HelpAnswer>();
  return {
    help(request, principal, session) {
      const fields = asRequest(request);
      const errors = fields ? checkFields(fields, FIELDS) : [notAnObject(request, "")];
      if (!fields || errors.length > 0) {
        const refused = refusedRequest(index.view(principal.grant), fields ?? {}, errors, project);
        return fittingFailure(refused, project.settings.answerBytes);
      }
      const asked = readQuery(project, index, fields, principal);
      if (asked.path.toLowerCase() === "session") return withinBytes(asked, sessionAnswer(index, asked, session));
      const known = cache.get(asked.key);
      const answer = known ?? withinBytes(asked, route({ ...asked, own: ownWords?.(principal) }));
      // Not cached: there is no end of unknown paths, nor of words.
      if (!known && !isHelpFailure(answer) && answer.type !== "results")
        rememberNewest(cache, asked.key, answer, MAX_CACHED_ANSWERS);
      if (answer.type === "op" && answer.usage !== undefined) session?.read(index.version, answer.path, answer.usage);
      return answer;
    },
  };
}

/** A request with its defaults, and everything else that the answer depends on. */
interface Query extends OpQuery {
  readonly version: string;
  readonly path: string;
  readonly page: number;
  readonly own?: OwnWords | undefined;
  /** Most bytes of an answer. */
  readonly bytes: number;
  readonly key: string;
}

/** Characters that are stripped from the ends of a path, and the longest path. */
const OUTER = /[\s.]/;
const MAX_PATH_LENGTH = 10_000;

function readQuery(project: Project, index: RegistryIndex, fields: JsonObject, principal: Principal): Query {
  const view = index.view(principal.grant);
  const path = withoutEnds(textOf(view, fields), OUTER).slice(0, MAX_PATH_LENGTH);
  const options: HelpOptions = {
    format: fields["format"] === "full" ? "full" : "short",
    include_examples: fields["include_examples"] !== false,
    include_schemas: fields["include_schemas"] === true,
  };
  const denied = !principal.allowWrite;
  const full = options.format === "full";
  const items: ItemOptions = full
    ? { denied, usage: (op) => project.helpOf(op)?.usage, groupSummary: (group) => summaryOf(project, group) }
    : { denied };
  const { registry_version } = project.registry;
  const bytes = project.settings.answerBytes;
  const at = typeof fields["at"] === "string" ? fields["at"] : undefined;
  const page = typeof fields["page"] === "number" ? fields["page"] : 1;
  const asked = [registry_version, path, at ?? null, page, ...Object.values(options)];
  const key = JSON.stringify([...asked, grantKey(principal.grant), denied]);
  return {
    project,
    version: index.version,
    view,
    path,
    options,
    items,
    at,
    page,
    bytes,
    key,
  };
}

/** The path, and the words that are searched for below it: several words are searched for, whatever signs they have. */
function textOf(view: RegistryView, { path, query }: JsonObject): string {
  const words = isText(query) && isPlace(view, path) ? asWords(query) : query;
  const texts = [path === "root" && query !== undefined ? "" : path, words].filter((one) => typeof one === "string");
  return texts.filter((one) => one.trim() !== "").join(" ");
}

/** Whether a value is a text of several words. */
const isText = (value: unknown): value is string => typeof value === "string" && /\S\s+\S/.test(value);

/** Whether a path is the root, or a group that is searched in. */
const isPlace = (view: RegistryView, path: unknown): boolean =>
  typeof path !== "string" || path.trim() === "" || path === "root" || view.prefix(path.trim()) !== undefined;

/** The page of an answer that is asked for; a failure if there is none. Results have pages of their own. */
function withinBytes(query: Query, answer: HelpAnswer): HelpAnswer {
  if (answer.type === "results") {
    const last = lastPage(answer.found);
    return query.page > last ? afterLast(query, last, { path: query.path }) : answer;
  }
  if (isHelpFailure(answer)) return fittingFailure(answer, query.bytes);
  const call = callOf(query, answer.path);
  if (query.at !== undefined && answer.type === "directory")
    return fittingFailure(refusedHelp(query.path, [notOfAnOp(query.at)], { path: answer.path }), query.bytes);
  const page = answerPage(answer, { page: query.page, bytes: query.bytes, call });
  return typeof page === "number" ? afterLast(query, page, call) : page;
}

/** The failure of a page that an answer does not have, with the call of its last one. */
function afterLast({ path, page, bytes }: Query, last: number, call: HelpCall): ErrorAnswer {
  const error = {
    path: "page",
    keyword: "maximum",
    message: `page ${page} is after the last one, ${last}`,
    expected: `integer 1..${last}`,
    received: String(page),
  };
  return fittingFailure(refusedHelp(path, [error], { ...call, page: last }), bytes);
}

const notOfAnOp = (at: string): FieldError => ({
  path: "at",
  keyword: "additionalProperties",
  message: "at names a part of one op, and path names a group",
  expected: "the path of an op",
  received: echo(at),
});

/** The call that gives the first page of an answer again. */
function callOf({ at, options }: Query, path: string): HelpCall {
  return {
    path,
    ...(at === undefined ? {} : { at }),
    ...(options.format === "full" ? { format: "full" } : {}),
    ...(options.include_examples ? {} : { include_examples: false }),
    ...(options.include_schemas ? { include_schemas: true } : {}),
  };
}

const summaryOf = ({ registry }: Project, group: string): string | undefined =>
  registry.packs.find((pack) => pack.name === group)?.summary;

type Route = (query: Query, path: string) => HelpAnswer | undefined;

/** In the order in which they are tried. */
const ROUTES: readonly Route[] = [root, op, group, ofKind, otherName, otherSpelling, otherGroup];

/** Tries the exact path first, then the path in lower case. */
function route(query: Query): HelpAnswer {
  for (const path of new Set([query.path, query.path.toLowerCase()]))
    for (const find of ROUTES) {
      const answer = find(query, path);
      if (answer) return answer;
    }
  const namesakes = namesakesOf(query.view, query.path.replace(/^mcp__\w+?__/, ""));
  return (namesakes.length === 0 ? resultsPage(query) : undefined) ?? notFound(query, namesakes);
}

function root(query: Query, path: string): HelpAnswer | undefined {
  return path === "" || path === "root" ? directory(query, "root", { path: "", tools: query.view.listed }) : undefined;
}

function op(query: Query, path: string): HelpAnswer | undefined {
  const tool = path === query.path ? query.view.exact(path) : query.view.folded(path);
  return tool && query.view.isListed(tool.op) ? opAnswer(query, tool) : undefined;
}

function group(query: Query, path: string): HelpAnswer | undefined {
  const level = levelOf(query, path);
  return level && directory(query, level.path, level);
}

/** The level of a path in its own letter case, else, for a path in lower case, of one in any. */
function levelOf({ view }: Query, path: string): HelpLevel | undefined {
  const tools = view.below(path);
  if (tools) return { path, tools };
  return path === path.toLowerCase() ? levelAt(view, path) : undefined;
}

function ofKind(query: Query, path: string): HelpAnswer | undefined {
  const [, before = "", kind] = /^(?:(.*)\.)?(read|write)$/.exec(path) ?? [];
  if (kind === undefined) return undefined;
  const level = levelOf(query, before === "root" ? "" : before);
  return level && directory(query, level.path === "" ? kind : `${level.path}.${kind}`, level, kind as Kind);
}

function otherName(query: Query): HelpAnswer | undefined {
  const named = query.view.named(query.path);
  const [tool] = named;
  if (!tool || named.length > 1 || !query.view.isListed(tool.op)) return undefined;
  return opAnswer(query, tool, query.path);
}

/** `onto/task/list`, `ontoTaskList`, `list tasks`. */
function otherSpelling(query: Query, path: string): HelpAnswer | undefined {
  const isOpen = path === query.path && !query.view.isName(path);
  const tool = isOpen ? spelledOp(query.view, path) : undefined;
  return tool && query.view.isListed(tool.op) ? opAnswer(query, tool, query.path) : undefined;
}

/** `onto/task`, `functions.onto.task`. */
function otherGroup(query: Query, path: string): HelpAnswer | undefined {
  const name = path.replace(/^(?:functions|tools)[./:]/i, "").replace(/[/:]+/g, ".");
  return name === path || /\s/.test(path) ? undefined : group(query, name);
}

/** The entries of a level, and how to search in its pack: who follows names alone finds less. */
function directory({ version, view, items }: Query, path: string, level: HelpLevel, kind?: Kind): DirectoryAnswer {
  const [pack = ""] = level.path.split(".");
  const tools = level.tools.filter((tool) => kind === undefined || tool.kind === kind);
  return {
    type: "directory",
    path,
    registry_version: version,
    ...(isLong({ path, tools }) ? { ops: tools.length } : {}),
    items: directoryItems(view, level, items, kind),
    next: { path: `${pack} ${placeholder("words")}`.trimStart() },
  };
}

function sessionAnswer(index: RegistryIndex, query: Query, session: Session | undefined): DirectoryAnswer {
  const read = [...(session?.usages(index.version) ?? [])].filter(([name]) => query.view.isListed(name));
  const items = read.map(([name, usage]) => ({ op: name, usage })).sort((a, b) => (a.op < b.op ? -1 : 1));
  return { type: "directory", path: "session", registry_version: query.version, items };
}

function notFound(query: Query, namesakes: readonly string[]): NotFoundAnswer {
  const { project, version, view, path, own } = query;
  const near = suggest(view, path, { groups: true, project, own });
  return {
    type: "not_found",
    path: echo(path),
    registry_version: version,
    error: errorBody({
      code: "NOT_FOUND",
      message: `No op or group ${echo(path)}.${namesakes.length > 0 ? "" : adviceFor(query)}`,
      help_path: helpPath(view, path),
      corrected_call: searchFor(query),
    }),
    suggestions: [...new Set([...namesakes, ...near])].slice(0, MAX_SUGGESTIONS),
    items: topDirectory(view),
  };
}

/** How to go on after a search that finds nothing. */
const adviceFor = ({ path }: Query): string =>
  isPathLike(path)
    ? ""
    : " No op has these words, nor words like them: search for other words, or open a group in items.";

/** The search for a text of several words that was read as a path; undefined if it finds nothing. */
function searchFor(query: Query): HelpCall | undefined {
  const path = asWords(query.path);
  const isSearched = isPathLike(query.path) && isText(query.path);
  return isSearched && resultsPage({ ...query, path, page: 1 }) ? { path } : undefined;
}
