/** Stops runs: those that wait, and those that a server works on, which is told. */

import type { LastingCaller } from "../../access/former-keys.js";
import { BACKGROUND_MS, withinStateMs } from "../../state/deadline.js";
import type { State } from "../../state/open.js";
import { iso, queries } from "../../state/schema.js";
import type { KeepParts } from "./asking.js";
import { runSeal } from "./log-text.js";
import type { Resolver } from "./outcome-table.js";
import { changeStopped } from "./run-table.js";
import { isRunOf } from "./stored-run.js";

/** What came of it. */
export type Stopped = "done" | "ended" | "not found";

/**
 * Stops a run: its calls that wait are withdrawn, it begins no write any more, and the server that works on it ends its
 * program.
 *
 * @param caller - only a run of this caller; absent: of any
 */
export async function stopRun(
  state: State,
  id: string,
  resolver: Resolver,
  now: number,
  caller?: LastingCaller,
): Promise<Stopped> {
  const seal = await runSeal(state);
  return state.transaction("write", async (tx) => {
    const row = await queries(tx).selectFrom("runs").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
    if (!row || (caller && !isRunOf(row, caller))) return "not found";
    if (row.status !== "running") return "ended";
    const isUnderWay = row.lease_until > iso(now);
    await changeStopped(tx, id, seal.seal(stoppedText(resolver, isUnderWay)), resolver, now);
    await state.send(tx, { topic: "stopped", payload: id });
    return "done";
  });
}

const stoppedText = ({ by, reason }: Resolver, isUnderWay: boolean): string =>
  `Stopped by ${by}${reason === "" ? "" : `: ${reason}`}.${isUnderWay ? " A write that was under way may have happened." : ""}`;

/** Time between two looks: another process of SQLite, such as the command line, tells nobody. */
const LOOK_MS = 2000;

/** Looks whether a run is stopped. */
export interface StopWatch {
  /** Begins, once the run may be stored. */
  begin(): void;
  /** Looks now. Never rejects. */
  look(): Promise<void>;
  /** Looks now, if it has begun. Never rejects. */
  lookAgain(): Promise<void>;
  end(): void;
}

/**
 * Watches a run.
 *
 * @param stopped - called once, with what the caller of the run is told
 */
export function watchStop(
  { state, log }: Pick<KeepParts, "state" | "log">,
  id: string,
  stopped: (text: string) => void,
): StopWatch {
  let stop: (() => void) | undefined;
  let isOver = false;
  const end = (): void => {
    isOver = true;
    stop?.();
  };
  const look = async (): Promise<void> => {
    if (isOver) return;
    try {
      const open = await state.get();
      const text = await withinStateMs(BACKGROUND_MS, () => answerOfStopped(open, id));
      if (text === undefined || isOver) return;
      end();
      stopped(text);
    } catch (error) {
      log.warn("whether a run is stopped is not known", { run: id, error: String(error) });
    }
  };
  const listen = async (): Promise<void> => {
    const { notifier, shared } = await state.get();
    const ends = [notifier.on("stopped", (stoppedId) => void (stoppedId === id && look())), notifier.onGap(look)];
    const timer = setInterval(() => void (shared && notifier.isPushed() ? undefined : look()), LOOK_MS).unref();
    stop = () => {
      clearInterval(timer);
      for (const one of ends) one();
    };
    if (isOver) stop();
  };
  let isBegun = false;
  return {
    begin() {
      if (isBegun || isOver) return;
      isBegun = true;
      // Without the database, no write of the run begins either.
      listen().catch(() => {
        isBegun = false;
      });
    },
    look,
    lookAgain: async () => (isBegun ? look() : undefined),
    end,
  };
}

/** The answer of a run that was stopped; undefined for any other. */
async function answerOfStopped(state: State, id: string): Promise<string | undefined> {
  const row = await state.transaction("read", (tx) =>
    queries(tx).selectFrom("runs").select(["status", "answer"]).where("id", "=", id).executeTakeFirst(),
  );
  if (row?.status !== "stopped") return undefined;
  return row.answer === null ? "" : (await runSeal(state)).open(row.answer);
}
