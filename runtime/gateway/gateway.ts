/** The gateway over one project: help, exec, batch and run, as every transport serves them. */

import { type Keys, openKeys } from "../access/keys.js";
import { LOCAL_ID } from "../access/principal.js";
import { createRates, type Rates } from "../access/rate.js";
import { createSharedRates } from "../access/shared-rate.js";
import { type Batch, createBatch } from "../call/batch/batch.js";
import type { BatchServices } from "../call/batch/entry.js";
import type { Dispatch } from "../call/call.js";
import { joinedHooks } from "../call/call-hook.js";
import { stateLimitMs } from "../call/limit.js";
import { createRecent, type Recent } from "../call/recent-spans.js";
import type { OptionalServices } from "../call/services.js";
import { createHelp, type Help } from "../catalog/help.js";
import type { Settings } from "../config/settings.js";
import { createSeal } from "../connections/sealing.js";
import type { Logger, Principal } from "../contract/handler.js";
import { namedLanguages } from "../contract/program-language.js";
import type { Recorder } from "../contract/recorder.js";
import { createResourcePool, type Lease, type Resource, type ResourcePool } from "../contract/resource-pool.js";
import { createDispatch } from "../dispatch.js";
import type { Host } from "../packs/host.js";
import { type ConcurrencyLimit, concurrencyLimit } from "../run/concurrency-limit.js";
import { resumeInJobs } from "../run/kept/ready-runs.js";
import { CORE_LANGUAGES, type LanguageRows, type OpenLanguages, openLanguages } from "../run/languages/table.js";
import { lazyRunner } from "../run/lazy-runner.js";
import { rowResults } from "../run/result-rows.js";
import { fileResults, newResult, type ResultStore } from "../run/results.js";
import type { Runner } from "../run/runner.js";
import { newBoundary } from "../run/sanitize.js";
import { withinAtMost } from "../state/deadline.js";
import { LOCK_TIMEOUT_MS } from "../state/failure.js";
import { createJobs, type Jobs } from "../state/jobs.js";
import { type LazyState, lazyState, onceOpen, type State } from "../state/open.js";
import { joinReplicas, type Replicas } from "../state/replicas.js";
import { AUDIT, LEDGER, NO_RETENTION, type RetainParts, type Retention, retain } from "../state/retention.js";
import { withAddedHandlers } from "./added-ops.js";
import { type CallerRuns, callerRuns } from "./caller-runs.js";
import { type ConsoleData, type ConsoleParts, createConsoleData } from "./console-data.js";
import { createHost, shippedContext } from "./create-host.js";
import { redactingBatch, redactingDispatch, tellingExternal } from "./external-text.js";
import {
  type AnsweringPath,
  callerNamesOf,
  consoleAnswersOf,
  type FeatureServing,
  type LoadedFeatures,
  mcpOf,
  ownWordsOf,
  recorderOf,
  type ServeContext,
  startFeatures,
  statisticsOf,
  withFeatures,
} from "./features.js";
import type { McpGateway, McpPart } from "./mcp-part.js";
import { tellInJobs } from "./notices.js";
import type { OpenedProject } from "./project.js";
import { projectConnections } from "./project-connections.js";
import { createSharedCalls, type SharedCalls } from "./shared-calls.js";
import { storedProjects } from "./stored-projects.js";

/** What a transport needs of a project. `dispatch` is exec. */
export interface Gateway extends McpGateway, Help, Batch, Pick<Runner, "run" | "resume" | "check" | "types"> {
  /** The key store. */
  readonly keys: Keys;
  /** The rate limits by key, which transports apply. */
  readonly rates: Rates;
  /** Starts the engine of `run` in the background, since a client may call it. */
  warm(): void;
  /** The labels of languages of programs under way that are prepared for their first program. */
  preparing(): Promise<readonly string[]>;
  /** Checks that the state database can be opened, read and written; rejects otherwise. */
  ping(): Promise<void>;
  /**
   * Opens the state database. @throws UsageError for a fault that the user must correct, ToolFailure UNAVAILABLE if it
   * may open later
   */
  openState(): Promise<void>;
  /** The key that seals the request state of clients; the same for all instances over one state database. */
  sealingKey(): Promise<string>;
  /** What servers share; absent in a command, and if the state database belongs to one server. */
  readonly cluster?: Cluster | undefined;
  /** Absent if nothing is recorded. */
  readonly recorder?: Recorder;
  /** Runs of callers that wait for a person. */
  readonly callerRuns: CallerRuns;
  /** Console data. */
  readonly consoleData: ConsoleData;
  /** What a feature answers in MCP; absent if none does. */
  readonly mcp?: McpPart | undefined;
  /** Closes what no other gateway of the process uses. */
  close(): Promise<void>;
}

