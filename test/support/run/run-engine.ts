/** A namespace for tests of engines: packs of async functions, and the limits that a run gets by default. */

import type { Limits } from "../../../runtime/config/run-settings.js";
import { HostError } from "../../../runtime/run/engine/engine.js";
import type { Data, HostCall, Namespace, PackTree, RunRequest } from "../../../runtime/run/languages/language.js";

/** The default limits. */
export const LIMITS: Limits = {
  cpuMs: 10_000,
  wallMs: 55_000,
  memoryBytes: 256_000_000,
  recursion: 500,
  hostCalls: 1000,
  printBytes: 1_000_000,
  resultBytes: 20_000_000,
  resultDepth: 64,
};

/** What a fake op does. */
export type FakeOp = (call: HostCall) => Data | Promise<Data>;

/** A namespace whose ops are given by dotted path; `calls` lists what was called. */
export function namespaceOf(
  ops: Readonly<Record<string, FakeOp>>,
  projects: ReadonlyMap<string, string> = new Map(),
): Namespace & { readonly calls: readonly HostCall[] } {
  const calls: HostCall[] = [];
  const byPath = new Map(Object.entries(ops));
  const packs = new Map<string, PackTree | null>();
  for (const path of byPath.keys()) {
    const parts = path.split(".");
    let node = packs as Map<string, PackTree | null>;
    for (const part of parts.slice(0, -1)) {
      if (!node.get(part)) node.set(part, new Map());
      node = node.get(part) as Map<string, PackTree | null>;
    }
    node.set(parts.at(-1) as string, null);
  }
  const call = async (one: HostCall): Promise<Data> => {
    const op = byPath.get(one.path.join("."));
    if (!op && one.path.length === 1) throw new HostError("NameError", `name '${one.path[0]}' is not defined`);
    if (!op) throw new HostError("AttributeError", `pack '${one.path[0]}' has no function '${one.path.at(-1)}'`);
    calls.push(one);
    return op(one);
  };
  return { packs, projects, call, calls };
}

/** A request, and the output it collects. */
export function requestOf(
  code: string,
  namespace: Namespace = namespaceOf({}),
  more: Partial<Limits> & { readonly signal?: AbortSignal } = {},
): RunRequest & { readonly printed: () => string } {
  const { signal, ...limits } = more;
  let printed = "";
  return {
    owner: "test",
    code,
    namespace,
    limits: { ...LIMITS, ...limits },
    ...(signal ? { signal } : {}),
    onPrint: (text) => {
      printed += text;
    },
    printed: () => printed,
  };
}

/** Whether a process is alive. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
