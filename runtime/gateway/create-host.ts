/** The host interface for shipped packs: what they may use of the running gateway. */

import { AsyncResource } from "node:async_hooks";
import { inTransactionOf } from "../access/admission.js";
import { callerIds, withFormerIds } from "../access/former-keys.js";
import type { Dispatch } from "../call/call.js";
import type { Within } from "../call/services.js";
import type { Project } from "../catalog/project.js";
import { projectPaths } from "../config/run-settings.js";
import type { Settings } from "../config/settings.js";
import type { Host, HostContext, Hosted, HostedCall, ServerState, Statistics } from "../packs/host.js";
import { concurrencyLimit } from "../run/concurrency-limit.js";
import { HostError } from "../run/engine/engine.js";
import { jsonOfValue, valueOfJson } from "../run/json-values.js";
import type { OpenLanguages } from "../run/languages/table.js";
import { createPackProxy } from "../run/pack-proxy.js";
import type { Runner } from "../run/runner.js";
import { callerRuns, standingOf } from "./caller-runs.js";
import type { OpenedProject } from "./project.js";

/** Parts of the gateway. */
export interface HostParts {
  readonly dispatch: Pick<Dispatch, "dispatch" | "index" | "state">;
  readonly runner: Pick<Runner, "loader" | "snippets" | "resume">;
  readonly languages: OpenLanguages;
}

/** Functions of the process that serves the gateway. */
export interface HostSurroundings {
  readonly clock: () => number;
  /** Reloads the configuration; absent if that is not possible. */
  readonly reload: (() => Promise<string>) | undefined;
  /** Definition files changed since the last `generate`. */
  readonly stale: () => readonly string[];
  readonly keys: Host["keys"];
  readonly results: Host["results"];
  /** Absent if no words are learned. */
  readonly ownWords: Host["ownWords"] | undefined;
  /** Absent if nothing is recorded. */
  readonly statistics: Statistics | undefined;
}

/** Creates the host of a gateway. `parts` is a function, since dispatch needs the host itself. */
export function createHost(
  project: OpenedProject,
  parts: () => HostParts,
  { clock, reload, stale, keys, results, ownWords, statistics }: HostSurroundings,
): Host {
  const { settings, root } = project;
  let python: Promise<string> | undefined;
  return {
    project,
    llm: settings.llm,
    projects: projectPaths(root, settings.run.projects),
    now: () => new Date(clock()),
    ...(ownWords ? { ownWords } : {}),
    view: ({ grant }) => parts().dispatch.index.view(grant),
    snippets: (principal) => parts().runner.snippets(principal),
    python: () => {
      python ??= versionOf(project, parts().languages);
      return python;
    },
    servers: () =>
      new Map(
        [...(project.upstreams?.states() ?? [])].map(([name, { state }]): [string, ServerState] => [name, state]),
      ),
    ...(statistics ? { statistics } : {}),
    transaction: async ({ principal, tables }, mode, work) => {
      const state = await parts().dispatch.state();
      await state.ensure(tables);
      return inTransactionOf({ state, keys, principal }, mode, work);
    },
    keys,
    results,
    runs: runsOf(parts, { clock, keys, settings }),
    idsOf: async (principal) => callerIds(await withFormerIds(keys, principal)),
    stale,
    callAll: (calls, ctx) => callAll(project, parts(), calls, ctx),
    reload: reload ?? (async () => "Error: Configuration not reloaded: it is not read from files here"),
  };
}

/** The additional context for handlers of shipped packs in one call. */
export const shippedContext =
  (host: Host) =>
  (within: Within): { readonly host: Host } => ({ host: hostWithin(host, within) });

