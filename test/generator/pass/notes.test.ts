/** Notes: at most four, in a fixed order; those on what to read first are never cut. */

import { expect, test } from "vitest";
import { constraintText } from "../../../generator/pass/notes.js";
import { jsonProject, registryOf, tool } from "../../support/generator-host.js";

const id = (kind: string): object => ({ type: "string", "x-id": kind });
const text = { type: "string" };

/** Notes by op of a pack with tasks and plans. */
async function notesOf(
  tools: readonly object[],
  ops: object = {},
): Promise<Readonly<Record<string, readonly string[]>>> {
  const config = `packs: { p: { entities: { task: tasks, plan: plans } } }\nops: ${JSON.stringify(ops)}\n`;
  const { tools: found } = await registryOf(jsonProject(tools, config));
  return Object.fromEntries(found.map((one) => [one.op, one.notes]));
}

test("the author's come first, then constraints, the label, dry run, destruction; the fifth is cut", async () => {
  const properties = { task_id: id("task"), title: text };
  const update = tool("update_p_task", properties, { required: ["task_id"] });
  const entry = { notes: ["Ask first."], constraints: [{ at_least_one_change: {} }], dry_run: true, destructive: true };
  expect(await notesOf([update], { update_p_task: entry })).toMatchObject({
    "p.task.update": [
      "Ask first.",
      "Give at least one field to change.",
      "The label is `title`; there is no `name`.",
      "Runs dry unless dry_run is false.",
    ],
  });
});

test("what to read before a write is never cut, however many notes its author wrote", async () => {
  const four = ["One.", "Two.", "Three.", "Four."];
  const byId = { task_id: id("task"), title: text };
  const notes = await notesOf(
    [
      tool("update_p_task", byId, { required: ["task_id"] }),
      tool("delete_p_task", byId, { required: ["task_id"] }),
      tool("create_p_task", { title: text }),
      tool("get_p_task", byId, { required: ["task_id"] }),
      tool("list_p_tasks"),
      tool("update_p_plan", { plan_id: id("plan") }, { required: ["plan_id"] }),
      tool("get_p_plan", { plan_id: id("plan") }, { required: ["plan_id"] }),
    ],
    {
      update_p_task: { notes: four, constraints: [{ at_least_one_change: {} }], destructive: true, dry_run: true },
      delete_p_task: { notes: four },
      create_p_task: { notes: four },
      update_p_plan: { notes: ["Read first: p.plan.get.", ...four] },
    },
  );
  const three = four.slice(0, 3);
  expect(notes).toMatchObject({
    "p.task.update": [...three, "Read first: find task ids with p.task.list, then p.task.get."],
    "p.task.delete": [...three, "Read first: find task ids with p.task.list, then p.task.get."],
    "p.task.create": [...three, "Search first: p.task.list."],
    "p.plan.update": ["Read first: p.plan.get.", ...three],
  });
});

test("the label is the one that the op has; reads and ops with both say nothing", async () => {
  const notes = await notesOf([
    tool("create_p_plan", { name: text }),
    tool("create_p_task", { name: text, title: text }),
    tool("search_p_plans", { name: text }),
  ]);
  expect(notes).toEqual({
    "p.plan.create": ["The label is `name`; there is no `title`.", "Search first: p.plan.search."],
    "p.plan.search": [],
    "p.task.create": [],
  });
});

test("ids come from the op that searches their kind, else from the one that lists it, and never from the op itself", async () => {
  const byId = { task_id: id("task"), plan_id: id("plan"), other_id: id("other") };
  const tools = [
    tool("get_p_task", byId, { required: ["task_id", "plan_id", "other_id"] }),
    tool("list_p_tasks"),
    tool("search_p_plans", { plan_id: id("plan") }, { required: ["plan_id"] }),
    tool("list_p_plans"),
  ];
  expect(await notesOf(tools)).toMatchObject({
    "p.task.get": ["Find task ids with p.task.list.", "Find plan ids with p.plan.search."],
    "p.plan.search": ["Find plan ids with p.plan.list."],
  });
});

test("an optional id needs no note", async () => {
  expect(await notesOf([tool("list_p_tasks", { plan_id: id("plan") }), tool("list_p_plans")])).toEqual({
    "p.task.list": [],
    "p.plan.list": [],
  });
});

test("an update says what null clears", async () => {
  const properties = {
    task_id: id("task"),
    due_at: { type: ["string", "null"] },
    owner: { anyOf: [text, { type: "null" }] },
    text,
  };
  expect(await notesOf([tool("update_p_task", properties, { required: ["task_id"] })])).toEqual({
    "p.task.update": ["null clears due_at, owner."],
  });
});

test("rules of a description that make no policy come last", async () => {
  expect(
    await notesOf([
      tool("list_p_tasks", {}, {}, "List. Always page."),
      tool("delete_p_task", { task_id: id("task") }, { required: ["task_id"] }, "Delete. If unsure, ask."),
    ]),
  ).toEqual({
    "p.task.delete": ["Destructive.", "Read first: find task ids with p.task.list.", "If unsure, ask"],
    "p.task.list": ["Always page"],
  });
});

test("constraints in words", () => {
  expect(constraintText({ kind: "one_of", branches: [["document_id"], ["title", "description"]] })).toBe(
    "Give document_id, or title and description.",
  );
  expect(constraintText({ kind: "requires", argument: "mode", equals: "append", needs: ["text", "at"] })).toBe(
    "mode=append needs text and at.",
  );
  expect(constraintText({ kind: "requires", argument: "mode", needs: ["text"] })).toBe("mode needs text.");
});

test("what the label is not called is an alias of it, unless it already is an alias", async () => {
  const aliases = async (properties: object) => {
    const config = "packs: { p: { entities: { task: tasks } } }\n";
    const tools = ["create_p_task", "get_p_task"].map((name) => tool(name, properties));
    const { tools: found } = await registryOf(jsonProject(tools, config));
    return found.map((one) => one.parameters.map(({ original, aliases }) => [original, ...aliases]));
  };
  expect(await aliases({ title: text, state: text })).toEqual([
    [["title", "name"], ["state"]],
    [["title"], ["state"]],
  ]);
  expect((await aliases({ name: text }))[0]).toEqual([["name", "title"]]);
  expect((await aliases({ name: text, title: text }))[0]).toEqual([["name"], ["title"]]);
  const taken = { title: text, slug: { ...text, "x-aliases": ["name"] } };
  expect((await aliases(taken))[0]).toEqual([["title"], ["slug", "name"]]);
});
