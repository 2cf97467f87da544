/**
 * The process that runs TypeScript programs whose types were removed: QuickJS in WebAssembly. It makes one interpreter with the
 * guest's side of a run, and puts its memory back after each program. No function of this process can be reached by the program:
 * it has only the texts that the interpreter gives and takes.
 */
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import {
  capMemory,
  clearBytes,
  copyChanged,
  cpuLimit,
  cpuMs,
  EXIT,
  endWithParent,
  MOST_MEMORY,
  receiveText,
  say,
} from "../../../runtime/run/engine/child-link.mjs";
import { closeModules } from "../../../runtime/run/engine/child-modules.mjs";
import { PRELUDE } from "./prelude.mjs";

/** A place in the memory of the interpreter. */
type Pointer = number;

interface QuickJs {
  readonly HEAPU8: Uint8Array;
  callbacks: object;
  _malloc(size: number): Pointer;
  _free(pointer: Pointer): void;
  _QTS_NewRuntime(): Pointer;
  _QTS_RuntimeSetMaxStackSize(runtime: Pointer, bytes: number): void;
  _QTS_RuntimeEnableInterruptHandler(runtime: Pointer): void;
  _QTS_NewContext(runtime: Pointer, intrinsics: number): Pointer;
  _QTS_Eval(context: Pointer, code: Pointer, size: number, file: Pointer, detectModule: number, flags: number): Pointer;
  _QTS_NewString(context: Pointer, text: Pointer): Pointer;
  _QTS_GetString(context: Pointer, value: Pointer): Pointer;
  _QTS_FreeCString(context: Pointer, text: Pointer): void;
  _QTS_GetProp(context: Pointer, owner: Pointer, name: Pointer): Pointer;
  _QTS_Call(context: Pointer, called: Pointer, self: Pointer, count: number, given: Pointer): Pointer;
  _QTS_ResolveException(context: Pointer, value: Pointer): Pointer;
  _QTS_FreeValuePointer(context: Pointer, value: Pointer): void;
  _QTS_ExecutePendingJob(runtime: Pointer, most: number, context: Pointer): Pointer;
  _QTS_IsJobPending(runtime: Pointer): number;
  _QTS_GetUndefined(): Pointer;
}

/** Stack of the interpreter: deeper recursion is an error that the program can catch. */
const STACK_BYTES = 256 * 1024;
/** Jobs between two looks at the clock. */
const JOBS = 32;
const [, , folder = ""] = process.argv;
const { exit, memoryUsage } = process;

const heap = capMemory();
const cpu = cpuLimit();
/** Whether the interpreter was interrupted: from then on it runs nothing more of the program. */
let isStopped = false;

const load = async (): Promise<QuickJs> => {
  const { default: make } = await import(pathToFileURL(`${folder}emscripten-module.mjs`).href);
  return make({ wasmBinary: readFileSync(`${folder}emscripten-module.wasm`), print() {}, printErr() {} });
};

/** An interpreter with the guest's side of a run. */
function openGuest(js: QuickJs) {
  const withText = <T,>(text: string | Buffer, use: (pointer: Pointer, size: number) => T): T => {
    const size = Buffer.byteLength(text);
    const pointer = js._malloc(size + 1);
    if (pointer === 0) throw new Stopped();
    js.HEAPU8.set(typeof text === "string" ? Buffer.from(text) : text, pointer);
    js.HEAPU8[pointer + size] = 0;
    try {
      return use(pointer, size);
    } finally {
      js._free(pointer);
    }
  };
  const runtime = js._QTS_NewRuntime();
  js._QTS_RuntimeSetMaxStackSize(runtime, STACK_BYTES);
  js.callbacks = {
    shouldInterrupt() {
      isStopped ||= heap.isRefused || (cpu.look() ?? 1) <= 0;
      return isStopped ? 1 : 0;
    },
  };
  js._QTS_RuntimeEnableInterruptHandler(runtime);
  const context = js._QTS_NewContext(runtime, 0);
  const textOf = (value: Pointer): string => {
    const start = js._QTS_GetString(context, value);
    if (start === 0) throw new Stopped();
    const end = js.HEAPU8.indexOf(0, start);
    const text = Buffer.from(js.HEAPU8.buffer, start, end - start).toString("utf8");
    js._QTS_FreeCString(context, start);
    return text;
  };
  const freed = <T,>(value: Pointer, use: (value: Pointer) => T): T => {
    try {
      return use(value);
    } finally {
      js._QTS_FreeValuePointer(context, value);
    }
  };
  const propOf = (owner: Pointer, name: string): Pointer =>
    freed(
      withText(name, (pointer) => js._QTS_NewString(context, pointer)),
      (key) => js._QTS_GetProp(context, owner, key),
    );
  /** Throws what the interpreter has thrown. */
  const checked = (value: Pointer): Pointer => {
    const error = js._QTS_ResolveException(context, value);
    if (error === 0) return value;
    throw freed(error, (one) => new Thrown(freed(propOf(one, "message"), textOf), freed(propOf(one, "stack"), textOf)));
  };
  const evaluate = (code: string, file: string): Pointer => {
    const evaluated = withText(file, (name) =>
      withText(code, (pointer, size) => js._QTS_Eval(context, pointer, size, name, 0, 0)),
    );
    return checked(evaluated);
  };
  const call = (called: Pointer, ...given: readonly Pointer[]): Pointer => {
    const list = js._malloc(4 * Math.max(1, given.length));
    const view = new DataView(js.HEAPU8.buffer);
    for (const [place, value] of given.entries()) view.setUint32(list + 4 * place, value, true);
    const made = js._QTS_Call(context, called, js._QTS_GetUndefined(), given.length, list);
    js._free(list);
    return checked(made);
  };
  const text = (value: string): Pointer => withText(value, (pointer) => js._QTS_NewString(context, pointer));
  const jobContext = js._malloc(4);
  const guest = evaluate(PRELUDE, "guest.js");
  const [open = 0, begin = 0, deliver = 0, take = 0, said = 0] = ["open", "begin", "deliver", "take", "said"].map(
    (name) => propOf(guest, name),
  );
  const give = (called: Pointer, message: string): void =>
    freed(text(message), (given) => freed(call(called, given), () => undefined));
  return {
    evaluate,
    open: (request: string) => give(open, request),
    begin: (main: Pointer) => freed(call(begin, main), () => undefined),
    deliver: (message: string) => give(deliver, message),
    take: () => freed(call(take), textOf),
    said: () => freed(call(said), textOf),
    /** Does all that the program can do before another message. */
    runJobs() {
      while (js._QTS_IsJobPending(runtime) !== 0 && !isStopped && !heap.isRefused) {
        js._QTS_FreeValuePointer(context, js._QTS_ExecutePendingJob(runtime, JOBS, jobContext));
        isStopped ||= (cpu.look() ?? 1) <= 0;
      }
    },
  };
}

