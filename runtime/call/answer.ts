/** Builds the envelopes of successful calls, replays and failures. */

import { isKeyRefusal } from "../access/admission.js";
import { canonicalJson, digestText } from "../contract/canonical.js";
import {
  type ErrorBody,
  errorBody,
  type FailureEnvelope,
  type Meta,
  type SuccessEnvelope,
} from "../contract/error-body.js";
import { ERROR_CODES, type ErrorCode, isToolFailure, type ToolFailure } from "../contract/handler.js";
import { isObject, isTooDeep, plainJson } from "../contract/json.js";
import { messageOf } from "../contract/message-of.js";
import { readJson } from "../contract/read-json.js";
import type { JsonObject, JsonValue } from "../contract/registry.js";
import { clip, scrub, scrubTexts } from "../contract/scrub.js";
import { narrowed } from "./corrections/repeated.js";
import { suggestedCall } from "./corrections/suggest-call.js";
import type { Job, Services } from "./job.js";
import type { SpanFailure } from "./span.js";

/** Longest message of a failure, in characters. */
const MAX_MESSAGE_LENGTH = 2000;

/** The envelope of a successful call. */
export function succeed(services: Services, job: Job, result: JsonValue): SuccessEnvelope {
  return { op: job.asked, ok: true, result, meta: metaOf(services, job) };
}

/** A stored answer under the new call's trace id, with the warnings of both; the handler was not called. */
export function replay(services: Services, job: Job, stored: string): SuccessEnvelope {
  const { result, meta } = readJson(stored) as SuccessEnvelope;
  const warnings = [...new Set([...meta.warnings, ...job.warnings])];
  return { op: job.asked, ok: true, result, meta: { ...metaOf(services, job), warnings, replayed: true } };
}

/**
 * The envelope of a refusal or a failure. Any error other than a ToolFailure becomes INTERNAL, and the original goes
 * to the log.
 */
export function failed(services: Services, job: Job, call: unknown, error: unknown): FailureEnvelope {
  const told = toldFailure(job, error);
  const { code } = told;
  const { message, details, isFinal } = narrowed(told, isKeyRefusal(error) ? 1 : countRepeats(job, call), job.tool);
  const body = errorBody({
    code,
    message: clip(scrub(message, job.secrets), MAX_MESSAGE_LENGTH),
    details,
    help_path: job.helpPath,
    // If a write may have taken effect, a suggested call would invite repeating it.
    corrected_call: isFinal ? undefined : suggestedCall(job, call, code, details),
  });
  job.failure = failureOf(job, error, body);
  return { op: job.asked, ok: false, error: body, meta: metaOf(services, job) };
}

interface Told {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: JsonObject;
}

const isTold = (error: unknown): error is ToolFailure => isToolFailure(error) && ERROR_CODES.includes(error.code);

function toldFailure(job: Job, error: unknown): Told {
  if (isTold(error))
    return { code: error.code, message: error.message, details: plainDetails(error.details, job.secrets) };
  const op = job.tool?.op ?? job.asked;
  return { code: "INTERNAL", message: `${op || "The call"} failed; see the log under ${job.traceId}.`, details: {} };
}

/** The failure of the span: the caller's error if it was meant for the caller, else the original. */
function failureOf({ secrets }: Job, error: unknown, { code, message }: ErrorBody): SpanFailure {
  // A failure that a tool of an upstream server reports is not an internal error.
  if (isTold(error))
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

function metaOf(services: Services, job: Job): Meta {
  const { tool, asked } = job;
  return {
    trace_id: job.traceId,
    latency_ms: Math.max(0, Math.round(services.now() - job.started)),
    warnings: [...job.warnings],
    ...(tool && tool.op !== asked ? { executed_op: tool.op } : {}),
  };
}

function countRepeats(job: Job, call: unknown): number {
  const { session } = job.hooks;
  return session && !isTooDeep(call) ? session.failed(digestText(canonicalJson(call))) : 1;
}