/** What servers share through their database. */
export interface Cluster {
  readonly state: () => Promise<State>;
  readonly replicas: Replicas;
}

/** Options of a gateway. */
export interface OpGatewayOptions extends Omit<OptionalServices, "forShipped"> {
  readonly log: Logger;
  /** Opens the state database; called at the first call that needs it. */
  readonly openState: () => Promise<State>;
  /** The key store; default: that of the project. */
  readonly keys?: Keys;
  /** The languages of programs; default: those of `run.languages`. */
  readonly languages?: LanguageRows;
  /** Resources shared with the previous and next gateways; default: none. */
  readonly shared?: ResourcePool;
  /** Name of this server among those that share a database; absent in a command. */
  readonly replica?: string | undefined;
  /** Reloads the configuration; absent if that is not possible. */
  readonly reload?: () => Promise<string>;
  /** Definition files changed since the last `generate`; default: none. */
  readonly stale?: () => readonly string[];
  /** What the console takes from the command line; absent in a program. */
  readonly console?: ConsoleParts | undefined;
  /** Default: none. */
  readonly features?: LoadedFeatures;
}

/** Creates the gateway. Nothing is opened or imported before a call needs it. */
export function createOpGateway(given: OpenedProject, options: OpGatewayOptions): Gateway {
  const { log, reload, stale = () => [], shared = createResourcePool() } = options;
  const hold = shared.hold();
  given.upstreams?.logTo(log);
  const { inFlight, expiry, rates, cluster, ...held } = sharedParts(given, options, hold);
  const { state, clock, recorder, recent, languages, keys, results } = held;
  const project = withAddedHandlers(given, () => ({ dispatch, languages, loader: runner.loader }));
  const ownWords = ownWordsOf(held.servings);
  const surroundings = { clock, reload, stale, keys, results, ownWords, statistics: statisticsOf(held.servings) };
  const host: Host = createHost(project, () => ({ dispatch, runner, languages }), surroundings);
  const { projectOf } = storedProjects(state.get, given.objects ?? noObjects);
  const connections = projectConnections(given, held, options);
  const hook = joinedHooks(held.servings.flatMap((one) => one.hook ?? []));
  const services = { state, inFlight, expiry, keys, recent, hook, ownWords, tokens: connections?.tokens };
  const answerSeal = answerSealOf(project.settings);
  const path = createDispatch(project, {
    ...{ projectOf, ...options, ...services, answerSeal, forShipped: shippedContext(host) },
  });
  const bounds = { limitMs: Math.min(LOCK_TIMEOUT_MS, admissionMs(project.settings)) };
  const shown = {
    host,
    upstreams: given.upstreams,
    calls: held.calls,
    state: state.get,
    keys,
    clock,
    console: options.console,
    added: consoleAnswersOf(held.servings),
    callerNames: callerNamesOf(held.servings),
  };
  const consoleData = createConsoleData({ ...shown, ...bounds, reload, log, signIns: connections?.signIns });
  const answered = { dispatch: path, help: createHelp(project, path.index, ownWords) };
  const { dispatch, help }: AnsweringPath = withFeatures(answered, held.servings);
  const outside = outsideOf(dispatch, project.settings, { help, clock, ...traceOf(options) });
  const runner: Runner = lazyRunner({ ...held, project, dispatch, log, answerSeal });
  const { run, resume, check, types, snippets } = runner;
  const endWork = options.replica === undefined ? () => {} : ownWork(given, held, runner, log);
  const close = async (): Promise<void> => {
    endWork();
    await Promise.all(held.servings.map((one) => one.close?.()));
    await given.upstreams?.close();
    await hold.release();
  };
  const database = { ping: async () => (await state.get()).check(), openState: async () => void (await state.open()) };
  const access = { ...database, keys, rates, cluster, sealingKey: sealingKeyOf(state, bounds.limitMs) };
  const waiting = callerRuns({ state: state.get, clock, keys, index: dispatch.index, settings: project.settings });
  const answering = { ...dispatch, ...help, ...outside, run, resume, check, types, snippets, callerRuns: waiting };
  const served = { settings: project.settings, consoleData, mcp: mcpOf(held.servings) };
  const firstLanguage = async () => (await languages.usual()).language;
  const own = { warm: languages.warm, preparing: languages.preparing, firstLanguage, close, log, ...served };
  return { ...own, ...access, ...keeping(results), ...answering, ...(recorder ? { recorder } : {}) };
}

