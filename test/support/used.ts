/** What a test has used: time, of the processor and by the clock, and memory. Tests of other files run in other threads of the process. */

import { readFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { SCALE } from "./random.js";

const cell = new Int32Array(new SharedArrayBuffer(4));

/** Processor time of this thread so far, in ms; that of the process where there is no `/proc`. */
export function threadMs(): number {
  if (process.platform === "linux") {
    // Linux adds what a thread has used when it stops for a moment, and every few milliseconds.
    Atomics.wait(cell, 0, 0, 0.01);
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e6;
  }
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Memory of this thread's heap and buffers, in MB; garbage counts until it is collected. */
export function threadMb(): number {
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
}

/** The same after garbage is collected, which takes up to half a second. */
export function keptMb(): number {
  collectGarbage();
  return threadMb();
}

/** Collects the garbage of this thread. */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
}

/**
 * A bound of time by the clock, in ms. At full size, where the machine does little else, it is the one that is promised;
 * elsewhere a wide one, since three test files run at once.
 */
export const wallBound = (promised: number, wide: number): number =>
  SCALE >= 1 && (loadavg()[0] ?? 0) <= 2 * cpus().length ? promised : wide;
