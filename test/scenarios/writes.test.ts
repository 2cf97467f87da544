import { spawn } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHECKOUT, freshRoot, generatedRoot, type Json, type Served, serve } from "../support/project.js";

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
    const read = await exec("onto.task.list", { project_id: project }, { dry_run: true });
    expect(read.meta.warnings[0]).toMatch(/^dry_run_ignored: /);
  });

  test("[GW-3.7] reorganize runs dry unless told otherwise; plan and application agree; a second application changes nothing", async () => {
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
  test("[GW-7.1] help says where to look first, and a create names what is like it", async () => {
    const { notes } = (await server.call("tool_help", { path: "onto.task.create" })).value;
    expect(notes.join(" ")).toContain("Search first: onto.task.search.");
    expect((await server.call("tool_help", { path: "onto.document.create" })).value.notes.join(" ")).toContain(
      "onto.document.search",
    );
    const first = await newTask("Write the launch announcement");
    const twin = await exec("onto.task.create", { project_id: project, title: "Write the launch announcements" });
    expect(twin.result.similar).toMatchObject([{ id: first.id }]);
  });
});

test("[GW-3.2] a call that its caller cancels ends as CANCELLED", { timeout: 20_000 }, async () => {
  const root = await generatedRoot(join(CHECKOUT, "test/support/faulty/definitions"));
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
    error: { code: "CANCELLED", help_path: "demo.wait" },
  });
  expect(code).toBe(1);
});
