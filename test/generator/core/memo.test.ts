/** What an earlier build has found: the next build makes the same files and diagnostics of it, and makes only what changed. */

import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createMemo, type Memo, stepInput } from "../../../generator/core/memo.js";
import { hasCorpora, snapshotFiles } from "../../support/corpora.js";
import { buildCase, caseNames } from "../../support/generator-cases.js";
import { buildProject, hostOf, jsonProject, type Project, tool } from "../../support/generator-host.js";
import { randomOf, runs, SCALE, shuffled, withShuffledKeys } from "../../support/random.js";

/** The results of a build as the next one reads them: from JSON. */
const afterwards = (memo: Memo): Memo => createMemo(new Map(JSON.parse(JSON.stringify(memo.used()))));

/** Steps whose results a build did not find. */
function counting(memo: Memo) {
  const made: string[] = [];
  const counted: Memo = {
    ...memo,
    keep: (step, input, result) => {
      made.push(step);
      return memo.keep(step, input, result);
    },
  };
  return { memo: counted, made };
}

const buildWith = (project: Project, memo: Memo) => buildProject(project, { ...hostOf(project), memo });

describe("a memo", () => {
  test("finds what is kept, by step and input, in its own run and in the next one", () => {
    const memo = createMemo();
    expect(memo.find("tokens", "a")).toBeUndefined();
    expect(memo.keep("tokens", "a", 3)).toBe(3);
    memo.keep("fault", "a", []);
    for (const one of [memo, afterwards(memo)]) {
      expect(one.find("tokens", "a")).toBe(3);
      expect(one.find("fault", "a")).toEqual([]);
      expect(one.find("tokens", "b")).toBeUndefined();
      expect(one.find("type", "a")).toBeUndefined();
    }
  });

  test("forgets what a run did not use", () => {
    const memo = createMemo();
    memo.keep("tokens", "a", 3);
    memo.keep("tokens", "b", 4);
    const next = afterwards(memo);
    next.find("tokens", "b");
    expect(next.used()).toHaveLength(1);
    expect(afterwards(next).find("tokens", "a")).toBeUndefined();
  });
});

const INFINITE = Number.POSITIVE_INFINITY;

describe("the input of a step", () => {
  test("is JSON, or says what JSON does not hold", () => {
    for (const value of [
      null,
      [null],
      { a: null },
      "\u0000",
      { a: "x:null" },
      ["null"],
      { a: { b: undefined }, c: null },
    ])
      expect(stepInput(value)).toBe(JSON.stringify(value));
    const odd = [INFINITE, [INFINITE], { a: -INFINITE, b: null }, [undefined], { a: Number.NaN }];
    for (const value of odd) expect(stepInput(value)).toMatch(/^\0/);
  });

  test("is the same for the same values only", () => {
    const odd = fc.constantFrom(null, INFINITE, -INFINITE, Number.NaN, "\u0000Infinity", '\u0000"', "null", ":null", 0);
    const members = { noNullPrototype: true, maxKeys: 2 };
    const { value } = fc.letrec<{ readonly value: unknown }>((tie) => ({
      value: fc.oneof(
        odd,
        fc.array(tie("value"), { maxLength: 2 }),
        fc.dictionary(fc.constantFrom("a", "b"), tie("value"), members),
      ),
    }));
    fc.assert(
      fc.property(value, value, (one, other) => {
        expect(stepInput(structuredClone(one))).toBe(stepInput(one));
        if (stepInput(one) === stepInput(other)) expect(isDeepStrictEqual(one, other)).toBe(true);
      }),
      runs(50_000),
    );
  });
});

