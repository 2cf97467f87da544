/** What the writes of a failed program have done: for its caller, who must not make them again. */

import type { JsonValue } from "../contract/registry.js";
import { outcomeOfFailure } from "../contract/write-outcome.js";
import type { LoggedCall } from "./engine/journal.js";
import { valueOfJson } from "./json-values.js";
import type { Data } from "./languages/language.js";

/** The writes of a program. */
export interface WrittenCalls {
  /** What the caller is told of them; empty if nothing was written. */
  readonly lines: readonly string[];
  /** Whether the lines name ids. */
  readonly hasIds: boolean;
  /** The lines among them about writes whose outcome is unknown. */
  readonly uncertain: readonly string[];
}

/** What is known of the calls of a program. */
export interface WrittenParts {
  /** The calls of the program itself, in their order. */
  readonly calls: readonly LoggedCall[];
  /** How often each op was called, by `ot.batch` and by tools of the project too. */
  readonly counts: ReadonlyMap<string, number>;
  isWrite(op: string): boolean;
  /** The run in whose log they are, if a corrected program can go on after it. */
  readonly run?: string | undefined;
  /** Writes of the failed run after which it goes on that it has not asked for. */
  readonly left?: readonly LeftWrite[];
  /** The line of a call, by its place among the calls of its op, from 0; undefined if it is not known. */
  lineOf(op: string, nth: number): number | undefined;
}

/** A write of a failed run. */
export interface LeftWrite {
  readonly run: string;
  readonly op: string;
  /** What it answered; undefined while its outcome is unknown. */
  readonly result: JsonValue | undefined;
}

type Outcome = "done" | "unknown";

interface Write {
  readonly op: string;
  readonly line: number | undefined;
  /** Its place among the calls of the op at the line, from 1, if there are several. */
  readonly call?: number;
  readonly outcome: Outcome;
  readonly value: Data | undefined;
}

/** Most ids, and most calls, that the lines name. */
const MAX_IDS = 12;
const MAX_CALLS = 12;

/** Reads the writes of a program from its calls. */
export function writtenBy(parts: WrittenParts): WrittenCalls {
  const writes = writesOf(parts);
  const nested = [...parts.counts].flatMap(([op, count]) => {
    const own = writes.filter((one) => one.op === op).length;
    return parts.isWrite(op) && count > own ? [`${op} (${count - own})`] : [];
  });
  const done = writes.filter(({ outcome }) => outcome === "done");
  const unknown = writes.filter(({ outcome }) => outcome === "unknown");
  const { run, left = [] } = parts;
  const isKnown = ({ result }: LeftWrite): boolean => result !== undefined;
  const written = [
    ...listed(run === undefined ? "Already written" : `Already written (${run})`, done),
    ...leftLines(left.filter(isKnown)),
  ];
  const uncertain = [
    ...listed("May have been written", unknown),
    ...(nested.length > 0 ? [`May have been written by calls within calls: ${nested.join(", ")}`] : []),
    ...leftLines(left.filter((one) => !isKnown(one))),
  ];
  return { lines: [...written, ...uncertain], hasIds: written.some((line) => line.includes(" -> ")), uncertain };
}

/** Lines about writes of failed runs. */
export function leftLines(left: readonly LeftWrite[]): readonly string[] {
  return [...new Set(left.map(({ run }) => run))].flatMap((run) => {
    const own = left.filter((one) => one.run === run);
    const writes = own.map(({ op, result }): Write => {
      const known = result === undefined ? undefined : valueOfJson(result);
      return { op, line: undefined, outcome: known === undefined ? "unknown" : "done", value: known };
    });
    return [
      ...listed(
        `Already written by ${run}`,
        writes.filter(({ outcome }) => outcome === "done"),
      ),
      ...listed(
        `May have been written by ${run}`,
        writes.filter(({ outcome }) => outcome === "unknown"),
      ),
    ];
  });
}

