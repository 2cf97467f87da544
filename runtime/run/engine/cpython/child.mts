/**
 * The process that runs Python: loads pyodide from a memory snapshot, removes everything that could reach the host,
 * and executes one request. It communicates over one pipe in frames: four bytes of length, then JSON; in what it sends, a
 * byte before the JSON says who speaks. Reading blocks, which makes tool calls synchronous. It imports only Node's own modules, because it runs under a permission model
 * that lets it read little else.
 */
import childProcess from "node:child_process";
import nodeCrypto, { createCipheriv } from "node:crypto";
import dgram from "node:dgram";
import dns from "node:dns";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import { pathToFileURL } from "node:url";
import vm from "node:vm";
import workers from "node:worker_threads";

type Refuse = (...args: readonly unknown[]) => never;
type Table = Record<string, unknown>;
interface Filesystem extends Table {
  readonly ErrnoError: new (errno: number) => Error;
  open(path: string, flags: number, mode?: number): unknown;
  readdir(path: string): unknown;
}
type Main = (send: (text: string) => void, receive: () => string, request: string) => string;
interface Python {
  readonly FS: Filesystem;
  runPython(code: string): unknown;
  setInterruptBuffer(buffer: object): void;
  makeMemorySnapshot(): Uint8Array;
  unregisterJsModule(name: string): void;
  /** The memory of the interpreter: another view once it has grown. */
  readonly _module: { readonly HEAPU8: Uint8Array };
}
interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}
type Load = (options: object) => Promise<Python>;

const CHANNEL = 3;
const SENT = "-";
const DIGEST_BYTES = 32;
const GRACE_MS = 250;
const ERRNO_ACCES = 2;
const PAGE = 65_536;
const { readSync, writeSync } = fs;
const [, , indexURL = "", snapshot = "", warms = ""] = process.argv;
const { exit, cpuUsage, ppid } = process;
const realNow = performance.now.bind(performance);
const pause = new Int32Array(new SharedArrayBuffer(4));

function retried(step: () => number): number {
  for (;;) {
    try {
      return step();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "EAGAIN") exit(code === "EOF" || code === "EPIPE" ? 0 : 71);
      Atomics.wait(pause, 0, 0, 1);
    }
  }
}

function readBytes(size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  for (let at = 0; at < size; ) {
    const count = retried(() => readSync(CHANNEL, bytes, at, size - at, null));
    if (count === 0) exit(0); // the host is gone
    at += count;
  }
  return bytes;
}

/** Who speaks: the guest, which may say anything; this program of the end of a run; this program of itself. */
type Kind = "g" | "d" | "r";

/**
 * Whether each frame so far was read and written as a whole. Where the guest uses up the stack, a step may fail in the
 * middle of one: what follows would be taken for other frames, of any kind.
 */
let isWhole = true;
function whole<T>(step: () => T): T {
  if (!isWhole) exit(73);
  isWhole = false;
  const result = step();
  isWhole = true;
  return result;
}

function writeFrame(kind: Kind, body: Uint8Array): void {
  const head = Buffer.allocUnsafe(5);
  head.writeUInt32BE(body.length + 1);
  head.write(kind, 4, "latin1");
  const bytes = body.length < PAGE ? [Buffer.concat([head, body])] : [head, body];
  for (const part of bytes)
    for (let at = 0; at < part.length; ) at += retried(() => writeSync(CHANNEL, part, at, part.length - at, null));
}

function sendBytes(kind: Kind, body: Uint8Array): void {
  whole(() => writeFrame(kind, body));
}

const say = (kind: Kind, text: string) => sendBytes(kind, Buffer.from(text));

let refusedMemory = false;
let toldMemory = false;
/** Whether a program runs, and may use its link. */
let isOpen = true;
function tellSpent(): void {
  if (!refusedMemory || toldMemory) return;
  toldMemory = true;
  say("g", JSON.stringify({ t: "spent" }));
}

