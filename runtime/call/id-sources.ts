/** Says, after an id that does not exist, where ids come from: the nearest titles, or the ops that list or search the entity. */

import type { RegistryView } from "../catalog/registry.js";
import type { ErrorCode } from "../contract/handler.js";
import { isObject } from "../contract/json.js";
import type { JsonObject, JsonValue, Tool } from "../contract/registry.js";
import { clip } from "../contract/scrub.js";
import { wordsIn } from "../contract/typo.js";
import type { Call } from "./call.js";

/** Titles that are named, and characters of each. */
const MAX_TITLES = 3;
const MAX_TITLE_LENGTH = 60;
/** Letters of a word of an id that is searched for. */
const MIN_WORD_LENGTH = 3;

const SAID = / (?:Nearest by title: |Ids come from )/;

/** The message of a failure with where ids come from, if it is about an id that does not exist. */
export async function withIdSources(
  call: Call,
  { code, message, details }: { readonly code: ErrorCode; readonly message: string; readonly details: JsonObject },
): Promise<string> {
  const { kind, id } = details;
  if (code !== "NOT_FOUND" || !call.tool || typeof kind !== "string" || typeof id !== "string") return message;
  // The read of a dry run has said it.
  if (SAID.test(message)) return message;
  const sources = sourcesOf(call.view, call.tool, kind);
  if (sources.length === 0) return message;
  const near = await nearest(call, sources, kind, id);
  const more = near.length > 0 ? `Nearest by title: ${near.join(", ")}` : `Ids come from ${namesOf(sources)}`;
  return `${message.replace(/[.\s]*$/, "")}. ${more}.`;
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
