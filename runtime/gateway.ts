/** The gateway over one project: help, exec, batch and run, as every door offers them. */

import { type Keys, openKeys } from "./access/keys.js";
import { createRates, type Rates } from "./access/rate.js";
import { storedProjects } from "./access/stored-projects.js";
import { type Batch, createBatch } from "./batch.js";
import { createSights, type Sights } from "./console/sights.js";
import type { Logger, Principal } from "./contract/handler.js";
import type { DispatchOptions } from "./dispatch/job.js";
import { createDispatch, type Dispatch } from "./dispatch.js";
import { withPythonTools } from "./extensions/python-call.js";
import { createHelp, type Help } from "./help.js";
import { createHost } from "./host.js";
import { createRecent, type Recent } from "./observe/recent.js";
import { type LazyEngines, lazyEngines } from "./run/engines.js";
import { type Gate, gateOf } from "./run/gate.js";
import { createRunner, type Runner } from "./run/runner.js";
import type { Project, Settings } from "./settings.js";
import { createShared, type Hold, type Kept, type Shared } from "./shared.js";
import type { Host } from "./shipped.js";
import { withinAtMost } from "./state/deadline.js";
import { LOCK_TIMEOUT_MS } from "./state/failure.js";
import { type LazyState, lazyState } from "./state/lazy.js";
import type { State } from "./state/open.js";
import { recorded } from "./stats/recorded.js";
import { createRecorder, type Recorder } from "./stats/recorder.js";

/** What a door needs of a project. `dispatch` is exec. */
export interface Gateway
  extends Pick<Dispatch, "dispatch" | "index">,
    Help,
    Batch,
    Pick<Runner, "run" | "check" | "snippets"> {
  readonly settings: Settings;
  readonly log: Logger;
  /** The store of keys. */
  readonly keys: Keys;
  /** What each key may still call; doors take from it. */
  readonly rates: Rates;
  /** Says that a client is there which may call `run`: its engine starts in the background. */
  warm(): void;
  /** Opens the state database if need be, and stores something for a moment; rejects where that cannot be done. */
  ping(): Promise<void>;
  /** Opens the state database. @throws UsageError where a person has to act, ToolFailure UNAVAILABLE where it may open later */
  openState(): Promise<void>;
  /** What is sealed with that clients carry from one request to the next; the same for all instances over one state database. */
  sealingKey(): Promise<string>;
  /** Absent where statistics are switched off. */
  readonly recorder?: Recorder | undefined;
  /** What people see of it in the console. */
  readonly sights: Sights;
  /** Ends what no other gateway of the process uses. */
  close(): Promise<void>;
}

/** What a gateway is made with. */
export interface GatewayOptions extends Omit<DispatchOptions, "state" | "inFlight" | "host" | "keys"> {
  /** Opens the state database; called at the first call that needs it. */
  readonly openState: () => Promise<State>;
  /** The store of keys; default: that of the project. */
  readonly keys?: Keys;
  /** What it shares with the gateways before and after it; default: nothing. */
  readonly shared?: Shared;
  /** Loads everything again; absent where nothing can be. */
  readonly reload?: () => Promise<string>;
  /** Definition files that changed since the last `generate`; default: none. */
  readonly stale?: () => readonly string[];
}