/** What the guest says. It may get hold of this function, pass any value, and call it after its end. */
const send = (text: string) => {
  if (typeof text !== "string" || !isOpen) exit(73);
  tellSpent();
  say("g", text);
};
const receiveBytes = () => whole(() => readBytes(readBytes(4).readUInt32BE(0)));
/** The time of a message is its first field, so that finding it does not parse the message. */
const SENT_AT = /^\{"now":(\d+(?:\.\d+)?)[,}]/;
/** A question of the host whether this process waits. Python does not see it, and computes what it would without it. */
const WAITING = '{"t":"waiting"}';
const receive = (): string => {
  if (!isOpen) exit(73);
  let text = receiveBytes().toString("utf8");
  for (; text === WAITING; text = receiveBytes().toString("utf8")) say("g", WAITING);
  const now = SENT_AT.exec(text.slice(0, 40))?.[1];
  if (now !== undefined) guestTime = Math.max(guestTime, Number(now));
  return text;
};

/**
 * The clock of Python, in milliseconds since 1970. It takes the time of each message that arrives and advances by 1 µs
 * with each reading, so that a program that receives the same messages reads the same times.
 */
let guestTime = Date.UTC(2020);
let guestStart = guestTime;
const READING_MS = 0.001;
/** What a monotonic clock shows when a run starts, in milliseconds. */
const MONOTONIC_START_MS = 1000;
/** Random bytes of Python: the key stream of a cipher, whose key is the seed of the run. */
let randomBytes = createCipheriv("aes-256-ctr", Buffer.alloc(32), Buffer.alloc(16));

/** Before loading: a program that receives the same seed and messages computes the same values. */
function makeRepeatable(): void {
  const now = (): number => {
    guestTime += READING_MS;
    return guestTime;
  };
  const sinceStart = (): number => now() - guestStart + MONOTONIC_START_MS;
  const fill = (target: ArrayBufferView): ArrayBufferView => {
    const bytes = randomBytes.update(Buffer.alloc(target.byteLength));
    new Uint8Array(target.buffer, target.byteOffset, target.byteLength).set(bytes);
    return target;
  };
  const replaced: readonly (readonly [object, string, unknown])[] = [
    [Date, "now", now],
    [performance, "now", sinceStart],
    [nodeCrypto, "randomFillSync", fill],
    [globalThis.crypto, "getRandomValues", fill],
  ];
  for (const [owner, name, value] of replaced) Reflect.defineProperty(owner, name, { value });
  syncBuiltinESMExports();
}

let cap = 2 ** 31;
/**
 * The interpreter requests growth in three sizes, the largest first: memory is used up when all three are refused.
 */
const GROWTH_ATTEMPTS = 3;
let refusals = 0;
const memory = (globalThis as unknown as { WebAssembly: { Memory: { prototype: Memory } } }).WebAssembly.Memory;
const { grow } = memory.prototype;
memory.prototype.grow = function capped(this: Memory, pages: number): number {
  if (this.buffer.byteLength + pages * PAGE > cap) {
    refusals++;
    if (refusals === GROWTH_ATTEMPTS) {
      refusals = 0;
      refusedMemory = true;
    }
    throw new RangeError("memory");
  }
  refusals = 0;
  return grow.call(this, pages);
};

const cpuMs = () => {
  const { user, system } = cpuUsage();
  return (user + system) / 1000;
};
let deadline = Number.POSITIVE_INFINITY;
let nextLook = 0;
let raised = false;
/** Replaces the interrupt buffer: Python reads it every few instructions, so the CPU limit is checked here. */
const clock = {
  get 0(): number {
    const now = realNow();
    if (now < nextLook) return 0;
    const left = deadline - cpuMs();
    if (left <= -GRACE_MS) {
      send(JSON.stringify({ t: "dead", why: "late" }));
      exit(72);
    }
    nextLook = now + (left > 0 ? Math.min(Math.max(left / 4, 1), 1000) : 20);
    if (left > 0 || raised) return 0;
    raised = true;
    // The guest may catch the exception that follows, so the host is notified first.
    send(JSON.stringify({ t: "late" }));
    return 2;
  },
  set 0(_value: number) {},
};

const refuse: Refuse = () => {
  throw new Error("not available here");
};
const disabled = (target: object, names: readonly string[]) => {
  for (const name of names)
    Reflect.defineProperty(target, name, { value: refuse, configurable: false, writable: false });
};