type Guest = ReturnType<typeof openGuest>;

/** The interpreter runs nothing more: its memory is used up, or its CPU time. */
class Stopped extends Error {}
/** What the interpreter threw: its message, and its stack as text. */
class Thrown extends Error {
  readonly place: string;
  constructor(message: string, place: string) {
    super(message);
    this.place = place;
  }
}

const lineIn = (stack: string): { readonly line?: number } => {
  const [, line] = /run\.js:(\d+)/.exec(stack) ?? [];
  return line ? { line: Number(line) } : {};
};

interface Request {
  readonly seed: string;
  readonly code: string;
  readonly now: number;
  readonly limits: { readonly cpuMs: number; readonly memoryBytes: number };
}

/** The name of the program in stacks. */
const FILE = "run.js";
/** Sends what the program says; returns its last message, once there is one. */
function passOn(said: string): string | undefined {
  const [lines = "", done] = said.split("\u0002");
  for (const line of lines.split("\n")) if (line !== "") say("g", line);
  return done;
}

/** Runs a program. Returns its last message. */
function main(guest: Guest, { code, ...rest }: Request): string {
  const failed = (error: string, kind: string, more: object = {}) =>
    JSON.stringify({ t: "done", error, kind, message: "", ...more });
  guest.open(JSON.stringify(rest));
  let program: Pointer;
  try {
    program = guest.evaluate(code, FILE);
  } catch (error) {
    if (!(error instanceof Thrown)) throw error;
    return failed("SyntaxError", "syntax", { message: error.message, ...lineIn(error.place) });
  }
  guest.begin(program);
  for (;;) {
    guest.runJobs();
    if (isStopped || heap.isRefused) throw new Stopped();
    const done = passOn(guest.take());
    if (done !== undefined) return done;
    guest.deliver(receiveText());
  }
}

/** What a program said before it was stopped. */
function lastWords(guest: Guest): void {
  const { isRefused } = heap;
  try {
    isStopped = false;
    heap.isRefused = false;
    cpu.begin(100);
    passOn(guest.said());
  } catch {
    // Its memory is used up: nothing more can be read.
  }
  heap.isRefused = isRefused;
}

/** Runs a request. Its end is a frame that the guest cannot send, with the CPU time that it took. */
function carryOut(guest: Guest, request: Request, before: number): void {
  let done: string;
  try {
    done = main(guest, request);
  } catch (error) {
    const kind = heap.isRefused ? "memory" : isStopped ? "timeout" : undefined;
    if (kind === undefined) {
      const why = error instanceof RangeError ? "recursion" : "fatal";
      say("g", JSON.stringify({ t: "dead", why }));
      exit(EXIT.fatal);
    }
    lastWords(guest);
    const place = error instanceof Thrown ? lineIn(error.place) : {};
    done = JSON.stringify({ t: "done", error: "Error", kind, message: "", ...place });
  }
  if (heap.isRefused) say("g", '{"t":"spent"}');
  say("d", `${(cpuMs() - before).toFixed(3)}\n${done}`);
}

/** Takes an image of the memory. Returns a function that puts it back, and says by how many bytes the memory has grown. */
function imageOf(js: QuickJs): () => number {
  const { HEAPU8: memory } = js;
  let end = memory.length;
  while (end > 0 && memory[end - 1] === 0) end--;
  const image = memory.slice(0, end);
  return () => {
    const used = js.HEAPU8;
    copyChanged(image, used);
    clearBytes(used.subarray(end));
    return used.length - memory.length;
  };
}

/** The host's request to put everything back. */
const RESET = '{"t":"reset"}';
/** Most bytes by which the memory of a process may have grown that takes another program. */
const MOST_GROWN = 64 * 1024 * 1024;

endWithParent();
closeModules();
const js = await load();
const guest = openGuest(js);
const restore = imageOf(js);
for (;;) {
  say("r", JSON.stringify({ t: "ready", isReused: true, rss: memoryUsage.rss() }));
  const text = receiveText();
  const before = cpuMs();
  const request = JSON.parse(text) as Request;
  heap.most = request.limits.memoryBytes;
  heap.isRefused = false;
  isStopped = false;
  cpu.begin(request.limits.cpuMs);
  carryOut(guest, request, before);
  // Answers that the program did not wait for come first.
  while (receiveText() !== RESET);
  heap.most = MOST_MEMORY;
  cpu.begin(Number.POSITIVE_INFINITY);
  const grown = restore();
  if (grown > MOST_GROWN) {
    say("r", JSON.stringify({ t: "ready", isReused: false, rss: memoryUsage.rss() }));
    exit(0);
  }
}
