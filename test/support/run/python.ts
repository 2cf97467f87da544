/** The CPython engine for tests: a warm engine, limits, fake tools, and runs of code. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, vi } from "vitest";
import type { Limits } from "../../../runtime/config/run-settings.js";
import { HostError } from "../../../runtime/run/engine/engine.js";
import type { PooledEngine } from "../../../runtime/run/engine/pooled-engine.js";
import type { Data, HostCall, PackTree, RunOutcome, RunRequest } from "../../../runtime/run/languages/language.js";
import { createCPython } from "../../../runtime/run/languages/python/engine/cpython.js";
import { keepSnapshots, lendSnapshots } from "./python-snapshots.js";

/** Limits of a run in a test: the defaults, but for the time. */
export const LIMITS: Limits = {
  ...{ cpuMs: 20_000, wallMs: 60_000, memoryBytes: 256 * 1024 * 1024, recursion: 500, hostCalls: 1000 },
  ...{ printBytes: 1024 * 1024, resultBytes: 20 * 1024 * 1024, resultDepth: 64 },
};

type Op = (call: HostCall) => Data | Promise<Data>;

/** Tools of a fake host, by dotted path. */
export type Ops = Readonly<Record<string, Op>>;

/** The value of a keyword argument. */
export function keyword({ named }: HostCall, name: string): Data | undefined {
  return named.find(([key]) => key === name)?.[1];
}

/** A dict. */
export const dict = (entries: Readonly<Record<string, Data>>): Data => ({
  $: "dict",
  entries: Object.entries(entries),
});

/** What a test asks for. */
export interface Asked {
  readonly ops?: Ops;
  readonly limits?: Partial<Limits>;
  readonly projects?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly onPrint?: (text: string) => void;
  /** Whose code it is; default: that of all tests. */
  readonly owner?: string;
  /** What makes the run repeatable. */
  readonly repeat?: Pick<RunRequest, "origin" | "log">;
}

function treeOf(paths: readonly string[]): PackTree {
  const tree = new Map<string, PackTree | null>();
  const groups = groupBy(paths);
  for (const [name, group] of groups) {
    const inner = group.filter((path) => path.includes(".")).map((path) => path.slice(name.length + 1));
    tree.set(name, inner.length === 0 ? null : treeOf(inner));
  }
  return tree;
}

function groupBy(paths: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const path of paths) {
    const name = path.split(".")[0] as string;
    groups.set(name, [...(groups.get(name) ?? []), path]);
  }
  return groups;
}

/** Runs code on an engine with a fake host. */
export async function runWith(
  engine: PooledEngine,
  code: string,
  { ops = {}, limits, projects = {}, signal, onPrint, repeat = {}, owner = "test" }: Asked = {},
): Promise<RunOutcome & { printed: string; calls: HostCall[] }> {
  const calls: HostCall[] = [];
  let printed = "";
  const outcome = await engine.run({
    ...repeat,
    owner,
    code,
    limits: { ...LIMITS, ...limits },
    ...(signal === undefined ? {} : { signal }),
    onPrint(text) {
      printed += text;
      onPrint?.(text);
    },
    namespace: {
      packs: treeOf(Object.keys(ops)),
      projects: new Map(Object.entries(projects)),
      async call(call) {
        calls.push(call);
        const op = Object.hasOwn(ops, call.path.join(".")) ? ops[call.path.join(".")] : undefined;
        if (op === undefined) throw new HostError("NameError", `name '${call.path.join(".")}' is not defined`);
        return op(call);
      },
    },
  });
  return { ...outcome, printed, calls };
}

/** Code that leaves much behind. */
const USED =
  "import builtins, sys, os, json, random, decimal, re\nbuiltins.left = sys.left = json.left = ['left'] * 99\n" +
  "builtins.len = json.dumps = None\nrandom.seed(1)\ndecimal.getcontext().prec = 2\nos.chdir('/lib')\nos.close(0)\n" +
  "sys.setrecursionlimit(900)\nre.compile('left+')\nclass Left(str): pass\nraise ValueError(Left('left'))";

/** An engine for the tests of a file, in a cache folder of its own. */
export function pythonEngine(instances = 2): (() => PooledEngine) & { readonly folder: () => string } {
  vi.setConfig({ testTimeout: 120_000 }); // a process starts in 0.5 s, but in 5 s where others use the machine too
  let engine: PooledEngine;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "cpython-"));
    lendSnapshots(folder);
    engine = createCPython({ cacheDir: folder, instances });
    await engine.warm();
  }, 120_000);
  // Each case meets a process that has run other code.
  beforeEach(async () => void (await runWith(engine, USED)), 120_000);
  afterAll(async () => {
    await engine.dispose();
    keepSnapshots(folder);
    rmSync(folder, { recursive: true, force: true });
  });
  return Object.assign(() => engine, { folder: () => folder });
}
