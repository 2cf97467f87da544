/** The answer to a run, from how its code ended: formatted, joined with what it printed, sanitised, stored if it is large. */

import type { CallOptions, Dispatch } from "../call/call.js";
import type { AnswerSeal } from "../call/stored-answer.js";
import { type CanCall, canCall } from "../catalog/advice.js";
import type { Project } from "../catalog/project.js";
import type { Principal } from "../contract/handler.js";
import { resultSchema } from "../contract/known-result.js";
import type { Recorder } from "../contract/recorder.js";
import { clip } from "../contract/scrub.js";
import { failureText } from "./error-text.js";
import { joinReply, withoutNewlines } from "./format.js";
import { leftWrite } from "./kept/after-table.js";
import type { OpenRun } from "./kept/kept-run.js";
import type { PausedFacts } from "./kept/paused-text.js";
import type { CodeFinding, FailedRun, FinishedRun, Misread, Program, RunOutcome } from "./languages/language.js";
import { memberNames } from "./member-names.js";
import type { PackProxy } from "./pack-proxy.js";
import { type FinalText, type ResultStore, replyOf } from "./results.js";
import type { RunAnswer } from "./run-answer.js";
import { foreignSources, isFailureSanitized, isSanitized, markedText, newBoundary, redactedText } from "./sanitize.js";
import type { Tools } from "./tool-loader.js";
import { type WrittenParts, writtenBy } from "./written.js";

/** A finished run. */
export interface Ended {
  readonly services: {
    readonly project: Project;
    readonly results: ResultStore;
    readonly dispatch: Pick<Dispatch, "index">;
    readonly recorder?: Recorder | undefined;
    readonly answerSeal?: AnswerSeal | undefined;
  };
  readonly principal: Principal;
  readonly tools: Tools;
  readonly program: Program;
  readonly run: Pick<OpenRun, "proxy" | "journal" | "resumable" | "correctable" | "after">;
  readonly printed: string;
  /** Takes out bytes that are in blocks of the answer. */
  readonly textWithoutBytes?: CallOptions["textWithoutBytes"];
  /** Checks the types of the code; undefined without an answer. */
  findings(): Promise<readonly CodeFinding[] | undefined>;
  /** What the code looks like, if its language refuses it. */
  misread(): Promise<Misread | undefined>;
}

/** The answer to a run that ended, well or not. */
export const finalAnswer = (ended: Ended, outcome: RunOutcome): Promise<RunAnswer> =>
  outcome.ok ? success(ended, outcome) : failure(ended, outcome);

async function success(ended: Ended, outcome: FinishedRun): Promise<RunAnswer> {
  const { services, program, printed, textWithoutBytes = asItIs } = ended;
  const { proxy } = ended.run;
  const { run } = services.project.settings;
  const { language, lastCall } = program;
  const value = await language.texts.value(outcome, { depth: run.limits.resultDepth, isOt: lastCall?.[0] === "ot" });
  const whole = textWithoutBytes(joinReply(printed, value), true);
  const sources = sourcesOf(services, proxy);
  const sanitized = isSanitized(outcome.sanitize, sources);
  const final = {
    text: sanitized ? redactedText(whole) : whole,
    ...(sanitized ? { boundary: newBoundary(sources) } : {}),
    tool: toolOf(lastCall, proxy),
    ...forCaller(ended),
  };
  const reply = await replyOf(services.results, final, run.output);
  if (reply.kind === "stored") services.recorder?.add("stored_bytes", reply.meta.size_bytes - reply.text.length);
  const isError = value !== undefined && isFailure(value, proxy);
  const isSilent = value === undefined && printed === "";
  const notes = isError
    ? ""
    : [...writeNotes(ended, isSilent), ...doubtNotes(program), ...timerNotes(outcome), proxy.notes.text() ?? []]
        .flat()
        .join("\n");
  const said = notes === "" ? {} : { notes: sanitized ? redactedText(notes) : notes };
  return { text: reply.text, isError, ...said };
}

/** What the caller of a run can call. */
const canOf = ({ services, principal }: Pick<Ended, "services" | "principal">): CanCall =>
  canCall(services.dispatch.index.view(principal.grant));

