/** Removes hidden ops from a registry and help index, with the packs and aliases that lead only to them. */

import type { HelpIndex } from "../../runtime/contract/help.js";
import type { Registry } from "../../runtime/contract/registry.js";
import type { Config } from "../config/config.js";
import { listedTools } from "../pass/expose.js";
import { opsByName } from "./addresses.js";

/** A registry and its help index. */
export interface Listed {
  readonly registry: Registry;
  readonly index: HelpIndex;
}

/** The same without hidden ops, packs that contain no other ops, and aliases of hidden ops. */
export function withoutHidden({ registry, index }: Listed, config: Config): Listed {
  const tools = listedTools(registry.tools, config);
  if (tools.length === registry.tools.length) return { registry, index };
  const groups = new Set(tools.map((one) => one.group));
  const listed = { ...registry, tools, packs: registry.packs.filter(({ name }) => groups.has(name)) };
  const known = opsByName(listed, index);
  return { registry: listed, index: { ...index, aliases: index.aliases.filter(({ name }) => known.has(name)) } };
}
