/** Answers a refused request of help with the request that was probably meant. */

import type { FieldError } from "../contract/handler.js";
import type { HelpCall } from "../contract/help.js";
import { isObject, own } from "../contract/json.js";
import { MAX_AT_LENGTH } from "../contract/op-page.js";
import { placeholder } from "../contract/placeholder.js";
import type { JsonObject, JsonValue } from "../contract/registry.js";
import { MAX_UNKNOWN } from "../contract/request-fields.js";
import type { ErrorAnswer } from "./help-answers.js";
import { MAX_PAGE } from "./help-pages.js";
import { refusedHelp } from "./op-answer.js";
import { meantOp } from "./op-words.js";
import type { Project } from "./project.js";
import type { RegistryView } from "./registry.js";
import { MAX_SUGGESTIONS, type SuggestOptions, suggest } from "./search.js";

/** The answer to a refused request: what is wrong with it, and the corrected call; of several paths that of the first, and the calls of all in the message. */
export function refusedRequest(
  view: RegistryView,
  sent: JsonObject,
  errors: readonly FieldError[],
  project: Project,
): ErrorAnswer {
  const texts = [...new Set(textsIn(view, sent, 0))];
  const paths = texts.filter((text) => isPath(view, text));
  const several = paths.length > 1 ? [severalPaths(paths)] : [];
  const corrected = correctedHelp(view, sent, { texts, paths }, { groups: true, project });
  return refusedHelp(sent["path"], [...errors, ...several], corrected);
}

/** Names under which the path is sent. */
const PATH_FIELDS =
  "path paths op ops name tool topic command query q question search text about task goal intent pattern args input params".split(
    " ",
  );
/** Longest path that is read, in characters. */
const MAX_SENT_PATH_LENGTH = 200;

/** Texts of a request in which its path may be, and those of them that are paths. */
interface SentTexts {
  readonly texts: readonly string[];
  readonly paths: readonly string[];
}

/** The request that was probably meant: a path, or a search for all texts; the root if there are none. Help changes nothing, so a guess does no harm. */
function correctedHelp(
  view: RegistryView,
  sent: JsonObject,
  { texts, paths }: SentTexts,
  options: SuggestOptions,
): HelpCall {
  const [text] = paths.length > 1 ? paths : texts;
  const all = [...new Set([...paths, ...texts])].join(" ");
  const isSearch = texts.length > 1 && paths.length < 2;
  const path = text === undefined ? "root" : isSearch ? all : known(view, text, options);
  return {
    path,
    ...formatOf(own(sent, "format")),
    ...flagOf(sent, "include_examples"),
    ...flagOf(sent, "include_schemas"),
    ...placeOf(own(sent, "at"), own(sent, "page")),
  };
}

/** A format in other letters; a placeholder for another word. */
function formatOf(value: JsonValue | undefined): Pick<HelpCall, "format"> {
  if (value === undefined || value === null) return {};
  const format = String(value).trim().toLowerCase();
  return { format: format === "short" || format === "full" ? format : placeholder("format", "short or full") };
}

function flagOf(sent: JsonObject, name: "include_examples" | "include_schemas"): Partial<HelpCall> {
  const value = own(sent, name);
  if (value === undefined || value === null) return {};
  const word = String(value).trim().toLowerCase();
  return { [name]: word === "true" || word === "false" ? word === "true" : placeholder(name, "true or false") };
}

/** A part and a page, as far as they are possible. */
function placeOf(at: JsonValue | undefined, page: JsonValue | undefined): Pick<HelpCall, "at" | "page"> {
  const number = typeof page === "boolean" || page === null ? Number.NaN : Math.round(Number(page));
  return {
    ...(typeof at === "string" && at !== "" && at.length <= MAX_AT_LENGTH ? { at } : {}),
    ...(number >= 1 ? { page: Math.min(number, MAX_PAGE) } : {}),
  };
}

/** Levels of a request in which the path is looked for. */
const MAX_PATH_DEPTH = 3;

function textsIn(view: RegistryView, sent: JsonObject, depth: number): readonly string[] {
  if (depth > MAX_PATH_DEPTH) return [];
  return PATH_FIELDS.flatMap((field) => {
    const value = own(sent, field);
    return isObject(value) ? textsIn(view, value, depth + 1) : pathsOf(view, value);
  });
}

const isPath = (view: RegistryView, text: string): boolean => view.isListed(text) || view.prefix(text) !== undefined;

/** A path as text, or as a list of its parts; or all of a list of paths. */
function pathsOf(view: RegistryView, value: JsonValue | undefined): readonly string[] {
  if (Array.isArray(value)) {
    const parts = value.filter((part) => typeof part === "string");
    const whole = parts.join(".");
    const isList = parts.length > 1 && parts.every((part) => isPath(view, part)) && !parts.includes("");
    return isList && !isPath(view, whole) ? parts.slice(0, MAX_UNKNOWN) : pathsOf(view, whole);
  }
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" || text.length > MAX_SENT_PATH_LENGTH ? [] : [text];
}

/** The finding about several paths: help shows one, and which of them is first is not known. */
function severalPaths(paths: readonly string[]): FieldError {
  const calls = paths.slice(0, MAX_SUGGESTIONS).map((path) => JSON.stringify({ path }));
  const more = paths.length > calls.length ? `, and ${paths.length - calls.length} more` : "";
  const message = `one call shows one path: send ${calls.join(" and ")}${more}`;
  return { path: "path", keyword: "one_of", message, expected: "one path", received: `${paths.length} paths` };
}

/** A path that exists. */
function known(view: RegistryView, text: string, options: SuggestOptions): string {
  if (view.isListed(text)) return text;
  return view.prefix(text) ?? meantOp(view, text)?.tool.op ?? suggest(view, text, options)[0] ?? "root";
}
