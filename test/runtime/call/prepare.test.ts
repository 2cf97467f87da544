/** How arguments are refused before they are checked by their schema, and how a dry run is chosen. */

import { describe, expect, test } from "vitest";
import { errorOf, fieldErrorsOf, fixture, okOf, principal } from "../gateway/fixture.js";
import { closed, toolOf } from "../gateway/fixture-tools.js";

const LIST = "onto.task.list";
const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) });

describe("arguments that are no object", () => {
  test.each<readonly [args: unknown, message: string, keyword: string, received: unknown]>([
    [null, "args is not an object", "type", "null"],
    [[1], "args is not an object", "type", "array of 1"],
    [7, "args is not an object", "type", "7"],
    ['{"limit": 1,', "args is not JSON: it breaks at position 12", "type", '"{\\"limit\\": 1,"'],
    ['{"limit":1,"limit":2}', "args has limit twice", "uniqueItems", '"{\\"limit\\":1,\\"limit\\":2}"'],
    ["[1]", "args holds no JSON object", "type", '"[1]"'],
    [nested(80), "args nest deeper than 64 levels", "maxDepth", "object {}"],
  ])("are refused, and nothing is called: %j", async (args, message, keyword, received) => {
    const { exec, calls } = fixture();
    const envelope = await exec(LIST, args);
    expect(fieldErrorsOf(envelope)).toEqual([{ path: "args", keyword, message, expected: "object", received }]);
    expect(errorOf(envelope).message).toContain(message);
    expect(calls).toEqual([]);
  });

  test("none at all are an empty object", async () => {
    const { exec, calls } = fixture();
    okOf(await exec(LIST));
    expect(calls).toEqual([{ op: LIST, args: { limit: 20 } }]);
  });

  test("arguments as a whole that refer to nothing are the fault of the reference", async () => {
    const { gateway } = fixture();
    const ops = [{ op: LIST }, { op: LIST, args: { $ref: "later#/ok" } }];
    const answer = await gateway.batch({ ops }, principal());
    expect(answer).toMatchObject({
      results: [
        { ok: true },
        { error: { details: { field_errors: [{ path: "args", keyword: "ref", received: '"later#/ok"' }] } } },
      ],
    });
  });
});

describe("a dry run that is asked for twice", () => {
  const OP = "util.files.write";
  const TOOL = toolOf({
    op: OP,
    tool: "write_files",
    kind: "write",
    schema: closed({ dry_run: { type: "boolean" }, n: { type: "integer" } }),
    extra: { target: "global" },
  });
  const made = () => fixture({ more: [TOOL] });

  test.each([
    [true, false],
    [false, true],
  ])("beside args %s, in args %s, is refused with both values", async (beside, inside) => {
    const { exec, calls } = made();
    expect(fieldErrorsOf(await exec(OP, { dry_run: inside }, { dry_run: beside }))).toEqual([
      {
        path: "dry_run",
        keyword: "one_of",
        message: `dry_run is ${beside} beside args and ${inside} in args, which are the same switch`,
        expected: "one value",
        received: `${beside}, ${inside}`,
      },
    ]);
    expect(calls).toEqual([]);
  });

  test.each([true, false])("with the value %s in both places is one", async (value) => {
    const { exec, calls } = made();
    okOf(await exec(OP, { dry_run: value }, { dry_run: value }));
    expect(calls).toEqual(value ? [] : [{ op: OP, args: { dry_run: false } }]);
  });

  test.each(["http", "proxy"] as const)("that of an op of kind %s is an argument like others", async (kind) => {
    const foreign = { ...TOOL, source: { kind, file: "a.json" } };
    const { exec, calls } = fixture({ more: [foreign] });
    okOf(await exec(OP, { dry_run: true, n: 1 }, { dry_run: false }));
    expect(calls).toEqual([{ op: OP, args: { dry_run: true, n: 1 } }]);
    expect(okOf(await exec(OP, { dry_run: false }, { dry_run: true })).result).toMatchObject({ dry_run: true });
    expect(calls).toHaveLength(1);
  });

  test("a value of another type is reported by the schema, and nothing is carried out", async () => {
    const { exec, calls } = made();
    expect(fieldErrorsOf(await exec(OP, { dry_run: [1] }))).toMatchObject([
      { path: "dry_run", keyword: "type", expected: expect.stringContaining("boolean") },
    ]);
    expect(calls).toEqual([]);
  });

  test("without a value the call is carried out, and the argument says so", async () => {
    const { exec, calls } = made();
    expect(okOf(await exec(OP, { n: 1 })).meta.warnings).toEqual([]);
    expect(calls).toEqual([{ op: OP, args: { n: 1, dry_run: false } }]);
  });
});

test("an id of no kind is an object, for a key of some projects", async () => {
  const link = { src_kind: "task", src_id: "task_1", dst_kind: "goal", dst_id: "goal_1", rel: "x" };
  const key = principal({ kind: "key", grant: { level: "write", projects: ["proj_1"] } });
  expect(errorOf(await fixture().exec("onto.edge.link", link, {}, key))).toMatchObject({
    code: "NOT_FOUND",
    message: "No object task_1.",
    details: { kind: "", id: "task_1" },
  });
});
