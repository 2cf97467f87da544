// For `NODE_OPTIONS=--import`: registers OpenTelemetry's SDK and appends each span to $SPANS_FILE, as users do to
// record spans.
import { appendFileSync } from "node:fs";
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";

const exporter = {
  export(spans, done) {
    for (const span of spans) {
      const { name, attributes, events, status } = span;
      const ids = { id: span.spanContext().spanId, parent: span.parentSpanContext?.spanId };
      appendFileSync(process.env.SPANS_FILE, `${JSON.stringify({ name, ...ids, attributes, events, status })}\n`);
    }
    done({ code: 0 });
  },
  shutdown: async () => undefined,
};

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
