/** OpenTelemetry's own SDK, registered in this process for one test. */

import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanProcessor,
} from "@opentelemetry/sdk-trace-base";

/** Registers the SDK, until {@link withoutSdk}; gives what it exported, in the order of the ends. */
export function withSdk(processors: readonly SpanProcessor[] = [], sampler = {}): () => readonly ReadableSpan[] {
  const exporter = new InMemorySpanExporter();
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const spanProcessors = [...processors, new SimpleSpanProcessor(exporter)];
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors, ...sampler }));
  return () => exporter.getFinishedSpans();
}

/** Takes the SDK away again. */
export function withoutSdk(): void {
  trace.disable();
  context.disable();
}

/** The name of the span above a span. */
export const parentOf = (all: readonly ReadableSpan[], span: ReadableSpan | undefined): string | undefined =>
  all.find((one) => one.spanContext().spanId === span?.parentSpanContext?.spanId)?.name;
