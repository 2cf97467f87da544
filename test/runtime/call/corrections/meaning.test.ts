/** Mistakes of weak models of which it is known what was meant: what is offered does that, and anything else is not offered. */

import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../runtime/codegen.js";
import { errorOf, fixture, principal } from "../../gateway/fixture.js";
import { closed, toolOf } from "../../gateway/fixture-tools.js";

const text = { type: "string" };
const more = [
  toolOf({
    op: "mail.message.send",
    tool: "send_message",
    kind: "write",
    schema: closed(
      {
        message_id: text,
        to: { type: "array", items: text },
        body: text,
        description: text,
        draft: { type: "boolean" },
        amount: { type: "integer" },
        status: { type: "string", enum: ["open", "closed"] },
        parent: closed({ kind: text, id: text }) as JsonObject,
        due: { type: "string", format: "date" },
      },
      [],
    ),
  }),
  toolOf({
    op: "mail.relation.create",
    tool: "create_relations",
    kind: "write",
    schema: closed(
      { relations: { type: "array", items: closed({ from: text, to: text }, ["from", "to"]) as JsonObject } },
      ["relations"],
    ),
  }),
  toolOf({ op: "mail.repair", tool: "repair", kind: "write", schema: closed({}) }),
  toolOf({ op: "mail.json_to_yaml", tool: "json_to_yaml", kind: "read", schema: closed({ text }) }),
];
const answer = (call: unknown) => fixture({ more }).gateway.dispatch(call, principal());
const corrected = async (call: unknown) => errorOf(await answer(call)).corrected_call;
const send = async (args: JsonObject) => (await corrected({ op: "mail.message.send", args }))?.args;
const open = (name: string) => expect.stringMatching(new RegExp(`^<${name}`));

describe("a value that could be another thing becomes a placeholder", () => {
  test.each<[JsonObject, JsonObject]>([
    [{ message_id: { name: "Anna" } }, { message_id: open("message_id") }],
    [{ message_id: { thread_id: "t" } }, { message_id: open("message_id") }],
    [{ to: { name: "Anna" } }, { to: open("to") }],
    [{ to: false }, { to: open("to") }],
    [{ to: "all" }, { to: open("to") }],
    [{ to: "-anna" }, { to: open("to") }],
    [{ draft: [true, false] }, { draft: open("draft") }],
    [{ amount: "5.00" }, { amount: open("amount") }],
    [{ amount: [5, 6] }, { amount: open("amount") }],
  ])("in %j", async (args, expected) => {
    expect(await send(args)).toEqual(expected);
  });

  test("an address with two ids is read as neither", async () => {
    const task_id = "https://app.example.com/task_1/sub/task_2";
    expect((await corrected({ op: "onto.task.delete", args: { task_id } }))?.args).toEqual({ task_id: "<task_id>" });
  });

  test.each<[unknown]>([['{"limit": 5, "limit": 6}'], ["{'limit': 5, 'limit': 6}"], ["limit=5, limit=6"]])(
    "args %j with a name twice are refused",
    async (args) => {
      const error = errorOf(await answer({ op: "onto.task.list", args }));
      expect(error).toMatchObject({ code: "VALIDATION_ERROR" });
      expect(error).not.toHaveProperty("corrected_call");
    },
  );

  test.each(["description", "title"])("%s beside args may be a remark", async (name) => {
    const call = { op: "onto.task.update", [name]: "Updating it", args: { task_id: "task_1", state_key: "done" } };
    expect((await corrected(call))?.args).not.toMatchObject({ [name]: "Updating it" });
  });
});

