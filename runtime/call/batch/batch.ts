/** `tool_batch`: several help and exec calls in one round trip. */

import { attention, type ErrorBody, errorBody, fieldErrorDetails, type Meta } from "../../contract/error-body.js";
import { objectOf } from "../../contract/exact-number.js";
import type { GatewayToolName } from "../../contract/gateway-tools.js";
import type { FieldError, Principal } from "../../contract/handler.js";
import { newTraceId } from "../../contract/ids.js";
import { isObject } from "../../contract/json.js";
import type { JsonObject, JsonValue } from "../../contract/registry.js";
import {
  asRequest,
  batchEntries,
  checkFields,
  type FieldRules,
  flagField,
  MAX_BATCH_ENTRIES,
  notAnObject,
  oneOf,
} from "../../contract/request-fields.js";
import { scrub } from "../../contract/scrub.js";
import type { CallOptions } from "../call.js";
import { readAs } from "../request-names.js";
import type { SpanEnd } from "../span.js";
import { correctedBatch } from "./corrected-batch.js";
import {
  type BatchCall,
  type BatchServices,
  callEntry,
  type Entry,
  type EntryResult,
  entryReader,
  skipped,
  unfitForParallel,
} from "./entry.js";

/** The answer to a batch whose entries were called. */
export interface BatchResults {
  readonly ok: boolean;
  readonly results: readonly EntryResult[];
  readonly summary: {
    readonly total: number;
    readonly succeeded: number;
    readonly failed: number;
    readonly skipped: number;
  };
  readonly meta: Meta;
}

/** The answer to a batch that was refused as a whole; nothing was called. */
export interface BatchRefusal {
  readonly ok: false;
  readonly error: ErrorBody<JsonObject>;
  readonly meta: Meta;
}

/**
 * Answer of `tool_batch`, with its keys in this order.
 *
 * @example
 * const failures = (answer: BatchAnswer) => ("results" in answer ? answer.results.filter(({ ok }) => !ok) : [answer]);
 */
export type BatchAnswer = BatchResults | BatchRefusal;

/** Whether the batch itself was refused. */
export const isBatchRefusal = (answer: BatchAnswer): answer is BatchRefusal => "error" in answer;

/** Answers batches. */
export interface Batch {
  /** Never rejects, whatever the request contains. */
  batch(request: unknown, principal: Principal, options?: CallOptions): Promise<BatchAnswer>;
}

const FIELDS: FieldRules = new Map([
  ["ops", { expected: `array of 1 to ${MAX_BATCH_ENTRIES} entries`, accepts: isEntries, required: true as const }],
  ["mode", oneOf("sequential", "parallel")],
  ["stop_on_error", flagField],
]);

function isEntries(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.length <= MAX_BATCH_ENTRIES;
}

const NAME: GatewayToolName = "tool_batch";

/** Makes the batch tool over dispatch and help. */
export function createBatch(services: BatchServices): Batch {
  return {
    batch(request, principal, options = {}) {
      const traceId = (services.traceId ?? newTraceId)();
      const start = { name: NAME, traceId, principal, parent: options.span };
      return services.dispatch.inSpan(
        start,
        (span) => answer(services, request, principal, { ...options, span }, traceId),
        endOf,
      );
    },
  };
}

const endOf = (answer: BatchAnswer): SpanEnd => {
  if (!isBatchRefusal(answer)) return { fields: { ...answer.summary } };
  return { failure: { type: answer.error.code, message: scrub(answer.error.message) } };
};

async function answer(
  services: BatchServices,
  request: unknown,
  principal: Principal,
  options: CallOptions,
  trace_id: string,
): Promise<BatchAnswer> {
  const started = services.clock();
  const { fields, warnings } = namedFields(request);
  const meta = (): Meta => {
    const latency_ms = Math.max(0, Math.round(services.clock() - started));
    return { trace_id, latency_ms, warnings };
  };
  const errors = fields ? checkBatch(services, fields, principal) : [notAnObject(request, "")];
  if (!fields || errors.length > 0)
    return { ok: false, error: refusal(errors, offered(services, requestOf(request), principal)), meta: meta() };
  const entries = entriesOf(services, fields, principal);
  const { pageBytes } = options;
  const own = pageBytes === undefined ? options : { ...options, pageBytes: Math.floor(pageBytes / entries.length) };
  const batch = { services, principal, options: own, entries, stopOnError: fields["stop_on_error"] === true };
  const results = await (fields["mode"] === "parallel" ? inParallel(batch) : inSequence(batch));
  return { ...summarize(results), meta: meta() };
}

