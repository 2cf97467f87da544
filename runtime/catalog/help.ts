/** `tool_help`: corrects a request, and resolves its path to help about an op, a directory or suggestions. */

import { attention, type ErrorBody, echo, errorBody, fieldErrorDetails } from "../contract/error-body.js";
import { grantKey } from "../contract/grant.js";
import type { FieldError, Principal } from "../contract/handler.js";
import { type HelpDocument, type HelpOptions, type OpHelp, opHelp, UNKNOWN } from "../contract/help.js";
import { isObject, own } from "../contract/json.js";
import { placeholder } from "../contract/placeholder.js";
import type { JsonObject, JsonValue, Kind, Tool } from "../contract/registry.js";
import { asRequest, checkFields, type FieldRules, flag, notAnObject, oneOf, text } from "../contract/request-fields.js";
import { children, type DirectoryItem, type ItemOptions, subtree, topDirectory } from "./directory.js";
import { meantOp, spelledOp, withoutEnds } from "./op-words.js";
import type { Project } from "./project.js";
import { helpPath, isHiddenName, namesakesOf, type RegistryIndex, type RegistryView } from "./registry.js";
import { MAX_RESULTS_PAGE, type ResultsAnswer, resultsPage } from "./results-page.js";
import { MAX_SUGGESTIONS, type SuggestOptions, suggest } from "./search.js";
import { remember, type Session } from "./session.js";

/** Help about one op. */
export interface OpAnswer extends OpHelp {
  /** Present if the op was found under another name. */
  readonly requested_path?: string;
  /** Present if a call would be refused because `allow_write` is off. */
  readonly denied?: true;
  /** Present if the path is also that of a group: its ops. */
  readonly items?: readonly DirectoryItem[];
}

/** A directory, with the ops whose help this session has read. */
export interface DirectoryAnswer {
  readonly type: "directory";
  readonly path: string;
  readonly registry_version: string;
  readonly items: readonly (DirectoryItem | { readonly op: string; readonly usage: string })[];
}

/** The answer to an unknown path. */
export interface NotFoundAnswer {
  readonly type: "not_found";
  readonly path: string;
  readonly registry_version: string;
  readonly error: ErrorBody;
  readonly suggestions: readonly string[];
  readonly items: readonly DirectoryItem[];
}

/** The answer to an invalid request. */
export interface ErrorAnswer {
  readonly type: "error";
  readonly path: string;
  readonly error: ErrorBody<HelpRequest>;
}

/**
 * Answer of `tool_help`, with its keys in this order.
 *
 * @example
 * const isFound = (answer: HelpAnswer) => answer.type !== "not_found" && answer.type !== "error";
 */
export type HelpAnswer = OpAnswer | DirectoryAnswer | ResultsAnswer | NotFoundAnswer | ErrorAnswer;

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
  ["path", text],
  ["format", oneOf("short", "full")],
  ["include_examples", flag],
  ["include_schemas", flag],
  ["query", text],
  [
    "page",
    {
      expected: `integer 1..${MAX_RESULTS_PAGE}`,
      accepts: (value: unknown) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_RESULTS_PAGE,
    },
  ],
]);

/** Makes the help of a project. */
export function createHelp(project: Project, index: RegistryIndex): Help {
  const cache = new Map<string, HelpAnswer>();
  return {
    help(request, principal, session) {
      const fields = asRequest(request);
      const errors = fields ? checkFields(fields, FIELDS) : [notAnObject(request, "")];
      if (!fields || errors.length > 0) {
        const options = { groups: true, project };
        const corrected = correctedHelp(index.view(principal.grant), fields ?? {}, options);
        return refused(fields?.["path"], errors, corrected);
      }
      const asked = readQuery(project, index, fields, principal);
      if (asked.path.toLowerCase() === "session") return sessionAnswer(index, asked, session);
      const known = cache.get(asked.key);
      const answer = known ?? route(asked);
      // Not cached: there is no end of unknown paths, nor of words.
      if (!known && answer.type !== "not_found" && answer.type !== "results") remember(cache, asked.key, answer, MAX_CACHED_ANSWERS);
      if (answer.type === "op" && answer.usage !== undefined) session?.read(index.version, answer.path, answer.usage);
      return answer;
    },
  };
}

