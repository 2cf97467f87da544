/** How handlers are called: with numbers that they can take, with the defaults that they ask for, and named where they are missing. */

import { describe, expect, test } from "vitest";
import { orderOf } from "../../../runtime/call/call-handler.js";
import { fail, type JsonObject, type JsonValue } from "../../../runtime/codegen.js";
import { ExactNumber } from "../../../runtime/contract/exact-number.js";
import { errorOf, fieldErrorsOf, fixture, handler, okOf, principal } from "../gateway/fixture.js";
import { closed, toolOf } from "../gateway/fixture-tools.js";

const exact = (text: string) => new ExactNumber(text) as unknown as JsonValue;
const BIG = exact("9007199254740993");
const OP = "util.n.read";
const TOOL = toolOf({
  op: OP,
  tool: "read_n",
  kind: "read",
  schema: closed(
    { n: { type: "integer" }, preset: { type: "integer", default: 5 }, must: { type: "integer", default: 6 } },
    ["must"],
  ),
  extra: { target: "global" },
});

/** A gateway with one op, and the arguments that its handler got. */
function served(more: object = {}) {
  const got: JsonObject[] = [];
  const run = handler(async (args) => void got.push(args));
  return { ...fixture({ more: [TOOL], handlers: { [OP]: { run, ...more } as never } }), got };
}

describe("a number that JavaScript cannot hold", () => {
  test("is rounded with a warning, as it is for a handler that takes it, an error for a program", async () => {
    const plain = served();
    expect(okOf(await plain.exec(OP, { n: BIG })).meta.warnings).toEqual([
      "number_rounded: n 9007199254740993 was read as 9007199254740992; send it as text if every digit counts",
    ]);
    expect(plain.got).toEqual([{ n: 9007199254740992, preset: 5, must: 6 }]);
    const taking = served({ exactNumbers: true });
    expect(okOf(await taking.exec(OP, { n: BIG })).meta.warnings).toEqual([]);
    expect(taking.got[0]?.["n"]).toBe(BIG);
    const program = served();
    const envelope = await program.exec(OP, { n: BIG }, {}, principal(), { isProgram: true });
    expect([errorOf(envelope).code, fieldErrorsOf(envelope)]).toMatchObject([
      "VALIDATION_ERROR",
      [{ path: "n", keyword: "rounded", received: "9007199254740993" }],
    ]);
    expect(program.got).toEqual([]);
  });

  test("is an error for everybody if it is too large, and no change if it only looks so", async () => {
    const { exec, got } = served();
    expect(fieldErrorsOf(await exec(OP, { n: exact("1e999") }))).toMatchObject([
      { path: "n", keyword: "rounded", message: expect.stringContaining("beyond 1.8e308") },
    ]);
    const same = await exec(OP, { n: exact("10.0") }, {}, principal(), { isProgram: true });
    expect(okOf(same).meta.warnings).toEqual([]);
    expect(got).toEqual([{ n: 10, preset: 5, must: 6 }]);
  });
});

test("a handler gets all defaults, or those of required arguments alone", async () => {
  for (const [givenOnly, args] of [
    [false, { n: 1, preset: 5, must: 6 }],
    [true, { n: 1, must: 6 }],
  ] as const) {
    const { exec, got } = served({ givenOnly });
    okOf(await exec(OP, { n: 1 }));
    expect(got).toEqual([args]);
  }
});

test("write transactions of a pack have an order, unless they may run at once", () => {
  const tables = (more: object) => ({ tables: { name: "shop", versions: [], ...more } }) as never;
  expect([orderOf({}), orderOf(tables({})), orderOf(tables({ concurrent: true }))]).toEqual([
    "pack ",
    "pack shop",
    undefined,
  ]);
});

test("an op without a handler names what to add, for a server the server", async () => {
  const source = { kind: "proxy", server: "notion", file: "notion.json" } as never;
  const proxy = toolOf({
    op: "util.a.read",
    tool: "read_a",
    kind: "read",
    schema: closed({}),
    extra: { source, target: "global" },
  });
  const handlers = { "util.a.read": undefined as never, "util.web.search": undefined as never };
  const { exec } = fixture({ more: [proxy], handlers });
  for (const more of [{}, { dry_run: true }])
    expect(errorOf(await exec("util.a.read", {}, more))).toMatchObject({
      code: "UNAVAILABLE",
      message: "The server notion of util.a.read is not configured: add it under `servers`.",
      details: { server: "notion" },
    });
  expect(errorOf(await exec("util.web.search", { query: "a" })).message).toBe(
    'util.web.search has no handler: its source util/tools.ts names no handlers file. Add "handlers: <file>" to the source of util/tools.ts in definitions/toolwright.yaml, and bind util.web.search there.',
  );
});

test.each([
  [{ server: "notion" }, "info"],
  [{}, "error"],
  [undefined, "error"],
])("an INTERNAL failure with %j is logged as %s", async (details, level) => {
  const run = handler(async () => fail("INTERNAL", "broken", details));
  const { exec, lines } = fixture({ handlers: { "onto.task.list": run } });
  await exec("onto.task.list");
  expect(lines).toMatchObject([{ level, fields: { error_type: "INTERNAL" } }]);
});
