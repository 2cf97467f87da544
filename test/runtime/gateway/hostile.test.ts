/** Hostile requests to the gateway: every answer is an envelope of bounded size. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { startSession } from "../../../runtime/catalog/session.js";
import type { Envelope } from "../../../runtime/contract/error-body.js";
import { ERROR_CODES } from "../../../runtime/contract/handler.js";
import { runs } from "../../support/random.js";
import { fixture, grant, principal } from "./fixture.js";
import { TOOLS } from "./fixture-tools.js";

function wellFormed(envelope: Envelope): void {
  expect(Object.keys(envelope)).toEqual(["op", "ok", envelope.ok ? "result" : "error", "meta"]);
  expect(envelope.meta.trace_id).toMatch(/^tr_[0-9a-f]{16}$/);
  expect(Array.isArray(envelope.meta.warnings)).toBe(true);
  if (envelope.ok) return;
  expect(ERROR_CODES).toContain(envelope.error.code);
  expect(envelope.error.code).not.toBe("INTERNAL");
  expect(envelope.error.help_path).not.toBe("");
  expect(envelope.error.message).not.toBe("");
  expect(() => JSON.stringify(envelope)).not.toThrow();
}

const POISON = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "__defineGetter__", "valueOf"];
const key = fc.oneof(
  fc.constantFrom(
    ...POISON,
    ...TOOLS.flatMap((tool) => tool.parameters.map(({ original }) => original)),
    "$ref",
    "args",
    "task",
    "from",
    "kind",
    "id",
  ),
  fc.string(),
);
const json = fc
  .letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom("task_1", "proj_1", "todo", " Done ", "", "0#/result", "<task_id>"),
      fc.string(),
      fc.integer(),
      fc.double(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.array(fc.tuple(key, tie("value")), { maxLength: 5 }).map((members) => Object.fromEntries(members)),
    ),
  }))
  .value.map((value) => JSON.parse(JSON.stringify(value)) as unknown);

const op = fc.oneof(
  fc.constantFrom(...TOOLS.flatMap((tool) => [tool.op, tool.tool_name]), ...POISON),
  fc.string(),
  json,
);

describe("every answer is an envelope", { timeout: 300_000 }, () => {
  test("arbitrary arguments of every op", { tags: "full" }, async () => {
    const { exec } = fixture();
    const session = startSession();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...TOOLS), json, async (tool, args) => {
        wellFormed(await exec(tool.op, args, {}, principal(), { session }));
      }),
      runs(15_000),
    );
  });

  test("arbitrary envelopes, for several callers", { tags: "full" }, async () => {
    const { gateway } = fixture();
    const envelope = fc.oneof(
      json,
      fc.record({ op, args: json, idempotency_key: json, dry_run: json }, { requiredKeys: [] }),
    );
    const who = fc.constantFrom(
      principal(),
      grant("read"),
      grant("admin"),
      grant("write", ["proj_1"]),
      principal({ allowWrite: false }),
    );
    await fc.assert(
      fc.asyncProperty(envelope, who, async (call, caller) => wellFormed(await gateway.dispatch(call, caller))),
      runs(15_000),
    );
  });

  test("arbitrary help and batch requests", async () => {
    const { gateway } = fixture();
    const entry = fc.oneof(json, fc.record({ type: json, id: json, op, args: json, path: op }, { requiredKeys: [] }));
    const batch = fc.oneof(
      json,
      fc.record(
        {
          ops: fc.oneof(json, fc.array(entry, { maxLength: 6 })),
          mode: fc.constantFrom("sequential", "parallel", "x"),
          stop_on_error: fc.boolean(),
        },
        { requiredKeys: ["ops"] },
      ),
    );
    await fc.assert(
      fc.asyncProperty(json, op, batch, async (request, path, many) => {
        for (const answer of [gateway.help(request, principal()), gateway.help({ path }, principal())])
          expect(["op", "directory", "results", "not_found", "error"]).toContain(answer.type);
        const answer = await gateway.batch(many, principal());
        expect(Object.keys(answer)).toEqual(
          "error" in answer ? ["ok", "error", "meta"] : ["ok", "results", "summary", "meta"],
        );
        expect(JSON.stringify(answer)).not.toContain('"code":"INTERNAL"');
      }),
      runs(7000),
    );
  });

  test.each(POISON)("%s as op, argument, path, entry and pointer", async (name) => {
    const { exec, gateway, calls } = fixture();
    const args = JSON.parse(`{"${name}": {"polluted": true}, "limit": 3}`) as object;
    wellFormed(await exec(name, args));
    const envelope = await exec("onto.task.list", args);
    wellFormed(envelope);
    expect(envelope).toMatchObject({
      ok: false,
      error: { details: { field_errors: [{ path: name, keyword: "additionalProperties" }] } },
    });
    expect(gateway.help({ path: name }, principal()).type).toBe("not_found");
    expect(gateway.help(JSON.parse(`{"${name}": "x"}`), principal()).type).toBe("error");
    await gateway.batch(
      { ops: [{ op: "onto.task.list" }, JSON.parse(`{"${name}": 1, "op": "onto.task.list"}`)] },
      principal(),
    );
    await exec("onto.task.create", JSON.parse(`{"project_id": "proj_1", "title": "A", "props": {"${name}": 1}}`));
    expect(Object.hasOwn(calls.at(-1)?.args["props"] as object, name)).toBe(true);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("nesting beyond every limit", async () => {
    const deep = JSON.parse(`${"[".repeat(50_000)}${"]".repeat(50_000)}`) as unknown;
    const { exec, gateway } = fixture();
    const session = startSession();
    for (const args of [
      deep,
      { props: deep },
      { title: deep },
      JSON.stringify({ a: 1 }).replace("1", "[".repeat(9000)),
    ])
      wellFormed(await exec("onto.task.create", args, {}, principal(), { session }));
    wellFormed(await exec("onto.tsk.list", { a: deep }, {}, principal(), { session }));
    wellFormed(await gateway.dispatch({ op: "onto.task.list", args: {}, deep }, principal(), { session }));
    await gateway.batch({ ops: [{ op: "onto.task.list", args: { a: deep } }, { path: deep }, deep] }, principal(), {
      session,
    });
    expect(gateway.help({ path: "root", deep }, principal()).type).toBe("error");
  });

  test("large values are answered in few bytes", async () => {
    const { exec } = fixture();
    const args = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`unknown_${index}`, "x".repeat(1000)]));
    const text = JSON.stringify(await exec("onto.task.delete", args));
    expect(text.length).toBeLessThan(20_000);
  });
});
