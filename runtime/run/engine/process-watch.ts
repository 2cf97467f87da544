/**
 * Measures CPU time and memory of a process as counted by the operating system, or by the wall clock if that is
 * unavailable.
 */
import { readFileSync } from "node:fs";

const TICK_MS = 10; // USER_HZ, which is 100 on every Linux
const PAGE = 4096;

/** Usage of one process since the watch was created. */
export interface ProcessWatch {
  cpuMs(): number;
  /** Memory beyond that at the start; 0 if the system does not report it. */
  grownBytes(): number;
  /** Sets whether the process waits for the host; used by the wall clock measurement. */
  waits(waiting: boolean): void;
}

function fields(pid: number, file: string): readonly string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/${file}`, "latin1");
    return text
      .slice(text.lastIndexOf(")") + 1)
      .trim()
      .split(" ");
  } catch {
    return undefined;
  }
}

function usedTicks(pid: number): number | undefined {
  const stat = fields(pid, "stat");
  return stat && Number(stat[11]) + Number(stat[12]);
}

function resident(pid: number): number {
  const pages = fields(pid, "statm")?.[1];
  return pages === undefined ? 0 : Number(pages) * PAGE;
}

/** Watches a process. */
export function watchProcess(pid: number): ProcessWatch {
  const ticks = usedTicks(pid);
  const memory = resident(pid);
  let working = 0;
  let since: number | undefined = performance.now();
  let last = 0;
  return {
    cpuMs() {
      const now = ticks === undefined ? undefined : usedTicks(pid);
      if (ticks !== undefined && now !== undefined) last = (now - ticks) * TICK_MS;
      if (ticks === undefined) last = working + (since === undefined ? 0 : performance.now() - since);
      return last;
    },
    grownBytes: () => Math.max(0, resident(pid) - memory),
    waits(waiting) {
      const now = performance.now();
      if (since !== undefined) working += now - since;
      since = waiting ? undefined : now;
    },
  };
}
