/** Scenarios of writes: dry runs, permission, idempotency keys. */

import { spawn } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHECKOUT, freshRoot, generatedRoot, type Json, type Served, serve } from "../support/project.js";

const NEW_PROJECT = {
  project: { name: "Travel", type_key: "project.personal.travel" },
  entities: [],
  relationships: [],
};
const cleaning: (() => void)[] = [];
let server: Served;
let project = "";

beforeAll(async () => {
  server = await serve(
    freshRoot((one) => cleaning.push(one)),
    ["--allow-write"],
  );
  const made = await exec("onto.project.create", {
    project: { name: "Launch", type_key: "project.business.launch" },
    entities: [
      { temp_id: "p", kind: "plan", name: "First phase" },
      { temp_id: "g", kind: "goal", name: "Reach users" },
    ],
    relationships: [],
  });
  project = made.result.project.id;
});
afterAll(async () => {
  await server.close();
  for (const one of cleaning) one();
});

const exec = async (op: string, args: object, more: object = {}): Promise<Json> =>
  (await server.call("tool_exec", { op, args, ...more })).value;
const tasks = async (): Promise<readonly string[]> =>
  (await exec("onto.task.list", { project_id: project, limit: 50 })).result.items.map((item: Json) => item.title);
const newTask = async (title: string): Promise<Json> =>
  (await exec("onto.task.create", { project_id: project, title })).result.task;

describe("dry runs", () => {
  test("[GW-3.6] a dry run of a write without planner is checked like the write, says what would be called, and writes nothing", async () => {
    const before = await tasks();
    const preview = await exec("onto.task.create", { project_id: project, title: "Never written" }, { dry_run: true });
    expect(preview).toMatchObject({
      ok: true,
      result: {
        dry_run: true,
        would_call: { tool: "create_onto_task", args: { title: "Never written", state_key: "todo" } },
      },
    });
    const refused = await exec("onto.task.create", { project_id: project, title: "" }, { dry_run: true });
    expect(refused.error.code).toBe("VALIDATION_ERROR");
    expect(await tasks()).toEqual(before);
    expect(preview.result.would_call.args).toEqual({
      project_id: project,
      title: "Never written",
      state_key: "todo",
      priority: 3,
      type_key: "task.execute",
    });
    const read = await exec("onto.task.list", { project_id: project }, { dry_run: true });
    expect(read.meta.warnings[0]).toMatch(/^dry_run_ignored: /);
  });

  test("[GW-3.6] a dry run of a write with a planner gives its plan, and writes nothing", async () => {
    const task = await newTask("Plan the route");
    const plan = (await exec("onto.plan.list", { project_id: project })).result.items[0];
    const nodes = [{ id: task.id, kind: "task", connections: [{ kind: "plan", id: plan.id }] }];
    const planned = await exec("onto.project.graph.reorganize", { project_id: project, nodes }, { dry_run: true });
    expect(planned.result).toMatchObject({
      dry_run: true,
      counts: { create: 1, update: 0, delete: 0 },
      changes: { edges_to_create: [{ src_id: plan.id, rel: "has_task", dst_id: task.id }] },
    });
    expect((await exec("onto.entity.relationships.get", { entity_id: task.id })).result.incoming).toEqual([]);
  });

  test("[GW-3.6] without allow_write a dry run is refused like the write", async () => {
    const readOnly = await serve(freshRoot());
    const call = { op: "onto.project.create", args: { ...NEW_PROJECT }, dry_run: true };
    const { value, isError } = await readOnly.call("tool_exec", call);
    expect(isError).toBe(true);
    expect(value.error).toMatchObject({
      code: "PERMISSION_DENIED",
      details: { granted: "read", required: "write" },
      help_path: "onto.project.create",
    });
    expect((await readOnly.call("tool_exec", { op: "onto.project.list" })).value.result.items).toEqual([]);
    await readOnly.close();
  });

  test("[GW-3.7] reorganize is a dry run by default; plan and application agree; a second application changes nothing", async () => {
    const task = await newTask("Call the supplier");
    const plan = (await exec("onto.plan.list", { project_id: project })).result.items[0];
    const args = {
      project_id: project,
      nodes: [{ id: task.id, kind: "task", connections: [{ kind: "plan", id: plan.id }] }],
    };
    const planned = await exec("onto.project.graph.reorganize", args);
    expect(planned.result).toMatchObject({ dry_run: true, counts: { create: 1, update: 0, delete: 0 } });
    expect(planned.result.changes.edges_to_create).toMatchObject([
      { src_id: plan.id, rel: "has_task", dst_id: task.id },
    ]);
    expect(planned.meta.warnings).toEqual([expect.stringMatching(/^dry_run_default: /)]);
    const links = async (): Promise<Json> =>
      (await exec("onto.entity.relationships.get", { entity_id: task.id })).result.incoming;
    expect(await links()).toEqual([]);
    const applied = await exec("onto.project.graph.reorganize", { ...args, dry_run: false });
    expect(applied.result).toMatchObject({ dry_run: false, counts: planned.result.counts });
    expect(await links()).toMatchObject([{ rel: "has_task", id: plan.id }]);
    const again = await exec("onto.project.graph.reorganize", { ...args, dry_run: false });
    expect(again.result.counts).toEqual({ create: 0, update: 0, delete: 0 });
    const both = await exec("onto.project.graph.reorganize", { ...args, dry_run: false }, { dry_run: true });
    expect(both.error).toMatchObject({ code: "VALIDATION_ERROR", details: { field_errors: [{ path: "dry_run" }] } });
  });
});

