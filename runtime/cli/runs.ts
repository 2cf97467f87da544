/** The commands `runs …`: list the programs that have written something, show, resume and delete one. */

import { writeJson } from "../contract/exact-number.js";
import { onLine, visibleText } from "../contract/message-text.js";
import { readJson } from "../contract/read-json.js";
import type { JsonObject, JsonValue } from "../contract/registry.js";
import { messageOf } from "../contract/thrown.js";
import { UsageError } from "../contract/usage-error.js";
import type { Start } from "../gateway/open-project.js";
import { readProject } from "../gateway/project.js";
import type { Live } from "../gateway/reloadable-gateway.js";
import type { Decided, Decision } from "../run/kept/approval-table.js";
import { runSeal } from "../run/kept/log-text.js";
import { PLAN_PLACE } from "../run/kept/places.js";
import { planIn } from "../run/kept/plan-table.js";
import { decideCalls, resolveCall } from "../run/kept/ready-runs.js";
import { RESOLUTIONS, resolutionOf, resultFault } from "../run/kept/resolution.js";
import { dropRun, listRuns, type ShownRun, showRun } from "../run/kept/run-table.js";
import { stopRun } from "../run/kept/stop.js";
import { titlesOf } from "../run/kept/stored-titles.js";
import type { WaitingCall } from "../run/kept/waiting-calls.js";
import type { PlanEntry } from "../run/preview/plan.js";
import { diffLines, planText } from "../run/preview/plan-text.js";
import type { State } from "../state/open.js";
import { iso } from "../state/schema.js";
import { sayingPreparation } from "./preparing.js";
import { type ProjectStateStart, printStateRefusal, withProjectState } from "./project-state.js";

/** Flags of the commands. */
export interface RunsFlags {
  readonly json?: boolean;
  /** Why calls are rejected, or a run is stopped. */
  readonly reason?: string;
  /** JSON: what a call that happened has answered. */
  readonly result?: string;
}

interface Parts {
  readonly start: ProjectStateStart;
  /** Undefined where no server has made the database of the project. */
  readonly state: State | undefined;
  readonly id: string;
  /** Places of calls. */
  readonly places: readonly string[];
  readonly flags: RunsFlags;
}

const COMMANDS = {
  list,
  show,
  drop,
  stop,
  approve: (parts) => decided(parts, "approved"),
  reject: (parts) => decided(parts, "rejected"),
  resolve,
} as const satisfies Readonly<Record<string, (parts: Parts) => Promise<number>>>;

/** A `runs` command that needs the database alone. */
export type RunsCommand = keyof typeof COMMANDS;

/**
 * Runs one of the commands. Exit code 0, or 1 if there is no such run, it is running or has ended, or the database is not available.
 *
 * @param id - of all but `list`
 * @param places - of the calls that `approve` and `reject` decide; empty: all that wait. For `resolve`: the place of the
 * call, and what became of it
 * @throws UsageError if the database cannot be used
 */
export async function runsCommand(
  start: ProjectStateStart,
  command: RunsCommand,
  flags: RunsFlags,
  id = "",
  places: readonly string[] = [],
): Promise<number> {
  return withProjectState(start, flags, (state) => COMMANDS[command]({ start, state, id, places, flags }));
}

/** The time of the database. */
const nowOf = ({ shared }: State): number => shared?.clock.now() ?? Date.now();

const STYLES = {
  interrupted: "yellow",
  paused: "yellow",
  running: "green",
  done: "dim",
  failed: "red",
  stopped: "red",
} as const;
const STATUS_WIDTH = "interrupted".length;

async function list({ start: { out, paint }, state, flags }: Parts): Promise<number> {
  const runs = state ? await state.transaction("read", (tx) => listRuns(tx, nowOf(state))) : [];
  if (flags.json) {
    out(`${writeJson({ ok: true, runs })}\n`);
    return 0;
  }
  if (runs.length === 0) out("There are no runs.\n");
  for (const run of runs) out(`${lineOf(run, paint)}\n`);
  return 0;
}

