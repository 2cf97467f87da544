/**
 * The pipe of a process that runs programs, and its limits: frames of four bytes of length, a byte that says who speaks, then JSON.
 * Reading blocks, which makes tool calls synchronous. Part of child programs.
 */
import fs from "node:fs";
import workers from "node:worker_threads";

const CHANNEL = 3;
const PAGE = 65_536;
const { readSync, writeSync } = fs;
const { exit, cpuUsage, ppid } = process;
const realNow = performance.now.bind(performance);
const pause = new Int32Array(new SharedArrayBuffer(4));

/** Exit codes, by what the process met. */
export const EXIT = { fatal: 70, pipe: 71, late: 72, forged: 73, sample: 74 } as const;

function retried(step: () => number): number {
  for (;;) {
    try {
      return step();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "EAGAIN") exit(code === "EOF" || code === "EPIPE" ? 0 : EXIT.pipe);
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
export type Speaker = "g" | "d" | "r";

/**
 * Whether each frame so far was read and written as a whole. Where the guest uses up the stack, a step may fail in the
 * middle of one: what follows would be taken for other frames, of any kind.
 */
let isWhole = true;
function whole<T>(step: () => T): T {
  if (!isWhole) exit(EXIT.forged);
  isWhole = false;
  const result = step();
  isWhole = true;
  return result;
}

function writeFrame(speaker: Speaker, body: Uint8Array): void {
  const head = Buffer.allocUnsafe(5);
  head.writeUInt32BE(body.length + 1);
  head.write(speaker, 4, "latin1");
  const bytes = body.length < PAGE ? [Buffer.concat([head, body])] : [head, body];
  for (const part of bytes)
    for (let at = 0; at < part.length; ) at += retried(() => writeSync(CHANNEL, part, at, part.length - at, null));
}

/** Sends a frame. */
export function sendBytes(speaker: Speaker, body: Uint8Array): void {
  whole(() => writeFrame(speaker, body));
}

/** Sends a frame with a text. */
export const say = (speaker: Speaker, text: string): void => sendBytes(speaker, Buffer.from(text));

/** Reads a frame of the host. */
export const receiveBytes = (): Buffer => whole(() => readBytes(readBytes(4).readUInt32BE(0)));

/** A question of the host whether this process waits. The guest does not see it, and computes what it would without it. */
const WAITING = '{"t":"waiting"}';

/** Reads the next message of the host. */
export function receiveText(): string {
  for (;;) {
    const text = receiveBytes().toString("utf8");
    if (text !== WAITING) return text;
    say("g", WAITING);
  }
}

/** CPU time that this process has used, in milliseconds. */
export const cpuMs = (): number => {
  const { user, system } = cpuUsage();
  return (user + system) / 1000;
};

/** The limit of CPU time of a program. */
export interface CpuLimit {
  /** Sets the limit of the next program, in milliseconds from now. */
  begin(allowedMs: number): void;
  /** CPU time that is left, in milliseconds, negative once it is used up; undefined if it was looked at a moment ago. */
  look(): number | undefined;
}

/** Makes a limit that is not reached before `begin`. It is asked often, and looks at the clock rarely. */
export function cpuLimit(): CpuLimit {
  let deadline = Number.POSITIVE_INFINITY;
  let nextLook = 0;
  return {
    begin(allowedMs) {
      deadline = cpuMs() + allowedMs;
      nextLook = 0;
    },
    look() {
      const now = realNow();
      if (now < nextLook) return undefined;
      const left = deadline - cpuMs();
      nextLook = now + (left > 0 ? Math.min(Math.max(left / 4, 1), 1000) : 20);
      return left;
    },
  };
}

interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** `WebAssembly.Memory`, which the types of Node.js leave out. */
export const memoryClass = (globalThis as unknown as { WebAssembly: { Memory: { readonly prototype: Memory } } })
  .WebAssembly.Memory;

/** The memory that an interpreter may use. */
export interface MemoryCap {
  /** Bytes. */
  most: number;
  /** Whether more was refused. */
  isRefused: boolean;
}

/** Memory without a limit of its own. */
export const MOST_MEMORY = 2 ** 31;
/** An interpreter requests growth in three sizes, the largest first: memory is used up when all three are refused. */
const GROWTH_ATTEMPTS = 3;

/** Refuses memory beyond a cap. */
export function capMemory(): MemoryCap {
  const cap: MemoryCap = { most: MOST_MEMORY, isRefused: false };
  let refusals = 0;
  const { prototype } = memoryClass;
  const { grow } = prototype;
  prototype.grow = function capped(this: Memory, pages: number): number {
    if (this.buffer.byteLength + pages * PAGE > cap.most) {
      refusals = (refusals + 1) % GROWTH_ATTEMPTS;
      cap.isRefused ||= refusals === 0;
      throw new RangeError("memory");
    }
    refusals = 0;
    return grow.call(this, pages);
  };
  return cap;
}

/** Of these, whole pages are compared: a comparison costs less than a write, after which the system holds the page twice. */
const STEP = 16_384;
const ZEROS = new Uint8Array(STEP);

/** Writes what differs. */
export function copyChanged(from: Uint8Array, to: Uint8Array): void {
  for (let at = 0; at < from.length; at += STEP) {
    const page = from.subarray(at, at + STEP);
    if (Buffer.compare(page, to.subarray(at, at + page.length)) !== 0) to.set(page, at);
  }
}

/** Writes zeros where there are others. */
export function clearBytes(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; at += STEP) {
    const page = bytes.subarray(at, at + STEP);
    if (Buffer.compare(page, ZEROS.subarray(0, page.length)) !== 0) page.fill(0);
  }
}

/** Ends this process when its parent has ended: a program may block the main thread for a long time. */
export function endWithParent(): void {
  const watch = `setInterval(() => process.ppid === ${ppid} || process.kill(process.pid, "SIGKILL"), 500)`;
  new workers.Worker(watch, { eval: true, env: {}, stdin: false }).unref();
}
