/** What a program that ended well is told of values that were undefined without a failure, and of results that are stored. */

import { afterAll, describe, expect, test } from "vitest";
import { runSettingsOf } from "../../../runtime/config/run-settings.js";
import type { LanguageRows } from "../../../runtime/run/languages/table.js";
import { fixture, handler, principal } from "../../../test/runtime/gateway/fixture.js";
import { closed, toolOf } from "../../../test/runtime/gateway/fixture-tools.js";
import { addedLanguage } from "../../../test/support/run/languages.js";

const SLOW = 120_000;
const typescript: LanguageRows = [addedLanguage("typescript")];
const { gateway } = fixture({
  more: [
    toolOf({ op: "shop.get", tool: "get_order", kind: "read", schema: closed({ id: { type: "string" } }) }),
    toolOf({
      ...{ op: "shop.list", tool: "list_orders", kind: "read" },
      schema: closed({ customer: { type: "string" }, size: { type: "integer" } }),
      extra: {
        result_schema: closed({ items: { type: "array", items: closed({ id: { type: "string" } }) as never } }),
        signature: {
          python: "shop.list(customer: str = ..., size: int = ...)",
          typescript: "shop.list(args?: { customer?: string; size?: number }): Promise<{ items: { id: string }[] }>",
        },
      },
    }),
  ],
  handlers: {
    "shop.get": handler(async () => ({ id: "order_1", total: 15, lines: [{ sku: "a" }] })),
    "shop.list": handler(async ({ size = 1 }) => ({
      items: Array.from({ length: Number(size) }, (_, place) => ({ id: `order_${place}` })),
    })),
  },
  settings: { run: runSettingsOf({ limits: { wall_ms: SLOW } } as never) },
  options: { languages: typescript },
});
afterAll(() => gateway.close());
const run = (command: string) => gateway.run({ command }, principal());

/** The most nested calls of a function that a program can make. */
const deepest = async (make: string): Promise<number> => {
  const { text } = await run(
    `${make}\nlet [low, high] = [1, 20000];\nwhile (high - low > 1) {\n  const n = (low + high) >> 1;\n` +
      "  try { await f(n); low = n } catch { high = n }\n}\nlow",
  );
  return Number(text);
};

test("a RangeError says how deep calls nest, as they do", { timeout: SLOW }, async () => {
  const { text } = await run("const f = (n: number): number => 1 + f(n + 1);\nf(1)");
  const [, plain, waiting] =
    /RangeError: Maximum call stack size exceeded: calls nest about ([\d,]+) deep here, (\d+) with await/.exec(text) ??
    [];
  const numberOf = (one = "") => Number(one.replace(",", ""));
  const near = (measured: number, said: string | undefined) => {
    expect(measured).toBeGreaterThan(numberOf(said) * 0.8);
    expect(measured).toBeLessThan(numberOf(said) * 1.3);
  };
  near(await deepest("const f = (n) => (n === 0 ? 0 : 1 + f(n - 1));"), plain);
  near(await deepest("const f = async (n) => (n === 0 ? 0 : 1 + (await f(n - 1)));"), waiting);
  near(await deepest("const f = (n) => (n === 0 ? 0 : [n].reduce((sum, one) => sum + f(one - 1), 0));"), waiting);
});

describe("a program that ends well", { timeout: SLOW }, () => {
  test("is told of a member that results do not have", async () => {
    const { text, notes } = await run(
      "const { items } = await shop.list({});\nitems.filter((one) => one.status === 'open').length",
    );
    expect(text).toBe("0");
    expect(notes).toBe(
      "Note: line 2: Property 'status' does not exist on type '{ id: string; }', so that it is undefined.",
    );
  });

  test("is told of an argument that was undefined", async () => {
    const { notes } = await run("const found: any = {};\n(await shop.list({ customer: found.id })).items.length");
    expect(notes).toBe("Note: shop.list: customer was undefined, and was left out.");
  });

  test.each([
    "const o: any = {};\no.a = 1;\no",
    "const o = {} as { b?: number };\n(o as any).c = 1;\no",
    "(await shop.list({ customer: 'x' })).items[0].id",
    "const counts: Record<string, number> = {};\ncounts.a = (counts.a ?? 0) + 1;\ncounts",
  ])("has no note about what it set itself, or may read: %s", async (code) => {
    expect((await run(code)).notes).toBeUndefined();
  });

  test("has no note about an amount that an op without pages calls a total", async () => {
    expect((await run('(await shop.get({ id: "order_1" })).total')).notes).toBeUndefined();
  });

  test("is told how its own language reads a stored result", async () => {
    const { text } = await run("(await shop.list({ size: 5000 })).items");
    const { query, handle } = JSON.parse(text) as { query: string; handle: string };
    expect(query).toBe(`await ot.result({ handle: "${handle}", offset: 1, limit: 50 })`);
  });
});

test("timers that had not ended are noted: what they call does not happen", { timeout: SLOW }, async () => {
  const said =
    "Note: the program ended before a timer, whose function was not called: await a promise that it resolves.";
  expect(await run("setTimeout(() => shop.get({ id: 'a' }), 10000);\n'done'")).toMatchObject({
    text: "done",
    notes: said,
  });
  const two = await run("setTimeout(() => 1, 10000); setTimeout(() => 2, 10000)\n[1]");
  expect(two.notes).toContain("before 2 timers");
  for (const code of [
    "await new Promise((done) => setTimeout(done, 1));\n1",
    "const t = setTimeout(() => 1, 10000); clearTimeout(t);\n1",
  ])
    expect((await run(code)).notes, code).toBe(undefined);
});