function writesOf({ calls, isWrite, lineOf }: WrittenParts): readonly Write[] {
  const made = new Map<string, number>();
  const next = (key: string): number => {
    const nth = made.get(key) ?? 0;
    made.set(key, nth + 1);
    return nth;
  };
  const placed = calls.flatMap(({ op, line: known, answer }) => {
    if (!isWrite(op)) return [];
    const line = known ?? lineOf(op, next(op));
    const place = `line ${line} ${op}`;
    return [{ op, line, answer, place, nth: next(place) }];
  });
  return placed.flatMap(({ op, line, answer, place, nth }) => {
    const outcome = outcomeOf(answer);
    if (!outcome) return [];
    const value = answer && "value" in answer ? answer.value : undefined;
    return [{ op, line, outcome, value, ...((made.get(place) ?? 0) > 1 ? { call: nth + 1 } : {}) }];
  });
}

/** What became of a write; undefined if it had no effect. One without an answer was under way. */
function outcomeOf(answer: LoggedCall["answer"]): Outcome | undefined {
  if (!answer) return "unknown";
  if ("value" in answer) return "done";
  const { code, details } = answer.failure;
  const known = dictMembers(details).find(([name]) => name === "outcome")?.[1];
  return outcomeOfFailure(code, known) === "unknown" ? "unknown" : undefined;
}

function listed(title: string, writes: readonly Write[]): readonly string[] {
  if (writes.length === 0) return [];
  let left = MAX_IDS;
  const named = writes.slice(0, MAX_CALLS).map(({ op, line, call, outcome, value }) => {
    const shown = value === undefined ? [] : idsOf(value).slice(0, left);
    left -= shown.length;
    const place = `${line === undefined ? "" : `line ${line} `}${op}`;
    const which = outcome === "unknown" && call !== undefined ? ` (call ${call})` : "";
    return `${place}${which}${shown.length > 0 ? ` -> ${shown.join(", ")}` : ""}`;
  });
  const more = countsOf(writes.slice(MAX_CALLS).map(({ op }) => op));
  return [`${title}: ${named.join("; ")}${more === "" ? "" : `; and ${more}`}`];
}

/** `onto.task.create (25), onto.edge.link (2)`, for at most so many ops. */
function countsOf(ops: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const op of ops) counts.set(op, (counts.get(op) ?? 0) + 1);
  const named = [...counts].slice(0, MAX_CALLS).map(([op, count]) => `${op} (${count})`);
  return [...named, ...(counts.size > named.length ? ["…"] : [])].join(", ");
}

/** A text that can be an id: without spaces and without markup. */
const ID = /^[\w.:@/+=-]{1,80}$/;
/** Levels of an answer that are searched for ids, and the most values of one level. */
const MAX_LEVELS = 3;
const MAX_VALUES = 100;

/** The ids that an answer names: those nearest to its top. */
function idsOf(value: Data): readonly string[] {
  let level: readonly Data[] = [value];
  for (let depth = 0; depth <= MAX_LEVELS && level.length > 0; depth++) {
    const members = level.flatMap(dictMembers);
    const own = members.flatMap(([name, one]) => (name === "id" || name === "number" ? idText(name, one) : []));
    if (own.length > 0) return own;
    const others = members.flatMap(([name, one]) => (name.endsWith("_id") ? idText(name, one) : []));
    if (others.length > 0) return others;
    level = level
      .flatMap((one) => (isValueList(one) ? one : dictMembers(one).map(([, inner]) => inner)))
      .slice(0, MAX_VALUES);
  }
  return [];
}

function idText(name: string, value: Data): readonly string[] {
  const isId = typeof value === "number" || typeof value === "bigint" || (typeof value === "string" && ID.test(value));
  if (!isId) return [];
  return [name === "id" ? `${value}` : `${name} ${value}`];
}

/** The members of a dict whose names are texts. */
export const dictMembers = (value: Data | undefined): readonly (readonly [string, Data])[] =>
  typeof value === "object" && value !== null && "$" in value && value.$ === "dict"
    ? value.entries.flatMap(([name, one]) => (typeof name === "string" ? [[name, one] as const] : []))
    : [];

/** Whether a value is a list. */
export const isValueList = (value: Data | undefined): value is readonly Data[] => Array.isArray(value);
