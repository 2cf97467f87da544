/**
 * The engine of one gateway, and the type checker beside it: created with the first run, or warmed up in the background
 * before it; closed with the gateway.
 *
 * Processes start as late as possible without delaying a run: when a client has read the list of tools, or with a run.
 * Those that are idle for a minute end; a run that needs one starts it again, and so does a client that reads the list
 * of tools.
 */

import { join } from "node:path";
import type { Limits } from "../../../config/run-settings.js";
import { STATE_DIRECTORY, stateDirectory } from "../../../config/state-directory.js";
import type { PooledEngine } from "../../engine/pooled-engine.js";
import type { TextFault } from "../../fault.js";
import type { Interpreter, InterpreterSettings, Program, ReadBounds, Readings, Scope } from "../language.js";
import type { TypeChecker } from "./engine/type-checker.js";
import type { PythonProgram } from "./program.js";
import { createReader, type Reader } from "./reader.js";
import type { Steps } from "./reading.js";
import { wordsOfScope } from "./scope-words.js";
import type { CodeCheck } from "./type-check.js";

/** What runs code, and what checks its types. */
export interface Engines {
  readonly cpython: PooledEngine;
  readonly checker: TypeChecker;
}

/** The interpreter of Python, whose engines are created on demand. */
export interface LazyEngines extends Interpreter {
  get(): Promise<Engines>;
}

/** Folder below `.onetool` for data that an engine can recreate. */
const CACHE = "cache";

/** Engines of a project; imports and starts nothing. */
export function lazyEngines(root: string, processes: InterpreterSettings = {}): LazyEngines {
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
  const version = async (limits: Limits): Promise<string | undefined> =>
    (await import("./version.js")).pythonVersion((await get()).cpython, limits);
  return {
    get,
    ...readingOf(reader, get),
    engine: "cpython",
    ready: async () => void (await get()),
    run: async (request) => (await get()).cpython.run(request),
    version,
    whyUnchecked: async () => ((await get()).checker.isMissing() ? NOT_INSTALLED : undefined),
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

const NOT_INSTALLED =
  "Error: types are checked with the package @pydantic/monty, which is not installed\nNext: npm install @pydantic/monty";

/** What reads and checks code. */
function readingOf(reader: Reader, get: () => Promise<Engines>): Pick<Interpreter, "read" | "check"> {
  return {
    async read<F extends keyof Readings>(form: F, text: string, scope: Scope, bounds: ReadBounds) {
      const read: Steps["command"] = await reader.read(form, text, wordsOfScope(scope).vocabulary, bounds);
      if (read.kind !== "read") return read as Readings[F] | TextFault;
      return (await import("./program.js")).pythonProgram(read.rewritten, scope.names) as Program as Readings[F];
    },
    async check(program, scope, bounds, limitMs) {
      const { checkVocabulary, stubs } = wordsOfScope(scope);
      const read = await reader.read("checkable", program.source, checkVocabulary(), bounds);
      const [{ checker }, { checkTypes }] = await Promise.all([get(), import("./type-check.js")]);
      if (read.kind === "fault") return [];
      const { rewritten } = program as PythonProgram;
      const check: CodeCheck = (code, before) => checker.check(code, before, limitMs);
      return checkTypes(read.text, rewritten, { ...scope, stubs }, check);
    },
  };
}

/** Whether the processes of a project start from a snapshot that is there; to make one takes some seconds. */
export async function isPythonPrepared(root: string): Promise<boolean> {
  const { hasSnapshot } = await import("./engine/cpython/snapshot.js");
  return hasSnapshot(join(root, STATE_DIRECTORY, CACHE));
}

async function open(root: string, processes: InterpreterSettings): Promise<Engines> {
  const [{ createCPython }, { createTypeChecker }, home] = await Promise.all([
    import("./engine/cpython.js"),
    import("./engine/type-checker.js"),
    // If the folder is not writable, nothing is cached, and code runs all the same.
    stateDirectory(root).catch(() => join(root, STATE_DIRECTORY)),
  ]);
  const cpython = createCPython({ cacheDir: join(home, CACHE), ...processes });
  return { cpython, checker: createTypeChecker() };
}
