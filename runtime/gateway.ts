/** The gateway over one project: help, exec, batch and run, as every door offers them. */

import { type Batch, createBatch } from "./batch.js";
import type { Logger, Principal } from "./contract/handler.js";
import type { DispatchOptions } from "./dispatch/job.js";
import { createDispatch, type Dispatch } from "./dispatch.js";
import { withPythonTools } from "./extensions/python-call.js";
import { createHelp, type Help } from "./help.js";
import { createHost } from "./host.js";
import { createRunner, type Runner } from "./run/runner.js";
import type { Project, Settings } from "./settings.js";
import type { Host } from "./shipped.js";
import { recorded } from "./stats/recorded.js";
import { createRecorder, type Recorder } from "./stats/recorder.js";

/** What a door needs of a project. `dispatch` is exec. */
export interface Gateway
  extends Pick<Dispatch, "dispatch" | "close" | "index">,
    Help,
    Batch,
    Pick<Runner, "run" | "check"> {
  readonly settings: Settings;
  /** Says that a client is there which may call `run`: its engine starts in the background. */
  warm(): void;
  /** Absent where statistics are switched off. */
  readonly recorder?: Recorder;
}

/** Puts the gateway together. Nothing is opened or imported before a call needs it. */
export function createGateway(given: Project, options: DispatchOptions): Gateway {
  const project = withPythonTools(given, () => ({ dispatch, engines: runner.engines, loader: runner.loader }));
  const clock = options.clock ?? Date.now;
  project.upstreams?.logTo(options.log);
  const host: Host = createHost(project, () => ({ dispatch, runner, recorder }), clock);
  const path: Dispatch = createDispatch(project, { host, ...options });
  const recorder = recorderOf(project, path, options.log, clock);
  const dispatch: Dispatch = recorder ? recorded(path, recorder, clock) : path;
  const help = createHelp(project, dispatch.index);
  const { parallelCalls } = project.settings;
  const batch = createBatch({
    dispatch,
    help,
    clock,
    parallelCalls,
    ...(options.traceId ? { traceId: options.traceId } : {}),
  });
  const runner: Runner = createRunner({
    project,
    dispatch,
    log: options.log,
    clock,
    ...(recorder ? { recorder } : {}),
  });
  const close = async (): Promise<void> => {
    await runner.close();
    await recorder?.close();
    await project.upstreams?.close();
    await dispatch.close();
  };
  const { run, check, engines } = runner;
  const doors = { ...dispatch, ...help, ...batch, run, check, warm: engines.warm };
  return { ...doors, close, settings: project.settings, ...(recorder ? { recorder } : {}) };
}

function recorderOf(
  { settings }: Project,
  { state }: Dispatch,
  log: Logger,
  clock: () => number,
): Recorder | undefined {
  const { enabled, retentionDays } = settings.stats;
  return enabled ? createRecorder({ state, log, clock, retentionDays }) : undefined;
}

/** The caller on stdio and on the command line without a key (`access.md` 2, Principals). */
export function localPrincipal(settings: Pick<Settings, "local" | "allowWrite">): Principal {
  const grant = { level: settings.local, projects: "*" as const };
  return { kind: "local", id: "local", grant, allowWrite: settings.allowWrite };
}