describe("what means the same is mapped", () => {
  test.each<[JsonObject, JsonObject]>([
    [{ message_id: { id: "m", name: "A" } }, { message_id: "m" }],
    [{ message_id: { messageId: "m" } }, { message_id: "m" }],
    [{ message_id: { value: "m" } }, { message_id: "m" }],
    [{ due: { date: "2026-05-01" } }, { due: "2026-05-01" }],
    [{ amount: "5.0" }, { amount: 5 }],
    [{ is_draft: true }, { draft: true }],
    [{ state: "open" }, { status: "open" }],
    [{ parent_kind: "plan", parent_id: "p" }, { parent: { kind: "plan", id: "p" } }],
    [{ "parent.id": "p", parent: { kind: "plan" } }, { parent: { kind: "plan", id: "p" } }],
    [{ updates: { status: "open", draft: false } }, { status: "open", draft: false }],
    [{ body: { body: "", amount: 0 } }, { body: "", amount: 0 }],
    [{ record: { to: [], draft: false } }, { to: [], draft: false }],
  ])("in %j", async (args, expected) => {
    expect(await send(args)).toEqual(expected);
  });

  test("members beside the only list that takes them make an item", async () => {
    const call = { op: "mail.relation.create", args: { from: "A", to: "B" } };
    expect((await corrected(call))?.args).toEqual({ relations: [{ from: "A", to: "B" }] });
  });

  const LIST = { op: "onto.task.list", args: { limit: 3 } };
  test.each<[JsonObject]>([
    [{ op: "onto.task.list", args: "limit=3" }],
    [{ op: { name: "onto.task.list", args: { limit: 3 } } }],
    [{ op: ["onto.task.list"], args: { limit: 3 } }],
    [{ op: "onto.task", action: "list", args: { limit: 3 } }],
    [{ entity: "task", action: "list", args: { limit: 3 } }],
    [{ request: LIST }],
    [{ function_call: { name: "list_onto_tasks", arguments: '{"limit":3}' } }],
    [{ method: "tools/call", params: { name: "onto.task.list", arguments: { limit: 3 } } }],
    [{ op: "get_tasks", args: { limit: 3 } }],
  ])("%j is offered", async (call) => {
    expect(await corrected(call)).toEqual(LIST);
  });

  test("flags inside an object of options are kept", async () => {
    const call = { op: "onto.task.delete", args: { task_id: "task_1", options: { dry_run: true } } };
    expect(await corrected(call)).toEqual({ op: "onto.task.delete", args: { task_id: "task_1" }, dry_run: true });
  });
});

describe("the op", () => {
  test.each<[JsonObject]>([
    [{ op: "help", args: { path: "mail.repair" } }],
    [{ op: "tool_help", args: { op: "mail.repair" } }],
    [{ name: "tool_help", arguments: { path: "mail.repair" } }],
    [{ op: "describe", args: { tool: "mail.repair" } }],
    [{ op: "cancel", args: { op: "mail.repair" } }],
    [{ op: "cancel", command: "mail.repair" }],
  ])("%j does not ask to call mail.repair", async (call) => {
    expect(await corrected(call)).not.toMatchObject({ op: "mail.repair" });
  });

  test("a help request names the tool that answers it", async () => {
    const error = errorOf(await answer({ op: "tool_help", args: { path: "mail.repair" } }));
    expect(error.message).toContain('call tool_help with {"path":"mail.repair"}');
    expect(error.help_path).toBe("mail.repair");
  });

  test("words that relate others keep their order", async () => {
    expect(errorOf(await answer({ op: "yaml_to_json", args: { text: "a" } }))).not.toHaveProperty("corrected_call");
    expect((await answer({ op: "json-to-yaml", args: { text: "a" } })).ok).toBe(true);
  });

  test.each(["onto.task.list_tasks", "ontotasklist"])("%s is onto.task.list", async (op) => {
    expect(await answer({ op, args: { limit: 1 } })).toMatchObject({
      ok: true,
      meta: { executed_op: "onto.task.list" },
    });
  });

  test("an op that the text contains is the first suggestion", async () => {
    const error = errorOf(await answer({ op: "please use onto.task.list --limit 5" }));
    expect(error.details["suggestions"]).toHaveProperty("0", "onto.task.list");
  });

  test.each(["onto.tasks.remove", "tasks.delete"])("%s with its flag is offered", async (op) => {
    const call = { op, args: { id: "task_1" }, dryRun: "True" };
    expect(await corrected(call)).toEqual({ op: "onto.task.delete", args: { task_id: "task_1" }, dry_run: true });
  });
});
