/** One Python process: how it is started, and the frames on its pipe. */
import { type ChildProcess, spawn } from "node:child_process";
import type { Duplex } from "node:stream";

/** Where the parts of a Python process lie. */
export interface Programs {
  /** The child program, as JavaScript. */
  readonly child: string;
  /** The folder of pyodide, by its real path and with a slash at the end. */
  readonly pyodide: string;
}

/** What is told about a process. */
export interface Listener {
  frame(body: Buffer): void;
  exit(): void;
}

/** A process that is running. */
export interface PythonProcess {
  readonly pid: number;
  send(message: unknown): void;
  /** Who hears of it from now on; what arrives while nobody listens is lost, and an exit is told at once. */
  listen(listener: Listener): void;
  /** Whether it keeps this process alive. */
  hold(on: boolean): void;
  kill(): void;
  readonly ended: Promise<void>;
}

const DEAF: Listener = { frame() {}, exit() {} };
/** Beyond what the limits of a run let pass; a longer frame is an attack. */
const LONGEST_FRAME = 700 * 1024 * 1024;

function permissionFlags(readable: readonly string[]): readonly string[] {
  const modern = process.allowedNodeEnvironmentFlags.has("--permission");
  const form = (path: string) => (path.endsWith("/") && !modern ? `${path}*` : path);
  return [
    modern ? "--permission" : "--experimental-permission",
    ...readable.map((path) => `--allow-fs-read=${form(path)}`),
  ];
}

/** Starts a process that loads `snapshot`, or makes one where it is empty. Nothing of it reaches our output. */
export function startProcess(programs: Programs, snapshot: string): PythonProcess {
  const readable = [programs.child, programs.pyodide, ...(snapshot === "" ? [] : [snapshot])];
  const flags = [...permissionFlags(readable), "--no-warnings", "--disallow-code-generation-from-strings"];
  const child = spawn(process.execPath, [...flags, programs.child, programs.pyodide, snapshot], {
    env: {},
    cwd: programs.pyodide,
    stdio: ["ignore", "ignore", "ignore", "pipe"],
    windowsHide: true,
  });
  return attach(child, child.stdio[3] as Duplex);
}

function attach(child: ChildProcess, pipe: Duplex): PythonProcess {
  let listener = DEAF;
  let over = false;
  const ended = new Promise<void>((resolve) => {
    const end = () => {
      if (over) return;
      over = true;
      pipe.destroy();
      listener.exit();
      resolve();
    };
    child.once("error", end);
    child.once("exit", () => (pipe.readableEnded || pipe.destroyed ? end() : void pipe.once("close", end)));
  });
  const kill = () => void child.kill("SIGKILL");
  pipe.on("error", () => {});
  readFrames(pipe, (body) => listener.frame(body), kill);
  return {
    pid: child.pid ?? 0,
    ended,
    kill,
    send: (message) => void (pipe.writable && pipe.write(framed(JSON.stringify(message)))),
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
  const size = Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(size + 4);
  bytes.writeUInt32BE(size);
  bytes.write(text, 4);
  return bytes;
}

function readFrames(pipe: Duplex, take: (body: Buffer) => void, tooLong: () => void): void {
  let chunks: Buffer[] = [];
  let held = 0;
  let size: number | undefined;
  const cut = (length: number) => {
    const all = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, held);
    chunks = [all.subarray(length)];
    held = all.length - length;
    return all.subarray(0, length);
  };
  const next = (): boolean => {
    if (held < (size ?? 4)) return false;
    const body = cut(size ?? 4);
    if (size !== undefined) take(body);
    size = size === undefined ? body.readUInt32BE(0) : undefined;
    return (size ?? 0) <= LONGEST_FRAME;
  };
  pipe.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    held += chunk.length;
    while (next());
    if ((size ?? 0) > LONGEST_FRAME) tooLong();
  });
}
