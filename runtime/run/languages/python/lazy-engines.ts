/**
 * The engine of one gateway, and the type checker beside it: created with the first run, or warmed up in the background
 * before it; closed with the gateway.
 *
 * Processes start as late as possible without delaying a run: when a client has read the list of tools, or with a run.
 * Those that are idle for a minute end; a run that needs one starts it again, and so does a client that reads the list
 * of tools.
 */

import { join } from "node:path";
import { STATE_DIRECTORY, stateDirectory } from "../../../config/state-directory.js";
import type { CPython, CPythonOptions } from "./engine/cpython.js";
import type { TypeChecker } from "./engine/type-checker.js";
import { createReader, type Reader } from "./reader.js";

/** What runs code, and what checks its types. */
export interface Engines {
  readonly cpython: CPython;
  readonly checker: TypeChecker;
}

/** Engines that are created on demand. */
export interface LazyEngines {
  get(): Promise<Engines>;
  /** Parses code before it runs. */
  readonly reader: Reader;
  /** Announces runs: starts the process that they need, in the background; never fails. */
  warm(): void;
  /** Ends running code; later runs fail. */
  close(): Promise<void>;
}

/** How many Python processes there may be, and for how many runs. */
type ProcessSettings = Pick<CPythonOptions, "instances" | "instanceRuns">;

/** Folder below `.onetool` for data that an engine can recreate. */
const CACHE = "cache";

/** Engines of a project; imports and starts nothing. */
export function lazyEngines(root: string, processes: ProcessSettings = {}): LazyEngines {
  let opening: Promise<Engines> | undefined;
  let closed = false;
  let isWarming = false;
  const reader = createReader();
  const get = (): Promise<Engines> => {
    if (closed && !opening) return Promise.reject(new Error("the engines are closed"));
    opening ??= open(root, processes).catch((error: unknown) => {
      // The next run tries again.
      opening = undefined;
      throw error;
    });
    return opening;
  };
  const warm = async (): Promise<void> => {
    // A failure shows in the run that needs the process.
    if (!closed)
      await get()
        .then(({ cpython }) => cpython.warm())
        .catch(() => undefined);
    isWarming = false;
  };
  return {
    get,
    reader,
    warm: () => {
      if (isWarming) return;
      isWarming = true;
      // After pending work, such as sending an answer.
      setImmediate(() => void warm());
    },
    close: async () => {
      closed = true;
      const open = await opening?.catch(() => undefined);
      await Promise.all([open?.cpython.dispose(), open?.checker.close(), reader.close()]);
    },
  };
}

async function open(root: string, processes: ProcessSettings): Promise<Engines> {
  const [{ createCPython }, { createTypeChecker }, home] = await Promise.all([
    import("./engine/cpython.js"),
    import("./engine/type-checker.js"),
    // If the folder is not writable, nothing is cached, and code runs all the same.
    stateDirectory(root).catch(() => join(root, STATE_DIRECTORY)),
  ]);
  const cpython = createCPython({ cacheDir: join(home, CACHE), ...processes });
  return { cpython, checker: createTypeChecker() };
}
