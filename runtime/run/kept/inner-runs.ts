/**
 * The programs of tools that a run calls (Python extension tools): each makes its own calls, and gets what it has
 * received again when the run goes on, as the program of the run does.
 */

import { createHmac } from "node:crypto";
import type { RunHooks } from "../../call/call.js";
import { digestText } from "../../contract/canonical.js";
import { type Delivery, type DeliveryLog, type RunOrigin, timedLog } from "../engine/delivery-log.js";
import { HostError } from "../engine/engine.js";
import { type Journal, type LoggedCall, openJournal } from "../engine/journal.js";
import type { Namespace, RunOutcome, RunRequest } from "../languages/language.js";
import { answerOfText, type LogSeal, textOfAnswer } from "./log-text.js";
import type { InnerPart } from "./run-table.js";

/** What such a program has received. */
export interface InnerLog {
  /** Digest of its code, which contains its arguments. */
  readonly code: string;
  /** When it began, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly calls: readonly LoggedCall[];
  readonly deliveries: readonly Delivery[];
  /** How many rows hold it. */
  readonly rows: number;
}

/** The times that programs of tools read, by the place of the tool's call: of the start, and of each delivery. */
export type InnerTimes = Readonly<Record<string, readonly number[]>>;

/** A program that a call runs. */
export interface InnerProgram extends Pick<RunRequest, "code" | "namespace"> {
  /** Place of the call. */
  readonly place: string;
  readonly signal: AbortSignal;
}

/** A program that is followed, with what its engine needs to compute the same again. */
export interface InnerRun extends Required<Pick<RunRequest, "namespace" | "origin" | "log">> {
  /** Called when the program has ended. */
  ended(outcome: RunOutcome): void;
}

/** New rows of the log, and what is to be done once they are stored. */
export interface InnerNews {
  readonly rows: readonly InnerPart[];
  stored(): void;
}

/** All such programs of one run. */
export interface InnerRuns {
  open(program: InnerProgram): InnerRun;
  /** The times that the programs have read so far. */
  times(): InnerTimes;
  /** What is not stored yet. */
  news(seal: Pick<LogSeal, "seal">): InnerNews;
  /** Ops that they have called. */
  readonly called: ReadonlySet<string>;
  /** Whether one of them made other calls than before: none of the run is carried out then. */
  hasDiverged(): boolean;
}

/** What they are opened with. */
export interface InnerRunsParts {
  /** The seed and the start of the run. */
  readonly origin: RunOrigin;
  /** What has reached the program of the run. */
  readonly log: Pick<DeliveryLog, "deliveries">;
  /** What was received on an earlier server, by place. */
  readonly earlier?: ReadonlyMap<string, InnerLog> | undefined;
  /** The times of the preview. */
  readonly times?: InnerTimes | undefined;
  /** Ops that they called on an earlier server. */
  readonly called?: readonly string[] | undefined;
}

interface Followed {
  readonly code: string;
  readonly startedAt: number;
  readonly journal: Journal;
  readonly deliveries: readonly Delivery[];
  readonly stored: { seq: number; deliveries: number; readonly answered: Set<number>; calls: number };
  /** Whether it has ended: the answer of its call is all that is stored of it then. */
  isOver: boolean;
}

/** Raised in code that makes another call than before. */
export const divergedError = (): HostError =>
  new HostError("RuntimeError", "a tool of the program makes other calls than before");

/** Opens them. */
export function createInnerRuns(parts: InnerRunsParts): InnerRuns {
  const { origin: own, log: ownLog, earlier, times = {} } = parts;
  const open = new Map<string, Followed>();
  const called = new Set(parts.called);
  let diverged = false;
  const before = (op: string): void => {
    if (diverged) throw divergedError();
    called.add(op);
  };
  const after = (journal: Journal): void => {
    diverged ||= journal.hasDiverged();
  };
  return {
    called,
    hasDiverged: () => diverged,
    open({ place, code: text, namespace, signal }) {
      const known = earlier?.get(place);
      const code = digestText(text);
      const read = times[place];
      const startedAt = known?.startedAt ?? read?.[0] ?? ownLog.deliveries.at(-1)?.now ?? own.startedAt;
      diverged ||= known !== undefined && known.code !== code;
      const journal = openJournal({ namespace, signal }, known?.calls);
      const log = timedLog(known?.deliveries, (nth) => read?.[nth + 1]);
      const { deliveries } = log;
      const followed: Followed = { code, startedAt, journal, deliveries, stored: storedOf(known), isOver: false };
      open.set(place, followed);
      const origin: RunOrigin = { seed: seedAt(own.seed, place), startedAt };
      return {
        ...{ namespace: namesOf(journal, before, after), origin, log },
        ended(outcome) {
          journal.close();
          followed.isOver = true;
          if (!outcome.ok && (outcome.kind === "cancelled" || outcome.kind === "crashed")) return;
          diverged ||= journal.hasDiverged() || journal.left() > 0;
        },
      };
    },
    times: () => Object.fromEntries([...open].map(([place, one]) => [place, timesOf(one)])),
    news(seal) {
      const found = [...open].flatMap(([place, one]) => (one.isOver ? [] : (newOf(place, one, seal) ?? [])));
      return {
        rows: found.map(({ row }) => row),
        stored() {
          for (const { stored } of found) stored();
        },
      };
    },
  };
}