const timeText = (time: string): string => `${time.slice(0, 10)} ${time.slice(11, 19)}`;

function lineOf({ id, status, caller, created_at, halted }: ShownRun, paint: ProjectStateStart["paint"]): string {
  const begun = timeText(created_at);
  const why = halted === undefined ? "" : `  ${halted}`;
  return `${id}  ${paint(STYLES[status], status.padEnd(STATUS_WIDTH))}  begun ${begun}  ${onLine(caller)}${why}`;
}

/** Runs that make no call any more. */
const ENDED: ReadonlySet<ShownRun["status"]> = new Set(["done", "failed", "stopped"]);

const TOO_LARGE = "its log is too large to be kept: it waits for nobody, and ends with its server";

/** Who decides sees all of it. */
const WHOLE = { isWhole: true };

async function show({ start, state, id, flags }: Parts): Promise<number> {
  const found = await state?.transaction("read", (tx) => showRun(tx, id, nowOf(state)));
  if (!found || !state) return printStateRefusal(start, flags, unknown(id));
  const seal = await runSeal(state);
  const { calls, approvals: rows, outcomes: asked, plan: row, made, record, ...run } = found;
  const plan = row && planIn(row, seal).plan.plan;
  const titles = titlesOf({ record }, seal);
  const titled = (place: string) => {
    const title = titles.get(place);
    return title === undefined ? {} : { title };
  };
  const now = nowOf(state);
  const hasEnded = ENDED.has(run.status);
  /** Of a call that was to be made: whether it was not, although the run has ended. */
  const missed = (place: string, wasToBe: boolean) =>
    hasEnded && wasToBe && place !== PLAN_PLACE && !made.has(place) ? { made: false as const } : {};
  const outcomes = asked.map(({ place, op, args, asked_at, expires_at, ...row }) => ({
    ...{ call: place, op, args: readJson(seal.open(args)) as JsonObject, ...titled(place), asked_at, expires_at },
    ...missed(place, row.status === "retry"),
    ...decisionOf({ ...row, expires_at }, now),
  }));
  const approvals = rows.map(({ place, op, args, asked_at, expires_at, rule, deciders, planned, ...row }) => ({
    ...{ call: place, op, args: readJson(seal.open(args)) as JsonObject, ...titled(place), asked_at, expires_at, rule },
    by: deciders.split(" "),
    ...missed(place, row.status === "approved"),
    ...(planned === null ? {} : { planned: readJson(seal.open(planned)) as readonly PlanEntry[] }),
    ...decisionOf({ ...row, expires_at }, now),
  }));
  if (flags.json) {
    start.out(`${writeJson({ ok: true, run: { ...run, calls, approvals, outcomes, ...(plan ? { plan } : {}) } })}\n`);
    return 0;
  }
  start.out(`${lineOf(run, start.paint)}\n`);
  if (run.halted === "too_large") start.out(`  ${TOO_LARGE}\n`);
  for (const { ordinal, op, status } of calls) start.out(`  ${ordinal}  ${onLine(op)}  ${status}\n`);
  for (const { call, op, args, title, planned, ...said } of approvals) {
    const not = said.made === false ? ", and not made" : "";
    const name = call === PLAN_PLACE ? "the plan below" : callText({ op, args, title });
    start.out(`  ${start.paint("bold", `${call} ${said.status}${not}`)}: ${name}\n${decisionLine(said)}`);
    for (const line of planned ? diffLines({ op, args }, planned, WHOLE) : []) start.out(`    ${line}\n`);
  }
  for (const { call, op, args, title, ...said } of outcomes) {
    const not = said.made === false ? ", and not sent again: its outcome is unknown" : "";
    const what = said.status === "waiting" ? "outcome unknown" : `${said.status}${not}`;
    start.out(`  ${start.paint("bold", `${call} ${what}`)}: ${callText({ op, args, title })}\n${decisionLine(said)}`);
  }
  if (plan) start.out(`${planText(plan, WHOLE)}\n`);
  return 0;
}