/** The host for one call: what waits for the state database does so within the deadline of the call. */
function hostWithin(host: Host, within: Within): Host {
  const { keys, results, runs, statistics } = host;
  return {
    ...host,
    transaction: (caller, mode, work) => within(() => host.transaction(caller, mode, work)),
    idsOf: (principal) => within(() => host.idsOf(principal)),
    reload: () => within(() => host.reload()),
    keys: {
      still: (keyId, tx) => within(() => keys.still(keyId, tx)),
      create: (wanted, maker) => within(() => keys.create(wanted, maker)),
      revoke: (keyId, options) => within(() => keys.revoke(keyId, options)),
      list: (options) => within(() => keys.list(options)),
    },
    results: {
      read: (handle, reader) => within(() => results.read(handle, reader)),
      keep: (result) => within(() => results.keep(result)),
    },
    runs: {
      ...runs,
      list: (principal) => within(() => runs.list(principal)),
      standing: (id, principal) => within(() => runs.standing(id, principal)),
    },
    ...(statistics
      ? {
          statistics: {
            ...statistics,
            read: (query) => within(() => statistics.read(query)),
            report: (query) => within(() => statistics.report(query)),
          },
        }
      : {}),
  };
}

/** Runs begin outside of the call that resumes them, whose time limit is not theirs. */
const outside = new AsyncResource("runs");

interface RunsParts extends Pick<HostSurroundings, "clock" | "keys"> {
  readonly settings: Settings;
}

const runsOf = (parts: () => HostParts, { clock, keys, settings }: RunsParts): Host["runs"] => ({
  async list(principal) {
    const callers = callerIds(await withFormerIds(keys, principal));
    const [{ listRuns }, { waitingCalls }] = await Promise.all([
      import("../run/kept/run-table.js"),
      import("../run/kept/waiting-calls.js"),
    ]);
    const state = await parts().dispatch.state();
    const now = clock();
    const runs = await state.transaction("read", (tx) => listRuns(tx, now, callers));
    return { runs, waiting: await waitingCalls(state, now, { callers }) };
  },
  resume: (id, { principal, inherited }, waitMs) =>
    outside.runInAsyncScope(() => parts().runner.resume(id, principal, { ...inherited, waitMs })),
  standing: (id, principal) => {
    const { dispatch } = parts();
    return standingOf(
      callerRuns({ state: () => dispatch.state(), index: dispatch.index, clock, keys, settings }),
      id,
      principal,
    );
  },
});

/** The version of Python. */
async function versionOf({ settings }: Project, languages: OpenLanguages): Promise<string> {
  const { interpreter } = await languages.named("python");
  return (await interpreter.version(settings.run.limits)) ?? "not available";
}

async function callAll(
  { settings }: Project,
  { dispatch, runner, languages }: HostParts,
  calls: readonly HostedCall[],
  ctx: HostContext,
): Promise<readonly Hosted[]> {
  const { packs, hidden, projects, names, listed } = runner.loader.toolsFor(ctx.principal);
  const known = new Set(listed);
  const { texts } = (await languages.usual()).language;
  const { namespace } = createPackProxy({
    dispatch,
    principal: ctx.principal,
    texts,
    packs,
    hidden,
    projects,
    ambiguous: new Map(),
    gate: concurrencyLimit(settings.parallelCalls),
    options: { ...ctx.inherited, failsText: true },
    keyPrefix: ctx.key === undefined ? undefined : `${ctx.key}.`,
    ...(ctx.record ? { record: ctx.record } : {}),
    limitMs: (op) => settings.ops.get(op)?.deadline_ms ?? settings.callTimeoutMs,
  });
  const signal = ctx.signal as AbortSignal;
  const one = async ({ op, args }: HostedCall): Promise<Hosted> => {
    const path = (known.has(op) ? op : (names.aliases.get(op) ?? op)).split(".");
    const named = Object.entries(args).map(([name, value]) => [name, valueOfJson(value)] as const);
    try {
      return { value: jsonOfValue(await namespace.call({ path, positional: [], named, signal }), op) };
    } catch (error) {
      if (error instanceof HostError) return { error: texts.failureText(error.failure) };
      throw error;
    }
  };
  return Promise.all(calls.map(one));
}