/** Before loading: disables the network (which the permission model does not cover), processes and native code. */
function closeModules(): void {
  disabled(net.Socket.prototype, ["connect"]);
  disabled(net.Server.prototype, ["listen"]);
  disabled(dgram.Socket.prototype, ["bind", "send", "connect", "addMembership"]);
  for (const owner of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype])
    disabled(
      owner,
      Object.getOwnPropertyNames(owner).filter((name) => /^(resolve|lookup|reverse|setServers)/.test(name)),
    );
  disabled(childProcess, ["spawn", "spawnSync", "exec", "execSync", "execFile", "execFileSync", "fork"]);
  disabled(workers, ["Worker"]);
  disabled(vm, ["runInThisContext", "runInContext", "runInNewContext", "compileFunction", "Script", "createContext"]);
  syncBuiltinESMExports();
  const { constants } = fs;
  const blanked = "getBuiltinModule dlopen _linkedBinding kill _kill _debugProcess _debugEnd chdir".split(" ");
  disabled(process, [...blanked, "abort", "setuid", "setgid", "openStdin"]);
  // pyodide reads the constants, which a process under the permission model may not have.
  const binding = (name: string) => (name === "constants" ? { fs: constants, os: {} } : refuse());
  Reflect.defineProperty(process, "binding", { value: binding, configurable: true, writable: true });
  for (const name of [
    "fetch",
    "WebSocket",
    "EventSource",
    "Worker",
    "XMLHttpRequest",
    "BroadcastChannel",
    "MessageChannel",
  ])
    Reflect.deleteProperty(globalThis, name);
}

const KEPT = new Set(
  `
    Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date Promise
    RegExp Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError globalThis JSON
    Math Intl ArrayBuffer Atomics Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array Float32Array
    Float64Array BigInt64Array BigUint64Array Uint8ClampedArray DataView Map BigInt Set WeakMap WeakSet WeakRef
    Proxy Reflect FinalizationRegistry SharedArrayBuffer decodeURIComponent encodeURIComponent isFinite isNaN
    TextDecoder TextEncoder WebAssembly performance crypto DOMException queueMicrotask setTimeout clearTimeout
    Buffer
  `
    .trim()
    .split(/\s+/),
);

/** After loading: removes everything from the realm except the language itself and what pyodide needs at run time. */
function closeRealm(): void {
  for (const name of Reflect.ownKeys(globalThis))
    if (typeof name === "string" && !KEPT.has(name)) Reflect.deleteProperty(globalThis, name);
  const quiet = () => undefined;
  const console = Object.freeze({ log: quiet, warn: quiet, error: quiet, info: quiet, debug: quiet });
  const process = Object.freeze({
    versions: Object.freeze({ node: "20" }),
    argv: Object.freeze([]),
    env: Object.freeze({}),
  });
  Reflect.defineProperty(globalThis, "console", { value: console });
  Reflect.defineProperty(globalThis, "process", { value: process });
  // Errors that cross into Python must not reveal file paths.
  Reflect.defineProperty(Error, "stackTraceLimit", { value: 0, writable: false, configurable: false });
  for (const { prototype } of [Object, Function, Array, Promise, Error, memory]) Object.freeze(prototype);
}

/** Files in memory do not count as memory, so writing is disabled; only the standard library is readable. */
function closeFiles(filesystem: Filesystem): void {
  const denied = () => {
    throw new filesystem.ErrnoError(ERRNO_ACCES);
  };
  const { open, readdir } = filesystem;
  const library = (path: unknown) =>
    typeof path === "string" && /^\/lib\/python3[^/]*(\/|$)/.test(path) && !path.includes("..");
  filesystem.open = (path, flags, mode) =>
    library(path) && (flags & 3) === 0 && (flags & 0o1100) === 0 ? open.call(filesystem, path, flags, mode) : denied();
  filesystem.readdir = (path) => (library(path) ? readdir.call(filesystem, path) : denied());
  const changes = "mkdir mkdev mknod symlink rename unlink rmdir truncate ftruncate mount create".split(" ");
  for (const name of [...changes, "allocate", "writeFile", "createDevice", "createLazyFile", "createPreloadedFile"])
    if (name in filesystem) filesystem[name] = denied;
}

async function load(extra: object): Promise<Python> {
  // The interpreter stores its program name, which would reveal the path of this file.
  process.argv.splice(0, process.argv.length, "node", "python");
  const { loadPyodide } = (await import(pathToFileURL(`${indexURL}pyodide.mjs`).href)) as { loadPyodide: Load };
  const silent = { stdout() {}, stderr() {}, stdin: () => null };
  return loadPyodide({
    ...silent,
    ...extra,
    indexURL,
    jsglobals: {},
    env: { HOME: "/", TZ: "UTC", PYTHONHASHSEED: "0" },
  });
}

