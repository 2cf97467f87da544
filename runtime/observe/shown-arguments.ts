/** The arguments that spans show. Those of any other op are the caller's own business, and none of the log's. */

import { fillDefaults } from "../arguments/defaults.js";
import type { JsonObject, Tool } from "../contract/registry.js";
import { own } from "../json.js";
import { clip, scrub } from "./scrub.js";
import type { SpanFields } from "./span.js";

const LISTING = ["pattern", "info"];

const SHOWN: ReadonlyMap<string, readonly string[]> = new Map([
  ["ot.tools", LISTING],
  ["ot.packs", LISTING],
  ["ot.aliases", LISTING],
  ["ot.snippets", LISTING],
  ["ot.help", ["info"]],
  ["ot.result", ["handle", "offset", "limit", "search"]],
]);

/** Characters of a value. */
const LONGEST = 200;

/** What a span of the op shows of its arguments, defaults included; an empty text asks for nothing and is left out. */
export function shownArguments(tool: Tool | undefined, args: JsonObject): SpanFields {
  const names = tool?.source.shipped ? SHOWN.get(tool.op) : undefined;
  if (!tool || !names) return {};
  const whole = fillDefaults(args, tool.parameters_schema);
  return Object.fromEntries(
    names.flatMap((name): [string, string | number | boolean][] => {
      const value = own(whole, name);
      if (typeof value === "string" && value !== "") return [[name, clip(scrub(value), LONGEST)]];
      return typeof value === "number" || typeof value === "boolean" ? [[name, value]] : [];
    }),
  );
}
