/** Builds the envelopes of successful calls, replays and failures. */

import { isKeyRefusal } from "../access/admission.js";
import { canonicalJson, digestText } from "../contract/canonical.js";
import { WAITS } from "../contract/envelope.js";
import {
  type Envelope,
  type ErrorBody,
  errorBody,
  type FailureEnvelope,
  type Meta,
  type SuccessEnvelope,
} from "../contract/error-body.js";
import type { ErrorCode } from "../contract/handler.js";
import { isObject, isTooDeep, plainJson } from "../contract/json.js";
import { readJson } from "../contract/read-json.js";
import type { JsonObject, JsonValue, Tool } from "../contract/registry.js";
import { clip, scrub, scrubTexts } from "../contract/scrub.js";
import { messageOf } from "../contract/thrown.js";
import { MAY_HAVE_TAKEN_EFFECT } from "../contract/write-outcome.js";
import type { Call, CallError } from "./call.js";
import { narrowed } from "./corrections/repeated.js";
import { suggestedCall, triedCall } from "./corrections/suggest-call.js";
import { HandlerError, isKnownFailure } from "./handler-error.js";
import { withIdSources } from "./id-sources.js";
import type { SpanFailure } from "./span.js";

/** Longest message of a failure, in characters. */
const MAX_MESSAGE_LENGTH = 2000;

/** The answer to a call, with the call as far as it came. */
export interface Answered {
  readonly call: Call;
  readonly envelope: Envelope;
  /** Why it failed, for its span. */
  readonly failure?: SpanFailure;
}

/** The envelope of a successful call. */
export function answerSuccess(call: Call, result: JsonValue): SuccessEnvelope {
  return { op: call.asked, ok: true, result, meta: metaOf(call) };
}

/** A stored answer under the new call's trace id, with the warnings of both; the handler was not called. */
export function answerReplay(call: Call, stored: string): SuccessEnvelope {
  const { result, meta } = readJson(stored) as SuccessEnvelope;
  const warnings = [...new Set([...meta.warnings, ...call.warnings])];
  return { op: call.asked, ok: true, result, meta: { ...metaOf(call), warnings, replayed: true } };
}

/**
 * The envelope of a refusal or a failure. Any error other than a ToolFailure becomes INTERNAL, and the original goes
 * to the log.
 */
export async function answerFailure(call: Call, error: unknown): Promise<Answered> {
  const told = toldFailure(call, error);
  const { code } = told;
  const { isFinal, ...said } = narrowed(told, isCounted(error, told) ? countRepeats(call) : 1, call.tool);
  const { details } = said;
  const message = await withIdSources(call, { code, ...said });
  if (isFinal && call.tool) call.options.session?.gaveUp(call.tool.op);
  const body = errorBody({
    code,
    message: clip(scrub(withWayToOps(call, message), call.secrets), MAX_MESSAGE_LENGTH),
    details,
    help_path: call.helpPath,
    // If a write may have taken effect, a suggested call would invite repeating it.
    corrected_call: isFinal ? undefined : await triedCall(call, suggestedCall(call, code, details)),
  });
  const envelope: FailureEnvelope = { op: call.asked, ok: false, error: body, meta: metaOf(call) };
  return { call, envelope, failure: failureOf(call, error, body) };
}

/** The envelope of a failure as a feature sees it before the caller does: without suggestions, and not counted. */
export function failureSeen({ call, cause }: CallError): FailureEnvelope {
  const { code, message, details } = toldFailure(call, cause);
  const said = clip(scrub(message, call.secrets), MAX_MESSAGE_LENGTH);
  const error = errorBody({ code, message: said, details, help_path: call.helpPath });
  return { op: call.asked, ok: false, error, meta: metaOf(call) };
}

/** The message; one about a call without an op says how ops are found. */
const withWayToOps = ({ asked, tool }: Call, message: string): string =>
  asked === "" && !tool ? `${message} To find an op: tool_help {"path": "what it does, in words"}.` : message;

interface Told {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: JsonObject;
}

function toldFailure(call: Call, error: unknown): Told {
  if (isKnownFailure(error))
    return { code: error.code, message: error.message, details: plainDetails(error.details, call.secrets) };
  const op = call.tool?.op ?? call.asked;
  const isUncertain = error instanceof HandlerError && error.outcome === "unknown";
  const said = [
    `${op || "The call"} failed; see the log under ${call.traceId}.`,
    ...(isUncertain ? [MAY_HAVE_TAKEN_EFFECT] : []),
    ...(error instanceof HandlerError && call.tool ? wayToSayWhy(call.tool) : []),
  ];
  return { code: "INTERNAL", message: said.join(" "), details: isUncertain ? { outcome: "unknown" } : {} };
}

/** How code of the project says why it failed: what it throws otherwise may hold secrets and paths, and stays in the log. */
const wayToSayWhy = ({ source }: Tool): readonly string[] =>
  source.kind !== "local" || source.shipped || source.code !== undefined
    ? []
    : ['Its code can say why: throw fail("VALIDATION_ERROR", "…") of toolwright/codegen.'];

/** The failure of the span: the caller's error if it was meant for the caller, else the original. */
function failureOf({ secrets }: Call, error: unknown, { code, message }: ErrorBody): SpanFailure {
  // A failure that a tool of an upstream server reports is not an internal error.
  if (isKnownFailure(error))
    return { type: code, message, isOurs: code === "INTERNAL" && !(error.details && "server" in error.details) };
  const text = messageOf(error);
  const stack = error instanceof Error ? (error.stack ?? text) : text;
  return { type: code, message: scrub(text, secrets), isOurs: true, stack: scrub(stack, secrets) };
}

/**
 * Details of a handler are as untrusted as its result: values that JSON cannot hold are left out, texts are scrubbed.
 */
function plainDetails(details: object | undefined, secrets: ReadonlySet<string>): JsonObject {
  if (details === undefined) return {};
  try {
    const plain = scrubTexts(plainJson(details), secrets) as JsonValue;
    return isObject(plain) ? plain : {};
  } catch {
    return {};
  }
}

function metaOf({ services, tool, asked, traceId, started, warnings }: Call): Meta {
  return {
    trace_id: traceId,
    latency_ms: Math.max(0, Math.round(services.clock() - started)),
    warnings: [...warnings],
    ...(tool && tool.op !== asked ? { executed_op: tool.op } : {}),
  };
}

/** Whether the same call again is a mistake. */
const isCounted = (error: unknown, { details }: Told): boolean => !isKeyRefusal(error) && details["reason"] !== WAITS;

function countRepeats({ options: { session }, request }: Call): number {
  return session && !isTooDeep(request) ? session.failed(digestText(canonicalJson(request))) : 1;
}
