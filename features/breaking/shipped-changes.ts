/** Changes of packs that come with toolwright: the project has not made them, and cannot take them back. */

import type { Config } from "../../generator/config/config.js";
import { opEntry } from "../../generator/pass/op-paths.js";
import type { Finding } from "../../runtime/contract/finding.js";
import type { Registry, Tool } from "../../runtime/contract/registry.js";

/**
 * The findings, where those about ops of shipped packs are information. One that the configuration may have made keeps its level: of an
 * op with an entry under `ops`, of a pack that one of the two registries does not have, and in a file of the project, such as an alias.
 *
 * @param version of toolwright, whose packs the later registry has
 * @example
 * withShippedChanges(findings, before, after, config, "0.3.0") // `ot.query` refuses an empty text now: info
 */
export function withShippedChanges(
  findings: readonly Finding[],
  before: Registry,
  after: Registry,
  config: Config,
  version: string,
): readonly Finding[] {
  const [was, is] = [shippedPacks(before), shippedPacks(after)];
  const own = new Set([...before.tools, ...after.tools].filter((one) => isConfigured(one, config)).map(({ op }) => op));
  const files = new Set([
    "",
    ...[...before.tools, ...after.tools].flatMap(({ source }) => (source.shipped ? source.file : [])),
  ]);
  const reason = `toolwright ${version} has changed the pack that comes with it`;
  return findings.map((one) => {
    const [pack = ""] = one.op.split(".");
    const isOurs = was.has(pack) && is.has(pack) && files.has(one.file) && !own.has(one.op);
    return isOurs && one.level !== "info" ? { ...one, level: "info", reason } : one;
  });
}

/** Packs whose ops all come with the package. */
function shippedPacks({ tools }: Registry): ReadonlySet<string> {
  const others = new Set(tools.filter(({ source }) => !source.shipped).map(({ group }) => group));
  return new Set(tools.map(({ group }) => group).filter((group) => !others.has(group)));
}

const isConfigured = ({ group, tool_name: name, source }: Tool, config: Config): boolean =>
  Object.hasOwn(config.ops ?? {}, opEntry(config, source.pack ?? group, name).key);
