/** W3C Trace Context: what clients send, what spans here have as parent, and what other processes are told. */

import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { remoteScope } from "../../../runtime/call/span.js";
import type { TraceContext } from "../../../runtime/codegen.js";
import { readTraceContext } from "../../../runtime/contract/trace-context.js";
import { serveHttp } from "../../support/http.js";
import { rootOf, startApi } from "../../support/http-api.js";
import type { Json } from "../../support/project.js";
import { called, calls } from "../../support/upstream/upstreams.js";
import { fixture, handler, okOf, principal } from "../gateway/fixture.js";

const LIST = "onto.task.list";
const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";
const PARENT = `00-${TRACE}-${SPAN}-01`;
const OTHER = PARENT.replace("0af7", "1af7");

const reading =
  (given: Readonly<Record<string, unknown>>) =>
  (name: string): unknown =>
    given[name];

test.each<[string, unknown, unknown, TraceContext | undefined]>([
  ["a parent", PARENT, undefined, { traceparent: PARENT }],
  ["a state beside it", PARENT, "a=1,b=2", { traceparent: PARENT, tracestate: "a=1,b=2" }],
  ["a later version, with more", `cc-${TRACE}-${SPAN}-09-more`, undefined, { traceparent: PARENT }],
  ["more in version 00", `${PARENT}-more`, undefined, undefined],
  ["version ff", PARENT.replace("00-", "ff-"), undefined, undefined],
  ["no trace", `00-${"0".repeat(32)}-${SPAN}-01`, undefined, undefined],
  ["no span", `00-${TRACE}-${"0".repeat(16)}-01`, undefined, undefined],
  ["capitals", PARENT.toUpperCase(), undefined, undefined],
  ["no text", 7, undefined, undefined],
  ["a header that ends a line", `${PARENT}\r\nx: y`, undefined, undefined],
  ["a long one", `cc-${TRACE}-${SPAN}-01-${"x".repeat(100_000)}`, undefined, undefined],
  ["a state alone", undefined, "a=1", undefined],
  ["a state that ends a line", PARENT, "a=1\r\nx: y", { traceparent: PARENT }],
  ["a long state", PARENT, "a".repeat(513), { traceparent: PARENT }],
])("the context of a trace is read as far as it is valid: %s", (_, traceparent, tracestate, read) => {
  expect(readTraceContext(reading({ traceparent, tracestate }))).toEqual(read);
});

/** A gateway whose handler keeps what it is told. */
function telling() {
  const told: (TraceContext | undefined)[] = [];
  const keep = handler(async (_, ctx) => {
    told.push(ctx.trace);
    return {};
  });
  return { told, ...fixture({ handlers: { [LIST]: keep } }) };
}

test("without an SDK a call passes on the client's parent, and its log line names no parent of ours", async () => {
  const { exec, told, lines, gateway } = telling();
  okOf(await exec(LIST, {}, {}, undefined, remoteScope(reading({ traceparent: PARENT, tracestate: "a=1" }))));
  await gateway.batch({ ops: [{ op: LIST }] }, principal(), remoteScope(reading({ traceparent: OTHER })));
  okOf(await exec(LIST));
  expect(told).toEqual([{ traceparent: PARENT, tracestate: "a=1" }, { traceparent: OTHER }, undefined]);
  expect(lines[0]?.fields).not.toHaveProperty("parent");
  expect(lines[1]?.fields).toHaveProperty("parent");
});

describe("with an SDK", () => {
  afterEach(() => {
    trace.disable();
    context.disable();
  });
  const withSdk = () => {
    const exporter = new InMemorySpanExporter();
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
    return () => exporter.getFinishedSpans();
  };

  test("the client's span is the parent, and the call's own span is passed on", async () => {
    const spans = withSdk();
    const { exec, told } = telling();
    okOf(await exec(LIST, {}, {}, undefined, remoteScope(reading({ traceparent: PARENT, tracestate: "a=1" }))));
    const [span] = spans();
    expect(span?.parentSpanContext).toMatchObject({ traceId: TRACE, spanId: SPAN, isRemote: true });
    const { traceId, spanId } = span?.spanContext() ?? {};
    expect(traceId).toBe(TRACE);
    expect(told).toEqual([{ traceparent: `00-${TRACE}-${spanId}-01`, tracestate: "a=1" }]);
  });

  test("a span of the same trace that is active stays the parent, one of another trace does not", async () => {
    const spans = withSdk();
    const { exec } = telling();
    const above = trace.getTracer("server").startSpan("request");
    const { traceId, spanId } = above.spanContext();
    await context.with(trace.setSpan(context.active(), above), async () => {
      await exec(LIST, {}, {}, undefined, remoteScope(reading({ traceparent: `00-${traceId}-${SPAN}-01` })));
      await exec(LIST, {}, {}, undefined, remoteScope(reading({ traceparent: PARENT })));
    });
    expect(spans().map((one) => one.parentSpanContext?.spanId)).toEqual([spanId, SPAN]);
  });
});

test("an upstream server gets it in _meta, and nothing without one", async () => {
  const { call } = await called({ servers: { calls: calls() } });
  const sent = { traceparent: PARENT, tracestate: "a=1" };
  expect(await call("calls.meta", {}, { trace: sent })).toEqual(sent);
  expect(await call("calls.meta")).toEqual({});
});

test("from a header or _meta of a client, through a server, to an HTTP API", { timeout: 120_000 }, async () => {
  const api = await startApi();
  const own = { name: "TraceParent", in: "header", schema: { type: "string" } };
  const get = (operationId: string, parameters: object[]) => ({
    get: { operationId, summary: "Get it.", responses: {}, parameters },
  });
  const root = await rootOf({ "/one": get("getOne", []), "/own": get("getOwn", [own]) }, `server: ${api.origin}`);
  const served = await serveHttp(root);
  onTestFinished(() => void served.signal("SIGKILL"));
  const call = async (headers: Record<string, string>, op = "api.getOne", meta?: object, args = {}): Promise<void> => {
    const params = { name: "tool_exec", arguments: { op, args }, ...(meta ? { _meta: meta } : {}) };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    const plain = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    await (await fetch(served.url, { method: "POST", headers: { ...plain, ...headers }, body })).text();
  };
  await call({ traceparent: PARENT, tracestate: "a=1" });
  await call({ traceparent: PARENT }, "api.getOne", { traceparent: OTHER });
  await call({});
  await call({ traceparent: PARENT }, "api.getOwn", undefined, { TraceParent: "mine" });
  const exec = { method: "POST", headers: { traceparent: PARENT, "content-type": "application/json" } };
  await fetch(new URL("/api/exec", served.url), { ...exec, body: JSON.stringify({ op: "api.getOne" }) });
  const told = (api.seen as readonly Json[]).map(({ headers }) => [headers.traceparent, headers.tracestate]);
  expect(told).toEqual([
    [PARENT, "a=1"],
    [OTHER, undefined],
    [undefined, undefined],
    ["mine", undefined],
    [PARENT, undefined],
  ]);
});
