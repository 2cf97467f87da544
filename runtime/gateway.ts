/** The gateway over one project: help, exec, batch and run, as every door offers them. */

import { type Batch, createBatch } from "./batch.js";
import type { Principal } from "./contract/handler.js";
import type { DispatchOptions } from "./dispatch/job.js";
import { createDispatch, type Dispatch } from "./dispatch.js";
import { withPythonTools } from "./extensions/python-call.js";
import { createHelp, type Help } from "./help.js";
import { projectPaths } from "./run/run-settings.js";
import { createRunner, type Runner } from "./run/runner.js";
import type { Project, Settings } from "./settings.js";
import type { Host } from "./shipped.js";

/** What a door needs of a project. `dispatch` is exec. */
export interface Gateway
  extends Pick<Dispatch, "dispatch" | "close" | "index">,
    Help,
    Batch,
    Pick<Runner, "run" | "check"> {
  readonly settings: Settings;
  /** Says that a client is there which may call `run`: its engine starts in the background. */
  warm(): void;
}

/** Puts the gateway together. Nothing is opened or imported before a call needs it. */
export function createGateway(given: Project, options: DispatchOptions): Gateway {
  const project = withPythonTools(given, () => ({ dispatch, engines: runner.engines, loader: runner.loader }));
  const { llm, run } = project.settings;
  const host: Host = { projects: projectPaths(project.root, run.projects), llm };
  const dispatch: Dispatch = createDispatch(project, { host, ...options });
  const help = createHelp(project, dispatch.index);
  const clock = options.clock ?? Date.now;
  const { parallelCalls } = project.settings;
  const batch = createBatch({
    dispatch,
    help,
    clock,
    parallelCalls,
    ...(options.traceId ? { traceId: options.traceId } : {}),
  });
  const runner: Runner = createRunner({ project, dispatch, log: options.log, clock });
  const close = async (): Promise<void> => {
    await runner.close();
    await dispatch.close();
  };
  const { run, check, engines } = runner;
  return { ...dispatch, ...help, ...batch, run, check, warm: engines.warm, close, settings: project.settings };
}

/** The caller on stdio and on the command line without a key (`access.md` 2, Principals). */
export function localPrincipal(settings: Pick<Settings, "local" | "allowWrite">): Principal {
  const grant = { level: settings.local, projects: "*" as const };
  return { kind: "local", id: "local", grant, allowWrite: settings.allowWrite };
}
