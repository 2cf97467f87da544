/** Goes on with runs that another process began: takes one over, runs it, and gives it back if it cannot go on. */

import { setTimeout as sleep } from "node:timers/promises";
import type { LastingCaller } from "../../access/former-keys.js";
import type { CallOptions } from "../../call/call.js";
import { isToolFailure, type Principal } from "../../contract/handler.js";
import { untilDone } from "../../state/deadline.js";
import { faultText } from "../error-text.js";
import { textFault } from "../fault.js";
import type { RunReport } from "../run-answer.js";
import type { KeepParts } from "./asking.js";
import { storeLater } from "./outages.js";
import { type EarlierRun, giveBack, type TakeOver, takeOver } from "./resume.js";
import type { Halt } from "./run-table.js";

/** How a run is resumed. */
export interface ResumeOptions extends CallOptions {
  /** How long it waits for another server that works on the run, in milliseconds; default: not at all. */
  readonly waitMs?: number;
  /** Whether a job goes on with it: when its server ends, another job does. */
  readonly isJob?: boolean;
}

/** The answer to a run, and why it can go on only if somebody asks for it. */
export interface HaltedReport extends RunReport {
  readonly halted?: Halt;
}

/** Runs the code of a run again, with what it has received so far. */
export type RunAgain = (
  command: string,
  principal: Principal,
  options: ResumeOptions & { readonly earlier: EarlierRun },
) => Promise<HaltedReport>;

/** How long an answer waits until its run is given back. */
const BACK_MS = 5000;
/** Pause between two looks at a run that another server works on. */
const LOOK_MS = 250;

/**
 * Goes on with a run; one that has ended answers again. Rejects only for faults, never for the failure of a tool.
 *
 * @param caller - only runs of this caller, with the same permission; absent: any
 */
export async function carryOn(
  parts: KeepParts,
  id: string,
  caller: LastingCaller | undefined,
  { waitMs = 0, ...options }: ResumeOptions,
  again: RunAgain,
): Promise<RunReport> {
  if (options.run?.isNested) return { text: faultText(TOO_DEEP), isError: true };
  try {
    const taken = await takenSoon(parts, id, caller, waitMs, options.signal);
    if ("fault" in taken) return { text: faultText(taken.fault), isError: true, isBusy: taken.kind === "busy" };
    if (taken.kind === "ended") return { text: taken.text, isError: taken.isError };
    const { command, principal, driver } = taken.run;
    const { halted, ...report } = await again(command, principal, { ...options, earlier: taken.run });
    // Of a run that has ended or pauses, nothing changes.
    await untilDone(
      storeLater(parts, id, "a run is not given back", () => giveBack(parts, driver, halted)),
      BACK_MS,
    );
    return report;
  } catch (error) {
    if (!isToolFailure(error)) throw error;
    return { text: faultText(textFault(error.code, error.message)), isError: true };
  }
}

const TOO_DEEP = textFault("RuntimeError", "a resumed program cannot resume another one", "Next: resume it by itself");

/** Takes a run over, when the server that works on it has done so. */
async function takenSoon(
  parts: KeepParts,
  id: string,
  caller: LastingCaller | undefined,
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<TakeOver> {
  const end = performance.now() + waitMs;
  for (;;) {
    const taken = await takeOver(parts, id, caller);
    if (taken.kind !== "busy" || performance.now() >= end || signal?.aborted) return taken;
    await sleep(LOOK_MS, undefined, signal ? { signal } : {}).catch(() => undefined);
  }
}