/** Whose the final text of a run is, and what it may advise, in the language of the program. */
const forCaller = (ended: Ended): Pick<FinalText, "caller" | "can" | "call"> => ({
  call: ended.program.language.texts.call,
  caller: ended.principal.id,
  can: canOf(ended),
});

/**
 * Notes about writes whose outcome is unknown although the program ended well, since it caught their exceptions; about the ids of what
 * a program without an answer has written; and of the failed run after which it went on, about writes that it did not ask for, and
 * answers that may be out of date.
 */
function writeNotes(ended: Ended, isSilent: boolean): readonly string[] {
  const { calls } = ended.run.journal;
  const left = leftWrites(ended);
  const old = oldReadsNote(ended);
  if (!isSilent && left.length === 0 && calls.every(({ answer }) => answer && "value" in answer)) return old;
  const { lines, uncertain } = writesOf(ended, { calls, counts: new Map(), left }).written;
  const stay = lines.filter((line) => line.startsWith("Already written by "));
  const own = lines.filter((line) => /^Already written(?: \(|:)/.test(line));
  return [
    ...(isSilent ? own.map((line) => `Note: ${line}`) : []),
    ...uncertain.map((line) => `Note: ${line}; the outcome is unknown, so read it before you write again.`),
    ...stay.map((line) => `Note: ${line}; this program did not ask for it, and it stays.`),
    ...old,
  ];
}

/** Most doubts that are noted, and the length of one in characters. */
const MAX_DOUBTS = 3;
const MAX_DOUBT_LENGTH = 240;

const doubtNotes = ({ doubts = [] }: Program): readonly string[] =>
  doubts.slice(0, MAX_DOUBTS).map(({ line, message }) => `Note: line ${line}: ${clip(message, MAX_DOUBT_LENGTH)}.`);

const timerNotes = ({ timers = 0 }: FinishedRun): readonly string[] =>
  timers === 0
    ? []
    : [
        `Note: the program ended before ${timers === 1 ? "a timer" : `${timers} timers`}, whose function was not called: await a promise that it resolves.`,
      ];

/** Most ops that a note names. */
const MAX_NAMED_READS = 5;

/** What somebody else has written since the failed run is not in these answers. */
function oldReadsNote({ run: { after } }: Ended): readonly string[] {
  const ops = after?.oldReads() ?? [];
  const named = [...ops.slice(0, MAX_NAMED_READS), ...(ops.length > MAX_NAMED_READS ? ["others"] : [])].join(", ");
  const what = "if something else has been written since, look for what now exists twice";
  return ops.length === 0 ? [] : [`Note: ${named} answered as in ${after?.id}; ${what}.`];
}

const asItIs = (text: string): string => text;

/** Prefix of an error text from ops of `ot`. */
const ERROR_MESSAGE = "Error: ";

/** Whether the value of a run is what an op of `ot` said of its failure, such as the pause of a program that it resumed. */
const isFailure = (value: string, { record: { called, failedText } }: PackProxy): boolean =>
  value === failedText || (value.startsWith(ERROR_MESSAGE) && [...called].some((op) => op.startsWith("ot.")));

/** The ops from which untrusted text came, via `ot.batch` too. */
const sourcesOf = ({ project }: Ended["services"], { record }: PackProxy): readonly string[] =>
  foreignSources(record, project.settings.run.sanitizes);

/** The op that a result comes from: that of the final call, else the last one called. */
function toolOf(lastCall: readonly string[] | undefined, proxy: PackProxy): string {
  const final = lastCall?.join(".");
  return final !== undefined && proxy.calls.has(final) ? final : (proxy.last() ?? "run");
}

/** The answer to a failed run. Output is bounded like a result, and foreign text of the failure like output. */
async function failure(ended: Ended, outcome: FailedRun): Promise<RunAnswer> {
  const { services, tools, program, run, textWithoutBytes = asItIs } = ended;
  const { proxy } = run;
  const printed = textWithoutBytes(ended.printed);
  const correctable = await run.correctable(outcome);
  const { written, use } = callsOf(ended, outcome, correctable);
  const findings =
    use === undefined && program.language.texts.isWorthChecking(outcome) ? ((await ended.findings()) ?? []) : [];
  const sources = sourcesOf(services, proxy);
  const sanitized = isFailureSanitized(program.source, sources);
  const reads = new Set(tools.ops.flatMap(({ op, kind }) => (kind === "read" ? [op] : [])));
  const known = { ops: tools.listed, isRead: (op: string) => reads.has(op), can: canOf(ended) };
  const misread = outcome.kind === "syntax" ? await ended.misread() : undefined;
  const facts = { program, proxy, ...known, findings, written, use, misread };
  const { about, next } = failureText(outcome, { ...facts, correctable, resumable: run.resumable(outcome) });
  // What to do next is a text of this server: in the mark it would be data.
  const text = [sanitized ? markedText(about, sources) : about, ...next.map(sanitized ? redactedText : String)].join(
    "\n",
  );
  const output = sanitized ? redactedText(withoutNewlines(printed)) : withoutNewlines(printed);
  if (output === "") return { text, isError: true };
  const settings = services.project.settings.run.output;
  const room = Math.max(1, settings.maxInlineSize - Buffer.byteLength(text));
  const limits = settings.maxInlineSize === 0 ? settings : { ...settings, maxInlineSize: room };
  const boundary = sanitized ? { boundary: newBoundary(sources) } : {};
  const final = { text: output, ...boundary, tool: proxy.last() ?? "run", ...forCaller(ended) };
  const reply = await replyOf(services.results, final, limits);
  const before =
    reply.kind === "stored" ? `Output: ${final.call("ot.result", { handle: reply.meta.handle })}` : reply.text;
  return { text: `${before}\n${text}`, isError: true };
}

/**
 * What a program that pauses has done: what it has written, and the notes about it.
 *
 * @param counts - how often each op was called, without the calls that wait
 */
export function doneSoFar(
  ended: Pick<Ended, "services" | "principal" | "program" | "run">,
  counts: WrittenParts["counts"],
): Pick<PausedFacts, "written" | "notes"> {
  const { journal, proxy } = ended.run;
  // Those without an answer wait.
  const calls = journal.calls.filter(({ answer }) => answer);
  const { written } = writesOf(ended, { calls, counts });
  const notes = proxy.notes.text();
  return { written: written.lines.map(redactedText), ...(notes === undefined ? {} : { notes: redactedText(notes) }) };
}

/** Writes of the failed run after which a program went on that it did not ask for. */
const leftWrites = ({ run, services }: Pick<Ended, "run" | "services">) =>
  (run.after?.left() ?? []).map((write) => leftWrite(write, services));

/** The writes among calls, and the code that made them. */
function writesOf(
  { principal, program, services }: Pick<Ended, "services" | "principal" | "program">,
  made: Pick<WrittenParts, "calls" | "counts" | "run" | "left">,
) {
  const view = services.dispatch.index.view(principal.grant);
  const code = made.calls.length === 0 ? undefined : program.calls();
  const written = writtenBy({
    ...made,
    isWrite: (op) => view.exact(op)?.kind === "write",
    lineOf: (op, nth) => code?.lineOf(op, nth),
  });
  return { written, code };
}

/** What the calls of a failed run have done, and what it took an answer for. */
function callsOf(ended: Ended, outcome: FailedRun, correctable: string | undefined) {
  const { proxy, journal } = ended.run;
  const { calls } = journal;
  const { sanitizes } = ended.services.project.settings.run;
  const view = ended.services.dispatch.index.view(ended.principal.grant);
  const { written, code } = writesOf(ended, { calls, counts: proxy.calls, run: correctable, left: leftWrites(ended) });
  // Keys of foreign text may be hostile: only those of a type are named.
  const keysOf = (op: string) => {
    const tool = sanitizes(op) ? view.exact(op) : undefined;
    return tool && memberNames(resultSchema(tool));
  };
  return { written, use: code?.useOf(outcome, calls, keysOf) };
}
