/** The commands `jobs …`: list what runs later or again, try a job again, and delete one. */

import { writeJson } from "../contract/exact-number.js";
import { onLine } from "../contract/message-text.js";
import { type Changed, dropJob, listJobs, retryJob, type ShownJob } from "../state/job-table.js";
import type { State } from "../state/open.js";
import { type ProjectStateStart, printStateRefusal, withProjectState } from "./project-state.js";

/** Flags of the commands. */
export interface JobsFlags {
  readonly json?: boolean;
}

interface Parts {
  readonly start: ProjectStateStart;
  /** Undefined where no server has made the database of the project. */
  readonly state: State | undefined;
  readonly id: string;
  readonly flags: JobsFlags;
}

const COMMANDS = {
  list,
  retry: (parts) => change(parts, retryJob, "is due now"),
  drop: (parts) => change(parts, dropJob, "is deleted"),
} as const satisfies Readonly<Record<string, (parts: Parts) => Promise<number>>>;

/** A `jobs` command. */
export type JobsCommand = keyof typeof COMMANDS;

/**
 * Runs one of the commands. Exit code 0, or 1 if there is no such job, it is running, or the database is not available.
 *
 * @param id - of `retry` and `drop`
 * @throws UsageError if the database cannot be used
 */
export async function jobsCommand(
  start: ProjectStateStart,
  command: JobsCommand,
  flags: JobsFlags,
  id = "",
): Promise<number> {
  return withProjectState(start, flags, (state) => COMMANDS[command]({ start, state, id, flags }));
}

const STYLES = { dead: "red", running: "green", due: "yellow", waiting: "dim" } as const;
const STATE_WIDTH = "running".length;

async function list({ start: { out, paint }, state, flags }: Parts): Promise<number> {
  const { jobs, more } = state ? await listJobs(state) : { jobs: [], more: 0 };
  if (flags.json) {
    out(`${writeJson({ ok: true, jobs, more })}\n`);
    return 0;
  }
  if (jobs.length === 0) out("There are no jobs.\n");
  const width = Math.max(...jobs.map((job) => nameOf(job).length));
  for (const job of jobs) {
    const { id, due_at, attempts, max_attempts, last_error } = job;
    const due = `${due_at.slice(0, 10)} ${due_at.slice(11, 19)}`;
    const shown = paint(STYLES[job.state], job.state.padEnd(STATE_WIDTH));
    out(`${id}  ${nameOf(job).padEnd(width)}  ${shown}  due ${due}  attempt ${attempts} of ${max_attempts}\n`);
    if (last_error !== null) out(`  ${paint("dim", `last error: ${onLine(last_error)}`)}\n`);
  }
  if (more > 0) out(`and ${more} more\n`);
  return 0;
}

const nameOf = ({ kind, key, every_ms }: ShownJob): string =>
  onLine(key === null || every_ms !== null ? kind : `${kind} ${key}`);

async function change(
  { start, state, id, flags }: Parts,
  apply: (state: State, id: string) => Promise<Changed>,
  done: string,
): Promise<number> {
  const changed = state ? await apply(state, id) : "not found";
  if (changed === "not found")
    return printStateRefusal(
      start,
      flags,
      `there is no job ${id}: "toolwright jobs list" shows the ids; a job that is done is deleted`,
    );
  if (changed === "running")
    return printStateRefusal(
      start,
      flags,
      `the job ${id} is running: wait until it ends, or until the lease of its server ends (30 s)`,
    );
  start.out(flags.json ? `${writeJson({ ok: true, id })}\n` : `${onLine(id)} ${done}\n`);
  return 0;
}
