/**
 * Forks the child process of an engine: without environment or standard streams, and certain to have ended once `gone`
 * resolves.
 */

import { type ChildProcess, fork } from "node:child_process";
import { engineProcesses } from "../../metrics/operations.js";

/** Parameters of a child. */
export interface ChildSetup {
  readonly program: string;
  /** Options of node. */
  readonly nodeOptions?: readonly string[];
  onMessage(message: unknown): void;
  /** Called once, when the child has ended and all its messages are read. */
  onGone(): void;
}

/** A running child. */
export interface Child {
  readonly pid: number | undefined;
  readonly gone: Promise<void>;
  /** Returns false if the message cannot be serialised; messages to an ended child are ignored. */
  send(message: object): boolean;
  kill(): void;
}

/** Starts a child; if that fails, it counts as ended at once. */
export function forkChild(setup: ChildSetup): Child {
  const child = fork(setup.program, [], {
    env: {},
    // The child does not inherit options of this process, such as a test runner's loaders or a debugger.
    execArgv: [...(setup.nodeOptions ?? [])],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  child.on("message", (message) => setup.onMessage(message));
  engineProcesses(1);
  const gone = goneOf(child).then(() => {
    engineProcesses(-1);
    setup.onGone();
  });
  return {
    pid: child.pid,
    gone,
    send: (message) => sendTo(child, message),
    kill: () => void child.kill("SIGKILL"),
  };
}

/** Messages may arrive after the exit, so the end is when both the process and its channel are closed. */
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
