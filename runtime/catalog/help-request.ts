/** Corrects a request of `tool_help`: its path under another name, or as a list. */

import { own } from "../contract/json.js";
import type { JsonObject, JsonValue } from "../contract/registry.js";
import { meantOp } from "./op-words.js";
import type { RegistryView } from "./registry.js";
import { type SuggestOptions, suggest } from "./search.js";

/** A request of `tool_help`. */
export interface HelpRequest {
  readonly path: string;
  readonly format?: "full";
}

/** Names under which the path is sent. */
const FIELDS = ["path", "op", "name", "tool", "topic", "command", "query", "q", "search", "text", "pattern"];
/** Longest path that is read, in characters. */
const MAX_PATH_LENGTH = 200;

/** The request that was probably meant; the root if it holds no path. Help changes nothing, so a guess does no harm. */
export function correctedHelp(view: RegistryView, sent: JsonObject, options: SuggestOptions): HelpRequest {
  const text = FIELDS.map((field) => pathOf(own(sent, field))).find((path) => path !== undefined);
  const format = own(sent, "format") === "full" ? { format: "full" as const } : {};
  return { path: text === undefined ? "root" : known(view, text, options), ...format };
}

function pathOf(value: JsonValue | undefined): string | undefined {
  if (Array.isArray(value)) return pathOf(value.filter((part) => typeof part === "string").join("."));
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" || text.length > MAX_PATH_LENGTH ? undefined : text;
}

/** A path that exists. */
function known(view: RegistryView, text: string, options: SuggestOptions): string {
  if (view.isListed(text)) return text;
  return view.prefix(text) ?? meantOp(view, text)?.tool.op ?? suggest(view, text, options)[0] ?? "root";
}
