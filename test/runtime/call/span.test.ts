/**
 * Spans in this process, with and without OpenTelemetry's own SDK. `test/scenarios/ot-log.test.ts` tests how the server
 * uses them.
 */

import { type Span, trace } from "@opentelemetry/api";
import { AlwaysOffSampler } from "@opentelemetry/sdk-trace-base";
import { afterEach, describe, expect, test } from "vitest";
import { createSpans } from "../../../runtime/call/span.js";
import type { JsonObject } from "../../../runtime/codegen.js";
import type { Json } from "../../support/project.js";
import { fixture, handler, okOf, principal } from "../gateway/fixture.js";
import { parentOf, withoutSdk, withSdk } from "./span-sdk.js";

const LIST = "onto.task.list";
const KEY = `oub_abcdefghij_${"aB3_-".repeat(8)}xyz`;

afterEach(withoutSdk);

describe("without an SDK", () => {
  test("an internal error is logged with its stack; the answer does not contain it; neither contains a secret", async () => {
    const boom = handler(async (_, ctx) => {
      throw new TypeError(`no ${ctx.secret("PIN")} and no ${KEY}`);
    });
    const { exec, lines } = fixture({ handlers: { [LIST]: boom }, options: { secret: () => "plain4711" } });
    const envelope = await exec(LIST);
    expect(lines).toMatchObject([
      {
        level: "error",
        message: "span",
        fields: { span: LIST, ok: false, error_type: "INTERNAL", trace_id: envelope.meta.trace_id },
      },
    ]);
    expect(Object(lines[0]?.fields).error).toMatch(/^TypeError: no \*\*\* and no oub_abcdefghij_\*\*\*\n\s+at /);
    expect(JSON.stringify([lines, envelope])).not.toMatch(/plain4711|aB3_/);
  });

  test("an alias leaves a span of the op, and debug says what was asked", async () => {
    const settings = { log: { level: "debug" } };
    const { exec, lines } = fixture({ settings });
    await exec(` ${LIST}. `);
    const warnings = [expect.stringContaining("op_sanitized")];
    expect(lines).toMatchObject([{ level: "info", fields: { span: LIST, asked: ` ${LIST}. `, warnings } }]);
  });

  test("a key that calls is named by its id, the local caller is not", async () => {
    const { exec, lines } = fixture();
    await exec(LIST);
    await exec(LIST, {}, {}, principal({ kind: "key", id: "abcdefghij" }));
    expect(lines.map(({ fields }) => (fields as JsonObject)["caller"])).toEqual([undefined, "abcdefghij"]);
  });

  test("ops of a foreign pack called ot show no arguments", async () => {
    const { gateway } = fixture();
    const found = gateway.index.view(principal().grant).exact(LIST);
    if (!found) throw new Error("no such op");
    const parameters_schema = { type: "object", properties: { pattern: { type: "string" } } };
    const mine = { ...found, op: "ot.tools", tool_name: "mine", group: "ot", parameters_schema, parameters: [] };
    const { exec, lines } = fixture({ more: [mine] });
    okOf(await exec("ot.tools", { pattern: "zebra" }));
    expect(lines).toMatchObject([{ fields: { span: "ot.tools", ok: true } }]);
    expect(JSON.stringify(lines)).not.toContain("zebra");
  });

  test("a batch that is refused has a line, with its code", async () => {
    const { gateway, lines } = fixture();
    const answer = await gateway.batch({ ops: [] }, principal());
    expect(lines).toMatchObject([
      { fields: { span: "tool_batch", ok: false, error_type: "VALIDATION_ERROR", trace_id: answer.meta.trace_id } },
    ]);
  });

  test("work that throws is recorded, and throws", async () => {
    const { lines } = fixture();
    const at = (message: string, fields?: object) => void lines.push({ level: "error", message, fields });
    const inSpan = createSpans({ log: { debug: at, info: at, warn: at, error: at }, level: "info", version: "0" });
    const start = { name: "x", traceId: "tr_1", principal: principal(), parent: undefined };
    const work = async (): Promise<void> => {
      throw new RangeError("far");
    };
    await expect(inSpan(start, work, () => ({}))).rejects.toThrow("far");
    expect(lines).toMatchObject([{ fields: { span: "x", ok: false, error_type: "RangeError" } }]);
  });
});

