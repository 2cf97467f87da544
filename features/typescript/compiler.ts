/**
 * Reads TypeScript programs in a kept process: the compiler takes half a second to load, and types can keep it busy for ever, so it is
 * ended when it is late. It reads one program at a time.
 */

import { type ConcurrencyLimit, concurrencyLimit } from "../../runtime/run/concurrency-limit.js";
import { type Child, startChild } from "../../runtime/run/engine/child-pool.js";
import { IDLE_MS, idleTimer } from "../../runtime/run/engine/idle-timer.js";
import { programPath } from "../../runtime/run/engine/program.js";
import type { CompileAnswer, CompileFinding, CompileRequest } from "./compile.js";

/** From the child: once it is ready, then two for each program. */
export type CompilerMessage =
  | { readonly isReady: true }
  | { readonly answer: CompileAnswer }
  | { readonly findings: readonly CompileFinding[] };

/** What was read of a program. */
export interface ReadSource {
  readonly answer: CompileAnswer;
  /** Absent without an answer in time: the program may run unchecked. */
  readonly findings: readonly CompileFinding[] | undefined;
}

/** Reads programs. */
export interface SourceCompiler {
  /**
   * Reads a program and checks it.
   *
   * @param limits - time of the syntax, and of the check after it, in milliseconds
   * @param caller - callers take turns
   * @returns undefined if the syntax took too long, or the process ended
   * @throws the reason of the signal
   */
  read(
    request: CompileRequest,
    limits: { readonly syntaxMs: number; readonly checkMs: number },
    signal?: AbortSignal,
    caller?: string,
  ): Promise<ReadSource | undefined>;
  /** Starts the process, in the background. */
  warm(): void;
  /** Ends the process; later programs are not read. */
  close(): Promise<void>;
}

/** Time in which the process must have started. */
const START_MS = 60_000;

interface Running {
  readonly child: Child;
  readonly ready: Promise<void>;
  /** Ends the process: the next program gets another. */
  drop(): void;
  /** Takes the messages about the program that is read; without a message: the process has ended. */
  listener: (message: CompilerMessage | undefined) => void;
}

/** Makes a compiler; starts nothing. */
export function sourceCompiler(idleMs = IDLE_MS): SourceCompiler {
  const gate: ConcurrencyLimit = concurrencyLimit(1);
  let running: Promise<Running> | undefined;
  let current: Running | undefined;
  let closed = false;
  const idle = idleTimer(idleMs, () => void end());
  const end = async (): Promise<void> => {
    const own = running;
    running = undefined;
    const one = await own?.catch(() => undefined);
    one?.child.kill();
    await one?.child.gone;
  };
  const start = async (): Promise<Running> => {
    const program = await programPath("compile-child", "../../../features/typescript");
    let tellReady = (): void => undefined;
    const ready = new Promise<void>((resolve) => {
      tellReady = resolve;
    });
    const one: Running = {
      ready,
      listener: () => undefined,
      drop() {
        if (current === one) running = undefined;
        one.child.kill();
      },
      child: startChild({
        program,
        onMessage(message) {
          const told = message as CompilerMessage;
          if ("isReady" in told) tellReady();
          else one.listener(told);
        },
        onGone() {
          if (current === one) running = undefined;
          tellReady();
          one.listener(undefined);
        },
      }),
    };
    current = one;
    return one;
  };
  const open = (): Promise<Running> => {
    running ??= start();
    return running;
  };
  const read: SourceCompiler["read"] = async (request, { syntaxMs, checkMs }, signal, caller) => {
    const work = async (): Promise<ReadSource | undefined> => {
      if (closed) return undefined;
      idle.busy();
      try {
        const one = await open();
        await within(one.ready, START_MS, one.drop);
        return await readOn(one, request, syntaxMs, checkMs);
      } finally {
        idle.idle();
      }
    };
    return gate.pass(work, signal, caller);
  };
  return {
    read,
    warm: () =>
      void (
        closed ||
        open().then(
          () => idle.idle(),
          () => undefined,
        )
      ),
    close: async () => {
      closed = true;
      idle.busy();
      await end();
    },
  };
}

/** Waits for a promise, and acts when it is late. */
async function within(promise: Promise<void>, ms: number, late: () => void): Promise<void> {
  const timer = setTimeout(late, ms);
  await promise.finally(() => clearTimeout(timer));
}

/** One program: its syntax in time or the process is ended, then its check in time, or the process is ended. */
function readOn(
  one: Running,
  request: CompileRequest,
  syntaxMs: number,
  checkMs: number,
): Promise<ReadSource | undefined> {
  return new Promise((resolve) => {
    let answer: CompileAnswer | undefined;
    let timer = setTimeout(one.drop, syntaxMs);
    const settle = (read: ReadSource | undefined): void => {
      clearTimeout(timer);
      one.listener = () => undefined;
      resolve(read);
    };
    one.listener = (message) => {
      if (message && "answer" in message) {
        answer = message.answer;
        clearTimeout(timer);
        timer = setTimeout(() => {
          one.drop();
          settle(answer && { answer, findings: undefined });
        }, checkMs);
      } else if (message && "findings" in message) settle(answer && { answer, findings: message.findings });
      else settle(answer && { answer, findings: undefined });
    };
    one.child.send(request);
  });
}
