/**
 * Spans: every call, batch and run leaves one, as a line of the log, and through OpenTelemetry where an SDK is registered.
 */

import type { Context as Otel, Span } from "@opentelemetry/api";
import type { Logger, Principal } from "../contract/handler.js";
import type { Recent } from "./recent.js";

/** Where a span stands: what spans below it hang on. Handed on by hand, since calls of code come back over the wire of a child process. */
export interface SpanScope {
  readonly traceId: string;
  /** Trace id of the run that it is or belongs to. */
  readonly run?: string;
  /** OpenTelemetry's own, where an SDK is registered. */
  readonly context?: Otel;
}

/** What is known of a span when it starts. */
export interface SpanStart {
  readonly name: string;
  readonly traceId: string;
  readonly principal: Principal;
  /** Absent where nothing of ours is above it. */
  readonly parent: SpanScope | undefined;
  readonly isRun?: boolean;
}

/** Facts beside those of every span. */
export type SpanFields = Readonly<Record<string, string | number | boolean | string[]>>;

/** Why a span ended badly; no text of it holds a secret. */
export interface SpanFailure {
  /** A code of the envelope, or the type of an exception. */
  readonly type: string;
  /** Left out where it may quote code. */
  readonly message?: string;
  /** Whether it is our fault, which the log tells at its level `error`. */
  readonly isOurs?: boolean;
  /** Where it was thrown, for a fault that is ours. */
  readonly stack?: string;
}

/** What is known of a span when it ends. */
export interface SpanEnd {
  /** Where it is another than at the start. */
  readonly name?: string;
  readonly fields?: SpanFields;
  /** Beside the fields, in a log of level `debug` alone. */
  readonly detail?: () => SpanFields;
  readonly failure?: SpanFailure | undefined;
}

/** Does the work inside a span. */
export type InSpan = <T>(
  start: SpanStart,
  work: (scope: SpanScope) => Promise<T>,
  end: (result: T) => SpanEnd,
) => Promise<T>;

/** What spans are written with. */
export interface SpanOptions {
  readonly log: Logger;
  /** Of the log. */
  readonly level: string;
  /** Of the package. */
  readonly version: string;
  /** Keeps spans for who looks at them soon after. */
  readonly recent?: Pick<Recent, "add"> | undefined;
}

/** Makes the function that puts work inside spans. Nothing is imported before an SDK is there. */
export function createSpans(options: SpanOptions): InSpan {
  return async (start, work, end) => {
    const started = performance.now();
    const exported = isExported() ? await openExported(options, start) : undefined;
    const scope = scopeOf(start, exported?.context);
    const finish = (ended: SpanEnd): void => {
      writeLine(options, start, ended, performance.now() - started);
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

const scopeOf = ({ traceId, parent, isRun }: SpanStart, context: Otel | undefined): SpanScope => {
  const run = isRun ? traceId : parent?.run;
  return { traceId, ...(run === undefined ? {} : { run }), ...(context ? { context } : {}) };
};

const thrown = (error: unknown): SpanFailure =>
  error instanceof Error ? { type: error.name, isOurs: true } : { type: "Error", isOurs: true };

/** The fields of every span, in the line and in the attributes alike. */
function fieldsOf({ traceId, principal, parent }: SpanStart, { fields }: SpanEnd): SpanFields {
  const isBelowRun = parent?.run === parent?.traceId;
  return {
    ...fields,
    ...(parent?.run === undefined ? {} : { run: parent.run }),
    ...(parent && !isBelowRun ? { parent: parent.traceId } : {}),
    trace_id: traceId,
    ...(principal.kind === "key" ? { caller: principal.id } : {}),
  };
}

function writeLine({ log, level, recent }: SpanOptions, start: SpanStart, ended: SpanEnd, ms: number): void {
  const { failure } = ended;
  const error = failure?.stack ?? failure?.message;
  const fields = fieldsOf(start, ended);
  const facts = { span: ended.name ?? start.name, ms: Math.round(ms), ok: !failure };
  const failed = failure ? { error_type: failure.type } : {};
  recent?.add({ ...facts, at: Date.now() - facts.ms, caller: start.principal.id, fields, ...failed });
  log[failure?.isOurs ? "error" : "info"]("span", {
    ...facts,
    ...fields,
    ...failed,
    ...(error === undefined ? {} : { error }),
    ...(level === "debug" || level === "trace" ? ended.detail?.() : {}),
  });
}

/** Where OpenTelemetry's API, whichever copy of it, keeps what an SDK registered. The API itself costs 37 ms to import. */
const REGISTERED = Symbol.for("opentelemetry.js.api.1");

const isExported = (): boolean =>
  (globalThis as { readonly [REGISTERED]?: { readonly trace?: unknown } })[REGISTERED]?.trace !== undefined;

/** A span of OpenTelemetry. */
interface Exported {
  readonly context: Otel;
  /** Does the work with the span as the active one, for whatever else makes spans there. */
  within<T>(work: () => Promise<T>): Promise<T>;
  end(ended: SpanEnd): void;
}

/** Starts a span of OpenTelemetry. What an SDK throws costs the span, never the call. */
async function openExported({ log, version }: SpanOptions, start: SpanStart): Promise<Exported | undefined> {
  const lost = (error: unknown): undefined => void log.debug("a span is lost", { error: String(error) });
  try {
    const { context: contexts, trace, SpanStatusCode } = await import("@opentelemetry/api");
    const above = start.parent?.context ?? contexts.active();
    const span = trace.getTracer("toolwright", version).startSpan(start.name, {}, above);
    const context = trace.setSpan(above, span);
    return {
      context,
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
