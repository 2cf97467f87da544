/** Says, after an id that does not exist or is missing, where ids come from: the nearest titles, or the ops that list them. */

import type { RegistryView } from "../catalog/registry.js";
import type { ErrorCode } from "../contract/handler.js";
import { isObject } from "../contract/json.js";
import type { JsonObject, JsonValue, Tool } from "../contract/registry.js";
import { clip } from "../contract/scrub.js";
import { wordsIn } from "../contract/typo.js";
import { PLACEHOLDER } from "./arguments/unfilled-placeholders.js";
import type { Call } from "./call.js";
import { listBefore, pathParameters } from "./entity-read.js";

/** Titles that are named, and characters of each. */
const MAX_TITLES = 3;
const MAX_TITLE_LENGTH = 60;
/** Letters of a word of an id that is searched for. */
const MIN_WORD_LENGTH = 3;

const SAID = / (?:Nearest by title: |Ids come from )/;

interface Failed {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: JsonObject;
}

/** The message of a failure with where ids come from, if it is about an id that does not exist or is not given. */
export async function withIdSources(call: Call, failed: Failed): Promise<string> {
  const { code, message, details } = failed;
  // The read of a dry run has said it.
  if (!call.tool || SAID.test(message)) return message;
  const { kind, id } = details;
  const isOfKind = code === "NOT_FOUND" && typeof kind === "string" && typeof id === "string";
  const sources = isOfKind ? sourcesOf(call.view, call.tool, kind) : sourcesInAddress(call.view, call.tool, failed);
  if (sources.length === 0) return message;
  const near = isOfKind ? await nearest(call, sources, kind, id) : [];
  const more = near.length > 0 ? `Nearest by title: ${near.join(", ")}` : `Ids come from ${namesOf(sources)}`;
  return `${message.replace(/[.\s]*$/, "")}. ${more}.`;
}

/** Keywords of findings about an id that is not given, or has not the form of one. */
const NO_ID: ReadonlySet<unknown> = new Set(["required", "pattern", "type", "format", PLACEHOLDER]);

/** The ops that list what is in the address of an HTTP request: of ids that are refused, or of all if the server knows nothing there. */
function sourcesInAddress(view: RegistryView, tool: Tool, { code, details }: Failed): readonly Tool[] {
  const { field_errors: errors, status } = details;
  const wrong = (Array.isArray(errors) ? errors.filter(isObject) : []).flatMap(({ path, keyword }) =>
    NO_ID.has(keyword) ? [path] : [],
  );
  const isUnknown = code === "NOT_FOUND" && status === 404;
  const asked = pathParameters(tool).filter((name) => isUnknown || wrong.includes(name));
  return [...new Set(asked.flatMap((name) => listBefore(view, tool, name) ?? []))];
}

const namesOf = (sources: readonly Tool[]): string => sources.map(({ op }) => op).join(" or ");

/** The ops of the pack that list or search things of a kind without the id of another one. */
const sourcesOf = ({ listed }: RegistryView, { group }: Tool, kind: string): readonly Tool[] =>
  listed.filter(
    ({ op, entity, action, kind: effect, group: pack }) =>
      effect === "read" &&
      entity === kind &&
      pack === group &&
      op.split(".").length <= 3 &&
      (action === "list" || action === "search"),
  );

/** Titles with their ids that a search finds by the words of an id; none for an id without words. */
async function nearest(call: Call, sources: readonly Tool[], kind: string, id: string): Promise<readonly string[]> {
  const { services, principal, span } = call;
  const words = wordsIn(id).filter((word) => word.length >= MIN_WORD_LENGTH && word !== kind && !/\d/.test(word));
  const search = sources.find(({ op, action }) => action === "search" && op !== call.tool?.op);
  const needed = search?.parameters.filter(({ required }) => required) ?? [];
  const [text] = needed;
  if (!search || !text || needed.length > 1 || text.type !== "string" || words.length === 0) return [];
  if (services.project.settings.run.sanitizes(search.op)) return [];
  const request = { op: search.op, args: { [text.original]: words.join(" ") } };
  const envelope = await services.read(request, principal, span);
  return envelope.ok ? titlesIn(envelope.result) : [];
}

function titlesIn(result: JsonValue): readonly string[] {
  const list = Array.isArray(result)
    ? result
    : isObject(result)
      ? Object.values(result).find(Array.isArray)
      : undefined;
  const titles = (list ?? []).filter(isObject).flatMap(({ id, title, name, label }) => {
    const said = title ?? name ?? label;
    return typeof id === "string" && typeof said === "string" ? [`${clip(said, MAX_TITLE_LENGTH)} (${id})`] : [];
  });
  return titles.slice(0, MAX_TITLES);
}
