/** Holds a run to its plan: whether its next write is one that was planned. */

import { canonicalJson } from "../../contract/canonical.js";
import { isExact } from "../../contract/exact-number.js";
import { isRecord } from "../../contract/json.js";
import { escapePointer } from "../../contract/json-pointer.js";
import type { JsonObject, JsonValue } from "../../contract/registry.js";
import type { DeliveryLog } from "../engine/delivery-log.js";
import type { Plan, PlanEntry } from "../preview/plan.js";
import type { InnerRuns, InnerTimes } from "./inner-runs.js";

/** The times that a program reads with its answers, and those that the programs of its tools read. */
export interface RunTimes {
  readonly own: readonly number[];
  readonly inner: InnerTimes;
}

/** The times that were read so far. */
export const timesOf = (log: Pick<DeliveryLog, "deliveries">, inner: Pick<InnerRuns, "times">): RunTimes => ({
  own: log.deliveries.map(({ now }) => now),
  inner: inner.times(),
});

/** A plan as it is stored. */
export interface StoredPlan {
  readonly plan: Plan;
  /** Digests of the rules that ask about its entries, by the name of the rule. */
  readonly rules: Readonly<Record<string, string>>;
  readonly times: RunTimes;
  /** Where a person may decide. */
  readonly by: readonly string[];
  readonly expiresMs: number;
}

/** How far the plan has been made. */
export interface PlanProgress {
  /** Places of writes, with the index of the entry that each is. */
  readonly made: readonly (readonly [place: string, entry: number])[];
  /** Values that labels of the plan stand for in this run. */
  readonly values: readonly (readonly [label: string, value: string | number])[];
  /** Whether a person has approved a write that was not planned: later entries may be left out since. */
  readonly isLoose: boolean;
}

/** A write that a run is about to make. */
export interface NextWrite {
  readonly place: string;
  readonly op: string;
  readonly args: JsonObject;
}

/** The plan of a run that is under way. */
export interface HeldPlan {
  /** The entry of the write; or its possible entries. */
  next(write: NextWrite): PlanEntry | { readonly expected: readonly PlanEntry[] };
  /** A person has approved a write that was not planned. */
  loosen(): void;
  /** A call has an answer, which later arguments may hold. */
  answered(call: { readonly place: string; readonly op: string }, answer: JsonValue): void;
  /** Entries that were not made. */
  missing(): readonly PlanEntry[];
  progress(): PlanProgress;
  /** Counts the changes of the progress. */
  changes(): number;
}

const LABEL = /‹([^‹›]+)›/g;

/** The labels in the arguments of a plan, and those for which they may stand. */
function labelsIn({ entries }: Plan): ReadonlySet<string> {
  const text = JSON.stringify(entries.map(({ args, may_be }) => [args, may_be]));
  return new Set([...text.matchAll(LABEL)].map(([label]) => label));
}

/**
 * Holds a run to its plan. Entries are made in their order; those of one group in any order.
 *
 * @param progress of the run on an earlier server
 */
export function holdTo(plan: Plan, progress?: PlanProgress): HeldPlan {
  const { entries } = plan;
  const made = new Map(progress?.made);
  const values = new Map(progress?.values);
  const wanted = labelsIn(plan);
  let isLoose = progress?.isLoose === true;
  let changes = 0;
  const left = (): readonly number[] => {
    const taken = new Set(made.values());
    return entries.flatMap((_, index) => (taken.has(index) ? [] : [index]));
  };
  const candidates = (): readonly number[] => {
    const open = left();
    const first = entries[open[0] ?? 0]?.group;
    return isLoose ? open : open.filter((index) => entries[index]?.group === first);
  };
  const isEntry = (index: number, { op, args }: NextWrite): boolean => {
    const entry = entries[index];
    return entry?.op === op && fits(entry.args, args, { values, guesses: entry.may_be ?? {} });
  };
  return {
    next(write) {
      const known = made.get(write.place);
      const open = known === undefined ? candidates() : [known];
      const found = open.find((index) => isEntry(index, write));
      const entry = found === undefined ? undefined : entries[found];
      if (found === undefined || !entry) return { expected: open.flatMap((index) => entries[index] ?? []) };
      if (known === undefined) changes += 1;
      made.set(write.place, found);
      return entry;
    },
    loosen() {
      if (!isLoose) changes += 1;
      isLoose = true;
    },
    answered({ place, op }, answer) {
      // The labels of a write hold the place that it has in the plan.
      const beginning = `‹${op}#${entries[made.get(place) ?? -1]?.place ?? place}`;
      for (const label of wanted) {
        const value = label.startsWith(beginning) ? memberAt(answer, label.slice(beginning.length, -1)) : undefined;
        if ((typeof value !== "string" && typeof value !== "number") || values.has(label)) continue;
        values.set(label, value);
        changes += 1;
      }
    },
    missing: () => left().flatMap((index) => entries[index] ?? []),
    progress: () => ({ made: [...made], values: [...values], isLoose }),
    changes: () => changes,
  };
}

/** What stands in the place of labels in this run, and the labels for which plain values may stand. */
interface Known {
  readonly values: ReadonlyMap<string, string | number>;
  readonly guesses: NonNullable<PlanEntry["may_be"]>;
}

/** Whether arguments are those of a plan, with the values of this run in the place of labels. */
function fits(planned: JsonValue, value: JsonValue, known: Known, pointer = ""): boolean {
  const { values, guesses } = known;
  if (value !== null && guesses[pointer]?.some((label) => values.get(label) === value)) return true;
  if (typeof planned === "string") {
    const whole = values.get(planned);
    if (whole !== undefined && whole === value) return true;
    return value === planned.replace(LABEL_OR_SIGN, (text) => String(text === "‹‹" ? "‹" : (values.get(text) ?? text)));
  }
  if (Array.isArray(planned))
    return (
      Array.isArray(value) &&
      value.length === planned.length &&
      planned.every((one, at) => fits(one, value[at], known, `${pointer}/${at}`))
    );
  if (!isRecord(planned) || isExact(planned)) return canonicalJson(planned) === canonicalJson(value);
  const names = Object.keys(planned);
  if (!isRecord(value) || isExact(value) || Object.keys(value).length !== names.length) return false;
  return names.every(
    (name) =>
      Object.hasOwn(value, name) &&
      fits(planned[name] as JsonValue, value[name] as JsonValue, known, `${pointer}/${escapePointer(name)}`),
  );
}

/** A label, or the sign of a text that is none. */
const LABEL_OR_SIGN = /‹‹|‹[^‹›]+›/g;

/** The member of an answer that a label names: `.task.id`. */
function memberAt(answer: JsonValue, path: string): unknown {
  if (path !== "" && !path.startsWith(".")) return undefined;
  let found: unknown = answer;
  for (const name of path.split(".").slice(1)) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[name];
  }
  return found;
}
