/**
 * The calls of a run in the order in which its code makes them, with their answers. The code may run again, in
 * another process or on another machine: the calls that the journal holds get the answers that it holds, and
 * further calls are made. The order in which answers arrive is that of the delivery log.
 */

import { setMaxListeners } from "node:events";
import { digestText } from "../../contract/canonical.js";
import type { CallAnswer, Data, HostCall, Namespace, RunRequest } from "../languages/language.js";
import { isOp } from "../packs.js";
import { failureAsError, HostError, INTERNAL, RUN_ENDED } from "./engine.js";

/** A call of a run. Its ordinal is its place in the journal, counted from 1. */
export interface LoggedCall {
  /** Digest of the op and the arguments. */
  readonly asked: string;
  /**
   * Whether an op is called. In runs of earlier versions a call of an unknown name may be a call; it is an error that
   * does not reach the host.
   */
  readonly isOp: boolean;
  /** The path of the op; empty if the name is not that of an op. */
  readonly op: string;
  /** Absent while the call is under way, and if the process ended before its answer: such a call is made again. */
  readonly answer?: CallAnswer;
  /** Line of the code from which it was made last, if the engine says it. */
  readonly line?: number | undefined;
}

/** The journal of one run. */
export interface Journal {
  /** The names of the run; their calls go through the journal. */
  readonly namespace: Namespace;
  /** All calls so far. */
  readonly calls: readonly LoggedCall[];
  /** Whether the code made another call than the journal holds. It gets no more answers. */
  hasDiverged(): boolean;
  /** Number of calls of ops in the journal that the code has not made. */
  left(): number;
  /** Cancels calls whose answers are no longer needed. */
  close(): void;
}

interface Entry {
  readonly asked: string;
  readonly isOp: boolean;
  readonly op: string;
  line?: number | undefined;
  answer?: CallAnswer;
  /** The answer of a call that was made in this process. */
  pending?: Promise<CallAnswer>;
}

/** Raised in code that makes another call than the one in the journal. */
const DIVERGED = "the call differs from the one that was made";

/**
 * Opens the journal of a run.
 *
 * @param earlier - the calls of the run that is repeated
 */
export function openJournal(
  { namespace, signal: cancelled }: Pick<RunRequest, "namespace" | "signal">,
  earlier: readonly LoggedCall[] = [],
): Journal {
  const over = new AbortController();
  /** Made for the first call: many programs make none. */
  let signal: AbortSignal | undefined;
  let isClosed = false;
  const end = (): void => over.abort(RUN_ENDED);
  const signalOfCalls = (): AbortSignal => {
    if (!signal) {
      signal = cancelled ? AbortSignal.any([over.signal, cancelled]) : over.signal;
      // Each of the calls of a run that wait at once listens to it.
      setMaxListeners(0, signal);
    }
    if (isClosed) end();
    return signal;
  };
  const cursor = cursorOver(
    earlier.map((one) => ({ ...one })),
    (path) => isOp(namespace.packs, path),
  );
  const call = async (one: HostCall): Promise<Data> => {
    const found = cursor.next(one);
    if (!found) throw new HostError("RuntimeError", DIVERGED);
    const { entry, ordinal } = found;
    entry.line = one.line;
    const until = signalOfCalls();
    entry.pending ??= answerOf(entry, () => namespace.call(inJournal(one, ordinal, until)), until);
    const given = await entry.pending;
    if ("value" in given) return given.value;
    throw failureAsError(given.failure);
  };
  const { entries, hasDiverged, left } = cursor;
  return {
    namespace: { ...namespace, call },
    calls: entries,
    hasDiverged,
    left,
    close() {
      isClosed = true;
      if (signal) end();
    },
  };
}

const inJournal = (
  { path, positional, named, omitted, line, settled }: HostCall,
  ordinal: number,
  signal: AbortSignal,
): HostCall => ({
  path,
  positional,
  named,
  omitted,
  line,
  signal,
  ordinal,
  settled,
});

/** The entries, and the place of the code among them. */
function cursorOver(entries: Entry[], isOpAt: (path: readonly string[]) => boolean) {
  let at = 0;
  let diverged = false;
  return {
    entries,
    /** The entry of the next call; undefined if the code has diverged. */
    next(one: HostCall): { readonly entry: Entry; readonly ordinal: number } | undefined {
      const asked = callDigest(one);
      while (entries[at]?.isOp === false && entries[at]?.asked !== asked) at += 1;
      const made = entries[at];
      diverged ||= made !== undefined && made.asked !== asked;
      if (diverged) return undefined;
      const isOp = isOpAt(one.path);
      const entry = made ?? { asked, isOp, op: isOp ? one.path.join(".") : "" };
      if (!made) entries.push(entry);
      at += 1;
      return { entry, ordinal: at };
    },
    hasDiverged: () => diverged,
    left: () => entries.slice(at).filter((one) => one.isOp).length,
  };
}

/** The answer of a call. That a call was cancelled is no answer: it is made again by a run that goes on. */
async function answerOf(entry: Entry, make: () => Promise<Data>, signal: AbortSignal): Promise<CallAnswer> {
  if (entry.answer) return entry.answer;
  const answer: CallAnswer = await make().then(
    (value) => ({ value }),
    (error: unknown) => ({ failure: error instanceof HostError ? error.failure : INTERNAL }),
  );
  if (!signal.aborted) entry.answer = answer;
  return answer;
}

/** Digest of a call as the code makes it. */
export const callDigest = ({ path, positional, named }: HostCall): string =>
  digestText(
    JSON.stringify([path, positional, named], (_, value: unknown) => {
      if (typeof value === "bigint") return `${value}n`;
      if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString("base64") };
      // Whether a whole float stays a float depends on the engine.
      return isFloat(value) ? Number(value.text) : value;
    }),
  );

const isFloat = (value: unknown): value is { readonly text: string } =>
  typeof value === "object" && value !== null && "$" in value && value.$ === "float";