/** A request with its defaults, and everything else that the answer depends on. */
interface Query {
  readonly project: Project;
  readonly version: string;
  readonly view: RegistryView;
  readonly path: string;
  readonly page: number;
  readonly options: HelpOptions;
  readonly items: ItemOptions;
  readonly key: string;
}

/** Characters that are stripped from the ends of a path, and the longest path. */
const OUTER = /[\s.]/;
const MAX_PATH_LENGTH = 10_000;

function readQuery(project: Project, index: RegistryIndex, fields: JsonObject, principal: Principal): Query {
  const path = withoutEnds(textOf(fields), OUTER).slice(0, MAX_PATH_LENGTH);
  const page = typeof fields["page"] === "number" ? fields["page"] : 1;
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
  const key = JSON.stringify([registry_version, path, ...Object.values(options), grantKey(principal.grant), denied]);
  return { project, version: index.version, view: index.view(principal.grant), path, page, options, items, key };
}

/** The path, and the words that are searched for below it. */
function textOf({ path, query }: JsonObject): string {
  const texts = [path === "root" && query !== undefined ? "" : path, query].filter((one) => typeof one === "string");
  return texts.filter((one) => one.trim() !== "").join(" ");
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
  return path === "" || path === "root" ? directory(query, "root", children(query.view, "", query.items)) : undefined;
}

function op(query: Query, path: string): HelpAnswer | undefined {
  const tool = path === query.path ? query.view.exact(path) : query.view.folded(path);
  return tool && query.view.isListed(tool.op) ? opAnswer(query, tool) : undefined;
}

function group(query: Query, path: string): HelpAnswer | undefined {
  const prefix = knownPrefix(query, path);
  if (prefix === undefined) return undefined;
  const list = prefix.includes(".") ? subtree : children;
  return directory(query, prefix, list(query.view, prefix, query.items));
}

const knownPrefix = ({ view, path: asked }: Query, path: string): string | undefined =>
  path === asked ? view.below(path) && path : view.prefix(path);

