/** The answer to a run: which engine ran the code, and what its span records. */

import type { SpanFields } from "../call/recent-spans.js";
import type { SpanEnd, SpanFailure } from "../call/span.js";
import { scrub } from "../contract/scrub.js";
import { REFUSED_OUTCOME } from "../metrics/operations.js";
import type { PausedFacts } from "./kept/paused-text.js";
import type { Halt } from "./kept/run-table.js";
import type { RunOutcome } from "./languages/language.js";
import type { PackProxy } from "./pack-proxy.js";
import type { Plan } from "./preview/plan.js";

/**
 * The answer to a run.
 *
 * @example
 * const print = ({ text, isError }: RunAnswer) => (isError ? console.error(text) : console.log(text));
 */
export interface RunAnswer {
  readonly text: string;
  readonly isError: boolean;
  /**
   * What the program did not see, one note a line: arguments that were read otherwise than they were written, and lists of
   * which it read a part. Absent without notes, and for a run that failed; one that pauses has those so far.
   */
  readonly notes?: string;
}

/** The answer, with what transports make of it. */
export interface RunReport extends RunAnswer {
  /** Id of the run, if its program waits for a person. */
  readonly paused?: string;
  /** What else is said of one that waits: its text says it, too. */
  readonly pausedFacts?: PausedFacts;
  /** Whether a server works on the run that was to be resumed. */
  readonly isBusy?: boolean;
  /** Absent if the code did not run. */
  readonly ranOn?: RanOn;
  /** Of a program that was previewed: the text says it, too. */
  readonly plan?: Plan;
}

/** An answer with one more note at the beginning; a run that failed has no notes. */
export const withNote = <T extends RunAnswer>(answer: T, note: string | undefined): T =>
  note === undefined || answer.isError
    ? answer
    : { ...answer, notes: answer.notes === undefined ? note : `${note}\n${answer.notes}` };

/** The engine of a run. */
export interface RanOn {
  readonly name: string;
  /** How long the engine took, in milliseconds. */
  readonly ms: number;
}

/** The engine of an outcome. */
export const ranOn = ({ stats: { engine: name, wallMs } }: RunOutcome): RanOn => ({ name, ms: Math.round(wallMs) });

/** Most ops in a span. */
const MAX_OPS = 20;

/** The fields of the span of a run. */
export function runSpanFields({ stats }: RunOutcome, { calls }: PackProxy): SpanFields {
  const { engine, cpuMs, hostCalls } = stats;
  return { ops: [...calls.keys()].slice(0, MAX_OPS), engine, calls: hostCalls, cpu_ms: Math.round(cpuMs) };
}

/** Why a run failed, as its span says it. */
export function spanFailure(outcome: RunOutcome, isError: boolean): { readonly failure?: SpanFailure } {
  if (!outcome.ok) return { failure: { type: outcome.name, message: outcome.message } };
  return isError ? { failure: { type: "Error" } } : {};
}

/** An answer, with facts about the run. */
export interface MadeAnswer extends RunReport {
  /** Number of calls that it made. */
  readonly calls: number;
  readonly failure?: SpanFailure;
  readonly fields?: SpanFields;
  /** Name of its language; absent if the command has none that is run here. */
  readonly language?: string;
  /** Whether its program was refused before it ran. */
  readonly isRefused?: true;
  readonly halted?: Halt;
}

/** The fields of the span of a program: `language`, and whether it ran. */
const programFields = ({ language, isRefused }: MadeAnswer): SpanFields => ({
  ...(language === undefined ? {} : { language }),
  ...(isRefused ? REFUSED_OUTCOME : {}),
});

/** The message of an exception may quote code and data, so it is only logged at level `debug`. */
export function spanEndOf(made: MadeAnswer): SpanEnd {
  const { failure, paused } = made;
  const fields = { ...programFields(made), ...made.fields };
  if (paused !== undefined) return { fields, isPaused: true };
  if (!failure || failure.isOurs) return { failure, fields };
  const { type, message = "" } = failure;
  return { failure: { type }, fields, detail: () => (message === "" ? {} : { error: scrub(message) }) };
}