/** A call with all of its arguments, and the title of what it is about. */
const callText = ({ op, args, title }: Pick<WaitingCall, "op" | "args"> & { readonly title?: string | undefined }) =>
  `${visibleText(`${op} ${writeJson(args)}`)}${title === undefined ? "" : ` "${title}"`}`;

/** What has been decided, by whom and when; a call that nobody decided about in time has expired. */
function decisionOf<S extends string>(
  row: { readonly status: S; readonly expires_at: string } & Readonly<
    Record<"decided_by" | "decided_at" | "reason", string | null>
  >,
  now: number,
) {
  const { status, expires_at, decided_by, decided_at, reason } = row;
  const isExpired = status === "waiting" && expires_at <= iso(now);
  return {
    status: isExpired ? ("expired" as const) : status,
    ...(decided_by === null ? {} : { decided_by, decided_at, reason }),
  };
}

function decisionLine({ decided_by, decided_at, reason }: Partial<ReturnType<typeof decisionOf>>): string {
  if (!decided_by) return "";
  const when = decided_at ? `, ${timeText(decided_at)}` : "";
  return `    by ${onLine(decided_by)}${when}${reason ? `: ${onLine(reason)}` : ""}\n`;
}

const NOTHING: Decided = { done: [], elsewhere: [], left: 0 };

/** Decides about calls that wait; the command line counts as the person who decides. */
async function decided({ start, state, id, places: given, flags }: Parts, status: Decision["status"]): Promise<number> {
  const places = [...new Set(given)];
  const decision = { status, by: "the command line", via: "cli", reason: flags.reason ?? "" } as const;
  const { done, elsewhere, left } = state ? await decideCalls(state, id, places, decision, nowOf(state)) : NOTHING;
  const missed = places.filter((place) => !done.includes(place));
  const but = done.length > 0 ? `; ${done.join(", ")} ${status}` : "";
  const [other] = elsewhere;
  if (other)
    return printStateRefusal(
      start,
      flags,
      `the call ${other.place} of ${id} is not decided on the command line, but by: ${other.deciders.replaceAll(" ", ", ")}${but}`,
    );
  if (done.length === 0 || missed.length > 0) {
    const what =
      missed.length > 0
        ? `${missed.length === 1 ? "the call" : "the calls"} ${missed.join(", ")} of ${id} ${missed.length === 1 ? "does" : "do"} not wait for approval`
        : `no call of ${id} waits for approval`;
    return printStateRefusal(start, flags, `${what}: "toolwright runs show ${id}" shows its calls${but}`);
  }
  start.out(
    flags.json
      ? `${writeJson({ ok: true, id, [status]: done })}\n`
      : `${status}: ${done.join(", ")}. ${whatFollows(id, left)}\n`,
  );
  return 0;
}

/** What comes after a decision. */
function whatFollows(id: string, left: number): string {
  if (left === 0) return `A server goes on with it; toolwright runs resume ${onLine(id)} gives its reply`;
  const waits = left === 1 ? "1 call still waits" : `${left} calls still wait`;
  return `${waits} for a person: toolwright runs show ${onLine(id)}`;
}

/** Longest result of a call that happened, in characters. */
const MAX_RESULT_LENGTH = 1_000_000;

/** Says what has become of a write whose server ended while it was under way. */
async function resolve({ start, state, id, places: [place = "", given = ""], flags }: Parts): Promise<number> {
  const kind = RESOLUTIONS.find((one) => one === given);
  if (!kind) throw new UsageError(`${onLine(given)} is not known: write one of ${RESOLUTIONS.join(", ")}`);
  if (flags.result !== undefined && kind !== "happened")
    throw new UsageError(`--result is what a call has answered that happened: leave it out for ${kind}`);
  if (!state) return printStateRefusal(start, flags, unknown(id));
  const by = { by: "the command line", reason: flags.reason ?? "" };
  const seal = await runSeal(state);
  const result = resultOf(flags);
  const fault = flags.result === undefined ? undefined : await faultOf({ start, state, id }, place, result);
  if (fault !== undefined) return printStateRefusal(start, flags, `--result is wrong: ${fault}. Nothing was resolved`);
  const resolution = resolutionOf(kind, place, result, by, seal);
  const done = await resolveCall(state, { id, place }, resolution, by, nowOf(state));
  if (done === "running") return printStateRefusal(start, flags, underWay(id));
  if (done === "not waiting")
    return printStateRefusal(
      start,
      flags,
      `the outcome of the call ${place} of ${id} is not asked about: "toolwright runs show ${id}" shows what is`,
    );
  start.out(flags.json ? `${writeJson({ ok: true, id, call: place, resolved: kind })}\n` : `${place}: ${kind}\n`);
  return 0;
}

