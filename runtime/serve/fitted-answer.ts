/**
 * Answers of `tool_exec` and `tool_batch` as models get them: a long text that was sent is not repeated, and a result that is
 * too large is stored. Shown are how much it is, its shape, its first items, and the call that reads the rest.
 */

import type { BatchAnswer } from "../call/batch/batch.js";
import type { EntryResult } from "../call/batch/entry.js";
import type { Envelope, Meta } from "../contract/error-body.js";
import { mapMembers, writeJson } from "../contract/exact-number.js";
import { isObject, isTooDeep } from "../contract/json.js";
import { resultSchema } from "../contract/known-result.js";
import { asSent, MAX_REPEATED } from "../contract/placeholder.js";
import { readJson } from "../contract/read-json.js";
import type { JsonObject, JsonValue, Tool } from "../contract/registry.js";
import { RESULT_TOOL, readsResults } from "../contract/result-tool.js";
import { withoutKeys } from "../contract/scrub.js";
import { shapeOf } from "../contract/shape-text.js";
import { messageOf } from "../contract/thrown.js";
import { readableJson } from "../run/result-text.js";
import { storedStart } from "../run/stored-preview.js";
import { valueShape } from "../run/value-shape.js";
import type { GatewayToolCall } from "./gateway-tool-call.js";

/** Most bytes of the first items, and characters of the shape. */
const START_BYTES = 2000;
const SHAPE_LENGTH = 600;
/** The part of the room of a result that its first items may take, and its shape. */
const START_SHARE = 0.25;

type Fitting = Pick<GatewayToolCall, "gateway" | "principal" | "input">;

/** The answer to one call, within `output.max_inline_size`. */
export async function fittedEnvelope(call: Fitting, envelope: Envelope): Promise<Envelope> {
  const [fitted] = await fittedResults(call, [{ ...envelope }], [call.input]);
  return (fitted ?? envelope) as Envelope;
}

/** The answer to a batch: the results of all its entries together are within `output.max_inline_size`. */
export async function fittedBatch(call: Fitting, answer: BatchAnswer): Promise<BatchAnswer> {
  if (!("results" in answer)) return answer;
  const requests = isObject(call.input) && Array.isArray(call.input["ops"]) ? call.input["ops"] : [];
  const results = (await fittedResults(call, answer.results, requests)) as readonly EntryResult[];
  return { ...answer, results: results.map(withoutCommonMeta) };
}

/** An entry that succeeded without what says nothing: its own time, since the batch has one, and an empty list of warnings. */
function withoutCommonMeta(entry: EntryResult): EntryResult {
  const { latency_ms, warnings = [], ...meta } = (entry["meta"] ?? {}) as Partial<Meta>;
  if (!entry.ok || latency_ms === undefined) return entry;
  return { ...entry, meta: warnings.length === 0 ? meta : { ...meta, warnings } };
}

/** An answer to a call, by itself or as the entry of a batch. */
interface Answered {
  readonly [field: string]: unknown;
}

/** Stores the largest results until the others fit. */
async function fittedResults(
  call: Fitting,
  answers: readonly Answered[],
  requests: readonly unknown[],
): Promise<readonly Answered[]> {
  const { gateway, principal } = call;
  const view = gateway.index.view(principal.grant);
  const toolOf = ({ op, meta }: Answered): Tool | undefined =>
    view.exact((meta as Meta | undefined)?.executed_op ?? String(op));
  const unrepeated = withoutRepeats(call.input, answers, toolOf);
  const shown = unrepeated.map((answer, at) =>
    readsResults(toolOf(answer)) ? withNext(answer, requests[at]) : answer,
  );
  const { callBytes: room } = gateway.settings.run;
  if (room === 0 || !readsResults(view.exact(RESULT_TOOL.op))) return shown;
  const sizes = shown.map(({ result }) => (result === undefined ? 0 : Buffer.byteLength(writeJson(result))));
  const fitted = [...shown];
  let total = sizes.reduce((sum, size) => sum + size, 0);
  while (total > room) {
    const at = sizes.indexOf(Math.max(...sizes));
    const [whole, tool] = [answers[at], toolOf(answers[at] ?? {})];
    total -= sizes[at] ?? 0;
    sizes[at] = 0;
    // A page of a stored result has its own bound.
    if (whole && !readsResults(tool)) fitted[at] = await stored(call, whole, tool, room / answers.length);
    if (sizes.every((size) => size === 0)) break;
  }
  return fitted;
}

