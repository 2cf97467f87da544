/** The rules: what a number of calls allows to claim. */

import { describe, expect, test } from "vitest";
import { observe } from "../observe.js";
import { mergeOps, ofOneCall } from "../op-summary.js";
import { revealed } from "../reveal.js";
import { type Judged, judge } from "../rules.js";

interface Calls {
  readonly callers?: readonly (string | undefined)[];
  readonly days?: readonly string[];
  /** Different arguments; default: as many as calls. */
  readonly args?: number;
}

const DAYS = ["2026-11-01", "2026-11-02"];

/** What is learned from some calls; an id is the name of its key. */
function learned(
  count: number,
  result: (i: number) => unknown,
  { callers = [], days = DAYS, args = count }: Calls = {},
) {
  const idOf = (key: string): string => key;
  const calls = Array.from({ length: count }, (_, i) => {
    const call = `call ${i % args}`;
    const day = days[i % days.length] as string;
    return ofOneCall(call, day, callers[i % callers.length], "", observe(result(i), { call, idOf }));
  });
  return judge(
    revealed(
      calls.reduce((a, b) => mergeOps(a, b)),
      idOf,
    ),
  );
}

const schemaOf = (judged: Judged | undefined) => judged?.result.schema;
const task = (i: number) => ({ id: `t${i}`, title: "a title", done: i % 2 === 0, note: i % 3 ? null : "text" });

describe("schemas", () => {
  test("a key is named from three calls, typed from five, and required from thirty", () => {
    expect(schemaOf(learned(2, task))).toBeUndefined();
    expect(schemaOf(learned(5, task))).toMatchObject({
      type: ["object", "null"],
      properties: { title: { type: ["string", "null"] }, note: {} },
    });
    expect(schemaOf(learned(5, task))).not.toHaveProperty("required");
    expect(schemaOf(learned(40, task))).toEqual({
      type: "object",
      properties: {
        done: { type: "boolean" },
        id: { type: "string" },
        note: { type: ["string", "null"] },
        title: { type: "string" },
      },
      required: ["done", "id", "note", "title"],
    });
  });

  test("a key that one object was without is not required, and a schema is never closed", () => {
    const schema = schemaOf(learned(60, (i) => (i === 17 ? { a: 1 } : { a: 1, b: 2 })));
    expect(schema).toMatchObject({ required: ["a"] });
    expect(schema).not.toHaveProperty("additionalProperties");
  });

  test("a second type of one call only, and three types, give no type; two types of many calls give both", () => {
    expect(schemaOf(learned(40, (i) => ({ a: i === 3 ? "x" : 1 })))).toMatchObject({ properties: { a: {} } });
    expect(schemaOf(learned(40, (i) => ({ a: [1, "x", true][i % 3] })))).toMatchObject({ properties: { a: {} } });
    const both = schemaOf(learned(40, (i) => ({ a: i % 2 ? "x" : 1 })));
    expect(both).toMatchObject({ properties: { a: { type: ["number", "string"] } } });
  });

  test("keys like ids, and many rare keys of one type, are a map", () => {
    const byId = schemaOf(learned(40, (i) => ({ [`item_${1000 + i}`]: { n: i }, [`item_${2000 + i}`]: { n: i } })));
    expect(byId).toEqual({
      type: "object",
      additionalProperties: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    });
    const words = "ant bee cat dog eel fox gnu hen ibis jay kite lark mole newt owl pig".split(" ");
    const byWord = schemaOf(
      learned(40, (i) => ({ [words[i % 16] as string]: 1, [words[(i * 5 + 3) % 16] as string]: 2 })),
    );
    expect(byWord).toEqual({ type: "object", additionalProperties: { type: "number" } });
  });

  test("results that are text in one call and data in another are not learned", () => {
    expect(learned(40, (i) => (i % 2 ? "none found" : [{ a: 1 }]))).toBeUndefined();
  });

  test("the other keys of an object whose keys are data for the most part are no names", () => {
    const users = Object.fromEntries([..."abcdef"].map((one) => [`${one}@example.com`, 1]));
    const schema = schemaOf(learned(40, () => ({ ...users, AnnMeier: 1, Bob: 1, CMeier: 1 })));
    expect(schema).toEqual({ type: "object", additionalProperties: { type: "number" } });
  });

  test("an object with a key that is not claimed is open", () => {
    const schema = schemaOf(learned(40, (i) => ({ a: 1, b: 2, ...(i < 39 ? {} : { late: 1 }) })));
    expect(schema).toMatchObject({ properties: { a: { type: "number" } }, additionalProperties: true });
    expect(Object.keys(schema?.["properties"] as object)).toEqual(["a", "b"]);
  });

  test("a format is a description, never a constraint", () => {
    expect(schemaOf(learned(40, () => ({ at: "2026-11-02T10:00:00Z" })))).toMatchObject({
      properties: { at: { type: "string", description: "date-time" } },
    });
  });
});

describe("levels", () => {
  const level = (judged: Judged | undefined) => judged?.result.level;

  test("thirty calls with different arguments over two days are locked", () => {
    expect(learned(30, task)).toMatchObject({ lacks: [], result: { level: "locked", calls: "30+", news: "≤1%" } });
    expect(learned(29, task)?.lacks).toEqual([
      "1 more calls with other arguments, or in other hours if it takes none (29 of 30)",
    ]);
  });

  test("the same call again shows nothing new, and one day is not enough", () => {
    expect(level(learned(300, task, { args: 20 }))).toBe("hint");
    expect(learned(60, task, { days: ["2026-11-01"] })?.lacks).toEqual(["calls on a second day"]);
  });

  test("keys of a map that one call has count as one call", () => {
    const scores = (i: number) => {
      const keys = [..."abcde"].map((name) => `${name}${i}@example.com`);
      return { users: Object.fromEntries([...keys, "bob"].map((key) => [key, { n: 1 }])) };
    };
    const users = (count: number) =>
      (schemaOf(learned(count, scores)) as { properties: { users: { additionalProperties: object } } }).properties
        .users;
    expect(users(20).additionalProperties).not.toHaveProperty("required");
    expect(users(30).additionalProperties).toMatchObject({ required: ["n"] });
  });

  test("one caller alone never locks; the local caller owns the project", () => {
    expect(level(learned(500, task, { callers: ["k1"] }))).toBe("hint");
    expect(level(learned(500, task, { callers: ["k1", "k1", "k2"] }))).toBe("hint");
    expect(level(learned(500, task, { callers: ["k1", "k2"] }))).toBe("locked");
    expect(level(learned(500, task, { callers: [undefined] }))).toBe("locked");
  });

  test("results that still show new things are a hint", () => {
    const letters = [..."abcdefghijklmnopqrstuvwxyz"];
    const growing = (i: number) => ({ a: 1, ...(i < 26 ? { [`only_${letters[i]}`]: i % 2 ? "x" : 1 } : {}) });
    const judged = learned(40, growing);
    expect(judged?.result).toMatchObject({ level: "hint", news: ">10%" });
    expect(judged?.lacks[0]).toMatch(/^fewer facts that only one call showed: now \d+ in 40 calls/);
  });
});
