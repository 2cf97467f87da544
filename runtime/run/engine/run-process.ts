/** Starts a process that runs programs, and frames the messages on its pipe. */

import { type ChildProcess, spawn } from "node:child_process";
import type { Duplex } from "node:stream";
import { permissionFlags } from "../../contract/permission-flags.js";
import { engineProcesses } from "../../metrics/operations.js";
import { frameReader, headOf } from "./frames.js";

/** What is started, and what it may read. */
export interface ProcessSetup {
  /** The child program, as JavaScript in one file. */
  readonly program: string;
  readonly args: readonly string[];
  /** The folder in which it runs. */
  readonly cwd: string;
  /** Absolute paths of files, and of folders, which end with a slash. */
  readonly readable: readonly string[];
  /** Sent before all messages. */
  readonly first?: Uint8Array | undefined;
}

/**
 * Who speaks in a frame, by its first byte: `g`, the guest, which may say anything; `d`, the child program, of the end of a
 * run; `r`, the child program, of itself. The guest cannot send the last two.
 */
export type FrameKind = "g" | "d" | "r";

/** Callbacks of a process. */
export interface ProcessListener {
  /** Longest frame in bytes; a longer one is an attack, and ends the process. */
  readonly longest?: number;
  frame(body: Buffer, kind: FrameKind): void;
  exit(): void;
}

/** A running process. */
export interface RunProcess {
  readonly pid: number;
  send(message: unknown): void;
  /** Bytes that were sent and not read yet. */
  unread(): number;
  /** Sets the listener; frames without a listener are dropped, and an earlier exit is reported at once. */
  listen(listener: ProcessListener): void;
  /** Whether it keeps the host process alive. */
  hold(on: boolean): void;
  kill(): void;
  readonly ended: Promise<void>;
}

/** Longest frame by default; a memory snapshot has 31 MB. */
const MAX_FRAME_BYTES = 256 * 1024 * 1024;
const DEAF: ProcessListener = { frame() {}, exit() {} };

/** Starts a process without environment, which may read only its parts. Its output is discarded. */
export function startProcess({ program, args, cwd, readable, first }: ProcessSetup): RunProcess {
  const flags = [
    ...permissionFlags([program, ...readable]),
    "--allow-worker",
    "--no-warnings",
    "--disallow-code-generation-from-strings",
  ];
  const child = spawn(process.execPath, [...flags, program, ...args], {
    env: { TZ: "UTC" },
    cwd,
    stdio: ["ignore", "ignore", "ignore", "pipe"],
    windowsHide: true,
  });
  const pipe = child.stdio[3] as Duplex;
  if (first) for (const part of [headOf(first.length), first]) pipe.write(part);
  return attach(child, pipe);
}

function attach(child: ChildProcess, pipe: Duplex): RunProcess {
  let listener = DEAF;
  let over = false;
  const ended = new Promise<void>((resolve) => {
    engineProcesses(1);
    const end = () => {
      if (over) return;
      over = true;
      engineProcesses(-1);
      pipe.destroy();
      listener.exit();
      resolve();
    };
    child.once("error", end);
    child.once("exit", () => (pipe.readableEnded || pipe.destroyed ? end() : void pipe.once("close", end)));
  });
  const kill = () => void child.kill("SIGKILL");
  pipe.on("error", () => {});
  pipe.on(
    "data",
    frameReader({
      frame: (body) => listener.frame(body.subarray(1), String.fromCharCode(body[0] ?? 0) as FrameKind),
      longest: () => listener.longest ?? MAX_FRAME_BYTES,
      tooLong: kill,
    }),
  );
  return {
    pid: child.pid ?? 0,
    ended,
    kill,
    send: (message) => void (pipe.writable && pipe.write(framed(JSON.stringify(message)))),
    unread: () => pipe.writableLength,
    listen(next) {
      listener = next;
      if (over) next.exit();
    },
    hold(on) {
      const name = on ? "ref" : "unref";
      child[name]();
      (pipe as Duplex & { ref(): void; unref(): void })[name]();
    },
  };
}

function framed(text: string): Buffer {
  const body = Buffer.from(text);
  return Buffer.concat([headOf(body.length), body]);
}
