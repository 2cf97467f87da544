/** The frozen registry: order, digests, immutability. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson, digest } from "../../../runtime/contract/canonical.js";
import { closest, editDistance } from "../../../runtime/contract/closest.js";
import { jsonProject, onlyTool, registryOf, tool } from "../../support/generator-host.js";
import { randomOf, runs, withShuffledKeys } from "../../support/random.js";

const digests = async (properties: object, rest: object = {}, description = "Get a.", config = "") =>
  (await onlyTool(jsonProject([tool("get_a", properties, rest, description)], config))).digest;

describe("three digests", () => {
  const base = { a: { type: "string" }, b: { type: "integer", default: 1 } };

  test.each([
    [
      "a description",
      () => digests({ ...base, a: { type: "string", description: "New." } }),
      { input: true, op: true, docs: false },
    ],
    ["the tool's own description", () => digests(base, {}, "Get another."), { input: true, op: true, docs: false }],
    [
      "a bound",
      () => digests({ ...base, a: { type: "string", minLength: 1 } }),
      { input: false, op: false, docs: false },
    ],
    [
      "a default",
      () => digests({ ...base, b: { type: "integer", default: 2 } }),
      { input: false, op: false, docs: false },
    ],
    [
      "the access",
      () => digests(base, {}, "Get a.", "ops: { get_a: { access: admin } }\n"),
      { input: true, op: false, docs: true },
    ],
    [
      "a note",
      () => digests(base, {}, "Get a.", "ops: { get_a: { notes: [New.] } }\n"),
      { input: true, op: true, docs: false },
    ],
    [
      "a property called like prose",
      () => digests({ ...base, description: { type: "string" } }),
      { input: false, op: false, docs: false },
    ],
  ])("%s changes what it should", async (_what, changed, same) => {
    const [before, after] = [await digests(base), await changed()];
    expect({
      input: before.input === after.input,
      op: before.op === after.op,
      docs: before.docs === after.docs,
    }).toEqual(same);
  });

  test("the order of required names means nothing, at any level", async () => {
    const nested = (...required: readonly string[]): object => ({ o: { type: "object", properties: base, required } });
    expect((await digests(nested("a", "b"))).input).toBe((await digests(nested("b", "a"))).input);
    expect((await digests(base, { required: ["a", "b"] })).input).toBe(
      (await digests(base, { required: ["b", "a"] })).input,
    );
  });

  test("nor does the order of arguments of which one must change", async () => {
    const config = "ops: { get_a: { constraints: [{ at_least_one_change: {} }] } }\n";
    const of = async (properties: object) => (await digests(properties, {}, "Get a.", config)).op;
    expect(await of({ a: {}, b: {} })).toBe(await of({ b: {}, a: {} }));
  });

  test("the order of an enum means something", async () => {
    expect((await digests({ a: { enum: ["x", "y"] } })).input).not.toBe(
      (await digests({ a: { enum: ["y", "x"] } })).input,
    );
  });
});

test("the registry is sorted by op, frozen to its leaves, and what JSON can hold", async () => {
  const registry = await registryOf(jsonProject([tool("get_b"), tool("get_C"), tool("add_a", { a: { enum: [[1]] } })]));
  expect(registry.tools.map((one) => one.op)).toEqual(["p.add_a", "p.get_C", "p.get_b"]);
  expect(JSON.parse(JSON.stringify(registry))).toEqual(registry);
  const open: unknown[] = [registry];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    expect(Object.isFrozen(at)).toBe(true);
    open.push(...Object.values(at as object).filter((one) => typeof one === "object" && one !== null));
  }
});

test("the version covers what help and exec can show, and not where a definition stands", async () => {
  const version = async (description: string, file: string) => {
    const project = {
      "toolwright.yaml": `sources: [{ chat-tools: ${file}, pack: p }]`,
      [file]: JSON.stringify([tool("get_a", {}, {}, description)]),
    };
    return (await registryOf(project)).registry_version;
  };
  expect(await version("Get a.", "a.json")).toBe(await version("Get a.", "b.json"));
  expect(await version("Get a.", "a.json")).not.toBe(await version("Get b.", "a.json"));
});

describe("measures that both halves share", () => {
  test("canonical JSON and its digest do not see the order of keys", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(), (value, seed) => {
        const other = withShuffledKeys(value, randomOf(seed));
        expect(canonicalJson(other)).toBe(canonicalJson(value));
        expect(digest(other)).toBe(digest(value));
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      runs(2000),
    );
  });

  test("different values have different canonical JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const same = canonicalJson(a) === canonicalJson(b);
        expect(same).toBe(JSON.stringify(withSortedKeys(a)) === JSON.stringify(withSortedKeys(b)));
      }),
      runs(1000),
    );
  });

  const word = fc.string({ unit: fc.constantFrom("a", "b", "c", "_"), maxLength: 8 });

  test("the edit distance is zero for the same text only, symmetric, and bounded by the longer text", () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        const distance = editDistance(a, b);
        expect(distance === 0).toBe(a === b);
        expect(editDistance(b, a)).toBe(distance);
        expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
        expect(distance).toBeGreaterThanOrEqual(Math.abs(a.length - b.length));
      }),
      runs(3000),
    );
  });

  test("one edit, or two letters swapped, is a distance of one", () => {
    fc.assert(
      fc.property(word, fc.nat(7), fc.constantFrom("x", "y"), (text, at, letter) => {
        const i = Math.min(at, text.length);
        expect(editDistance(text, text.slice(0, i) + letter + text.slice(i))).toBe(1);
        if (i < text.length) expect(editDistance(text, text.slice(0, i) + text.slice(i + 1))).toBe(1);
        const swapped = text.slice(0, i) + (text[i + 1] ?? "") + (text[i] ?? "") + text.slice(i + 2);
        if (i + 1 < text.length && swapped !== text) expect(editDistance(text, swapped)).toBe(1);
      }),
      runs(2000),
    );
  });

  test("the closest name is one of the candidates, none is nearer, and letter case does not count", () => {
    fc.assert(
      fc.property(word, fc.array(word, { maxLength: 6 }), (name, candidates) => {
        const found = closest(name, candidates);
        if (found === undefined) return;
        expect(candidates).toContain(found);
        expect(Math.min(...candidates.map((one) => editDistance(name, one)))).toBe(editDistance(name, found));
      }),
      runs(2000),
    );
    expect(closest("ONTO.tsk", ["onto.task", "onto.plan"])).toBe("onto.task");
    expect(closest("x", ["completely", "different"])).toBeUndefined();
  });
});

function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (typeof value !== "object" || value === null) return value;
  const sorted = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return { object: sorted.map(([key, one]) => [key, withSortedKeys(one)]) };
}
