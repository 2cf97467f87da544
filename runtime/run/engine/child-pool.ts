/**
 * Starts the child process of an engine: without environment or standard streams, and certain to have ended once `gone`
 * resolves.
 */

import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { engineProcesses } from "../../metrics/operations.js";
import { decodeMessage, messageFrame } from "./child-messages.js";
import { frameReader } from "./frames.js";

/** Parameters of a child. */
export interface ChildSetup {
  readonly program: string;
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

/** Most memory for the objects of a child: what is read may be made to need more, and ends the child. */
const HEAP_MB = 512;

/** Starts a child; if that fails, it counts as ended at once. */
export function startChild(setup: ChildSetup): Child {
  // The child does not inherit options of this process, such as a test runner's loaders or a debugger.
  const child = spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, setup.program], {
    env: {},
    stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    windowsHide: true,
  });
  // Without file descriptors that are left there are no pipes.
  const [input, output] = [child.stdio?.[3] as Writable | undefined, child.stdio?.[4] as Readable | undefined];
  const kill = (): void => void child.kill("SIGKILL");
  input?.on("error", () => undefined);
  output?.on("error", () => undefined);
  output?.on("data", frameReader({ frame: take(setup, kill) }));
  engineProcesses(1);
  const gone = goneOf(child, output).then(() => {
    engineProcesses(-1);
    input?.destroy();
    setup.onGone();
  });
  return { pid: child.pid, gone, send: (message) => sendTo(input, message), kill };
}

/** Passes messages on. A child that sends anything else is killed, and not heard any more. */
function take({ onMessage }: ChildSetup, kill: () => void): (body: Buffer) => void {
  let isForged = false;
  const messageIn = (body: Buffer): unknown => {
    try {
      return decodeMessage(body);
    } catch {
      isForged = true;
      return undefined;
    }
  };
  return (body) => {
    const message = isForged ? undefined : messageIn(body);
    if (isForged) kill();
    else onMessage(message);
  };
}

/** Messages may arrive after the exit, so the end is when the process has ended and all that it sent is read. */
function goneOf(child: ChildProcess, output: Readable | undefined): Promise<unknown> {
  const exit = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.on("error", () => child.pid === undefined && resolve());
  });
  const closed = new Promise<void>((resolve) => {
    if (output && !output.destroyed) output.once("close", () => resolve());
    else resolve();
  });
  return Promise.all([exit, closed]);
}

function sendTo(input: Writable | undefined, message: object): boolean {
  if (!input?.writable) return true;
  let frame: Buffer;
  try {
    frame = messageFrame(message);
  } catch {
    return false;
  }
  input.write(frame);
  return true;
}
