/**
 * Checks the types of Python against stubs, in one process that starts with the first check. The checker is the one of
 * `@pydantic/monty`, an optional package: without it no code has findings.
 */

import { type Child, startChild } from "../../../engine/child-pool.js";
import { IDLE_MS, idleTimer } from "../../../engine/idle-timer.js";
import { programPath } from "../../../engine/program.js";

/** A finding of the type check. */
export interface CodeDiagnostic {
  /** The checker's name for the rule: `unresolved-attribute`. */
  readonly rule: string;
  /** In the checked code, from 1. */
  readonly line: number;
  readonly column: number;
  /** Message of the checker, which uses the class names of the stubs. */
  readonly message: string;
}

/** To the child. */
export interface CodeToCheck {
  readonly id: number;
  readonly code: string;
  readonly stubs: string;
}

/** From the child. */
export interface CheckedCode {
  readonly id: number;
  /** Absent if the package is not installed. */
  readonly found: readonly CodeDiagnostic[] | undefined;
}

/** Checks the types of code. */
export interface TypeChecker {
  /**
   * Checks code.
   *
   * @param stubs - Python in front of the code, whose own findings are dropped
   * @param limitMs - time after which the process is killed; default: 3 s
   * @returns findings by line; undefined without an answer in time, and without the package
   *
   * @example
   * await checker.check("demo.search(query=5)", stubs); // [{ rule: "invalid-argument-type", line: 1, … }]
   */
  check(code: string, stubs: string, limitMs?: number): Promise<readonly CodeDiagnostic[] | undefined>;
  /** Whether a check has found that the package is not installed. */
  isMissing(): boolean;
  /** Id of its process; undefined while none runs. */
  pid(): number | undefined;
  /** Ends the process; later checks have no answer. */
  close(): Promise<void>;
}

/** Options of a type checker. */
export interface TypeCheckerOptions {
  /** Time after which an idle process ends, in milliseconds; default: a minute. */
  readonly idleMs?: number;
  /** Path of the program of the process; default: the one of this package. */
  readonly program?: string;
}

/** Time limit of a check beside a run, whose answer waits for it. */
const CHECK_MS = 3000;

/** Makes a type checker; starts nothing. */
export function createTypeChecker({ idleMs = IDLE_MS, program }: TypeCheckerOptions = {}): TypeChecker {
  const waiting = new Map<number, (found: readonly CodeDiagnostic[] | undefined) => void>();
  let child: Child | undefined;
  let last = 0;
  let [closed, isMissing] = [false, false];
  let rested: Promise<void> | undefined;
  const idle = idleTimer(idleMs, () => {
    child?.kill();
    rested = child?.gone;
    child = undefined;
  });
  const lost = (): void => {
    child = undefined;
    for (const resolve of waiting.values()) resolve(undefined);
  };
  const onMessage = (message: unknown): void => {
    const { id, found } = message as CheckedCode;
    isMissing ||= found === undefined;
    waiting.get(id)?.(found);
  };
  const check: TypeChecker["check"] = async (code, stubs, limitMs = CHECK_MS) => {
    const path = program ?? (await programPath("type-checker-child", "../languages/python/engine"));
    if (closed || isMissing) return undefined;
    idle.busy();
    const own = child ?? startChild({ program: path, onMessage, onGone: () => void (child === own && lost()) });
    child = own;
    const { kill, send } = own;
    const id = ++last;
    return new Promise((resolve) => {
      const timer = setTimeout(kill, limitMs);
      waiting.set(id, (found) => {
        clearTimeout(timer);
        waiting.delete(id);
        if (waiting.size === 0) idle.idle();
        resolve(found);
      });
      send({ id, code, stubs } satisfies CodeToCheck);
    });
  };
  const close = async (): Promise<void> => {
    closed = true;
    idle.busy();
    child?.kill();
    await Promise.all([child?.gone, rested]);
  };
  return { check, isMissing: () => isMissing, pid: () => child?.pid, close };
}
