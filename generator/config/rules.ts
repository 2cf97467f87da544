/** Checks rules between keys of `toolwright.yaml`, which its shape cannot express, after all files are merged. */

import { snapshotEveryMs } from "../../runtime/contract/duration.js";
import { isRecord, type Values } from "../../runtime/contract/json.js";
import type { ApproveEntry, ServerEntry, SourceEntry } from "../../runtime/contract/settings/entries.js";
import type { WrittenConfig } from "../../runtime/contract/settings/project-settings.js";
import type { Shape } from "../../runtime/contract/settings/setting.js";
import { isToolPattern } from "../core/levels.js";
import { messageValue } from "../core/message-value.js";
import { checkShape, reportUnknown, type ShapeCheck } from "../core/shape.js";
import { yamlPathText } from "../core/yaml-file.js";
import { SOURCE_KEYS } from "./schema.js";

/** A pattern of files. */
const PATTERN: Shape = { type: "string", minLength: 1 };

/** Kinds of sources that need no plugin: keys of an entry of `sources`. */
export const SOURCE_KINDS = ["chat-tools", "functions", "graphql", "mcp", "module", "openapi"] as const;

/** Kind and pattern of an entry of `sources`. */
export interface EntryKind {
  readonly kind: string;
  readonly pattern: string;
}

/** The kinds that an entry names: one in a checked configuration, a kind of a plugin included. */
export const kindsOf = (entry: SourceEntry): readonly EntryKind[] =>
  Object.entries(entry)
    .filter(([key]) => isBuiltIn(key) || !SOURCE_KEYS.includes(key))
    .map(([kind, pattern]) => ({ kind, pattern: String(pattern) }));

/** Whether a kind of source needs no plugin. */
export const isBuiltIn = (kind: string): kind is (typeof SOURCE_KINDS)[number] =>
  SOURCE_KINDS.some((one) => one === kind);

/** Checks a configuration whose values have the right types. @param codes - those of all diagnostics */
export function checkRules(
  { sources, servers = {}, projects = {}, approve = [], diagnostics = {} }: WrittenConfig,
  codes: readonly string[],
  checking: ShapeCheck,
): void {
  for (const [key, level] of Object.entries(diagnostics)) checkLevel(key, level, codes, checking);
  for (const [i, entry] of approve.entries()) checkApproval(entry, i, checking);
  for (const [i, entry] of sources.entries()) checkSource(entry, i, checking);
  for (const [name, entry] of Object.entries(servers)) checkServer(name, entry, checking);
  for (const name of Object.keys(projects)) checkProject(name, checking);
}

/** What an entry of `approve` selects calls by. */
const APPROVAL_SELECTORS = ["ops", "kind", "destructive"] as const;

function checkApproval(entry: ApproveEntry, i: number, { place, report }: ShapeCheck): void {
  if (APPROVAL_SELECTORS.some((name) => entry[name] !== undefined)) return;
  report.add("config-invalid", place("approve", i), {
    path: `approve.${i}`,
    expected: `at least one of ${APPROVAL_SELECTORS.join(", ")}`,
    received: "none",
  });
}

/** A key of `diagnostics` is a rule with a level, or a pattern with a map. */
function checkLevel(key: string, level: unknown, codes: readonly string[], checking: ShapeCheck): void {
  const isPattern = isToolPattern(key);
  if (!isPattern && !codes.includes(key)) reportUnknown(key, codes, ["diagnostics"], checking);
  else if (isPattern !== isRecord(level))
    checking.report.add("config-invalid", checking.place("diagnostics", key), {
      path: yamlPathText(["diagnostics", key]),
      expected: isPattern ? "a map of rules to levels" : "a level",
      received: messageValue(level),
    });
}

/** Checks that every entry of `sources` has known keys only, unless plugins add kinds. Takes values of any shape. */
export function checkSourceKeys({ sources, plugins }: Values, checking: ShapeCheck): void {
  if (!Array.isArray(sources) || (Array.isArray(plugins) && plugins.length > 0)) return;
  for (const [i, entry] of sources.entries())
    for (const key of Object.keys(isRecord(entry) ? entry : {}))
      if (!SOURCE_KEYS.includes(key)) reportUnknown(key, SOURCE_KEYS, ["sources", i], checking);
}

function checkSource(entry: SourceEntry, i: number, checking: ShapeCheck): void {
  const { place, report } = checking;
  const kinds = kindsOf(entry).map(({ kind }) => kind);
  const [kind = ""] = kinds;
  if (kinds.length !== 1)
    report.add("config-invalid", place("sources", i), {
      path: "sources",
      expected: `one of ${SOURCE_KINDS.join(", ")} in each entry`,
      received: kinds.join(" and ") || "none",
    });
  else if (!isBuiltIn(kind)) {
    const pattern = Object.entries(entry).find(([key]) => key === kind)?.[1];
    checkShape(pattern, PATTERN, ["sources", i, kind], checking);
  } else if (kind === "graphql" && entry.url === undefined)
    report.add("config-invalid", place("sources", i), {
      path: `sources.${i}.url`,
      expected: "set, since a GraphQL schema holds no address",
      received: "nothing",
    });
  else if (entry.options)
    report.add("config-invalid", place("sources", i, "options"), {
      path: yamlPathText(["sources", i, "options"]),
      expected: `left out, since ${kind} is no kind of a plugin`,
      received: messageValue(entry.options),
    });
}

/** The key that each type of server requires. */
const REACHED_BY = { stdio: "command", http: "url" } as const;

function checkServer(name: string, entry: ServerEntry, { place, report }: ShapeCheck): void {
  const { type, snapshot: { every } = {} } = entry;
  if (every !== undefined && snapshotEveryMs(every) === undefined)
    report.add("config-invalid", place("servers", name, "snapshot", "every"), {
      path: `servers.${name}.snapshot.every`,
      expected: "a number and s, m, h or d, from 1m to 365d, such as 6h",
      received: messageValue(every),
    });
  if (type === undefined && entry.command && entry.url) {
    const path = `servers.${name}`;
    report.add("config-invalid", place("servers", name), { path, expected: "given command or url", received: "both" });
  }
  const keys = type === undefined ? Object.values(REACHED_BY) : [REACHED_BY[type]];
  if (keys.some((key) => entry[key])) return;
  const [key] = keys;
  const empty = keys.find((one) => entry[one] !== undefined);
  report.add("config-invalid", place("servers", name, empty ?? key ?? ""), {
    path: `servers.${name}.${keys.join(" or ")}`,
    expected: type === undefined ? "set" : `set, since its type is ${type}`,
    received: empty === undefined ? "nothing" : messageValue(entry[empty]),
  });
}

/** Checks that a project name is a Python identifier, for `proj.<name>`. */
function checkProject(name: string, { place, report }: ShapeCheck): void {
  if (/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name)) return;
  report.add("config-invalid", place("projects", name), {
    path: "a name in projects",
    expected: "an identifier: letters, digits and underscores, not beginning with a digit",
    received: messageValue(name),
  });
}
