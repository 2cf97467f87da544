/** A dry run of a write without a planner reads first whether what it is about exists, where an op tells that. */

import { expect, test } from "vitest";
import type { JsonObject } from "../../../runtime/codegen.js";
import { fail } from "../../../runtime/codegen.js";
import type { Tool } from "../../../runtime/contract/registry.js";
import { errorOf, type FixtureOptions, fixture, handler, okOf } from "../gateway/fixture.js";
import { closed, toolOf } from "../gateway/fixture-tools.js";

const ID = { type: "string" };
const GET = toolOf({
  op: "onto.task.get",
  tool: "get_onto_task",
  kind: "read",
  schema: closed({ task_id: ID }, ["task_id"]),
});
const destructive = (tool: Tool): Tool => ({ ...tool, annotations: { ...tool.annotations, destructiveHint: true } });
const remove = (op: string, extra: object = {}) =>
  destructive(toolOf({ op, tool: op.replaceAll(".", "_"), kind: "write", schema: closed({ id: ID }, ["id"]), extra }));
const SENT = { base: "https://api.example.com/notes/{id}" };

const get = handler(async ({ task_id: id, id: other = id }) =>
  other === "task_1"
    ? { id }
    : other === "task_2"
      ? fail("UNAVAILABLE", "away")
      : fail("NOT_FOUND", `No task ${other}.`),
);

async function preview(op: string, args: JsonObject, options: FixtureOptions = {}) {
  const made = fixture({ more: [GET], ...options, handlers: { "onto.task.get": get, ...options.handlers } });
  const envelope = await made.exec(op, args, { dry_run: true });
  return { ...made, envelope };
}

test("what exists is read by the op that gets the entity, and the result says so", async () => {
  const { envelope, calls } = await preview("onto.task.delete", { task_id: "task_1" });
  expect(okOf(envelope).result).toEqual({
    dry_run: true,
    would_call: { tool: "delete_onto_task", args: { task_id: "task_1" } },
    checked: "onto.task.get",
  });
  expect(envelope.meta.warnings).toEqual([]);
  expect(calls).toEqual([]);
});

test("what does not exist is NOT_FOUND, as for the write", async () => {
  const { envelope, calls } = await preview("onto.task.delete", { task_id: "task_9" });
  expect(errorOf(envelope)).toMatchObject({ code: "NOT_FOUND", message: "No task task_9." });
  expect(calls).toEqual([]);
});

test("where ids come from is said once", async () => {
  const said = handler(async () => fail("NOT_FOUND", "No task task_9.", { kind: "task", id: "task_9" }));
  const { envelope } = await preview(
    "onto.task.delete",
    { task_id: "task_9" },
    { handlers: { "onto.task.get": said } },
  );
  expect(errorOf(envelope).message).toBe("No task task_9. Ids come from onto.task.list or onto.task.search.");
});

test("a read that fails otherwise is a warning", async () => {
  const { envelope } = await preview("onto.task.update", { task_id: "task_2", title: "x" });
  expect(okOf(envelope).result).not.toHaveProperty("checked");
  expect(envelope.meta.warnings).toEqual([
    "existence_not_checked: whether it exists was not read, onto.task.get answered UNAVAILABLE",
  ]);
});

test("without a read, a destructive write says that it was not checked; a create has nothing to check", async () => {
  const more = [remove("zeta.note.delete")];
  const { envelope } = await preview("zeta.note.delete", { id: "task_9" }, { more });
  expect(envelope.meta.warnings).toEqual([
    "existence_not_checked: whether it exists was not read, no op reads it for zeta.note.delete",
  ]);
  const create = { ...remove("zeta.note.add"), annotations: GET.annotations };
  const created = await preview("zeta.note.add", { id: "x" }, { more: [create] });
  expect(created.envelope.meta.warnings).toEqual([]);
});

test("the op that the configuration names is read, with the arguments that it needs", async () => {
  const read = toolOf({ op: "zeta.note.find", tool: "find", kind: "read", schema: closed({ id: ID }, ["id"]) });
  const options = {
    more: [read, remove("zeta.note.delete")],
    handlers: { "zeta.note.find": get },
    settings: { ops: new Map([["zeta.note.delete", { check: "zeta.note.find" }]]) },
  };
  expect((await preview("zeta.note.delete", { id: "task_1" }, options)).envelope).toMatchObject({
    result: { checked: "zeta.note.find" },
  });
  expect(errorOf((await preview("zeta.note.delete", { id: "task_9" }, options)).envelope).code).toBe("NOT_FOUND");
});

test("an HTTP op is checked by GET of the same address", async () => {
  const read = toolOf({
    op: "zeta.notes_show",
    tool: "show",
    kind: "read",
    schema: closed({ id: ID }, ["id"]),
    extra: { request: { send: `GET ${SENT.base}` } },
  });
  const options = {
    more: [read, remove("zeta.notes_drop", { request: { send: `DELETE ${SENT.base}` } })],
    handlers: { "zeta.notes_show": get },
  };
  expect((await preview("zeta.notes_drop", { id: "task_1" }, options)).envelope).toMatchObject({
    result: { checked: "zeta.notes_show" },
  });
  expect(errorOf((await preview("zeta.notes_drop", { id: "task_9" }, options)).envelope).code).toBe("NOT_FOUND");
});