describe("with an SDK", () => {
  test("an internal error has its exception and its stack, without secrets", async () => {
    const spans = withSdk();
    const boom = handler(async () => {
      throw new TypeError(`no ${KEY}`);
    });
    const { exec } = fixture({ handlers: { [LIST]: boom } });
    const { meta } = await exec(LIST);
    const [span] = spans();
    expect(span).toMatchObject({
      name: LIST,
      attributes: { ok: false, code: "INTERNAL", trace_id: meta.trace_id },
      status: { code: 2, message: "no oub_abcdefghij_***" },
    });
    expect(span?.events[0]?.attributes).toMatchObject({
      "exception.type": "INTERNAL",
      "exception.message": "no oub_abcdefghij_***",
      "exception.stacktrace": expect.stringContaining("TypeError"),
    });
    expect(JSON.stringify(span?.events)).not.toContain("aB3_");
  });

  test("what a handler makes spans of itself hangs on its call, whose parent is what was active around it", async () => {
    const spans = withSdk();
    const own = handler(async () => trace.getTracer("mine").startActiveSpan("query", async (one: Span) => one.end()));
    const { exec } = fixture({ handlers: { [LIST]: own } });
    await trace.getTracer("transport").startActiveSpan("request", async (one: Span) => {
      await exec(LIST);
      one.end();
    });
    const all = spans();
    expect(all.map(({ name }) => name)).toEqual(["query", LIST, "request"]);
    expect(all.map((one) => parentOf(all, one))).toEqual([LIST, "request", undefined]);
  });

  test("calls beside each other keep their own batch as parent", async () => {
    const spans = withSdk();
    const slow = handler(async () => new Promise((resolve) => setImmediate(resolve, {})));
    const { gateway } = fixture({ handlers: { [LIST]: slow } });
    const ops = Array.from({ length: 10 }, () => ({ op: LIST }));
    const batches = await Promise.all(
      [1, 2, 3].map(() => gateway.batch({ ops, mode: "parallel" }, principal()) as Promise<Json>),
    );
    const all = spans();
    const idOf = (traceId: string) => all.find(({ attributes }) => attributes["trace_id"] === traceId)?.spanContext();
    for (const { results, meta } of batches)
      for (const one of results) {
        const span = all.find(({ attributes }) => attributes["trace_id"] === one.meta.trace_id);
        expect(span?.attributes["parent"]).toBe(meta.trace_id);
        expect(span?.parentSpanContext?.spanId).toBe(idOf(meta.trace_id)?.spanId);
      }
    expect(all).toHaveLength(33);
  });

  test("it may be registered while the server runs, and go again", async () => {
    const { exec, lines } = fixture();
    await exec(LIST);
    const spans = withSdk();
    await exec(LIST);
    trace.disable();
    await exec(LIST);
    expect(spans()).toHaveLength(1);
    expect(lines).toHaveLength(3);
  });

  test("a sampler that takes none gets none; calls go on", async () => {
    const spans = withSdk([], { sampler: new AlwaysOffSampler() });
    const { exec } = fixture();
    okOf(await exec(LIST));
    expect(spans()).toEqual([]);
  });

  test.each(["onStart", "onEnd"])("one that throws %s costs its spans, never a call", async (broken) => {
    const fail = (): never => {
      throw new Error("exporter gone");
    };
    const nothing = async (): Promise<void> => undefined;
    const idle = { onStart: () => undefined, onEnd: () => undefined, forceFlush: nothing, shutdown: nothing };
    withSdk([{ ...idle, [broken]: fail }]);
    const { exec, lines } = fixture();
    okOf(await exec(LIST));
    expect(lines.filter(({ message }) => message === "span")).toHaveLength(1);
    expect(lines.filter(({ level }) => level === "debug")).toMatchObject([{ message: "a span is lost" }]);
  });
});
