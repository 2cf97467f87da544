/**
 * Coverage of learned types: six real servers that work offline, and the share of their ops whose types are locked after 200
 * calls of each, as if they declared no results. As many other results of the same servers are compared with these types, and
 * results with changes.
 */

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LearnedResult, Tool } from "../../../runtime/contract/registry.js";
import { installPackages } from "../../../test/bench/peers.js";
import { FOLDER, flags, type Report } from "../../../test/bench/report.js";
import { type Answer, type CalledTool, callAll } from "../../../test/support/live/call.js";
import { changed } from "../../../test/support/live/changes.js";
import {
  FURTHER_PACKAGES,
  furtherServers,
  type LiveServer,
  referenceServers,
} from "../../../test/support/live/servers.js";
import { randomOf } from "../../../test/support/random.js";
import { driftOf } from "../drift.js";
import { hashingWith } from "../hashing.js";
import { summaryOf } from "../learner.js";
import { saysError } from "../observed.js";
import { mergeOps, type OpSummary } from "../op-summary.js";
import { revealed } from "../reveal.js";
import { judge } from "../rules.js";

/** Calls of each op that are learned from. */
const CALLS = flags.quick ? 40 : 200;
/** Share of valid results that may be called broken. */
const MAX_BROKEN = 0.005;
/** Changes of results of each server. */
const CHANGES = 20;
const SEED = 25;
const DAY_MS = 86_400_000;

interface Learned {
  readonly called: CalledTool;
  /** With its learned type, where there is one. */
  readonly tool: Tool;
  /** Results that were not learned from. */
  readonly others: readonly Answer[];
}

const isLocked = ({ tool }: Learned): boolean => tool.learned_result?.level === "locked";
const isGated = (one: Learned): boolean => isLocked(one) && one.tool.learned_result?.news === "≤1%";
const hasKeys = ({ tool }: Learned): boolean =>
  /"(?:properties|items)"/.test(JSON.stringify(tool.learned_result ?? {}));

/** Learns from every other call, on two days. */
function learnedFrom(called: CalledTool): Learned {
  const hashing = hashingWith("bench");
  const answers = called.answers.filter(({ result }) => !saysError(result));
  let merged: OpSummary | undefined;
  for (const [at, { args, result }] of answers.entries()) {
    if (at % 2 === 1) continue;
    const one = summaryOf({ tool: called.tool, args, result, caller: undefined }, hashing, (at % 4) * DAY_MS);
    merged = merged ? mergeOps(merged, one) : one;
  }
  const judged: LearnedResult | undefined = merged && judge(revealed(merged, hashing.nameOf))?.result;
  const tool = judged ? { ...called.tool, learned_result: judged } : called.tool;
  return { called, tool, others: answers.filter((_, at) => at % 2 === 1) };
}

/** Results that are called broken, of those that are compared. */
function compared(all: readonly Learned[]): readonly [broken: number, of: number] {
  const results = all.flatMap(({ tool, others }) => others.map(({ args, result }) => driftOf(tool, args, result)));
  return [results.filter((misfit) => misfit !== undefined).length, results.length];
}

/** Changes of results of one server, and those of them that are found. */
function changesOf(all: readonly Learned[]): readonly [found: number, of: number] {
  const random = randomOf(SEED);
  const places = all.flatMap((one) => one.others.map((answer) => [one.tool, answer] as const));
  let [found, made] = [0, 0];
  for (let at = 0; made < CHANGES && at < places.length; at++) {
    const [tool, { args, result }] = places[Math.floor(random() * places.length)] as (typeof places)[number];
    if (driftOf(tool, args, result)) continue;
    const change = changed(result, tool.learned_result?.schema ?? {}, random);
    if (!change) continue;
    made++;
    if (driftOf(tool, args, change.result)) found++;
  }
  return [found, made];
}

/** The servers; two of them are installed on demand. */
function serversIn(root: string): readonly LiveServer[] {
  const reference = referenceServers(root);
  if (flags.quick) return reference;
  const folderOf = installPackages(join(FOLDER, "servers"), FURTHER_PACKAGES);
  const isThere = Object.keys(FURTHER_PACKAGES).every((name) => folderOf(name as keyof typeof FURTHER_PACKAGES));
  return isThere ? [...reference, ...furtherServers((name) => folderOf(name) ?? "")] : reference;
}

const sum = (pairs: readonly (readonly [number, number])[]): readonly [number, number] =>
  pairs.reduce<readonly [number, number]>(([a, b], [c, d]) => [a + c, b + d], [0, 0]);

/** Adds the rows. */
export async function coverage(add: Report["add"]): Promise<void> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "bench-coverage-")));
  try {
    const servers = serversIn(root);
    const learned = await Promise.all(
      servers.map(async (live) => (await callAll(live, root, 2 * CALLS, SEED)).map(learnedFrom)),
    );
    const all = learned.flat();
    const locked = all.filter(isLocked);
    const declared = all.filter(({ called }) => called.isDeclared).length;
    const shares = learned.map((own, at) => `${servers[at]?.name} ${own.filter(isLocked).length}/${own.length}`);
    add(
      {
        ...{
          goal: "K3",
          what: `ops of ${servers.length} offline servers that are locked after ${CALLS} calls of each`,
        },
        verdict: "shown",
        figures: `${locked.length} of ${all.length} (${shares.join(", ")}), ${locked.filter(hasKeys).length} of them with keys or items; ${declared} declare a result, which is not used here`,
      },
      { ops: all.map(({ tool }) => [tool.op, tool.learned_result?.level ?? "none"]) },
    );
    const [broken, of] = compared(all.filter(isGated));
    const [found, made] = sum(learned.map((own) => changesOf(own.filter(isGated))));
    add({
      ...{ goal: "K4", what: "valid results called broken by gated types / changes that are found" },
      verdict: broken <= of * MAX_BROKEN && found === made ? "met" : "missed",
      figures: `${broken} of ${of} (goal 0.5 %); ${found} of ${made} (goal all)`,
    });
  } finally {
    rmSync(root, { recursive: true });
  }
}