/** Calls and batches as callers outside get them: foreign text is redacted, and the envelope says so. */
function outsideOf(
  dispatch: Dispatch,
  { run, parallelCalls }: Settings,
  parts: Omit<BatchServices, "dispatch" | "parallelCalls">,
): Pick<Gateway, "dispatch" | "batch"> {
  const telling = tellingExternal(dispatch, run.sanitizes);
  const { batch } = createBatch({ ...parts, dispatch: telling, parallelCalls });
  return { dispatch: redactingDispatch(dispatch, run.sanitizes), batch: redactingBatch(batch) };
}

/** Begins what a server does without being asked; the result ends it. */
function ownWork(
  given: OpenedProject,
  held: Pick<SharedParts, "jobs" | "clock">,
  runner: Runner,
  log: Logger,
): () => void {
  const ends = [given.upstreams?.snapshotJobs(held.jobs, log), pausedRuns(given, held, runner)];
  return () => {
    for (const end of ends) end?.();
  };
}

const keeping = (results: ResultStore): Pick<Gateway, "keepResult"> => ({
  keepResult: async (text, tool, { id: caller }, isForeign = false) => {
    const boundary = isForeign ? { boundary: newBoundary([tool]) } : {};
    return (await results.keep(newResult(text, { tool, caller, ...boundary }))).handle;
  },
});

/** Encrypts answers in the ledger, if there are keys for it. */
const answerSealOf = ({ stateKeys = [] }: Settings) => (stateKeys.length === 0 ? undefined : createSeal(stateKeys));

/** Resumes runs, and tells people of those that wait. */
function pausedRuns(
  { root, settings }: OpenedProject,
  { jobs, clock }: Pick<SharedParts, "jobs" | "clock">,
  runner: Runner,
): () => void {
  const ends = [resumeInJobs(jobs, clock, runner), tellInJobs({ jobs, clock, root, settings })];
  return () => {
    for (const end of ends) end();
  };
}

const sealingKeyOf = (state: LazyState, limitMs: number) => async () => {
  const { sealingKey } = await import("../state/sealing-key.js");
  return withinAtMost(limitMs, async () => sealingKey(await state.get()));
};

const noObjects: NonNullable<OpenedProject["objects"]> = async () => [];

const traceOf = ({ traceId }: OpGatewayOptions) => (traceId ? { traceId } : {});

/** Shortest time limit of the checks before a call. */
const LEAST_ADMISSION_MS = 1000;

/** How long the checks before a call may wait for the state database: at most as long as the shortest call. */
const admissionMs = ({ callTimeoutMs, ops }: Settings): number => {
  const deadlines = [...ops.values()].map(({ deadline_ms = Number.POSITIVE_INFINITY }) => deadline_ms);
  return Math.max(LEAST_ADMISSION_MS, stateLimitMs(Math.min(callTimeoutMs, ...deadlines)));
};

interface SharedParts {
  /** Absent if nothing is recorded. */
  readonly recorder: Recorder | undefined;
  readonly servings: readonly FeatureServing[];
  readonly state: LazyState;
  /** Milliseconds since the epoch, by the clock that the servers share. */
  readonly clock: () => number;
  readonly jobs: Jobs;
  readonly inFlight: Map<string, string>;
  readonly expiry: Retention;
  readonly recent: Recent;
  readonly calls: SharedCalls;
  readonly languages: OpenLanguages;
  readonly gate: ConcurrencyLimit;
  readonly keys: Keys;
  readonly results: ResultStore;
  readonly rates: Rates;
  readonly cluster: Cluster | undefined;
}

const closed = <T extends { close(): Promise<void> | void }>(value: T): Resource<T> => ({
  value,
  close: async () => value.close(),
});
const kept = <T>(value: T): Resource<T> => ({ value, close: async () => undefined });

/** What {@link clusterParts} works with. */
interface ClusterSource
  extends Pick<OpGatewayOptions, "log" | "replica">,
    Pick<OpenedProject, "settings" | "version"> {}

/** What servers share through PostgreSQL, and what a server has for itself otherwise. */
function clusterParts(
  { settings, version, log, replica }: ClusterSource,
  {
    hold,
    state,
    recent,
    place,
  }: Pick<SharedParts, "state" | "recent"> & { readonly hold: Lease; readonly place: string },
): Pick<SharedParts, "cluster" | "calls" | "rates"> {
  const clusterOf = (name: string): Resource<Cluster> => {
    const replicas = joinReplicas({ state: state.get, name, version, log });
    return { value: { state: state.get, replicas }, close: replicas.close };
  };
  const isShared = settings.state.url !== "" && replica !== undefined;
  const cluster = isShared ? hold.take(`cluster ${place}`, () => clusterOf(replica)) : undefined;
  const ratesOf = (): Rates => {
    const parts = { rates: settings.rates, clock: () => performance.now(), log };
    return cluster
      ? createSharedRates({ ...parts, state: cluster.state, replicas: cluster.replicas.count })
      : createRates(parts.rates, parts.clock);
  };
  return {
    cluster,
    calls: hold.take(`calls ${place}`, () => closed(createSharedCalls({ recent, cluster, log }))),
    rates: hold.take(`rates ${JSON.stringify(settings.rates)} ${place}`, () => kept(ratesOf())),
  };
}

