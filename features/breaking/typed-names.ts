/** Names of ops that clients call as tools of their own: another server's tool of the same name can change them. */

import type { Config } from "../../generator/config/config.js";
import type { ListingFeature } from "../../generator/config/schema.js";
import { listedTools } from "../../generator/pass/expose.js";
import { typedOps } from "../../generator/pass/typed-names.js";
import type { Finding } from "../../runtime/contract/finding.js";
import type { Tool } from "../../runtime/contract/registry.js";
import { wireNames } from "../../runtime/contract/wire-names.js";
import { aboutTool, pairTools } from "./compare.js";
import { makeFinding } from "./finding.js";

/** Typed tools whose name changed, of those that the configuration exposes or a feature lists. */
export function compareTypedNames(
  before: readonly Tool[],
  after: readonly Tool[],
  config: Config,
  features: readonly ListingFeature[],
): readonly Finding[] {
  const isTyped = typedOps(config, features);
  const [old, now] = [before, after].map((tools) => wireNames(listedTools(tools, config)));
  return pairTools(before, after).kept.flatMap((pair): readonly Finding[] => {
    const [was, is] = [old?.get(pair.before.op), now?.get(pair.after.op)];
    if (was === undefined || is === undefined || was === is || !isTyped(pair.after.op)) return [];
    const holder = after.find(({ op }) => op !== pair.after.op && now?.get(op) === was);
    const other = holder ?? after.find((one) => one.tool_name === pair.after.tool_name && one.op !== pair.after.op);
    const why = other ? `, since ${other.op} has that name too` : "";
    const more = `${why}: clients that call the tool ${was} break`;
    return [makeFinding(aboutTool(pair.after), { rule: "typed-tool-renamed", before: was, after: is, more })];
  });
}
