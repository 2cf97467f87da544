/** What the shape of `toolwright.yaml` cannot say: rules between keys, checked where all files are merged. */

import type { ConfigValues, ServerEntry, SourceEntry } from "./config.js";
import type { Checking } from "./shape.js";
import { nameOf } from "./yaml-file.js";

/** Keys of an entry of `sources` that name its kind. */
export const SOURCE_KINDS = ["chat-tools", "functions", "mcp", "openapi"] as const;

/** Checks a configuration whose values all have the right type. */
export function checkRules({ sources, servers = {}, projects = {} }: ConfigValues, checking: Checking): void {
  for (const [i, entry] of sources.entries()) checkSource(entry, i, checking);
  for (const [name, entry] of Object.entries(servers)) checkServer(name, entry, checking);
  for (const name of Object.keys(projects)) checkProject(name, checking);
}

function checkSource(entry: SourceEntry, i: number, { place, report }: Checking): void {
  const kinds = SOURCE_KINDS.filter((one) => entry[one] !== undefined);
  if (kinds.length === 1) return;
  report.add("config-invalid", place("sources", i), {
    path: "sources",
    expected: `one of ${SOURCE_KINDS.join(", ")} in each entry`,
    received: kinds.join(" and ") || "none",
  });
}

/** How each type of server is reached. */
const REACHED_BY = { stdio: "command", http: "url" } as const;

function checkServer(name: string, entry: ServerEntry, { place, report }: Checking): void {
  const { type } = entry;
  const keys = type === undefined ? Object.values(REACHED_BY) : [REACHED_BY[type]];
  if (keys.some((key) => entry[key])) return;
  const [key] = keys;
  const empty = keys.find((one) => entry[one] !== undefined);
  report.add("config-invalid", place("servers", name, empty ?? key ?? ""), {
    path: `servers.${name}.${keys.join(" or ")}`,
    expected: type === undefined ? "set" : `set, since its type is ${type}`,
    received: empty === undefined ? "nothing" : nameOf(entry[empty]),
  });
}

/** `proj.<name>` is Python. */
function checkProject(name: string, { place, report }: Checking): void {
  if (/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name)) return;
  report.add("config-invalid", place("projects", name), {
    path: "a name in projects",
    expected: "an identifier: letters, digits and underscores, not beginning with a digit",
    received: nameOf(name),
  });
}