const ofApi = (op: string, send: string, names: readonly string[], annotations = GET.annotations): Tool =>
  toolOf({
    op,
    tool: op.replaceAll(".", "_"),
    kind: send.startsWith("GET ") ? "read" : "write",
    schema: closed(Object.fromEntries(names.map((name) => [name, ID])), names),
    extra: { request: { send: send.replace(" /", " https://api.example.com/") }, annotations },
  });
const API = [
  ofApi("zeta.showNote", "GET /notes/{id}", ["id"]),
  ofApi("zeta.showPage", "GET /notes/{note}/pages/{page}", ["note", "page"]),
  ofApi("zeta.signNote", "POST /notes/{note_id}/sign", ["note_id"]),
  ofApi("zeta.addPage", "POST /notes/{note_id}/pages", ["note_id"]),
  ofApi("zeta.foldPage", "POST /notes/{note_id}/pages/{page_id}/fold", ["note_id", "page_id"]),
  ofApi("zeta.cutLine", "DELETE /notes/{note_id}/lines/{line_id}", ["note_id", "line_id"]),
  ofApi("zeta.addNote", "POST /notes", []),
  ofApi("zeta.sendBill", "POST /bills/{bill_id}/send", ["bill_id"]),
];
const ofNotes = (op: string, args: JsonObject) =>
  preview(op, args, { more: API, handlers: { "zeta.showNote": get, "zeta.showPage": handler(async (args) => args) } });

test.each([
  ["zeta.signNote", { note_id: "task_1" }, "zeta.showNote"],
  ["zeta.addPage", { note_id: "task_1" }, "zeta.showNote"],
  ["zeta.foldPage", { note_id: "n", page_id: "p" }, "zeta.showPage"],
])(
  "%s below a resource is checked by GET of the resource, whatever its parameters are called",
  async (op, args, read) => {
    const { envelope } = await ofNotes(op, args);
    expect(okOf(envelope).result).toMatchObject({ checked: read });
    expect(envelope.meta.warnings).toEqual([]);
  },
);

test("a write below a resource that does not exist is NOT_FOUND", async () => {
  expect(errorOf((await ofNotes("zeta.addPage", { note_id: "task_9" })).envelope).code).toBe("NOT_FOUND");
});

test("ids of an address that were not read are named; an address without ids has nothing to check", async () => {
  const cut = await ofNotes("zeta.cutLine", { note_id: "task_1", line_id: "l" });
  expect(okOf(cut.envelope).result).toMatchObject({ checked: "zeta.showNote" });
  expect(cut.envelope.meta.warnings).toEqual([
    "existence_not_checked: whether it exists was not read, zeta.showNote does not read line_id",
  ]);
  expect((await ofNotes("zeta.sendBill", { bill_id: "b" })).envelope.meta.warnings).toEqual([
    "existence_not_checked: whether it exists was not read, no op reads it for zeta.sendBill",
  ]);
  expect((await ofNotes("zeta.addNote", {})).envelope.meta.warnings).toEqual([]);
});

const NAMING = closed(
  {
    ...{ title: ID, project_id: ID, ownerId: ID, tag_ids: { type: "array", items: ID } },
    ...{ state_key: ID, note_id: { type: ["string", "null"] } },
  },
  [],
);
const { annotations } = GET;
const makeNote = toolOf({
  op: "zeta.note.add",
  tool: "add_note",
  kind: "write",
  schema: NAMING,
  extra: { annotations },
});

test("ids that a create names are said not to be looked up, once, and only those that are given", async () => {
  const warnings = async (args: JsonObject) =>
    (await preview("zeta.note.add", args, { more: [makeNote] })).envelope.meta.warnings;
  expect(await warnings({ title: "x", project_id: "p", ownerId: "o", tag_ids: ["t"], state_key: "s" })).toEqual([
    "existence_not_checked: project_id, ownerId and tag_ids were not looked up",
  ]);
  expect(await warnings({ title: "x", project_id: "p", note_id: null, tag_ids: [] })).toEqual([
    "existence_not_checked: project_id was not looked up",
  ]);
  expect(await warnings({ title: "x" })).toEqual([]);
});

test("an update that was checked names the other ids, and not the one that was read", async () => {
  const schema = closed({ task_id: ID, parent_id: ID }, ["task_id"]);
  const move = toolOf({ op: "onto.task.move", tool: "move_task", kind: "write", schema });
  const moved = await preview("onto.task.move", { task_id: "task_1", parent_id: "task_9" }, { more: [GET, move] });
  expect(okOf(moved.envelope).result).toMatchObject({ checked: "onto.task.get" });
  expect(moved.envelope.meta.warnings).toEqual(["existence_not_checked: parent_id was not looked up"]);
});
