/** What the site shows of a project: all but the hidden ops, and what leads to them alone. */

import type { HelpIndex, Registry } from "toolwright/codegen";
import type { Config } from "../config.js";
import { listedTools } from "../pass/expose.js";
import { opsByName } from "./addresses.js";

/** A registry, and the help index that belongs to it. */
export interface Listed {
  readonly registry: Registry;
  readonly index: HelpIndex;
}

/** The same without the ops that `hidden` leaves out of lists, the packs that hold no other, and the aliases of them. */
export function withoutHidden({ registry, index }: Listed, config: Config): Listed {
  const tools = listedTools(registry.tools, config);
  if (tools.length === registry.tools.length) return { registry, index };
  const groups = new Set(tools.map((one) => one.group));
  const listed = { ...registry, tools, packs: registry.packs.filter(({ name }) => groups.has(name)) };
  const known = opsByName(listed, index);
  return { registry: listed, index: { ...index, aliases: index.aliases.filter(({ name }) => known.has(name)) } };
}
