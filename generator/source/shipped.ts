/** The packs that come with the package: typed functions, read once when the package is built and kept as `shipped.json`. */

import { CONFIG_DEFAULTS } from "toolwright/codegen";
import type { Config } from "../config.js";
import type { Report } from "../diagnostic.js";
import type { Definition } from "../ir.js";

/** Shipped definitions by pack. */
export type ShippedPacks = ReadonlyMap<string, readonly Definition[]>;

/** Shipped definitions that a project uses: those named in `use`; unless it is there, the default ones, where the project has no such pack. */
export function shippedDefinitions(
  config: Config,
  packs: ShippedPacks,
  own: readonly Definition[],
  report: Report,
): readonly Definition[] {
  const taken = new Set(own.map(({ pack }) => pack));
  const named = config.use ?? CONFIG_DEFAULTS.use.filter((pack) => !taken.has(pack));
  return named.flatMap((pack, i) => {
    const found = packs.get(pack);
    if (!found && config.use) report.add("pack-not-shipped", config.place("use", i), { pack });
    return found ?? [];
  });
}

/** The packs of a `shipped.json`. */
export const shippedPacks = (text: string): ShippedPacks =>
  new Map(Object.entries(JSON.parse(text) as Record<string, readonly Definition[]>));
