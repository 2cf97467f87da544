/**
 * The lock at run time: a proxied tool may be called as long as it matches the snapshot that the registry was built
 * from. A compatible change passes with a warning; any other change is refused until a new snapshot is accepted. Other
 * tools are not affected.
 */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { canonicalJson } from "../contract/canonical.js";
import type { CompareTools, Finding } from "../contract/finding.js";
import { isObject } from "../contract/json.js";
import { hint } from "../contract/own-command.js";
import type { Registry, Tool } from "../contract/registry.js";
import { messageOf } from "../contract/thrown.js";
import { type Snapshot, snapshotIn, snapshotText } from "./snapshot.js";

/** What the lock compares with: the registry in force, and the generator's functions for snapshots. */
export interface LockParts {
  readonly root: string;
  readonly registry: Registry;
  /** Builds the tools of a snapshot as the generator does. */
  readonly toolsFromSnapshot: (name: string, text: string) => Promise<readonly Tool[]>;
  readonly compareTools: CompareTools;
}

/** How a tool changed since its snapshot. */
export interface LockVerdict {
  /** Whether it may be called. */
  readonly holds: boolean;
  /** Worst first; empty without a change. */
  readonly findings: readonly Pick<Finding, "rule" | "level" | "pointer" | "message">[];
}

/** A tool that may not be called, with the reasons. */
export interface RefusedTool {
  readonly op: string;
  readonly findings: LockVerdict["findings"];
}

/** Checks tools of connected servers. */
export interface Lock {
  /** How a person accepts a change of a server, as a sentence. */
  remedyFor(server: string): string;
  /** The tools that the latest verdicts refuse, by server. */
  refused(): ReadonlyMap<string, readonly RefusedTool[]>;
  /** @param live - the current list of the server; each tool is compared once per list */
  judge(server: string, live: Snapshot, tool: Tool): Promise<LockVerdict>;
}

const SAME: LockVerdict = { holds: true, findings: [] };

const acceptedBy = (name: string): string =>
  hint(
    `Review the change with "toolwright snapshot ${name} --check"; to accept it, run "toolwright snapshot ${name}", then "toolwright generate".`,
    'To accept the change, start "toolwright serve" again with --accept.',
  );

/** Creates the lock of a registry. Nothing is read before a tool is called. */
export function createLock(parts: LockParts): Lock {
  const files = new Map<string, Promise<ReadonlyMap<string, string>>>();
  const judged = new WeakMap<Snapshot, Map<string, Promise<LockVerdict>>>();
  const lists = new WeakMap<Snapshot, ReadonlyMap<string, unknown>>();
  const listOf = (live: Snapshot): ReadonlyMap<string, unknown> => {
    const known = lists.get(live) ?? byName(live.tools);
    lists.set(live, known);
    return known;
  };
  const fileOf = ({ source: { file } }: Tool): Promise<ReadonlyMap<string, string>> => {
    const known = files.get(file) ?? snapshotOf(join(parts.root, file));
    files.set(file, known);
    return known;
  };
  const forbidden = new Map<string, Map<string, RefusedTool>>();
  const note = (server: string, { op }: Tool, { holds, findings }: LockVerdict): void => {
    const ops = forbidden.get(server) ?? new Map<string, RefusedTool>();
    forbidden.set(server, ops);
    if (holds) ops.delete(op);
    else ops.set(op, { op, findings });
  };
  return {
    remedyFor: acceptedBy,
    refused: () => new Map([...forbidden].map(([server, ops]) => [server, [...ops.values()]])),
    judge: (server, live, tool) => {
      const verdicts = judged.get(live) ?? new Map<string, Promise<LockVerdict>>();
      judged.set(live, verdicts);
      const known = verdicts.get(tool.op);
      if (known) return known;
      const verdict = judgeOne(parts, { server, tool, live: listOf(live), locked: () => fileOf(tool) });
      void verdict.then(
        (one) => note(server, tool, one),
        () => undefined,
      );
      verdicts.set(tool.op, verdict);
      return verdict;
    },
  };
}

interface Case {
  readonly server: string;
  readonly tool: Tool;
  /** By name, as the server lists them. */
  readonly live: ReadonlyMap<string, unknown>;
  /** Canonical JSON of the snapshot's tools, by name. */
  readonly locked: () => Promise<ReadonlyMap<string, string>>;
}

async function judgeOne(parts: LockParts, { server, tool, live, locked }: Case): Promise<LockVerdict> {
  const now = live.get(tool.tool_name);
  if (now === undefined) return verdictOf(await whereItWent(parts, server, tool, live));
  if (isBuiltFrom(tool, now) && (await locked()).get(tool.tool_name) === canonicalJson(now)) return SAME;
  try {
    const after = await parts.toolsFromSnapshot(server, textOf([now]));
    const { holds, findings } = verdictOf(await parts.compareTools([tool], after));
    // The generator leaves out invalid tools.
    const why = after.length === 0 ? ": what the server lists under its name is no valid tool" : "";
    return { holds, findings: findings.map((one) => ({ ...one, message: one.message + why })) };
  } catch (error) {
    const message = `what it is now does not build: ${messageOf(error)}`;
    return { holds: false, findings: [{ rule: "schema-invalid", level: "error", pointer: "", message }] };
  }
}

/**
 * Whether the registry matches the server. Hints are not compared, since configuration and names affect them as well.
 */
function isBuiltFrom({ description, parameters_schema, result_schema }: Tool, now: unknown): boolean {
  if (!isObject(now)) return false;
  return (
    (now["description"] ?? "") === description &&
    canonicalJson(now["inputSchema"]) === canonicalJson(parameters_schema) &&
    canonicalJson(now["outputSchema"]) === canonicalJson(result_schema)
  );
}

/** Compares a tool that is no longer listed with the unknown tools of the list, since it may have been renamed. */
async function whereItWent(
  { registry, toolsFromSnapshot, compareTools }: LockParts,
  server: string,
  tool: Tool,
  live: ReadonlyMap<string, unknown>,
): Promise<readonly Finding[]> {
  const known = new Set(registry.tools.filter(({ group }) => group === tool.group).map(({ tool_name }) => tool_name));
  const strangers = [...live].flatMap(([name, one]) => (known.has(name) ? [] : [one]));
  const built = strangers.length === 0 ? [] : await toolsFromSnapshot(server, textOf(strangers)).catch(() => []);
  return compareTools([tool], built);
}

/** Rules that do not concern calls of the tool. */
const BESIDE: ReadonlySet<string> = new Set(["tool-added", "help-path-removed", "source-changed"]);

function verdictOf(all: readonly Finding[]): LockVerdict {
  const findings = all.filter(({ rule }) => !BESIDE.has(rule));
  return findings.length === 0 ? SAME : { holds: findings.every(({ level }) => level !== "error"), findings };
}

const textOf = (tools: readonly unknown[]): string =>
  snapshotText({ serverInfo: { name: "", version: "" }, protocolVersion: "", tools });

/** The tools of a snapshot as canonical JSON. Empty without the file, so that every tool is compared by meaning. */
async function snapshotOf(path: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(path, "utf8").catch(() => "");
  const tools = byName(snapshotIn(text)?.tools ?? []);
  return new Map([...tools].map(([name, one]) => [name, canonicalJson(one)]));
}

/** Tools by name; the first one of a duplicate name counts, as in the generator. */
function byName(tools: readonly unknown[]): ReadonlyMap<string, unknown> {
  const named = new Map<string, unknown>();
  for (const one of tools)
    if (isObject(one) && typeof one["name"] === "string" && !named.has(one["name"])) named.set(one["name"], one);
  return named;
}
