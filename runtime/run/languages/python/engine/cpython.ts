/** The CPython engine: pyodide in isolated processes, whose memory is put back after each run. */

import { IDLE_MS } from "../../../engine/idle-timer.js";
import { createPooledEngine, type PooledEngine } from "../../../engine/pooled-engine.js";
import type { ProcessDialect } from "../../../engine/run-session.js";
import { toWire } from "../../../engine/wire.js";
import type { CallFailure, Data } from "../../language.js";
import { builtinException } from "../exceptions.js";
import { preparePython } from "./cpython/snapshot.js";

/** Memory of one process. */
const PROCESS_BYTES = 200_000_000;

/** Options of the engine. */
export interface CPythonOptions {
  /** Folder for the memory snapshot (31 MB), created if missing and private to its owner. */
  readonly cacheDir: string;
  /** Most processes, about 200 MB each; default: 8. Half of the memory bounds them too. */
  readonly instances?: number;
  /** Runs after which a process is replaced; default: 1000. */
  readonly instanceRuns?: number;
  /** Time without a run after which a process ends, in milliseconds; default: a minute. */
  readonly idleMs?: number;
}

/** Creates the engine of CPython; starts nothing. The first process makes the snapshot. */
export const createCPython = ({
  cacheDir,
  instances = 8,
  instanceRuns = 1000,
  idleMs = IDLE_MS,
}: CPythonOptions): PooledEngine =>
  createPooledEngine(
    { prepare: preparePython(cacheDir), processBytes: PROCESS_BYTES, instances, instanceRuns, idleMs },
    PYTHON_DIALECT,
  );

const NO_DETAILS: Data = { $: "dict", entries: [] };

/** The interpreter's native stack overflowed, because the code raised the recursion limit. */
const TOO_DEEP = { kind: "runtime", name: "RecursionError", message: "maximum recursion depth exceeded" } as const;

/** How CPython is told of answers; the exception of an internal error reveals no details. */
export const PYTHON_DIALECT: ProcessDialect = {
  engine: "cpython",
  process: "a Python process",
  tooDeep: TOO_DEEP,
  value: (value) => ({ v: toWire(value) }),
  failure: (failure, path) => ({ e: raised(failure, path) }),
};

/** The exception that a call raises in the guest. */
function raised(failure: CallFailure | undefined, path: readonly string[]): readonly [string, string, object] {
  const exception = builtinException(failure?.exception);
  if (!failure || !exception)
    return ["RuntimeError", `${path.join(".")} failed`, { code: "INTERNAL", details: toWire(NO_DETAILS) }];
  const { code, message, details } = failure;
  return [exception, message, { code, details: toWire(details) }];
}
