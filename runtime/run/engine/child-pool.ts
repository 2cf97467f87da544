/** A forked child that an engine talks to: no environment, no standard streams, and gone for certain once `gone` resolves. */

import { type ChildProcess, fork } from "node:child_process";

/** What a child is started with. */
export interface ChildSetup {
  readonly program: string;
  /** Options of node itself. */
  readonly nodeOptions?: readonly string[];
  onMessage(message: unknown): void;
  /** Once, when the child is gone and every message of it was read. */
  onGone(): void;
}

/** A running child. */
export interface Child {
  readonly pid: number | undefined;
  readonly gone: Promise<void>;
  /** False where the message cannot cross; a child that is gone swallows it. */
  send(message: object): boolean;
  kill(): void;
}

/** Starts a child; where that fails it is gone at once. */
export function forkChild(setup: ChildSetup): Child {
  const child = fork(setup.program, [], {
    env: {},
    // None of this process's own options: a test runner's loaders, a debugger.
    execArgv: [...(setup.nodeOptions ?? [])],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  child.on("message", (message) => setup.onMessage(message));
  const gone = goneOf(child).then(() => setup.onGone());
  return {
    pid: child.pid,
    gone,
    send: (message) => sendTo(child, message),
    kill: () => void child.kill("SIGKILL"),
  };
}

/** Messages may still be read after the exit: the end is when both the process and its channel are closed. */
function goneOf(child: ChildProcess): Promise<unknown> {
  const exit = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.on("error", () => child.pid === undefined && resolve());
  });
  const closed = new Promise<void>((resolve) => {
    if (child.connected) child.once("disconnect", () => resolve());
    else resolve();
  });
  return Promise.all([exit, closed]);
}

function sendTo(child: ChildProcess, message: object): boolean {
  if (!child.connected) return true;
  try {
    child.send(message, () => undefined);
    return true;
  } catch {
    return !child.connected;
  }
}
