/** What a test has used of the processor and of memory. Tests of other files run in other threads of the process, and do not count. */

import { readFileSync } from "node:fs";

/** Processor time of this thread so far, in ms; that of the process where there is no `/proc`. */
export function threadMs(): number {
  if (process.platform === "linux")
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e6;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Memory of this thread's heap and buffers, in MB; garbage counts until it is collected. */
export function threadMb(): number {
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
}
