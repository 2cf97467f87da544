/** Spans: every call, batch and run makes one, as a log line, and through OpenTelemetry if an SDK is registered. */

import type { Context as Otel, Span } from "@opentelemetry/api";
import { capabilitiesOf } from "../contract/capabilities.js";
import type { Logger, Principal } from "../contract/handler.js";
import { own } from "../contract/json.js";
import type { JsonObject, Tool } from "../contract/registry.js";
import { clip, scrub } from "../contract/scrub.js";
import { readTraceContext, type TraceContext, traceParentOf, traceParentText } from "../contract/trace-context.js";
import { PAUSED, recordOp } from "../metrics/operations.js";
import { fillDefaults } from "./arguments/defaults.js";
import type { Recent, SpanFields } from "./recent-spans.js";

/**
 * A span as the parent of others. Passed explicitly, because calls of code come back over the wire of a child process.
 */
export interface SpanScope {
  /** Absent for a span of another process. */
  readonly traceId?: string;
  /** Trace id of the run that it is or belongs to. */
  readonly run?: string | undefined;
  /** OpenTelemetry's context, if an SDK is registered. */
  readonly context?: Otel | undefined;
  /** What other processes are told as their parent; without an SDK what the client told. */
  readonly trace?: TraceContext | undefined;
}

/** The span of a client as parent, if it named one. */
export function remoteScope(...given: Parameters<typeof readTraceContext>): { readonly span?: SpanScope } {
  const trace = readTraceContext(...given);
  return trace ? { span: { trace } } : {};
}

/** Properties of a span at its start. */
export interface SpanStart {
  readonly name: string;
  readonly traceId: string;
  readonly principal: Principal;
  /** Absent without a parent span in this process. */
  readonly parent: SpanScope | undefined;
  readonly isRun?: boolean;
}

/** Why a span failed; no text of it contains a secret. */
export interface SpanFailure {
  /** A code of the envelope, or the type of an exception. */
  readonly type: string;
  /** Left out if it may quote code. */
  readonly message?: string;
  /** Whether it is an internal error, which is logged at level `error`. */
  readonly isOurs?: boolean;
  /** Stack of an internal error. */
  readonly stack?: string;
}

/** Properties of a span at its end. */
export interface SpanEnd {
  /** Set if it differs from the name at the start. */
  readonly name?: string;
  readonly fields?: SpanFields;
  /** Additional fields at log level `debug`. */
  readonly detail?: () => SpanFields;
  readonly failure?: SpanFailure | undefined;
  /** Whether it has no result yet, because it waits for a person: that is no failure. */
  readonly isPaused?: boolean;
}

/** Runs work inside a span. */
export type InSpan = <T>(
  start: SpanStart,
  work: (scope: SpanScope) => Promise<T>,
  end: (result: T) => SpanEnd,
) => Promise<T>;

/** Dependencies of spans. */
export interface SpanOptions {
  readonly log: Logger;
  /** Level of the log. */
  readonly level: string;
  /** Version of the package. */
  readonly version: string;
  /** Buffer of recent spans. */
  readonly recent?: Pick<Recent, "add"> | undefined;
}

/** Makes the function that runs work inside spans. Imports OpenTelemetry only if an SDK is registered. */
export function createSpans(options: SpanOptions): InSpan {
  return async (start, work, end) => {
    const started = performance.now();
    const exported = isExported() ? await openExported(options, start) : undefined;
    const scope = scopeOf(start, exported);
    const finish = (ended: SpanEnd): void => {
      const ms = performance.now() - started;
      writeLine(options, start, ended, ms);
      recordOp(
        ended.name ?? start.name,
        ms,
        ended.isPaused ? PAUSED : ended.failure?.type,
        start.isRun ? ended.fields : {},
      );
      exported?.end(ended);
    };
    let result: Awaited<ReturnType<typeof work>>;
    try {
      result = await (exported ? exported.within(() => work(scope)) : work(scope));
    } catch (error) {
      finish({ failure: thrown(error) });
      throw error;
    }
    finish(end(result));
    return result;
  };
}

const scopeOf = ({ traceId, parent, isRun }: SpanStart, exported: Exported | undefined): SpanScope => ({
  traceId,
  run: isRun ? traceId : parent?.run,
  context: exported?.context,
  trace: exported?.trace ?? parent?.trace,
});

const thrown = (error: unknown): SpanFailure =>
  error instanceof Error ? { type: error.name, isOurs: true } : { type: "Error", isOurs: true };

/** The common fields of every span, in the log line and in the attributes. */
const fieldsOf = ({ traceId, principal, parent }: SpanStart, { fields: own, isPaused }: SpanEnd): SpanFields => ({
  ...own,
  ...(isPaused ? PAUSED : {}),
  ...(parent?.run === undefined ? {} : { run: parent.run }),
  ...(parent?.traceId === undefined || parent.run === parent.traceId ? {} : { parent: parent.traceId }),
  trace_id: traceId,
  ...(capabilitiesOf(principal).isNamed ? { caller: principal.id } : {}),
});