/** Whether a value can be an entry: an object, or a list of an op and its arguments. */
const isEntry = (value: JsonValue): boolean => isObject(value) || Array.isArray(value);

/** The fields of a request, with its entries under their own name. */
function namedFields(request: unknown): {
  readonly fields: JsonObject | undefined;
  readonly warnings: readonly string[];
} {
  const sent = asRequest(request);
  const found = sent && batchEntries(sent);
  if (!found || found.field === "ops" || !found.entries.every(isEntry)) return { fields: sent, warnings: [] };
  const named = Object.entries(sent).map(([name, value]) => [name === found.field ? "ops" : name, value] as const);
  return { fields: objectOf(named), warnings: [readAs(found.field, "ops")] };
}

function entriesOf(services: BatchServices, { ops }: JsonObject, { grant }: Principal): readonly Entry[] {
  return Array.isArray(ops) ? ops.map(entryReader(services.dispatch.index.view(grant))) : [];
}

/** The request; a list is one of entries. */
const requestOf = (request: unknown): JsonObject =>
  asRequest(request) ?? (Array.isArray(request) ? { ops: request as readonly JsonValue[] } : {});

/** The batch that was meant, or the same in sequence, if the check of batches accepts it. */
function offered(services: BatchServices, sent: JsonObject, principal: Principal): JsonObject | undefined {
  const meant = correctedBatch(sent);
  const passes = (one: JsonObject): boolean =>
    checkBatch(services, one, principal).length === 0 &&
    entriesOf(services, one, principal).every(({ errors }) => errors.length === 0);
  return meant && [meant, { ...meant, mode: "sequential" }].find(passes);
}

function refusal(errors: readonly FieldError[], corrected_call: JsonObject | undefined): ErrorBody<JsonObject> {
  return errorBody({
    code: "VALIDATION_ERROR",
    message: attention(errors),
    details: fieldErrorDetails(errors),
    help_path: "root",
    corrected_call,
  });
}

/** Findings that refuse the whole batch; a fault inside one entry fails that entry only. */
function checkBatch(services: BatchServices, fields: JsonObject, principal: Principal): readonly FieldError[] {
  const errors = checkFields(fields, FIELDS);
  if (errors.length > 0) return errors;
  const entries = entriesOf(services, fields, principal);
  const parallel =
    fields["mode"] === "parallel" ? unfitForParallel(entries, services.dispatch.index.view(principal.grant)) : [];
  return [...duplicateIds(entries), ...parallel];
}

function duplicateIds(entries: readonly Entry[]): readonly FieldError[] {
  const seen = new Map<string, number>();
  return entries.flatMap(({ id, index }) => {
    if (id === undefined) return [];
    const first = seen.get(id);
    if (first === undefined) seen.set(id, index);
    const path = `ops[${index}].id`;
    const message = `${path} is the id of ops[${first}] too`;
    return first === undefined
      ? []
      : [{ path, keyword: "uniqueItems", message, expected: "an id of its own", received: id }];
  });
}

async function inSequence(batch: BatchCall): Promise<readonly EntryResult[]> {
  const { entries, options, stopOnError } = batch;
  const results: EntryResult[] = [];
  for (const entry of entries) {
    const stopped = stopOnError && results.some((result) => !result.ok);
    results.push(stopped ? skipped(entry) : await callEntry(batch, entry, results));
    options.progress?.(results.length, entries.length);
  }
  return results;
}

/**
 * Calls entries in parallel: only reads without references, so their order does not matter. `stop_on_error` prevents
 * further entries from starting.
 */
async function inParallel(batch: BatchCall): Promise<readonly EntryResult[]> {
  const { services, entries, stopOnError } = batch;
  const options = { ...batch.options, readsOnly: true as const };
  const results: EntryResult[] = [];
  let next = 0;
  let failedOnce = false;
  let done = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < entries.length; at = next++) {
      const entry = entries[at];
      if (!entry) return;
      const result = stopOnError && failedOnce ? skipped(entry) : await callEntry({ ...batch, options }, entry, []);
      results[at] = result;
      failedOnce ||= !result.ok;
      options.progress?.(++done, entries.length);
    }
  };
  await Promise.all(Array.from({ length: Math.min(services.parallelCalls, entries.length) }, work));
  return results;
}

function summarize(results: readonly EntryResult[]): Omit<BatchResults, "meta"> {
  const count = (test: (result: EntryResult) => boolean): number => results.filter(test).length;
  const summary = {
    total: results.length,
    succeeded: count((result) => result.ok),
    failed: count((result) => !result.ok && result.skipped !== true),
    skipped: count((result) => result.skipped === true),
  };
  return { ok: summary.failed === 0 && summary.skipped === 0, results, summary };
}