/** A page of a stored result with the call of the next one, if its arguments are short. */
function withNext(answer: Answered, request: unknown): Answered {
  const { result } = answer;
  const args = isObject(request) ? request["args"] : undefined;
  if (!isObject(result) || result["has_more"] !== true || !isObject(args)) return answer;
  if (writeJson(args).length > MAX_REPEATED) return answer;
  const offset = Number(result["offset"]) + Number(result["returned"]);
  return inserted(answer, result, { next: { op: RESULT_TOOL.op, args: { ...args, offset } } });
}

/** The answer with its result stored. */
async function stored(
  { gateway, principal }: Fitting,
  answer: Answered,
  tool: Tool | undefined,
  room: number,
): Promise<Answered> {
  const result = answer["result"] as JsonValue;
  const { external = false } = answer["meta"] as Meta;
  const content = withoutKeys(readableJson(typeof result === "string" ? result : writeJson(result)));
  const size_bytes = Buffer.byteLength(content);
  const share = Math.round(room * START_SHARE);
  const { first, next, items } = storedStart(result, content, Math.min(START_BYTES, share));
  const shape = resultShape(result, tool, external, Math.min(SHAPE_LENGTH, share));
  const facts = { size_bytes, ...(items === undefined ? {} : { items }), ...(shape === undefined ? {} : { shape }) };
  try {
    const handle = await gateway.keepResult(content, tool?.op ?? String(answer["op"]), principal, external);
    gateway.recorder?.add("stored_bytes", size_bytes - writeJson(first).length);
    const call = { op: RESULT_TOOL.op, args: { handle, offset: next } };
    return inserted(answer, { stored: handle, ...facts, first }, { next: call });
  } catch (error) {
    return inserted(answer, { ...facts, first, lost: `The rest could not be stored: ${messageOf(error)}` }, {});
  }
}

/** The shape of a result. Names in foreign text may be hostile: only a declared or learned type is shown of it. */
function resultShape(result: JsonValue, tool: Tool | undefined, external: boolean, length: number): string | undefined {
  if (!external) return typeof result === "string" ? undefined : valueShape(result, length);
  const schema = tool && resultSchema(tool);
  return schema && shapeOf(schema, schema, length).text;
}

/** An answer with another result, and with more members behind it. */
const inserted = (answer: Answered, result: JsonValue, more: JsonObject): Answered =>
  Object.fromEntries(
    Object.entries(answer).flatMap(([name, value]): readonly (readonly [string, unknown])[] =>
      name === "result" ? [[name, result], ...Object.entries(more)] : [[name, value]],
    ),
  );

/** Results of writes without the long texts that were sent. */
function withoutRepeats(
  input: unknown,
  answers: readonly Answered[],
  toolOf: (answer: Answered) => Tool | undefined,
): readonly Answered[] {
  const sent = new Set(isTooDeep(input) ? [] : longTexts(input));
  if (sent.size === 0) return answers;
  const shown = (value: unknown): unknown => {
    if (typeof value === "string") return sent.has(value) ? asSent(value.length) : value;
    return typeof value === "object" && value !== null ? mapMembers(value, shown) : value;
  };
  return answers.map((answer) =>
    answer["result"] !== undefined && toolOf(answer)?.kind === "write"
      ? { ...answer, result: shown(answer["result"]) }
      : answer,
  );
}

/** The texts of a request that are too long to be repeated; arguments may be a JSON text. */
function longTexts(value: unknown): readonly string[] {
  if (typeof value === "string") return value.length > MAX_REPEATED ? [value, ...textsWithin(value)] : [];
  if (Array.isArray(value)) return value.flatMap(longTexts);
  return isObject(value) ? Object.values(value).flatMap(longTexts) : [];
}

function textsWithin(text: string): readonly string[] {
  if (!/^\s*[[{]/.test(text)) return [];
  try {
    return longTexts(readJson(text));
  } catch {
    return [];
  }
}
