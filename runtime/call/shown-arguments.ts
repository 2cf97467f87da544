/**
 * Selects the arguments that spans show: listed ones of shipped ops only, because other arguments are private to the
 * caller.
 */

import { own } from "../contract/json.js";
import type { JsonObject, Tool } from "../contract/registry.js";
import { clip, scrub } from "../contract/scrub.js";
import { fillDefaults } from "./arguments/defaults.js";
import type { SpanFields } from "./recent-spans.js";

const LISTING = ["pattern", "info"];

const SHOWN: ReadonlyMap<string, readonly string[]> = new Map([
  ["ot.tools", LISTING],
  ["ot.packs", LISTING],
  ["ot.aliases", LISTING],
  ["ot.snippets", LISTING],
  ["ot.help", ["info"]],
  ["ot.result", ["handle", "offset", "limit", "search"]],
]);

/** Longest value that is shown, in characters. */
const MAX_SHOWN_LENGTH = 200;

/** The arguments that a span of the op shows, including defaults; empty texts are left out. */
export function shownArguments(tool: Tool | undefined, args: JsonObject): SpanFields {
  const names = tool?.source.shipped ? SHOWN.get(tool.op) : undefined;
  if (!tool || !names) return {};
  const whole = fillDefaults(args, tool.parameters_schema);
  return Object.fromEntries(
    names.flatMap((name): [string, string | number | boolean][] => {
      const value = own(whole, name);
      if (typeof value === "string" && value !== "") return [[name, clip(scrub(value), MAX_SHOWN_LENGTH)]];
      return typeof value === "number" || typeof value === "boolean" ? [[name, value]] : [];
    }),
  );
}
