/** The CPython engine: pyodide in isolated processes, one for each run. */

import * as say from "./cpython/messages.js";
import { createPool } from "./cpython/pool.js";
import type { PythonProcess } from "./cpython/process.js";
import { endedEarly, runOn } from "./cpython/session.js";
import type { CodeDiagnostic, Engine, RunOutcome, RunRequest } from "./engine.js";
import { IDLE_MS, idleTimer } from "./idle-timer.js";

/** Options of the engine. */
export interface CPythonOptions {
  /** Folder for the memory snapshot (31 MB), created if missing and private to its owner. */
  readonly cacheDir: string;
  /** Idle processes ready for a run, about 200 MB each; default: 1. They start with `warm` or the first run. */
  readonly waiting?: number;
  /** Time without a run after which idle processes end, in milliseconds; default: a minute. */
  readonly idleMs?: number;
}

/** The CPython engine. */
export interface CPython extends Engine {
  readonly id: "cpython";
  /** Makes the snapshot and starts the idle processes, in the background. */
  warm(): Promise<void>;
  /** The error that CPython's own parser reports for code, without running it; `undefined` if it compiles. */
  confirmSyntax(code: string): Promise<CodeDiagnostic | undefined>;
}

const CHECK_MS = 10_000;

/** Creates the engine; starts nothing. */
export function createCPython({ cacheDir, waiting = 1, idleMs = IDLE_MS }: CPythonOptions): CPython {
  const pool = createPool(cacheDir, waiting, idleMs);
  const checker = createChecker(() => pool.take(), idleMs);
  return {
    id: "cpython",
    supports: () => true,
    warm: () => pool.warm(),
    run: (request) => run(() => pool.take(), request),
    confirmSyntax: (code) => checker(code),
    dispose: () => pool.dispose(),
  };
}

async function run(take: () => Promise<PythonProcess>, request: RunRequest): Promise<RunOutcome> {
  const started = performance.now();
  const { signal, limits } = request;
  if (signal?.aborted) return endedEarly(say.CANCELLED, started);
  const taking = take();
  const child = await beforeItStarts(taking, request);
  if ("kind" in child) {
    // The process is too late for this run.
    taking.then(
      (late) => late.kill(),
      () => {},
    );
    return endedEarly(child, started);
  }
  if (performance.now() - started < limits.wallMs) return runOn(child, request, started);
  child.kill();
  return endedEarly(say.wallUsed(limits), started);
}

/** The process, or why the run ends before one is ready. */
function beforeItStarts(
  taking: Promise<PythonProcess>,
  { signal, limits }: RunRequest,
): Promise<PythonProcess | say.Failure> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => settle(say.wallUsed(limits)), limits.wallMs);
    const cancel = () => settle(say.CANCELLED);
    const settle = (end: PythonProcess | say.Failure) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
      resolve(end);
    };
    signal?.addEventListener("abort", cancel);
    taking.then(settle, () => settle(say.CRASHED));
  });
}

/** One process that only parses; it starts with a request and stays until it is idle; requests wait for each other. */
function createChecker(
  take: () => Promise<PythonProcess>,
  idleMs: number,
): (code: string) => Promise<CodeDiagnostic | undefined> {
  let resident: Promise<PythonProcess> | undefined;
  const end = (): void => {
    void resident?.then((child) => child.kill()).catch(() => {});
    resident = undefined;
  };
  const idle = idleTimer(idleMs, end);
  let queue: Promise<unknown> = Promise.resolve();
  const check = async (code: string) => {
    idle.busy();
    resident ??= take();
    try {
      return await ask(await resident, code);
    } catch (error) {
      end();
      throw error;
    } finally {
      idle.idle();
    }
  };
  return (code) => {
    const answer = queue.then(() => check(code));
    queue = answer.catch(() => {});
    return answer;
  };
}

function ask(child: PythonProcess, code: string): Promise<CodeDiagnostic | undefined> {
  return new Promise((resolve, reject) => {
    child.hold(true);
    const timer = setTimeout(() => child.kill(), CHECK_MS);
    const settle = (step: () => void) => {
      clearTimeout(timer);
      child.hold(false);
      child.listen({ frame() {}, exit() {} });
      step();
    };
    child.listen({
      frame: (body) =>
        settle(() => resolve(diagnosticOf(JSON.parse(body.subarray(body.indexOf("\n")).toString("utf8"))))),
      exit: () => settle(() => reject(new Error("the interpreter stopped while it read the code"))),
    });
    child.send({ t: "check", code });
  });
}

function diagnosticOf(body: { message?: string; line?: number; column?: number }): CodeDiagnostic | undefined {
  const { message, line, column } = body;
  return message === undefined ? undefined : { rule: "syntax", line: line ?? 1, column: column ?? 1, message };
}
