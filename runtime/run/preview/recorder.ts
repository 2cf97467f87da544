/** Notes what a previewed program would write, in the order of its calls. */

import type { AssumedCall, PreviewedWrite, PreviewHooks, WriteNotes } from "../../call/preview-hooks.js";
import type { ApprovalRule } from "../../config/approval-settings.js";
import { writeJson } from "../../contract/exact-number.js";
import { isToolFailure } from "../../contract/handler.js";
import { resultSchema } from "../../contract/known-result.js";
import type { JsonObject, JsonValue } from "../../contract/registry.js";
import { clip } from "../../contract/scrub.js";
import { callPlace } from "../kept/places.js";
import { createLabels, type Labels, labelOf } from "./labels.js";
import { createPlaceholders } from "./placeholders.js";
import { byPlace, type PlanEntry, type PlannedOutcome } from "./plan.js";

/** Most writes of a plan. */
export const MAX_ENTRIES = 1000;
/** Largest arguments of all entries together, in characters of JSON. */
const MAX_ARGS_LENGTH = 1_000_000;
/** Longest result that an entry keeps. */
const MAX_RESULT_LENGTH = 2000;
/** Longest message of a failure. */
const MAX_ERROR_LENGTH = 500;

/** What a preview has noted. */
export interface PreviewRecorder extends Omit<PreviewHooks, "data"> {
  /** A call of the program begins; returns what ends it. */
  begin(key: string): () => void;
  /** The writes so far, in the order of their places. */
  entries(): readonly PlanEntry[];
  /** Calls whose answers are assumed. */
  readonly assumed: readonly Assumed[];
  /** What a result or a message says, with labels in the place of assumed values. */
  named<T extends JsonValue>(value: T): T;
  /** The rules that ask about its writes. */
  rules(): readonly ApprovalRule[];
  /** The number of calls. */
  calls(): number;
}

/** A call whose answer is assumed. */
export interface Assumed {
  readonly place: string;
  readonly op: string;
  /** Whether all of its answer can be recognised among arguments. */
  readonly isTracked: boolean;
  readonly answer: JsonValue;
}

type Growing = { -readonly [K in keyof PlanEntry]: PlanEntry[K] };

/** What the notes of one preview share. */
interface Notes {
  readonly entries: Growing[];
  readonly assumed: Assumed[];
  readonly labels: Labels;
  readonly named: PreviewRecorder["named"];
  readonly isAssumed: (args: JsonObject) => boolean;
  /** The answer of a call that is not sent, over which that of a planner is laid. */
  readonly assume: (call: AssumedCall, planned?: JsonValue) => JsonValue;
}

function newNotes(code: string): Notes {
  const assumed: Assumed[] = [];
  const values = new Set<string | number>();
  const labels = createLabels(code);
  const names = createLabels("");
  const placeholders = createPlaceholders((value, label) => {
    values.add(value);
    labels.add(value, label);
    names.add(value, label);
  });
  return {
    entries: [],
    assumed,
    labels,
    named: (value) => (values.size === 0 ? value : names.apply(value)),
    isAssumed: (args) => values.size > 0 && labels.holds(args, values),
    assume({ key, tool }, planned) {
      const place = callPlace({ key });
      const schema = resultSchema(tool);
      const value = placeholders.of(schema, (path) => labelOf(tool.op, place, path));
      const answer = merged(value ?? null, planned);
      assumed.push({ place, op: tool.op, isTracked: value !== undefined && planned === undefined, answer });
      return answer;
    },
  };
}

/**
 * Makes the notes of one preview.
 *
 * @param code of the program
 * @param tooLarge called when the plan is too large
 */
export function createPreviewRecorder(code: string, tooLarge: (why: string) => void): PreviewRecorder {
  const notes = newNotes(code);
  const { entries, assumed, isAssumed, assume, named } = notes;
  const groups = createGroups();
  const rules = new Map<string, ApprovalRule>();
  let size = 0;
  let calls = 0;
  return {
    isAssumed,
    assume: (call) => assume(call),
    assumed,
    named,
    rules: () => [...rules.values()],
    write(write) {
      if (write.rule) rules.set(write.rule.hash, write.rule);
      const entry = entryOf(notes, write, groups.current());
      size += writeJson(entry.args).length;
      if (entries.length >= MAX_ENTRIES) tooLarge(`it has more than ${MAX_ENTRIES} writes`);
      else if (size > MAX_ARGS_LENGTH) tooLarge(`its arguments have more than ${MAX_ARGS_LENGTH} characters`);
      else entries.push(entry);
      return notesOf(notes, entry, write);
    },
    begin(key) {
      calls += 1;
      return groups.begin(key);
    },
    entries: () => [...entries].sort(byPlace),
    calls: () => calls,
  };
}

function entryOf({ labels, isAssumed }: Notes, { key, tool, args, rule }: PreviewedWrite, group: number): Growing {
  const guesses = labels.guesses(args);
  return {
    place: callPlace({ key }),
    op: tool.op,
    args: labels.apply(args),
    ...(guesses ? { may_be: guesses } : {}),
    outcome: { kind: "done" },
    is_assumed: isAssumed(args),
    group,
    ...(rule ? { rule: rule.name } : {}),
  };
}

const notesOf = ({ labels, assume, named }: Notes, entry: Growing, write: PreviewedWrite): WriteNotes => ({
  done(result) {
    entry.outcome = outcomeOf("done", result === undefined ? result : named(result));
    labels.learn({ op: entry.op, place: entry.place, args: write.args }, result);
  },
  assumed(planned) {
    entry.outcome = outcomeOf("assumed", planned === undefined ? planned : named(planned));
    entry.is_assumed = true;
    return assume(write, planned);
  },
  failed(error) {
    entry.outcome = { kind: "fails", error: named(messageFor(error)) };
  },
});

/** Numbers the groups: a write belongs to the group of those that were made while calls of that group were under way. */
function createGroups() {
  const open = new Set<string>();
  let group = 0;
  let isFresh = true;
  return {
    begin(key: string): () => void {
      if (open.size === 0) isFresh = true;
      open.add(key);
      return () => void open.delete(key);
    },
    current(): number {
      if (isFresh) group += 1;
      isFresh = false;
      return group;
    },
  };
}

/** What the planner says, over the placeholders of what it does not say. */
function merged(placeholder: JsonValue, planned: JsonValue | undefined): JsonValue {
  if (planned === undefined) return placeholder;
  const [below, above] = [placeholder, planned].map((one) => (isPlainObject(one) ? one : undefined));
  return below && above ? { ...below, ...above } : planned;
}

const isPlainObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function outcomeOf(kind: "done" | "assumed", result: JsonValue | undefined): PlannedOutcome {
  const isKept = result !== undefined && writeJson(result).length <= MAX_RESULT_LENGTH;
  return { kind, ...(isKept ? { result } : {}) };
}

function messageFor(error: unknown): string {
  if (!isToolFailure(error)) return "INTERNAL";
  return clip(`${error.code}: ${error.message}`, MAX_ERROR_LENGTH);
}
