/** Leaves out the tools of upstream servers that `servers.NAME.tools` does not offer: there are no ops of them. */

import { posix } from "node:path";
import { closest } from "../../runtime/contract/closest.js";
import type { Config } from "../config/config.js";
import type { Report } from "../core/diagnostic.js";
import type { Definition } from "../core/ir.js";

/** The definitions without those tools. A name that no tool of the snapshot has is reported. */
export function offeredTools(
  config: Pick<Config, "servers" | "place">,
  definitions: readonly Definition[],
  report: Report,
): readonly Definition[] {
  const left = new Set<Definition>();
  for (const [server, { tools }] of Object.entries(config.servers ?? {})) {
    if (!tools) continue;
    const file = posix.join("definitions", "servers", `${server}.json`);
    const own = definitions.filter((one) => one.origin === "proxy" && one.place.file === file);
    const names = new Set(own.map(({ name }) => name));
    for (const key of ["only", "except"] as const)
      for (const [at, name] of (tools[key] ?? []).entries())
        if (own.length > 0 && !names.has(name))
          report.add("server-tool-unknown", config.place("servers", server, "tools", key, at), {
            ...{ server, name, key },
            near: closest(name, [...names]),
          });
    for (const one of own) if (!isOffered(one.name, tools)) left.add(one);
  }
  return left.size === 0 ? definitions : definitions.filter((one) => !left.has(one));
}

const isOffered = (
  name: string,
  { only, except = [] }: { readonly only?: readonly string[]; readonly except?: readonly string[] },
): boolean => (only === undefined || only.includes(name)) && !except.includes(name);
