/** The ring of recent spans: which are kept, in which order, and which caller sees them. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { createRecent, type EndedSpan, type SpanTree } from "../../../runtime/call/recent-spans.js";

const span = (name: string, at: number, fields: EndedSpan["fields"] = {}, caller = "a"): EndedSpan => ({
  span: name,
  at,
  ms: 1,
  ok: true,
  caller,
  fields: { trace_id: name, ...fields },
});
const names = (trees: readonly SpanTree[]): unknown[] =>
  trees.map((one) => (one.spans.length > 0 ? [one.span, names(one.spans)] : one.span));

test("calls come the latest first, what is below each in the order in which it began", () => {
  const recent = createRecent();
  recent.add(span("b2", 4, { run: "b" }));
  recent.add(span("b1a", 3, { run: "b", parent: "b1" }));
  recent.add(span("b1", 2, { run: "b" }));
  recent.add(span("b", 1));
  recent.add(span("c", 5));
  expect(names(recent.calls(10))).toEqual(["c", ["b", [["b1", ["b1a"]], "b2"]]]);
  expect(names(recent.calls(1))).toEqual(["c"]);
});

test("a caller gets its own alone", () => {
  const recent = createRecent();
  recent.add(span("mine", 1));
  recent.add(span("yours", 2, {}, "b"));
  expect(names(recent.calls(10, "a"))).toEqual(["mine"]);
  expect(names(recent.calls(10, "b"))).toEqual(["yours"]);
  expect(names(recent.calls(10))).toEqual(["yours", "mine"]);
});

test("no more are kept than there is room for: the oldest go", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 60 }), (most, count) => {
      const recent = createRecent(most);
      const all = Array.from({ length: count }, (_, at) => String(at));
      for (const [at, name] of all.entries()) recent.add(span(name, at));
      expect(names(recent.calls(1000))).toEqual(all.slice(-most).reverse());
    }),
  );
});
