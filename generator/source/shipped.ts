/** Reads the packs that come with the package from `shipped.json`: typed functions, which were read when the package was built. */

import { CONFIG_DEFAULTS } from "../../runtime/contract/settings/project-settings.js";
import type { Config } from "../config/config.js";
import type { Report } from "../core/diagnostic.js";
import type { Definition } from "../core/ir.js";

/** Shipped definitions by pack. */
export type ShippedPacks = ReadonlyMap<string, readonly Definition[]>;

/** Shipped definitions that a project uses: those named in `use`; without it, the default packs that the project does not define. */
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