/** The host has verified the digest at the end of the file. */
const storedSnapshot = () => fs.readFileSync(snapshot).subarray(0, -DIGEST_BYTES);

async function make(): Promise<void> {
  const python = await load({ _makeSnapshot: true });
  python.runPython(JSON.parse(receive()) as string);
  sendBytes("r", python.makeMemorySnapshot());
}

interface Request {
  readonly t: "run" | "check";
  /** 32 bytes in hexadecimal. */
  readonly seed?: string;
  readonly limits?: { readonly cpuMs: number; readonly memoryBytes: number };
}

function limit(python: Python, { cpuMs: allowed, memoryBytes }: NonNullable<Request["limits"]>): void {
  cap = memoryBytes;
  deadline = cpuMs() + allowed;
  nextLook = 0;
  python.setInterruptBuffer(clock);
}

/** Runs a request. Its end is a frame that the guest cannot send, with the CPU time that it took. */
function carryOut(main: Main, text: string, before: number): void {
  try {
    const done = main(send, receive, text);
    isOpen = false;
    // A program that has patched the shim may give another object.
    if (typeof done !== "string") exit(73);
    tellSpent();
    const used = (cpuMs() - before).toFixed(3);
    say("d", `${used}\n${done}`);
  } catch (error) {
    const why = refusedMemory ? "memory" : error instanceof RangeError ? "recursion" : raised ? "late" : "fatal";
    send(JSON.stringify({ t: "dead", why }));
    exit(70);
  }
}

/** Copies the pages that differ: a comparison costs less than a write, after which the system holds the page twice. */
function copyPages(from: Uint8Array, to: Uint8Array): void {
  for (let at = 0; at < from.length; at += PAGE) {
    const page = from.subarray(at, at + PAGE);
    if (Buffer.compare(page, to.subarray(at, at + PAGE)) !== 0) to.set(page, at);
  }
}

/**
 * Runs a sample, so that V8 compiles the functions of the interpreter that most programs need, and restores the memory:
 * a program computes what it computes without the sample. The event loop does not turn from here on, so no finalizer
 * of an object of the sample runs.
 *
 * @param store - bytes that may be overwritten
 */
function warmUp(python: Python, main: Main, store: Uint8Array): void {
  const memory = python._module.HEAPU8;
  const image = store.length < memory.length ? memory.slice() : store.subarray(-memory.length);
  copyPages(memory, image);
  const before = { guestTime, randomBytes };
  randomBytes = createCipheriv("aes-256-ctr", Buffer.alloc(32), Buffer.alloc(16));
  python.setInterruptBuffer(clock);
  const last = main(
    () => undefined,
    () => '{"id": 1, "v": 1}',
    python.runPython("SAMPLE") as string,
  );
  const used = python._module.HEAPU8;
  // It grows where a program finds no room: the limit of memory would count other pages.
  if (used.length !== image.length || !/^\{"t": "done", "outcome": "value"/.test(last)) exit(74);
  copyPages(image, used);
  ({ guestTime, randomBytes } = before);
}

function serve(python: Python, main: Main): void {
  say("r", JSON.stringify({ t: "ready" }));
  for (;;) {
    isOpen = true;
    const text = receive();
    const before = cpuMs();
    const { t, limits, seed } = JSON.parse(text) as Request;
    if (seed !== undefined) {
      guestStart = guestTime;
      randomBytes = createCipheriv("aes-256-ctr", Buffer.from(seed, "hex"), Buffer.alloc(16));
    }
    if (limits !== undefined) limit(python, limits);
    carryOut(main, text, before);
    if (t === "check") continue;
    receiveBytes(); // the host ends the process
    exit(0);
  }
}

/** Ends this process when its parent has ended: Python may block the main thread for a long time. */
const WATCH = `setInterval(() => process.ppid === ${ppid} || process.kill(process.pid, "SIGKILL"), 500)`;
new workers.Worker(WATCH, { eval: true, env: {}, stdin: false }).unref();

closeModules();
makeRepeatable();
if (snapshot === "") await make();
else {
  const bytes = snapshot === SENT ? receiveBytes() : storedSnapshot();
  const python = await load({ _loadSnapshot: bytes });
  const main = python.runPython("main") as Main;
  for (const name of ["js", "pyodide_js"]) python.unregisterJsModule(name);
  closeFiles(python.FS);
  closeRealm();
  if (warms !== "") warmUp(python, main, bytes);
  serve(python, main);
}
