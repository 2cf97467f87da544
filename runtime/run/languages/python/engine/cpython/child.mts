/**
 * The process that runs Python: loads pyodide from a memory snapshot, removes everything that could reach the host,
 * and executes one request. It communicates over one pipe in frames: four bytes of length, then JSON; in what it sends, a
 * byte before the JSON says who speaks. Reading blocks, which makes tool calls synchronous. It imports only Node's own modules, because it runs under a permission model
 * that lets it read little else.
 */
import nodeCrypto, { createCipheriv } from "node:crypto";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { pathToFileURL } from "node:url";
import v8 from "node:v8";
import workers from "node:worker_threads";
import { imageOf, type Restorable, type Restored } from "./child-image.mjs";
import {
  closeFiles,
  closeImports,
  closeModules,
  closeRealm,
  harden,
  hardenProxies,
  memoryClass,
  type ProxyMaker,
} from "./child-realm.mjs";

interface Python extends Restorable {
  readonly _module: Restorable["_module"] & ProxyMaker;
  runPython(code: string): unknown;
  setInterruptBuffer(buffer: object): void;
  makeMemorySnapshot(): Uint8Array;
  unregisterJsModule(name: string): void;
  setStdout(options: Output): void;
  setStderr(options: Output): void;
}
/** Takes what is written, and returns how many bytes of it. */
interface Output {
  write(bytes: Uint8Array): number;
}
/** Runs a request, and returns its last message. */
type Main = (request: string) => string;
type Load = (options: object) => Promise<Python>;

const CHANNEL = 3;
const SENT = "-";
const DIGEST_BYTES = 32;
const GRACE_MS = 250;
const PAGE = 65_536;
const { readSync, writeSync } = fs;
const [, , indexURL = "", snapshot = ""] = process.argv;
const { exit, cpuUsage, memoryUsage, ppid } = process;
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
/** Who takes what the guest says, and answers. */
let host: { send(text: string): void; receive(): string } = { send, receive };

/**
 * The clock of Python, in milliseconds since 1970. It takes the time of each message that arrives and advances by 1 µs
 * with each reading, so that a program that receives the same messages reads the same times.
 */
let guestTime = Date.UTC(2020);
let guestStart = guestTime;
const READING_MS = 0.001;
/** What a monotonic clock shows when a run starts, in milliseconds. */
const MONOTONIC_START_MS = 1000;
const cipherOf = (seed: Uint8Array) => createCipheriv("aes-256-ctr", seed, Buffer.alloc(16));
const NO_SEED = "00".repeat(32);
/** Random bytes of Python: the key stream of a cipher, whose key is the seed of the run. */
let randomBytes = cipherOf(Buffer.from(NO_SEED, "hex"));

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

const MOST_MEMORY = 2 ** 31;
let cap = MOST_MEMORY;
/**
 * The interpreter requests growth in three sizes, the largest first: memory is used up when all three are refused.
 */
const GROWTH_ATTEMPTS = 3;
let refusals = 0;
const memory = memoryClass.prototype;
const { grow } = memory;
memory.grow = function capped(this: typeof memory, pages: number): number {
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
  /** 32 bytes in hexadecimal. */
  readonly seed?: string;
  readonly limits?: { readonly cpuMs: number; readonly memoryBytes: number };
}

function limit({ cpuMs: allowed, memoryBytes }: NonNullable<Request["limits"]>): void {
  cap = memoryBytes;
  deadline = cpuMs() + allowed;
  nextLook = 0;
}