/** Puts the gateway together. Nothing is opened or imported before a call needs it. */
export function createGateway(given: Project, options: GatewayOptions): Gateway {
  const { log, clock = Date.now, reload, stale = () => [], shared = createShared() } = options;
  const hold = shared.hold();
  given.upstreams?.logTo(log);
  const { state, inFlight, recorder, recent, engines, gate, keys, rates } = sharedParts(given, options, hold);
  const project = withPythonTools(given, () => ({ dispatch, engines, loader: runner.loader }));
  const surroundings = { clock, reload, stale, keys };
  const host: Host = createHost(project, () => ({ dispatch, runner, engines, recorder }), surroundings);
  const { projectOf } = storedProjects(state.get);
  const path = createDispatch(project, { projectOf, ...options, host, state, inFlight, keys, recent });
  const bounds = { limitMs: admissionMs(project.settings) };
  const sights = createSights({ host, upstreams: project.upstreams, recent, state: state.get, keys, clock, ...bounds });
  const dispatch: Dispatch = recorder ? recorded(path, recorder, clock) : path;
  const help = createHelp(project, dispatch.index);
  const { parallelCalls } = project.settings;
  const batch = createBatch({ dispatch, help, clock, parallelCalls, ...traceOf(options) });
  const recording = recorder ? { recorder } : {};
  const runner: Runner = createRunner({ project, dispatch, keys, clock, engines, gate, ...recording });
  const { run, check, snippets } = runner;
  const ping = async () => (await state.get()).check();
  const openState = async () => void (await state.open());
  const close = async (): Promise<void> => {
    await project.upstreams?.close();
    await hold.release();
  };
  const sealingKey = async () => {
    const { sealingKey: keyOf } = await import("./state/sealing-key.js");
    return withinAtMost(bounds.limitMs, async () => keyOf(await state.get()));
  };
  const access = { keys, rates, sealingKey };
  const doors = {
    ping,
    openState,
    ...access,
    ...dispatch,
    ...help,
    ...batch,
    run,
    check,
    snippets,
    warm: engines.warm,
    close,
  };
  return { ...doors, settings: project.settings, log, sights, ...recording };
}

const traceOf = ({ traceId }: GatewayOptions) => (traceId ? { traceId } : {});

/** What every call is granted beyond its own time, so that no question before it needs to be quicker. */
const LEAST_ADMISSION_MS = 1000;

/** How long what comes before a call may wait for the state database: no longer than the shortest call. */
const admissionMs = ({ callTimeoutMs, ops }: Settings): number => {
  const deadlines = [...ops.values()].map(({ deadline_ms = Number.POSITIVE_INFINITY }) => deadline_ms);
  return Math.max(LEAST_ADMISSION_MS, Math.min(LOCK_TIMEOUT_MS, callTimeoutMs, ...deadlines));
};

interface SharedParts {
  readonly state: LazyState;
  readonly inFlight: Map<string, string>;
  readonly recorder: Recorder | undefined;
  readonly recent: Recent;
  readonly engines: LazyEngines;
  readonly gate: Gate;
  readonly keys: Keys;
  readonly rates: Rates;
}

/** What gateways of one process have in common as long as the settings behind it stay the same. */
function sharedParts({ root, settings }: Project, options: GatewayOptions, hold: Hold): SharedParts {
  const { openState, log, clock = Date.now } = options;
  const { engine, runs } = settings.run;
  const { enabled, retentionDays } = settings.stats;
  const { burst, perSecond } = settings.rates;
  const closed = <T extends { close(): Promise<void> }>(value: T): Kept<T> => ({ value, close: () => value.close() });
  const kept = <T>(value: T): Kept<T> => ({ value, close: async () => undefined });
  const state = hold.take(`state ${settings.state}`, () => closed(lazyState(openState)));
  const { exists: projectExists } = storedProjects(state.get);
  const recorderOf = () => closed(createRecorder({ state: state.get, log, clock, retentionDays }));
  const limitMs = admissionMs(settings);
  const keysOf = () =>
    closed(
      openKeys({ root, url: settings.state, state: state.get, projectExists, log, clock, retentionDays, limitMs }),
    );
  return {
    state,
    inFlight: hold.take(`in flight ${settings.state}`, () => kept(new Map<string, string>())),
    recorder: enabled ? hold.take(`recorder ${retentionDays} ${settings.state}`, recorderOf) : undefined,
    recent: hold.take("recent", () => kept(createRecent())),
    engines: hold.take(`engines ${engine}`, () => closed(lazyEngines(root, engine))),
    gate: hold.take(`runs ${runs}`, () => kept(gateOf(runs))),
    keys: options.keys ?? hold.take(`keys ${retentionDays} ${limitMs} ${settings.state}`, keysOf),
    rates: hold.take(`rates ${burst} ${perSecond}`, () => kept(createRates(settings.rates, () => performance.now()))),
  };
}

/** The caller on stdio and on the command line without a key. */
export function localPrincipal(settings: Pick<Settings, "local" | "allowWrite">): Principal {
  const grant = { level: settings.local, projects: "*" as const };
  return { kind: "local", id: "local", grant, allowWrite: settings.allowWrite };
}