/** Where large results are kept: rows of a database that servers share, files otherwise. */
function resultsOf(
  { root, settings }: Pick<OpenedProject, "root" | "settings">,
  state: LazyState,
  clock: () => number,
): ResultStore {
  const { resultTtl } = settings.run.output;
  const files = fileResults(root, resultTtl, () => new Date(clock()));
  return settings.state.url === "" ? files : rowResults({ state: state.get, resultTtl, files });
}

const DAY_MS = 86_400_000;

/** The worker of jobs. A server begins when the database is open; a command does no jobs. */
function jobsOf(state: LazyState, { log, replica }: Pick<OpGatewayOptions, "log" | "replica">): Resource<Jobs> {
  const isServer = replica !== undefined;
  const jobs = createJobs({ log });
  const stop = isServer ? onceOpen(state.get, (open) => begin(jobs, open)) : undefined;
  return {
    value: jobs,
    async close() {
      stop?.();
      await jobs.stop();
    },
  };
}

function begin(jobs: Jobs, open: State): () => void {
  jobs.use(open);
  return () => undefined;
}

const NO_FEATURES: LoadedFeatures = { config: { sources: [] }, parts: [], languages: CORE_LANGUAGES };

/** Resources that the gateways of one process share as long as the settings behind them are unchanged. */
function sharedParts(given: OpenedProject, options: OpGatewayOptions, hold: Lease): SharedParts {
  const { root, version, settings, objects = noObjects } = given;
  const { openState, log, replica } = options;
  const { runs, instances, instanceRuns } = settings.run;
  const { retentionDays } = settings.stats;
  const { url } = settings.state;
  const place = JSON.stringify(settings.state);
  const state = hold.take(`state ${place}`, () => closed(lazyState(openState)));
  const clock = options.clock ?? state.now;
  // Keys outlive a reload: they ask the packs of the newest project.
  const newest = hold.take("objects of packs", () => kept({ objects }));
  newest.objects = objects;
  const { exists: projectExists } = storedProjects(state.get, () => newest.objects());
  const jobs = hold.take(`jobs ${place}`, () => jobsOf(state, options));
  const keptMs = retentionDays * DAY_MS;
  const retentionFor = (of: string, tables: RetainParts["tables"], kept: number): Retention =>
    replica === undefined ? NO_RETENTION : retain({ jobs, of, clock, log, keptMs: kept, tables });
  const retention: ServeContext["retention"] = (of, tables) => retentionFor(of, tables, keptMs);
  const limitMs = admissionMs(settings);
  const own = { root, url, state: state.get, projectExists, log, clock, limitMs };
  const keysOf = () =>
    closed(openKeys({ ...own, retention: retention("audit", AUDIT), caches: shared.cluster !== undefined }));
  const recent = hold.take("recent", () => kept(createRecent()));
  const shared = clusterParts({ settings, version, log, replica }, { hold, state, recent, place });
  const serving = { root, launcher: options.console?.launcher, state: state.get, log, clock, retention };
  const { features = NO_FEATURES } = options;
  const servings = startFeatures(features, serving, given, hold);
  const { languages: all } = features;
  const names = settings.run.languages.map(({ name }) => name);
  return {
    state,
    clock,
    ...shared,
    inFlight: hold.take(`in flight ${place}`, () => kept(new Map<string, string>())),
    jobs,
    expiry: hold.take(`ledger ${place}`, () => kept(retentionFor("ledger", LEDGER, 0))),
    servings,
    recorder: recorderOf(servings),
    recent,
    languages: hold.take(`engines ${instances} ${instanceRuns} ${names}`, () =>
      closed(openLanguages(root, { instances, instanceRuns }, options.languages ?? namedLanguages(names, all), all)),
    ),
    results: resultsOf({ root, settings }, state, clock),
    gate: hold.take(`runs ${runs}`, () => kept(concurrencyLimit(runs))),
    keys: options.keys ?? hold.take(`keys ${retentionDays} ${limitMs} ${place}`, keysOf),
  };
}

/** The principal on stdio and on the command line without a key. */
export function localPrincipal(settings: Pick<Settings, "local" | "allowWrite">): Principal {
  const grant = { level: settings.local, projects: "*" as const };
  return { kind: "local", id: LOCAL_ID, grant, allowWrite: settings.allowWrite };
}