/** Runs a request. Its end is a frame that the guest cannot send, with the CPU time that it took. */
function carryOut(main: Main, text: string, before: number): void {
  try {
    const done = main(text);
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

/** The two functions that a guest may get hold of. */
const LINK = [(text: string) => host.send(text), () => host.receive()] as const;

/**
 * What the interpreter keeps of JavaScript in Python, which a guest finds by the collector: pyodide itself, with all that
 * puts the memory back.
 */
const SEVER = `import gc
for one in gc.get_objects():
    if type(one) is dict or type(one).__name__ == "JsLoader":
        fields = one if type(one) is dict else vars(one)
        for name, value in list(fields.items()):
            if type(value).__name__ == "JsProxy":
                fields[name] = None
del one, fields, name, value, gc`;

/**
 * Binds the link once: the interpreter numbers each object of JavaScript that it meets, and does not know the numbers any
 * more once its memory is put back.
 */
function bound(python: Python): Main {
  const bind = python.runPython("lambda send, recv: lambda text: main(send, recv, text)");
  const main = (bind as (...link: typeof LINK) => Main)(...LINK);
  python.setInterruptBuffer(clock);
  return main;
}

/** What a program finds: the interpreter, its clock and its random bytes. Puts all of it back. */
function startOf(python: Python, store: Uint8Array): () => Restored {
  const restoreInterpreter = imageOf(python, store);
  const before = { guestTime, guestStart, randomBytes };
  return () => {
    const restored = restoreInterpreter();
    ({ guestTime, guestStart, randomBytes } = before);
    cap = MOST_MEMORY;
    refusals = 0;
    refusedMemory = false;
    toldMemory = false;
    raised = false;
    deadline = Number.POSITIVE_INFINITY;
    return restored;
  };
}

/**
 * Runs a sample, so that V8 compiles the functions of the interpreter that most programs need, and restores the memory:
 * a program computes what it computes without the sample. The event loop does not turn from here on, so no finalizer
 * of an object of the sample runs.
 */
function warmUp(python: Python, main: Main, restore: () => Restored): void {
  randomBytes = cipherOf(Buffer.from(NO_SEED, "hex"));
  host = { send() {}, receive: () => '{"id": 1, "v": 1}' };
  const last = main(python.runPython("SAMPLE") as string);
  host = { send, receive };
  const { grown, touched } = restore();
  // It grows where a program finds no room: the limit of memory would count other pages.
  if (grown !== 0 || touched !== 0 || !/^\{"t": "done", "outcome": "value"/.test(last)) exit(74);
}

/** The host's request to put everything back. */
const RESET = '{"t":"reset"}';
/** Most bytes by which the memory of a process may have grown that takes another program. */
const MOST_GROWN = 128 * 1024 * 1024;

function tellReady({ grown, touched }: Restored): void {
  const isReused = grown <= MOST_GROWN && touched === 0;
  say("r", JSON.stringify({ t: "ready", isReused, grown, touched, rss: memoryUsage.rss() }));
  if (!isReused) exit(0);
}

/** The event loop must not turn between programs, so nothing here may be awaited: see `imageOf`. */
function serve(main: Main, restore: () => Restored): never {
  tellReady({ grown: 0, touched: 0 });
  for (;;) {
    isOpen = true;
    const text = receive();
    const before = cpuMs();
    const { limits, seed = NO_SEED } = JSON.parse(text) as Request;
    guestStart = guestTime;
    randomBytes = cipherOf(Buffer.from(seed, "hex"));
    if (limits !== undefined) limit(limits);
    carryOut(main, text, before);
    // Answers that the program did not wait for come first.
    while (receiveBytes().toString("utf8") !== RESET);
    tellReady(restore());
  }
}

/** Ends this process when its parent has ended: Python may block the main thread for a long time. */
const WATCH = `setInterval(() => process.ppid === ${ppid} || process.kill(process.pid, "SIGKILL"), 500)`;
new workers.Worker(WATCH, { eval: true, env: {}, stdin: false }).unref();

// V8 compiles hot functions again in the background, by default also those that never pay back: half of the CPU time of the
// first runs. A version that does not know the flag ignores it.
v8.setFlagsFromString("--wasm-tiering-budget=100000000");
closeModules();
makeRepeatable();
closeImports();
if (snapshot === "") await make();
else {
  const bytes = snapshot === SENT ? receiveBytes() : storedSnapshot();
  const python = await load({ _loadSnapshot: bytes });
  // By default it keeps a line until it ends, beside the memory.
  const dropped: Output = { write: ({ length }) => length };
  python.setStdout(dropped);
  python.setStderr(dropped);
  for (const name of ["js", "pyodide_js"]) python.unregisterJsModule(name);
  python.runPython(SEVER);
  hardenProxies(python._module);
  const main = bound(python);
  closeFiles(python.FS);
  closeRealm();
  const restore = startOf(python, bytes);
  warmUp(python, main, restore);
  harden(...LINK);
  serve(main, restore);
}