describe("retries", () => {
  test("[GW-3.8] the same key and arguments replay the stored envelope; other arguments under the key are CONFLICT", async () => {
    const args = { project_id: project, title: "Sign the contract" };
    const first = await exec("onto.task.create", args, { idempotency_key: "k-1" });
    const second = await exec("onto.task.create", args, { idempotency_key: "k-1" });
    expect(second).toMatchObject({ ok: true, result: first.result, meta: { replayed: true } });
    expect(second.meta.trace_id).not.toBe(first.meta.trace_id);
    expect((await tasks()).filter((title) => title === args.title)).toEqual([args.title]);
    const other = await exec("onto.task.create", { ...args, title: "Sign another" }, { idempotency_key: "k-1" });
    expect(other.error).toMatchObject({ code: "CONFLICT", details: { reason: "different_arguments" } });
    const failed = await exec("onto.task.get", { task_id: "task_0000000000000000" }, { idempotency_key: "k-2" });
    expect(failed.error.code).toBe("NOT_FOUND");
  });

  test("a version that changed meanwhile is CONFLICT, with both versions; a deleted entity is gone from reads", async () => {
    const task = await newTask("Order parts");
    await exec("onto.task.update", { task_id: task.id, title: "Order all parts" });
    const late = await exec("onto.task.update", { task_id: task.id, title: "Order no parts", expected_version: 1 });
    expect(late.error).toMatchObject({ code: "CONFLICT", details: { expected_version: 1, current_version: 2 } });
    await exec("onto.task.delete", { task_id: task.id });
    expect((await exec("onto.task.get", { task_id: task.id })).error).toMatchObject({
      code: "NOT_FOUND",
      details: { kind: "task", id: task.id },
    });
    expect(await tasks()).not.toContain("Order all parts");
  });
});

describe("read before write", () => {
  test("[GW-7.1] help of every write of an entity says what to read first", async () => {
    const notesOf = async (op: string): Promise<readonly string[]> =>
      (await server.call("tool_help", { path: op })).value.notes;
    const creates = { task: "search", document: "search", project: "search", goal: "list", plan: "list" };
    for (const [entity, finder] of Object.entries(creates))
      expect(await notesOf(`onto.${entity}.create`), entity).toContain(`Search first: onto.${entity}.${finder}.`);
    const changes = { ...creates, milestone: "list", risk: "list", requirement: "list" };
    const guidance = (entity: keyof typeof changes): string =>
      `Read first: find ${entity} ids with onto.${entity}.${changes[entity]}, then onto.${entity}.get.`;
    const entities = Object.keys(changes) as (keyof typeof changes)[];
    for (const entity of entities) expect(await notesOf(`onto.${entity}.update`)).toContain(guidance(entity));
    for (const entity of ["task", "document", "goal", "plan"] as const)
      expect(await notesOf(`onto.${entity}.delete`)).toContain(guidance(entity));
    for (const op of ["edge.link", "edge.unlink", "document.tree.move", "project.graph.reorganize"])
      expect((await notesOf(`onto.${op}`)).join(" "), op).toMatch(/Read first: .*onto\.[a-z.]+/);
    expect(await notesOf("onto.edge.link")).toContain("Find ids of both ends with onto.search.");
    expect((await notesOf("onto.task.doc.create_or_attach")).join(" ")).toContain("Search first: onto.task.docs.list");
  });

  test("[GW-7.1] a create names what is like it", async () => {
    const first = await newTask("Write the launch announcement");
    const twin = await exec("onto.task.create", { project_id: project, title: "Write the launch announcements" });
    expect(twin.result.similar).toMatchObject([{ id: first.id }]);
    expect((await exec("onto.task.create", { project_id: project, title: "Buy coffee" })).result.similar).toEqual([]);
    for (const kind of ["goal", "plan"]) {
      const made = (await exec(`onto.${kind}.create`, { project_id: project, name: "Open the first office" })).result;
      expect(made.similar, kind).toEqual([]);
      const twins = (await exec(`onto.${kind}.create`, { project_id: project, name: "Open the first offices" })).result;
      expect(twins.similar, kind).toMatchObject([{ id: made[kind].id }]);
    }
    const document = { project_id: project, description: "About it.", content: "# It" };
    const spec = (await exec("onto.document.create", { ...document, title: "Payment API spec" })).result;
    const other = (await exec("onto.document.create", { ...document, title: "Payment API specs" })).result;
    expect(other.similar).toMatchObject([{ id: spec.document.id }]);
  });
});

test("[GW-3.2] a call that its caller cancels ends as CANCELLED", { timeout: 20_000 }, async () => {
  const root = await generatedRoot(join(CHECKOUT, "test/support/demos/faulty/definitions"));
  const child = spawn(process.execPath, [
    join(CHECKOUT, "generator/launch.mjs"),
    "exec",
    "demo.wait",
    "--json",
    "--root",
    root,
  ]);
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    if (said.includes("waiting")) child.kill("SIGINT");
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect(JSON.parse(printed)).toMatchObject({
    op: "demo.wait",
    ok: false,
    error: { code: "CANCELLED", details: {}, help_path: "demo.wait" },
  });
  expect(code).toBe(1);
});