/** The names of a program, with what is done before and after each call. */
const namesOf = (journal: Journal, before: (op: string) => void, after: (journal: Journal) => void): Namespace => ({
  ...journal.namespace,
  async call(one) {
    before(one.path.join("."));
    return journal.namespace.call(one).finally(() => after(journal));
  },
});

const timesOf = ({ startedAt, deliveries }: Followed): readonly number[] => [
  startedAt,
  ...deliveries.map(({ now }) => now),
];

/** The seed of a program at a place of its run. */
const seedAt = (seed: string, place: string): string =>
  createHmac("sha256", seed).update(`tool ${place}`).digest("hex");

const storedOf = (known: InnerLog | undefined): Followed["stored"] => ({
  seq: known?.rows ?? 0,
  calls: known?.calls.length ?? 0,
  answered: new Set(known?.calls.flatMap(({ answer }, at) => (answer ? [at] : []))),
  deliveries: known?.deliveries.length ?? 0,
});

/** A row of the log, before it is sealed: calls that are new or have an answer now, and new deliveries. */
interface Body {
  readonly code: string;
  readonly startedAt: number;
  readonly calls: readonly (readonly [at: number, asked: string, op: string, answer: string | null])[];
  readonly deliveries: readonly Delivery[];
}

function newOf(place: string, { code, startedAt, journal, deliveries, stored }: Followed, seal: Pick<LogSeal, "seal">) {
  const calls = journal.calls.flatMap(({ asked, op, answer }, at): Body["calls"] =>
    stored.answered.has(at) || (at < stored.calls && !answer)
      ? []
      : [[at, asked, op, answer ? textOfAnswer(answer) : null]],
  );
  const more = deliveries.slice(stored.deliveries);
  if (stored.seq > 0 && calls.length + more.length === 0) return undefined;
  const body: Body = { code, startedAt, calls, deliveries: more };
  const { seq } = stored;
  return {
    row: { place, seq, body: seal.seal(JSON.stringify(body)) },
    stored() {
      stored.seq = seq + 1;
      stored.deliveries += more.length;
      for (const [at, , , answer] of calls) {
        stored.calls = Math.max(stored.calls, at + 1);
        if (answer !== null) stored.answered.add(at);
      }
    },
  };
}

/** The logs of rows that are in the order of their numbers, by place. */
export function innerLogs(rows: readonly InnerPart[], seal: Pick<LogSeal, "open">): ReadonlyMap<string, InnerLog> {
  const found = new Map<string, InnerLog & { readonly calls: LoggedCall[]; readonly deliveries: Delivery[] }>();
  const none = (): { readonly calls: LoggedCall[]; readonly deliveries: Delivery[] } => ({ calls: [], deliveries: [] });
  for (const { place, seq, body } of rows) {
    const { code, startedAt, calls, deliveries } = JSON.parse(seal.open(body)) as Body;
    const log = { ...(found.get(place) ?? none()), code, startedAt, rows: seq + 1 };
    found.set(place, log);
    log.deliveries.push(...deliveries);
    for (const [at, asked, op, answer] of calls)
      log.calls[at] = { asked, op, isOp: op !== "", ...(answer === null ? {} : { answer: answerOfText(answer) }) };
  }
  return found;
}

const FOLLOWING = new WeakMap<RunHooks, InnerRuns>();

/** Follows the programs of tools that are called with these hooks. Hooks are below the engines, which they cannot name. */
export const followInner = (hooks: RunHooks, runs: InnerRuns): RunHooks => {
  FOLLOWING.set(hooks, runs);
  return hooks;
};

/** What follows the programs of tools that are called with these hooks, if anything does. */
export const innerRunsOf = (hooks: RunHooks | undefined): InnerRuns | undefined => hooks && FOLLOWING.get(hooks);
