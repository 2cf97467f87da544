/**
 * The pipe of a process that runs programs, and its clock: frames of four bytes of length, a byte that says who speaks, then JSON.
 * Reading blocks, so that nothing else happens while a program waits. Part of a child program.
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

/** Sends a frame. */
export function say(speaker: Speaker, text: string): void {
  const body = Buffer.from(text);
  const head = Buffer.allocUnsafe(5);
  head.writeUInt32BE(body.length + 1);
  head.write(speaker, 4, "latin1");
  const parts = body.length < PAGE ? [Buffer.concat([head, body])] : [head, body];
  for (const part of parts)
    for (let at = 0; at < part.length; ) at += retried(() => writeSync(CHANNEL, part, at, part.length - at, null));
}

/** A question of the host whether this process waits: it does, if it reads. */
const WAITING = '{"t":"waiting"}';

/** Reads the next message of the host. */
export function receive(): string {
  for (;;) {
    const text = readBytes(readBytes(4).readUInt32BE(0)).toString("utf8");
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
  /** Whether it is used up; asked often, so it looks at the clock rarely. */
  isUsed(): boolean;
}

/** Makes a limit that is not reached before `begin`. */
export function cpuLimit(): CpuLimit {
  let deadline = Number.POSITIVE_INFINITY;
  let nextLook = 0;
  let used = false;
  return {
    begin(allowedMs) {
      deadline = cpuMs() + allowedMs;
      nextLook = 0;
      used = false;
    },
    isUsed() {
      const now = realNow();
      if (used || now < nextLook) return used;
      const left = deadline - cpuMs();
      nextLook = now + Math.min(Math.max(left / 4, 1), 1000);
      used = left <= 0;
      return used;
    },
  };
}

/** Ends this process when its parent has ended: a program may block the main thread for a long time. */
export function endWithParent(): void {
  const watch = `setInterval(() => process.ppid === ${ppid} || process.kill(process.pid, "SIGKILL"), 500)`;
  new workers.Worker(watch, { eval: true, env: {}, stdin: false }).unref();
}
