/** Programs as those see them who decide about their calls: the code, and the lines of what waits. Sealed, as all of a run. */

import type { State } from "../../state/open.js";
import { queries, type RunRow } from "../../state/schema.js";
import type { LoggedCall } from "../engine/journal.js";
import { CORE_LANGUAGES } from "../languages/table.js";
import type { Plan } from "../preview/plan.js";
import { type LogSeal, runSeal } from "./log-text.js";
import { callPlace } from "./places.js";
import { planIn } from "./plan-table.js";
import { planRowOf } from "./run-table.js";

/** What is stored of a program when it pauses. */
export interface StoredProgram {
  /** The code that was run; absent if it is the command as it was sent. */
  readonly code?: string;
  /** Name of its language; absent in runs of earlier versions. */
  readonly language?: string;
  /** Lines by the places of the calls that wait, as far as they are known, from 1. */
  readonly lines: Readonly<Record<string, number>>;
}

/** The member of a record with the program; absent before the first pause, and in runs of earlier versions. */
export interface ProgramRecord {
  /** Sealed JSON. */
  readonly program?: string;
}

/** The member of the record that stores the program. */
export const programRecord = (program: StoredProgram | undefined, seal: LogSeal): ProgramRecord =>
  program ? { program: seal.seal(JSON.stringify(program)) } : {};

/** The program that is stored with a run; undefined if none is. */
export function programOf({ record }: Pick<RunRow, "record">, seal: LogSeal): StoredProgram | undefined {
  const { program } = JSON.parse(record) as ProgramRecord;
  return program === undefined ? undefined : (JSON.parse(seal.open(program)) as StoredProgram);
}

/** The code that is run. */
export interface ProgramSource {
  readonly command: string;
  /** The code of the command: of a fence, or of a snippet. */
  readonly source: string;
  /** Name of its language. */
  readonly language: string;
  /** The line of a call, by its place among the calls of its op, from 0; undefined if it is not known. */
  lineOf(op: string, nth: number): number | undefined;
}

/** The program when it pauses. A call within a call has the line of the outer one. */
export function programAt(
  { command, source, language, lineOf }: ProgramSource,
  waiting: readonly { readonly key: string }[],
  calls: readonly LoggedCall[],
): StoredProgram {
  const lineAt = (ordinal: number): number | undefined => {
    const call = calls[ordinal - 1];
    if (!call) return undefined;
    const nth = calls.slice(0, ordinal - 1).filter(({ op }) => op === call.op).length;
    return call.line ?? lineOf(call.op, nth);
  };
  const lines = waiting.flatMap((one) => {
    const place = callPlace(one);
    const line = lineAt(Number(place.split(".")[0]));
    return line === undefined ? [] : [[place, line] as const];
  });
  return { ...(source === command ? {} : { code: source }), language, lines: Object.fromEntries(lines) };
}

/** A program whose calls wait. */
export interface ShownProgram extends Required<StoredProgram> {
  /** The plan to which it is held; absent if it is held to none. */
  readonly plan?: Plan;
}

/** The language of runs that store none. */
const [EARLIER] = CORE_LANGUAGES;

/** Largest programs and plans of a listing together, in characters; what is beyond is left out. */
const MAX_LENGTH = 1_000_000;

/** Programs by the ids of their runs. */
export async function shownPrograms(
  state: State,
  ids: readonly string[],
): Promise<Readonly<Record<string, ShownProgram>>> {
  const seal = await runSeal(state);
  const shown: Record<string, ShownProgram> = {};
  let length = 0;
  await state.transaction("read", async (tx) => {
    for (const id of new Set(ids)) {
      const read = queries(tx).selectFrom("runs").select(["command", "record"]).where("id", "=", id);
      const row = await read.executeTakeFirst();
      const planned = await planRowOf(tx, id);
      length += (row?.command.length ?? 0) + (row?.record.length ?? 0) + (planned?.body.length ?? 0);
      if (length > MAX_LENGTH) break;
      if (!row) continue;
      const { code = seal.open(row.command), language = EARLIER.name, lines = {} } = programOf(row, seal) ?? {};
      shown[id] = { code, language, lines, ...(planned ? { plan: planIn(planned, seal).plan.plan } : {}) };
    }
  });
  return shown;
}
