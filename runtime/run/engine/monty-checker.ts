/**
 * Runs type checks in a child process of their own: hostile code may keep the checker busy, and must not delay runs.
 */

import { type Child, forkChild } from "./child-pool.js";
import type { CodeDiagnostic } from "./engine.js";
import type { FromChild } from "./monty-wire.js";
import { programPath } from "./program.js";

/** Time limit of a check; after it, the check has no findings. */
const CHECK_MS = 3000;

/** Checks code against stubs. */
export interface Checker {
  check(code: string, stubs: string): Promise<readonly CodeDiagnostic[]>;
  pid(): number | undefined;
  close(): Promise<void>;
}

/** A checker whose child starts with the first check. */
export function montyChecker(): Checker {
  const waiting = new Map<number, (found: readonly CodeDiagnostic[]) => void>();
  let child: Child | undefined;
  let last = 0;
  let closed = false;
  const onGone = (): void => {
    child = undefined;
    for (const resolve of waiting.values()) resolve([]);
    waiting.clear();
  };
  const onMessage = (message: unknown): void => {
    const report = message as FromChild;
    if (report.kind === "checked") waiting.get(report.id)?.(report.found);
  };
  const check = async (code: string, stubs: string): Promise<readonly CodeDiagnostic[]> => {
    const program = await programPath("monty-child");
    if (closed) return [];
    child ??= forkChild({ program, onMessage, onGone });
    const { kill, send } = child;
    const id = ++last;
    return new Promise((resolve) => {
      const timer = setTimeout(kill, CHECK_MS);
      waiting.set(id, (found) => {
        clearTimeout(timer);
        waiting.delete(id);
        resolve(found);
      });
      send({ kind: "check", id, code, stubs });
    });
  };
  const close = async (): Promise<void> => {
    closed = true;
    child?.kill();
    await child?.gone;
  };
  return { check, pid: () => child?.pid, close };
}