function ofKind(query: Query, path: string): HelpAnswer | undefined {
  const [, before, kind] = /^(?:(.*)\.)?(read|write)$/.exec(path) ?? [];
  if (kind === undefined) return undefined;
  const prefix = before === undefined || before === "root" ? "" : knownPrefix({ ...query, path: before }, before);
  if (prefix === undefined) return undefined;
  const shown = prefix === "" ? kind : `${prefix}.${kind}`;
  return directory(query, shown, subtree(query.view, prefix, query.items, kind as Kind));
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

const directory = ({ version }: Query, path: string, items: DirectoryAnswer["items"]): DirectoryAnswer => ({
  type: "directory",
  path,
  registry_version: version,
  items,
});

function opAnswer(query: Query, tool: Tool, requested?: string): OpAnswer {
  const { project, items, options } = query;
  const whole = project.helpOf(tool.op) ?? bareDocument(tool);
  const document = {
    ...whole,
    see_also: whole.see_also.filter((op) => !isHiddenName(op, project.registry, query.view)),
  };
  const help = opHelp(tool.op, project.registry.registry_version, document, options, tool.parameters_schema);
  const { type, path, registry_version, kind, ...rest } = help;
  const names = { type, path, ...(requested === undefined ? {} : { requested_path: echo(requested) }) };
  const below = subtree(query.view, tool.op, items);
  return {
    ...names,
    registry_version,
    kind,
    ...(items.denied && kind === "write" ? { denied: true } : {}),
    ...rest,
    ...(below.length > 0 ? { items: below } : {}),
  };
}

/** A help document made from the registry alone, for an op that the help index lacks. */
function bareDocument(tool: Tool): HelpDocument {
  const args = tool.parameters.map(({ name, type, required }) => ({
    name,
    type,
    ...(required ? { required: true as const } : {}),
  }));
  const names = tool.parameters.map(({ name, required }) => (required ? name : `${name}?`));
  return {
    kind: tool.kind,
    summary: tool.summary,
    usage: `${tool.op}(${names.join(", ")})`,
    args,
    notes: tool.notes,
    ...(tool.policy ? { policy: tool.policy } : {}),
    examples: tool.examples,
    description: tool.description,
    returns: UNKNOWN,
    errors: [],
    see_also: [],
    constraints: [],
  };
}

function sessionAnswer(index: RegistryIndex, query: Query, session: Session | undefined): DirectoryAnswer {
  const read = [...(session?.usages(index.version) ?? [])].filter(([name]) => query.view.isListed(name));
  const items = read.map(([name, usage]) => ({ op: name, usage }));
  return directory(
    query,
    "session",
    items.sort((a, b) => (a.op < b.op ? -1 : 1)),
  );
}

function notFound({ project, version, view, path }: Query, namesakes: readonly string[]): NotFoundAnswer {
  const near = suggest(view, path, { groups: true, project });
  const message = `No op or group ${echo(path)}.`;
  return {
    type: "not_found",
    path: echo(path),
    registry_version: version,
    error: errorBody({ code: "NOT_FOUND", message, help_path: helpPath(view, path) }),
    suggestions: [...new Set([...namesakes, ...near])].slice(0, MAX_SUGGESTIONS),
    items: topDirectory(view),
  };
}

function refused(path: unknown, errors: readonly FieldError[], corrected_call: HelpRequest): ErrorAnswer {
  const message = attention(errors);
  const details = fieldErrorDetails(errors);
  return {
    type: "error",
    path: echo(path),
    error: errorBody({ code: "VALIDATION_ERROR", message, details, help_path: "root", corrected_call }),
  };
}

/** A request of `tool_help`. */
interface HelpRequest {
  readonly path: string;
  readonly format?: string;
  readonly include_examples?: boolean | string;
  readonly include_schemas?: boolean | string;
}

/** Names under which the path is sent. */
const PATH_FIELDS =
  "path paths op ops name tool topic command query q question search text about task goal intent pattern args input params".split(
    " ",
  );
/** Longest path that is read, in characters. */
const MAX_SENT_PATH_LENGTH = 200;

/** The request that was probably meant; the root if it holds no path. Help changes nothing, so a guess does no harm. */
function correctedHelp(view: RegistryView, sent: JsonObject, options: SuggestOptions): HelpRequest {
  const text = pathIn(view, sent, 0);
  const path = text === undefined ? "root" : known(view, text, options);
  return {
    path,
    ...formatOf(own(sent, "format")),
    ...flagOf(sent, "include_examples"),
    ...flagOf(sent, "include_schemas"),
  };
}

/** A format in other letters; a placeholder for another word. */
function formatOf(value: JsonValue | undefined): Pick<HelpRequest, "format"> {
  if (value === undefined || value === null) return {};
  const format = String(value).trim().toLowerCase();
  return { format: format === "short" || format === "full" ? format : placeholder("format", "short or full") };
}

function flagOf(sent: JsonObject, name: "include_examples" | "include_schemas"): Partial<HelpRequest> {
  const value = own(sent, name);
  if (value === undefined || value === null) return {};
  const word = String(value).trim().toLowerCase();
  return { [name]: word === "true" || word === "false" ? word === "true" : placeholder(name, "true or false") };
}

/** Levels of a request in which the path is looked for. */
const MAX_PATH_DEPTH = 3;

function pathIn(view: RegistryView, sent: JsonObject, depth: number): string | undefined {
  if (depth > MAX_PATH_DEPTH) return undefined;
  for (const field of PATH_FIELDS) {
    const value = own(sent, field);
    const path = isObject(value) ? pathIn(view, value, depth + 1) : pathOf(view, value);
    if (path !== undefined) return path;
  }
  return undefined;
}

/** A path as text, or as a list of its parts; of a list of paths the first. */
function pathOf(view: RegistryView, value: JsonValue | undefined): string | undefined {
  if (Array.isArray(value)) {
    const parts = value.filter((part) => typeof part === "string");
    const isPaths = parts.every((part) => view.isListed(part) || view.prefix(part) !== undefined);
    return pathOf(
      view,
      isPaths && !parts.includes("") && view.prefix(parts.join(".")) === undefined ? parts[0] : parts.join("."),
    );
  }
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" || text.length > MAX_SENT_PATH_LENGTH ? undefined : text;
}

/** A path that exists. */
function known(view: RegistryView, text: string, options: SuggestOptions): string {
  if (view.isListed(text)) return text;
  return view.prefix(text) ?? meantOp(view, text)?.tool.op ?? suggest(view, text, options)[0] ?? "root";
}
