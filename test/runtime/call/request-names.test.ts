/** Requests that name their fields otherwise are read with a warning; those that leave a doubt are refused, and write nothing. */

import { describe, expect, test } from "vitest";
import { callsIn } from "../../../runtime/access/rate.js";
import type { JsonObject } from "../../../runtime/codegen.js";
import { SERVED_TOOLS } from "../../../runtime/serve/gateway-tools.js";
import { errorOf, type Fixture, fixture, okOf, principal } from "../gateway/fixture.js";
import { closed, toolOf } from "../gateway/fixture-tools.js";

const TASK = "task_00000001";
const CALLS: readonly (readonly [kind: string, op: string, args: JsonObject])[] = [
  ["a read", "onto.task.list", { limit: 3 }],
  ["a write", "onto.task.update", { task_id: TASK, title: "  As sent " }],
];
const HOLDERS = ["arguments", "params", "input", "parameters", "tool_input"];
const OPS = ["tool", "name", "function", "tool_name", "operation"];
const ENTRIES = ["calls", "operations", "requests", "entries", "commands"];

const sent = ({ gateway }: Fixture, request: unknown) => gateway.dispatch(request, principal());

describe.each(CALLS)("%s, sent under other names,", (_, op, args) => {
  test.each(HOLDERS)("with its arguments as %s is carried out as it was sent", async (name) => {
    const made = fixture();
    const { meta } = okOf(await sent(made, { op, [name]: args }));
    expect(meta.warnings).toEqual([`request_read: ${name} was read as args`]);
    const exact = fixture();
    await sent(exact, { op, args });
    expect(made.calls).toEqual(exact.calls);
    expect(made.calls).toHaveLength(1);
  });

  test.each(OPS)("with its op as %s answers with the op", async (name) => {
    const made = fixture();
    const envelope = okOf(await sent(made, { [name]: op, arguments: args }));
    expect(envelope).toMatchObject({
      op,
      meta: { warnings: [`request_read: ${name} was read as op`, "request_read: arguments was read as args"] },
    });
    const exact = fixture();
    await sent(exact, { op, args });
    expect(made.calls).toEqual(exact.calls);
  });

  test("with its arguments beside the op is carried out as it was sent", async () => {
    const made = fixture();
    const { meta } = okOf(await sent(made, { op, ...args }));
    expect(meta.warnings).toEqual(Object.keys(args).map((name) => `request_read: ${name} was read as args.${name}`));
    const exact = fixture();
    await sent(exact, { op, args });
    expect(made.calls).toEqual(exact.calls);
  });

  test.each(ENTRIES)("in a batch whose entries are %s, and named otherwise, is an entry", async (name) => {
    const made = fixture();
    const request = {
      [name]: [
        { tool: op, params: args },
        { op, ...args },
      ],
      stop_on_error: true,
    };
    const answer = await made.gateway.batch(request, principal());
    expect(answer).toMatchObject({ ok: true, meta: { warnings: [`request_read: ${name} was read as ops`] } });
    expect(made.calls).toHaveLength(2);
    expect(made.calls[0]).toEqual(made.calls[1]);
    expect(callsIn("tool_batch", request, SERVED_TOOLS)).toBe(2);
  });

  test("in a batch as a list of the op and its arguments is an entry", async () => {
    for (const field of ["ops", "calls"]) {
      const made = fixture();
      const answer = await made.gateway.batch({ [field]: [[op, args]] }, principal());
      const warnings = ["request_read: a list was read as op and args"];
      expect(answer).toMatchObject({ ok: true, results: [{ index: 0, op, meta: { warnings } }] });
      expect(made.calls).toMatchObject([{ op }]);
    }
    for (const entry of [[op, args, 1], [op.toUpperCase(), args], [op, [args]], [args, op], []]) {
      const made = fixture();
      expect(await made.gateway.batch({ ops: [entry] }, principal())).toMatchObject({ ok: false });
      expect(made.calls).toEqual([]);
    }
  });

  test.each([
    `tool_exec"> <parameter name="op">${op}`,
    `<parameter name="op">${op}</parameter>`,
    `<invoke name="tool_exec"><parameter name="op">${op}`,
    `tool_exec">\n<parameter name="op">${op}</parameter>\n</invoke>`,
    `functions.tool_exec <op>${op}</op>`,
  ])("in the wrapper %j is found", async (wrapper) => {
    const made = fixture();
    expect(okOf(await sent(made, { op: wrapper, args })).meta.warnings[0]).toMatch(/^op_sanitized/);
    expect(made.calls.map((call) => call.op)).toEqual([op]);
  });

  test.each([
    ["two holders", { op, arguments: args, params: args }],
    ["a holder and args", { op, args, arguments: args }],
    ["an argument beside args", { op, args: {}, ...args }],
    ["an argument beside a holder", { op, arguments: {}, ...args }],
    ["two ops", { tool: op, name: op, args }],
    ["an op and another one", { op, tool: op, args }],
    ["an op that is not named exactly", { tool: op.toUpperCase(), arguments: args }],
    ["an op with other signs", { op: op.replaceAll(".", "/"), arguments: args }],
    ["an unknown field", { op, ...args, nonsense: 1 }],
    ["a flag in other letters", { op, ...args, dryRun: true }],
    ["a flag under another name", { op, arguments: args, preview: true }],
    ["a wrapper with two ops", { op: `tool_exec"> ${op} onto.task.delete`, args }],
    ["a wrapper with a flag", { op: `tool_exec"> --dry-run ${op}`, args }],
  ])("with %s is refused, and nothing is called", async (_case, request) => {
    const made = fixture();
    errorOf(await sent(made, request));
    expect(made.calls).toEqual([]);
  });
});

