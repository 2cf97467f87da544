/**
 * The engines of one gateway: created with the first run, or warmed up in the background before it; closed with the
 * gateway.
 *
 * Processes start as late as possible without delaying a run: the engine that runs use first (Monty, 60 MB) when a
 * client has read the list of tools, and CPython (200 MB) after the first run, because only then more code is likely,
 * some of which may need CPython. Those that are idle for a minute end; a run that needs one starts it again, and so
 * does a client that reads the list of tools.
 */

import { join } from "node:path";
import type { EngineSetting } from "../config/run-settings.js";
import { STATE_DIRECTORY, stateDirectory } from "../config/state-directory.js";
import type { CPython, CPythonOptions } from "./engine/cpython.js";
import type { RunRequest } from "./engine/engine.js";
import type { MontyEngine } from "./engine/monty.js";
import type { Router } from "./engine/router.js";
import { createReader, type Reader } from "./reader.js";

/** Running engines. */
export interface Engines {
  readonly monty: MontyEngine;
  readonly cpython: CPython;
  readonly router: Router;
}

/** Engines that are created on demand. */
export interface LazyEngines {
  get(): Promise<Engines>;
  /** Parses code before it runs. */
  readonly reader: Reader;
  /** Announces runs: starts the processes that they need, in the background; never fails. */
  warm(): void;
  /** Ends running code; later runs fail. */
  close(): Promise<void>;
}

/** How many Python processes there may be, and for how many runs. */
type ProcessSettings = Pick<CPythonOptions, "instances" | "instanceRuns">;

/** Folder below `.onetool` for data that an engine can recreate. */
const CACHE = "cache";

/** Engines of a project; imports and starts nothing. */
export function lazyEngines(root: string, setting: EngineSetting, processes: ProcessSettings = {}): LazyEngines {
  let opening: Promise<Engines> | undefined;
  let expected = false;
  let closed = false;
  const reader = createReader();
  const second = inBackground(async () => (await opening)?.cpython.warm());
  let hasSecond = false;
  const afterRun = (): void => {
    if (!expected || setting !== "auto" || hasSecond) return;
    hasSecond = true;
    second();
  };
  const get = (): Promise<Engines> => {
    if (closed && !opening) return Promise.reject(new Error("the engines are closed"));
    opening ??= open(root, setting, afterRun, processes).catch((error: unknown) => {
      // The next run tries again.
      opening = undefined;
      throw error;
    });
    return opening;
  };
  const first = inBackground(async () => {
    if (closed) return;
    const { monty, cpython } = await get();
    await (setting === "cpython" ? cpython : monty).warm();
  });
  return {
    get,
    reader,
    warm: () => {
      expected = true;
      first();
    },
    close: async () => {
      closed = true;
      const open = await opening?.catch(() => undefined);
      await Promise.all([open?.monty.dispose(), open?.cpython.dispose(), reader.close()]);
    },
  };
}

/**
 * Makes a function that runs a step in the background, after pending work such as sending an answer, unless it is under
 * way; a failure shows in the run that needs the step.
 */
function inBackground(step: () => Promise<unknown>): () => void {
  let isUnderWay = false;
  const run = async (): Promise<void> => {
    await step().catch(() => undefined);
    isUnderWay = false;
  };
  return () => {
    if (isUnderWay) return;
    isUnderWay = true;
    setImmediate(() => void run());
  };
}

async function open(
  root: string,
  setting: EngineSetting,
  afterRun: () => void,
  processes: ProcessSettings,
): Promise<Engines> {
  const [{ createMonty }, { createCPython }, { createRouter }, home] = await Promise.all([
    import("./engine/monty.js"),
    import("./engine/cpython.js"),
    import("./engine/router.js"),
    // If the folder is not writable, nothing is cached, and code runs all the same.
    stateDirectory(root).catch(() => join(root, STATE_DIRECTORY)),
  ]);
  const monty = createMonty();
  const cpython = createCPython({ cacheDir: join(home, CACHE), ...processes });
  // If the parser fails, the run decides.
  const fault = (request: RunRequest) => cpython.confirmSyntax(request).catch(() => undefined);
  const { choose, run } = createRouter({ monty, cpython, setting, fault });
  const router: Router = { choose, run: (request, facts) => run(request, facts).finally(afterRun) };
  return { monty, cpython, router };
}