describe("a build with the results of an earlier one", () => {
  const results = createMemo();

  test.each(caseNames())("makes the same of %s, and makes nothing twice", async (name) => {
    const { files, diagnostics } = await buildCase(name);
    expect((await buildCase(name, results)).files).toEqual(files);
    // Results of other cases are there too.
    const { memo, made } = counting(afterwards(results));
    const again = await buildCase(name, memo);
    expect(again.files).toEqual(files);
    expect(again.diagnostics).toEqual(diagnostics);
    expect(made).toEqual([]);
  });

  test("makes the validator and the type of the schema that changed, and no other", async () => {
    const of = (type: string) => ({ value: { type, description: "The value." } });
    const first = jsonProject([tool("list_a", of("string")), tool("list_b", of("boolean"))]);
    const changed = jsonProject([tool("list_a", of("string")), tool("list_b", of("integer"))]);
    const before = createMemo();
    await buildWith(first, before);
    const { memo, made } = counting(afterwards(before));
    const built = await buildWith(changed, memo);
    expect(built.files).toEqual((await buildProject(changed)).files);
    expect(made.sort()).toEqual(["fault", "issues", "type", "validator"]);
  });

  test.each([
    ['"default":1e400', '"default":null'],
    ['"minimum":1e400', '"minimum":null'],
    ['"maximum":1e400', '"maximum":-1e400'],
    ['"const":1e400', '"const":null'],
    ['"enum":[1e400]', '"enum":[null]'],
  ])("does not take %s for %s, in the next build or in the same", async (first, second) => {
    for (const [one, other] of [
      [first, second],
      [second, first],
    ] as const) {
      const before = createMemo();
      await buildWith(projectOf(one), before);
      const fresh = await buildProject(projectOf(other));
      const again = await buildWith(projectOf(other), afterwards(before));
      expect([again.files, again.diagnostics]).toEqual([fresh.files, fresh.diagnostics]);
    }
    const codes = async (...keywords: readonly string[]) =>
      (await buildProject(projectOf(...keywords))).diagnostics.map(({ code }) => code).sort();
    expect(await codes(first, second)).toEqual([...(await codes(first)), ...(await codes(second))].sort());
  });

  test("does not use what is no result of a step", async () => {
    const project = jsonProject([tool("list_a", { a: { type: "string", default: "a" } })]);
    const before = createMemo();
    const { files } = await buildWith(project, before);
    for (const wrong of [null, { x: 1 }, 1.5, true])
      expect((await buildWith(project, createMemo(new Map(before.used().map(([key]) => [key, wrong]))))).files).toEqual(
        files,
      );
  });

  test("reports a schema that no validator can be made for each time", async () => {
    const broken = jsonProject([tool("list_a", { a: { type: "string", pattern: "(" } }), tool("list_b")]);
    const memo = createMemo();
    const first = await buildWith(broken, memo);
    expect(first.diagnostics.map(({ code }) => code)).toContain("schema-invalid");
    expect((await buildWith(broken, afterwards(memo))).diagnostics).toEqual(first.diagnostics);
  });

  test.skipIf(!hasCorpora)("makes the same of real servers, of which some tools changed", async () => {
    const random = randomOf(23);
    for (const [name, text] of shuffled(snapshotFiles(), random).slice(0, Math.max(3, 60 * SCALE))) {
      const before = createMemo();
      await buildWith(snapshotProject(name, text), before);
      const changed = snapshotProject(name, changedText(text, random));
      const fresh = await buildProject(changed);
      const again = await buildWith(changed, afterwards(before));
      expect(again.files, name).toEqual(fresh.files);
      expect(again.diagnostics, name).toEqual(fresh.diagnostics);
    }
  });
});

/** A project of tools that take a number with such a keyword. */
const projectOf = (...keywords: readonly string[]): Project => ({
  "toolwright.yaml": "use: []\nsources: [{ chat-tools: tools.json, pack: p, kind: read }]\n",
  "tools.json": `[${keywords.map(
    (keyword, at) =>
      `{"type":"function","function":{"name":"list_${"ab"[at]}","description":"Lists.","parameters":{"type":"object","properties":{"x":{"type":"number",${keyword}}}}}}`,
  )}]`,
});

const snapshotProject = (name: string, text: string): Project => ({
  "toolwright.yaml": `use: []\nsources: [{ mcp: servers/*.json }]\n`,
  [`servers/${name}`]: text,
});

/** A snapshot whose tools have, one in three, other descriptions, bounds, or an order of keys. */
function changedText(text: string, random: () => number): string {
  const snapshot = JSON.parse(text);
  const changed = snapshot.tools.map((one: { readonly description?: string; readonly inputSchema?: object }) => {
    const choice = Math.floor(random() * 9);
    if (choice === 0) return { ...one, description: `${one.description ?? ""} Changed.` };
    if (choice === 1) return { ...one, inputSchema: withShuffledKeys(one.inputSchema, random) };
    if (choice === 2) return { ...one, inputSchema: { ...one.inputSchema, maxProperties: 50 } };
    return one;
  });
  return JSON.stringify({ ...snapshot, tools: changed });
}
