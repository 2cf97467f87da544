/** Names of ops that clients call as tools of their own: another tool of the same name changes them. */

import { isRecord } from "../../runtime/contract/json.js";
import { opGlob } from "../../runtime/contract/op-glob.js";
import type { Tool } from "../../runtime/contract/registry.js";
import { wireNames } from "../../runtime/contract/wire-names.js";
import type { Config } from "../config/config.js";
import { type ListingFeature, listsTools } from "../config/schema.js";
import type { Place, Report } from "../core/diagnostic.js";
import { listedTools } from "./expose.js";
import { registryTools } from "./shared-ops.js";

/** Whether the configuration exposes an op as a tool, or a feature lists it. */
export function typedOps(config: Config, features: readonly ListingFeature[]): (op: string) => boolean {
  const { expose = {} } = config;
  if (expose.gateway === false || listsTools(features, config)) return () => true;
  const hot = (expose.hot ?? []).map(opGlob);
  return (op) => hot.some((matches) => matches(op));
}

/** What {@link reportRenamedTools} needs of a build. */
interface TypedToolParts {
  readonly features: readonly ListingFeature[];
  readonly placeOf: (op: string) => Place | undefined;
}

/**
 * Warns of each typed tool that had its name to itself in `generated/registry.json` and has another name now.
 *
 * @param committed text of `generated/registry.json`, if there is one
 */
export function reportRenamedTools(
  tools: readonly Tool[],
  committed: string | undefined,
  config: Config,
  { features, placeOf }: TypedToolParts,
  report: Report,
): void {
  const isTyped = typedOps(config, features);
  const before = ((committed === undefined ? [] : registryTools(committed)) ?? []).filter(isNamed);
  const was = wireNames(before);
  const now = wireNames(listedTools(tools, config));
  for (const { op, tool_name } of before) {
    const [name, is] = [was.get(op), now.get(op)];
    const other = tools.find((one) => one.op !== op && one.tool_name === tool_name && now.has(one.op));
    const place = placeOf(op);
    if (name !== tool_name || is === undefined || is === name || !other || !place || !isTyped(op)) continue;
    const key = `${other.source.pack ?? other.group}/${other.tool_name}`;
    const hot = config.expose?.hot?.find((pattern) => {
      const found = [...now.keys()].filter(opGlob(pattern));
      return found.length === 1 && found[0] === other.op;
    });
    report.add("typed-tool-moved", place, { op, name, is, other: other.op, key, hot });
  }
}

const isNamed = (tool: unknown): tool is Pick<Tool, "op" | "tool_name"> =>
  isRecord(tool) && typeof tool["op"] === "string" && typeof tool["tool_name"] === "string";