test("flags keep their meaning", async () => {
  const made = fixture();
  const request = { op: "onto.task.update", arguments: { task_id: TASK, title: "T" }, dry_run: true };
  expect(okOf(await sent(made, request)).result).toMatchObject({ dry_run: true });
  expect(made.calls).toEqual([]);
});

test("an argument of the name of a holder is not taken for all arguments", async () => {
  const made = fixture();
  errorOf(await sent(made, { op: "onto.task.search", search: "x", input: {} }));
  expect(made.calls).toEqual([]);
});

test("references in entries that name their fields otherwise are followed", async () => {
  const made = fixture({ handlers: { "onto.task.search": (async () => ({ id: TASK })) as never } });
  const calls = [
    { id: "a", name: "onto.task.search", input: { search: "x" } },
    { op: "onto.task.delete", task_id: { $ref: "a#/result/id" } },
  ];
  expect(await made.gateway.batch({ calls }, principal())).toMatchObject({ ok: true });
  expect(made.calls).toEqual([{ op: "onto.task.delete", args: { task_id: TASK } }]);
});

test("a write in a parallel batch is found, however its entry names it", async () => {
  const made = fixture();
  const calls = [{ tool: "onto.task.delete", arguments: { task_id: TASK } }];
  expect(await made.gateway.batch({ calls, mode: "parallel" }, principal())).toMatchObject({ ok: false });
  expect(made.calls).toEqual([]);
});

test.each(["code", "script", "python", "program", "source"])("a program that is sent as %s is run", async (name) => {
  const { gateway } = fixture();
  expect(await gateway.run({ [name]: "1 + 1" }, principal())).toMatchObject({ text: "2", isError: false });
  expect(await gateway.run({ [name]: "1", command: "2" }, principal())).toMatchObject({ isError: true });
});

test.each([
  [{ op: "onto.task.list", tool: "onto.task.get", args: {} }, "onto.task.list (op) and onto.task.get (tool)"],
  [{ name: "onto.task.list", tool: "onto.task.get" }, "onto.task.get (tool) and onto.task.list (name)"],
])("two ops are named, and corrected to none of them: %j", async (request, said) => {
  const made = fixture({
    more: [toolOf({ op: "onto.task.get", tool: "get_onto_task", kind: "read", schema: closed({}) })],
  });
  const error = errorOf(await sent(made, request));
  expect(error.message).toContain(
    `1 argument needs attention: one call has one op, and this has ${said}: send a call for each.`,
  );
  expect(error.corrected_call).toBeUndefined();
});

test("an op in an argument is no second one", async () => {
  const made = fixture();
  const error = errorOf(await sent(made, { op: "onto.task.create", title: "onto.task.list", name: 1 }));
  expect(error.message).not.toContain("one call has one op");
});
