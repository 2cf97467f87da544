/** What a process has used: its CPU time and memory, as the system counts them, and by the wall clock where it does not tell. */
import { readFileSync } from "node:fs";

const TICK_MS = 10; // USER_HZ, which is 100 on every Linux
const PAGE = 4096;

/** Use of one process, from when the watch was made. */
export interface Watch {
  cpuMs(): number;
  /** Memory beyond what it held at the start; 0 where the system does not tell. */
  grownBytes(): number;
  /** The process waits for us, or works again: what the wall clock counts. */
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
export function watchProcess(pid: number): Watch {
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