function writeLine({ log, level, recent }: SpanOptions, start: SpanStart, ended: SpanEnd, spent: number): void {
  const { failure } = ended;
  const error = failure?.stack ?? failure?.message;
  const fields = fieldsOf(start, ended);
  const span = ended.name ?? start.name;
  const [ms, ok] = [Math.round(spent), !failure];
  const failed = failure ? { error_type: failure.type } : {};
  recent?.add({ span, ms, ok, at: Date.now() - ms, caller: start.principal.id, fields, ...failed });
  log[failure?.isOurs ? "error" : "info"]("span", {
    span,
    ms,
    ok,
    ...fields,
    ...failed,
    ...(error === undefined ? {} : { error }),
    ...(level === "debug" || level === "trace" ? ended.detail?.() : {}),
  });
}

/**
 * Symbol under which every copy of OpenTelemetry's API stores a registered SDK. Importing the API itself takes 37 ms.
 */
const REGISTERED = Symbol.for("opentelemetry.js.api.1");

const isExported = (): boolean =>
  (globalThis as { readonly [REGISTERED]?: { readonly trace?: unknown } })[REGISTERED]?.trace !== undefined;

/** A span of OpenTelemetry. */
interface Exported {
  readonly context: Otel;
  /** Absent if the SDK gave the span no id. */
  readonly trace: TraceContext | undefined;
  /** Runs the work with the span active, as parent of spans from other libraries. */
  within<T>(work: () => Promise<T>): Promise<T>;
  end(ended: SpanEnd): void;
}

/** Starts a span of OpenTelemetry. An error of the SDK loses the span, never the call. */
async function openExported({ log, version }: SpanOptions, start: SpanStart): Promise<Exported | undefined> {
  const lost = (error: unknown): undefined => void log.debug("a span is lost", { error: String(error) });
  try {
    const api = await import("@opentelemetry/api");
    const { context: contexts, trace, SpanStatusCode } = api;
    const above = start.parent?.context ?? remoteContext(api, start.parent?.trace);
    const span = trace.getTracer("toolwright", version).startSpan(start.name, {}, above);
    const context = trace.setSpan(above, span);
    return {
      context,
      trace: traceOf(api, span),
      within: (work) => contexts.with(context, work),
      end(ended) {
        try {
          endExported(span, start, ended, SpanStatusCode);
        } catch (error) {
          lost(error);
        }
      },
    };
  } catch (error) {
    return lost(error);
  }
}

type Api = typeof import("@opentelemetry/api");

/** The context of a client's span; the active one if that belongs to the same trace already, as of an instrumented server. */
function remoteContext({ context, createTraceState, trace }: Api, remote: TraceContext | undefined): Otel {
  const active = context.active();
  const parent = remote && traceParentOf(remote.traceparent);
  if (!parent || trace.getSpanContext(active)?.traceId === parent.traceId) return active;
  const { traceId, spanId, flags } = parent;
  const state = remote.tracestate === undefined ? {} : { traceState: createTraceState(remote.tracestate) };
  return trace.setSpanContext(active, { traceId, spanId, traceFlags: flags & 1, isRemote: true, ...state });
}

function traceOf({ isSpanContextValid }: Api, span: Span): TraceContext | undefined {
  const spanContext = span.spanContext();
  if (!isSpanContextValid(spanContext)) return undefined;
  const { traceId, spanId, traceFlags: flags, traceState } = spanContext;
  const tracestate = traceState?.serialize() ?? "";
  return {
    traceparent: traceParentText({ traceId, spanId, flags }),
    ...(tracestate === "" ? {} : { tracestate }),
  };
}

type Status = typeof import("@opentelemetry/api")["SpanStatusCode"];

function endExported(span: Span, start: SpanStart, ended: SpanEnd, status: Status): void {
  const { name, failure } = ended;
  if (name !== undefined && name !== start.name) span.updateName(name);
  span.setAttributes({ ok: !failure, ...(failure ? { code: failure.type } : {}), ...fieldsOf(start, ended) });
  if (failure) {
    const { type, message, stack } = failure;
    span.recordException({ name: type, ...(message === undefined ? {} : { message }), ...(stack ? { stack } : {}) });
  }
  span.setStatus(
    failure
      ? { code: status.ERROR, ...(failure.message === undefined ? {} : { message: failure.message }) }
      : { code: status.OK },
  );
  span.end();
}

const LISTING = ["pattern", "info"];

const SHOWN: ReadonlyMap<string, readonly string[]> = new Map([
  ["ot.tools", LISTING],
  ["ot.packs", LISTING],
  ["ot.aliases", LISTING],
  ["ot.snippets", LISTING],
  ["ot.help", ["info"]],
  ["ot.result", ["handle", "offset", "limit", "search"]],
]);

/** Longest value that is shown, in characters. */
const MAX_SHOWN_LENGTH = 200;

/** The arguments that a span of the op shows, including defaults; empty texts are left out. */
export function shownArguments(tool: Tool | undefined, args: JsonObject): SpanFields {
  const names = tool?.source.shipped ? SHOWN.get(tool.op) : undefined;
  if (!tool || !names) return {};
  const whole = fillDefaults(args, tool.parameters_schema);
  return Object.fromEntries(
    names.flatMap((name): [string, string | number | boolean][] => {
      const value = own(whole, name);
      if (typeof value === "string" && value !== "") return [[name, clip(scrub(value), MAX_SHOWN_LENGTH)]];
      return typeof value === "number" || typeof value === "boolean" ? [[name, value]] : [];
    }),
  );
}