/** What is wrong with the result of a call; ops that are not in `generated/` are not known here. */
async function faultOf(
  { start: { root }, state, id }: Pick<Parts, "start" | "id"> & { readonly state: State },
  place: string,
  result: JsonValue,
): Promise<string | undefined> {
  const found = await state.transaction("read", (tx) => showRun(tx, id, nowOf(state)));
  const op = found?.outcomes.find((one) => one.place === place)?.op;
  const project = await readProject(root).catch(() => undefined);
  return resultFault(
    project?.registry.tools.find((tool) => tool.op === op),
    result,
  );
}

/** @throws UsageError for a text that is no JSON, or too long */
function resultOf({ result = "null" }: RunsFlags): JsonValue {
  if (result.length > MAX_RESULT_LENGTH)
    throw new UsageError(`--result has at most ${MAX_RESULT_LENGTH} characters, not ${result.length}`);
  try {
    return readJson(result) as JsonValue;
  } catch (error) {
    throw new UsageError(`--result is no JSON: ${messageOf(error)}`);
  }
}

const underWay = (id: string): string =>
  `the run ${id} is under way: wait until it ends, or until the lease of its server ends (30 s)`;

const unknown = (id: string): string => `there is no run ${id}: "toolwright runs list" shows the ids`;

/** Stops a run, whichever server works on it. */
async function stop({ start, state, id, flags }: Parts): Promise<number> {
  const by = { by: "the command line", reason: flags.reason ?? "" };
  const done = state ? await stopRun(state, id, by, nowOf(state)) : "not found";
  if (done === "not found") return printStateRefusal(start, flags, unknown(id));
  if (done === "ended")
    return printStateRefusal(start, flags, `the run ${id} has ended: "toolwright runs show ${id}" says how`);
  start.out(flags.json ? `${writeJson({ ok: true, id })}\n` : `${onLine(id)} is stopped\n`);
  return 0;
}

async function drop({ start, state, id, flags }: Parts): Promise<number> {
  const done = state ? await state.transaction("write", (tx) => dropRun(tx, id, nowOf(state))) : "not found";
  if (done === "not found") return printStateRefusal(start, flags, unknown(id));
  if (done === "running") return printStateRefusal(start, flags, underWay(id));
  start.out(flags.json ? `${writeJson({ ok: true, id })}\n` : `${onLine(id)} is deleted\n`);
  return 0;
}

/** How long `runs resume` waits for a server that works on the run. */
const WAIT_MS = 60_000;

/**
 * Goes on with a run whose server has ended, for the caller who began it, and prints what it would have answered. Exit
 * code 0, or 1 if the program fails or cannot go on.
 */
export async function printResumedRun(
  start: Pick<Start, "root" | "out" | "err" | "overrides" | "config">,
  id: string,
  flags: RunsFlags,
  open: () => Promise<{ readonly live: Pick<Live, "within" | "close"> }>,
): Promise<number> {
  const { live } = await open();
  try {
    const cancel = new AbortController();
    process.once("SIGINT", () => cancel.abort());
    const hooks = { signal: cancel.signal, waitMs: WAIT_MS };
    const program = () => live.within(({ resume }) => resume(id, undefined, hooks));
    const { text, isError } = await sayingPreparation(start, { ...flags, live }, program);
    start.out(`${flags.json ? writeJson({ ok: !isError, text }) : text}\n`);
    return isError ? 1 : 0;
  } finally {
    await live.close();
  }
}
