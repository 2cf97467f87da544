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
import {
  capMemory,
  cpuLimit,
  cpuMs,
  EXIT,
  endWithParent,
  MOST_MEMORY,
  receiveBytes,
  receiveText,
  say,
  sendBytes,
} from "../../../../engine/child-link.mjs";
import { closeModules } from "../../../../engine/child-modules.mjs";
import { imageOf, type Restorable, type Restored } from "./child-image.mjs";
import { closeFiles, closeImports, closeRealm, harden, hardenProxies, type ProxyMaker } from "./child-realm.mjs";

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

const SENT = "-";
const DIGEST_BYTES = 32;
const GRACE_MS = 250;
const [, , indexURL = "", snapshot = ""] = process.argv;
const { exit, memoryUsage } = process;

const heap = capMemory();
let toldMemory = false;
/** Whether a program runs, and may use its link. */
let isOpen = true;
function tellSpent(): void {
  if (!heap.isRefused || toldMemory) return;
  toldMemory = true;
  say("g", JSON.stringify({ t: "spent" }));
}

/** What the guest says. It may get hold of this function, pass any value, and call it after its end. */
const send = (text: string) => {
  if (typeof text !== "string" || !isOpen) exit(EXIT.forged);
  tellSpent();
  say("g", text);
};
/** The time of a message is its first field, so that finding it does not parse the message. */
const SENT_AT = /^\{"now":(\d+(?:\.\d+)?)[,}]/;
const receive = (): string => {
  if (!isOpen) exit(EXIT.forged);
  const text = receiveText();
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

const cpu = cpuLimit();
let raised = false;
/** Replaces the interrupt buffer: Python reads it every few instructions, so the CPU limit is checked here. */
const clock = {
  get 0(): number {
    const left = cpu.look();
    if (left === undefined) return 0;
    if (left <= -GRACE_MS) {
      send(JSON.stringify({ t: "dead", why: "late" }));
      exit(EXIT.late);
    }
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
  heap.most = memoryBytes;
  cpu.begin(allowed);
}

/** Runs a request. Its end is a frame that the guest cannot send, with the CPU time that it took. */
function carryOut(main: Main, text: string, before: number): void {
  try {
    const done = main(text);
    isOpen = false;
    // A program that has patched the shim may give another object.
    if (typeof done !== "string") exit(EXIT.forged);
    tellSpent();
    const used = (cpuMs() - before).toFixed(3);
    say("d", `${used}\n${done}`);
  } catch (error) {
    const why = heap.isRefused ? "memory" : error instanceof RangeError ? "recursion" : raised ? "late" : "fatal";
    send(JSON.stringify({ t: "dead", why }));
    exit(EXIT.fatal);
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
    heap.most = MOST_MEMORY;
    heap.isRefused = false;
    toldMemory = false;
    raised = false;
    cpu.begin(Number.POSITIVE_INFINITY);
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
  if (grown !== 0 || touched !== 0 || !/^\{"t": "done", "outcome": "value"/.test(last)) exit(EXIT.sample);
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

endWithParent();

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
