/** Entities of the worked example: created, read, updated, listed and deleted, on every database. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTask } from "../../../definitions/onto/backend/create.js";
import { queries } from "../../../definitions/onto/backend/schema.js";
import { binder } from "../../../definitions/onto/backend/store.js";
import type { Grant } from "../../../runtime/contract/handler.js";
import { DATABASES } from "../../runtime/state/databases.js";
import { contextOf, newDocument, newProject, newTask, openWorkspace, type Workspace } from "./workspace.js";

describe.each(DATABASES)("entities on $name", (database) => {
  describe.skipIf(database.skip)("", () => {
    let w: Workspace;
    let project: string;
    beforeAll(async () => {
      w = await openWorkspace(database);
      project = await newProject(w, "Entities");
    });
    afterAll(() => w.close());

    it("creates with defaults, trims, and reads back what it stored", async () => {
      const made = await w.call("onto.task.create", {
        project_id: project,
        title: "  Call Anna ",
        due_at: "2026-05-01",
        start_at: "2026-04-30T10:00:00+02:00",
        props: { source: "mail", nested: { a: 1 } },
      });
      expect(made.task).toMatchObject({
        title: "Call Anna",
        type_key: "task.execute",
        state_key: "todo",
        priority: 3,
        due_at: "2026-05-01T00:00:00.000Z",
        start_at: "2026-04-30T08:00:00.000Z",
        completed_at: null,
        props: { source: "mail", nested: { a: 1 } },
        version: 1,
        created_by: "local",
      });
      expect(made.task.id).toMatch(/^task_[0-9a-hjkmnp-tv-z]{16}$/);
      const { task, links } = await w.call("onto.task.get", { task_id: made.task.id });
      expect(task).toEqual(made.task);
      expect(links).toEqual({ counts: { total: 0 } });
      expect(Object.keys(task)).not.toContain("deleted_at");
    });

    it("takes clock and ids from outside", async () => {
      const { writes: bound } = binder({
        now: () => new Date("2026-01-02T03:04:05.006Z"),
        newId: (kind) => `${kind}_fixed`,
      });
      const made = await w.state.transaction("write", (tx) =>
        bound(createTask).run(
          { project_id: project, title: "Fixed" },
          { ...contextOf({ level: "admin", projects: "*" }, () => {}), tx },
        ),
      );
      expect(made.task).toMatchObject({ id: "task_fixed", created_at: "2026-01-02T03:04:05.006Z" });
    });

    it("reports every wrong value with its path, and stores nothing", async () => {
      const before = (await w.call("onto.task.list", { project_id: project })).pagination.total;
      const failed = await w.failure("onto.task.create", {
        project_id: project,
        title: "undefined",
        due_at: "2026-02-30",
        type_key: "task.dance",
        state_key: "bloked",
        priority: 9,
      });
      const found = (failed.details as { field_errors: { path: string; keyword: string; did_you_mean?: string }[] })
        .field_errors;
      expect(found.map(({ path, keyword }) => `${path} ${keyword}`).sort()).toEqual([
        "due_at format",
        "priority maximum",
        "state_key enum",
        "title pattern",
        "type_key enum",
      ]);
      expect(found.find(({ path }) => path === "state_key")?.did_you_mean).toBe("blocked");
      expect(await w.failure("onto.task.create", { project_id: project, title: "a\0b" })).toMatchObject({
        code: "VALIDATION_ERROR",
      });
      expect((await w.call("onto.task.list", { project_id: project })).pagination.total).toBe(before);
    });

    it("updates: version, equal values, null, props, state times, append", async () => {
      const id = await newTask(w, project, "Update me", {
        description: "one",
        props: { a: 1, b: { c: 2 } },
        due_at: "2026-05-01",
      });
      const first = await w.call("onto.task.update", {
        task_id: id,
        title: "New",
        props: { a: null, b: { d: 3 } },
        due_at: null,
      });
      expect(first.task).toMatchObject({ title: "New", version: 2, due_at: null, props: { b: { d: 3 } } });
      expect([...first.changed].sort()).toEqual(["due_at", "props", "title"]);
      const same = await w.call("onto.task.update", { task_id: id, title: " New " });
      expect(same).toMatchObject({ changed: [], task: { version: 2 } });
      const done = await w.call("onto.task.update", { task_id: id, state_key: "Completed" });
      expect(done.task).toMatchObject({ state_key: "done", completed_at: expect.any(String) });
      expect(w.warnings).toEqual(['enum_alias: state_key "Completed" was read as done']);
      const open = await w.call("onto.task.update", { task_id: id, state_key: "todo" });
      expect(open.task.completed_at).toBeNull();
      const longer = await w.call("onto.task.update", { task_id: id, description: "two", update_strategy: "append" });
      expect(longer.task.description).toBe("one\n\ntwo");
      for (const [args, keyword] of [
        [{}, "at_least_one_change"],
        [{ expected_version: 5, update_strategy: "replace" }, "at_least_one_change"],
        [{ title: "x", update_strategy: "append" }, "requires"],
        [{ title: null }, "type"],
        [{ props: { huge: "x".repeat(70_000) } }, "maxLength"],
      ] as const)
        expect(await w.failure("onto.task.update", { task_id: id, ...args })).toMatchObject({
          code: "VALIDATION_ERROR",
          details: { field_errors: [{ keyword }] },
        });
    });

    it("answers CONFLICT with both versions and what changed since", async () => {
      const id = await newTask(w, project, "Versions");
      await w.call("onto.task.update", { task_id: id, title: "Two", expected_version: 1 });
      await w.call("onto.task.update", { task_id: id, priority: 1 });
      const failed = await w.failure("onto.task.update", { task_id: id, title: "Three", expected_version: 1 });
      expect(failed).toMatchObject({
        code: "CONFLICT",
        details: { expected_version: 1, current_version: 3, changed_fields: ["priority", "title"] },
      });
    });

    it("updates each kind, and its own columns", async () => {
      const made = await w.call("onto.project.create", {
        project: { name: "Kinds", type_key: "project.business.launch", props: { facets: { scale: "small" } } },
        entities: [
          { temp_id: "m", kind: "milestone", title: "Beta", due_at: "2026-06-01" },
          { temp_id: "r", kind: "risk", title: "Delay" },
          { temp_id: "q", kind: "requirement", text: "Must be fast" },
          { temp_id: "g", kind: "goal", name: "Launch" },
          { temp_id: "p", kind: "plan", name: "Phase 1", plan: "# Steps", start_date: "2026-01-01" },
        ],
        relationships: [],
      });
      const ids = made.id_map;
      const update = async (kind: string, more: object) =>
        (
          await w.call(`onto.${kind}.update` as "onto.risk.update", {
            [`${kind}_id`]: ids[kind[0] === "r" && kind !== "risk" ? "q" : (kind[0] ?? "")],
            ...more,
          })
        )[kind];
      expect(await update("milestone", { state_key: "completed" })).toMatchObject({ completed_at: expect.any(String) });
      expect(await update("risk", { state_key: "mitigated", probability: 0.2, impact: "high" })).toMatchObject({
        mitigated_at: expect.any(String),
        impact: "high",
        probability: 0.2,
      });
      expect(await update("requirement", { priority: 1 })).toMatchObject({ text: "Must be fast", priority: 1 });
      expect(await update("goal", { target_date: "2026-07-01", priority: 2 })).toMatchObject({ priority: 2 });
      expect(await update("plan", { end_date: "2026-03-01" })).toMatchObject({
        plan: "# Steps",
        end_date: "2026-03-01T00:00:00.000Z",
      });
      const renamed = await w.call("onto.project.update", {
        project_id: made.project.id,
        name: "Sorts",
        props: { facets: { stage: "launch" } },
      });
      expect(renamed.project).toMatchObject({ name: "Sorts", props: { facets: { stage: "launch" } } });
      const stored = await w.state.transaction("read", (tx) =>
        queries(tx).selectFrom("onto_projects").selectAll().where("id", "=", made.project.id).executeTakeFirstOrThrow(),
      );
      expect(stored).toMatchObject({ facet_scale: null, facet_stage: "launch" });
      const listed = await w.call("onto.risk.list", { project_id: made.project.id, impact: "high" });
      expect(listed.items).toMatchObject([{ title: "Delay", impact: "high", state_key: "mitigated" }]);
      expect((await w.call("onto.risk.list", { project_id: made.project.id, impact: "low" })).pagination.total).toBe(0);
    });

    it("deletes softly, once, and hides what hung on it", async () => {
      const p = await newProject(w, "Deletes");
      const { goal } = await w.call("onto.goal.create", { project_id: p, name: "Goal" });
      const { plan } = await w.call("onto.plan.create", { project_id: p, name: "Plan", goal_id: goal.id });
      const task = await newTask(w, p, "Task", { plan_id: plan.id, goal_id: goal.id });
      const gone = await w.call("onto.goal.delete", { goal_id: goal.id });
      expect(gone).toEqual({ deleted: { kind: "goal", id: goal.id, label: "Goal" }, pointed_from: [task] });
      expect(await w.failure("onto.goal.delete", { goal_id: goal.id })).toMatchObject({
        code: "NOT_FOUND",
        details: { kind: "goal", id: goal.id, deleted_at: expect.any(String) },
      });
      expect((await w.call("onto.goal.list", { project_id: p })).pagination.total).toBe(0);
      expect((await w.call("onto.search", { query: "Goal", project_id: p })).items).toEqual([]);
      const graph = await w.call("onto.project.graph.get", { project_id: p });
      expect(graph.goals).toEqual([]);
      expect(graph.edges).toMatchObject([{ rel: "has_task", src_id: plan.id, dst_id: task }]);
      const dropped = await w.call("onto.plan.delete", { plan_id: plan.id });
      expect(dropped).toMatchObject({ tasks: [task] });
      expect((await w.call("onto.task.get", { task_id: task })).links).toEqual({ counts: { total: 0 } });
      await w.call("onto.task.delete", { task_id: task });
      expect((await w.call("onto.project.get", { project_id: p })).counts).toMatchObject({
        tasks: 0,
        plans: 0,
        goals: 0,
      });
    });

    it("lists newest first, in pages, with exact totals", async () => {
      const p = await newProject(w, "Lists");
      const ids: string[] = [];
      for (let i = 0; i < 7; i++) ids.push(await newTask(w, p, `Task ${i}`, { state_key: i < 3 ? "done" : "todo" }));
      const page = await w.call("onto.task.list", { project_id: p, limit: 3, offset: 2 });
      expect(page.pagination).toEqual({ offset: 2, limit: 3, returned: 3, total: 7, has_more: true, next_offset: 5 });
      const all = await w.call("onto.task.list", { project_id: p, limit: 50 });
      expect(all.items.map((item: { id: string }) => item.id).sort()).toEqual([...ids].sort());
      expect(page.items).toEqual(all.items.slice(2, 5));
      expect(Object.keys(page.items[0])).toEqual([
        "id",
        "title",
        "state_key",
        "type_key",
        "priority",
        "due_at",
        "project_id",
        "updated_at",
      ]);
      const past = await w.call("onto.task.list", { project_id: p, limit: 3, offset: 100 });
      expect(past).toMatchObject({ items: [], pagination: { returned: 0, total: 7, has_more: false } });
      expect((await w.call("onto.task.list", { project_id: p, state_key: "done" })).pagination.total).toBe(3);
      await w.call("onto.task.update", { task_id: ids[0], title: "Newest" });
      expect((await w.call("onto.task.list", { project_id: p })).items[0].title).toBe("Newest");
      const projects = await w.call("onto.project.list", { limit: 30 });
      expect(projects.items.find((item: { id: string }) => item.id === p)).toMatchObject({
        name: "Lists",
        open_tasks: 4,
      });
      expect(await w.failure("onto.task.list", { project_id: "proj_absent" })).toMatchObject({
        code: "NOT_FOUND",
        details: { kind: "project", id: "proj_absent" },
      });
    });

    it("lists milestones by due date, those without one last", async () => {
      const made = await w.call("onto.project.create", {
        project: { name: "Dates", type_key: "project.personal.life" },
        entities: [
          { temp_id: "a", kind: "milestone", title: "Late", due_at: "2027-01-01" },
          { temp_id: "b", kind: "milestone", title: "Open", due_at: "2026-09-01" },
          { temp_id: "c", kind: "milestone", title: "Soon", due_at: "2026-02-01" },
        ],
        relationships: [],
      });
      await w.call("onto.milestone.update", { milestone_id: made.id_map.b, due_at: null });
      const { items } = await w.call("onto.milestone.list", { project_id: made.project.id });
      expect(items.map((item: { title: string }) => item.title)).toEqual(["Soon", "Late", "Open"]);
    });

    it("names likely duplicates at the write, without standing in its way", async () => {
      const p = await newProject(w, "Doubles");
      const first = await newTask(w, p, "Write the launch announcement");
      await newTask(w, p, "Order new chairs");
      const made = await w.call("onto.task.create", { project_id: p, title: "Write launch announcement" });
      expect(made.similar).toEqual([{ id: first, label: "Write the launch announcement", state_key: "todo" }]);
      const elsewhere = await w.call("onto.task.create", { project_id: project, title: "Write launch announcement" });
      expect(elsewhere.similar).toEqual([]);
    });

    it("keeps a key to its projects: entities elsewhere do not exist for it", async () => {
      const mine = await newProject(w, "Mine");
      const theirs = await newProject(w, "Theirs");
      const task = await newTask(w, theirs, "Secret plan");
      await newTask(w, mine, "Open plan");
      const grant: Grant = { level: "write", projects: [mine] };
      const foreign = await w.failure("onto.task.get", { task_id: task }, grant);
      const absent = await w.failure("onto.task.get", { task_id: "task_absent" }, grant);
      expect(foreign.message.replace(task, "X")).toBe(absent.message.replace("task_absent", "X"));
      expect(foreign.details).toEqual({ kind: "task", id: task });
      await w.call("onto.task.delete", { task_id: task });
      expect((await w.failure("onto.task.get", { task_id: task }, grant)).details).toEqual({ kind: "task", id: task });
      expect(
        (await w.call("onto.project.list", { limit: 30 }, grant)).items.map((item: { id: string }) => item.id),
      ).toEqual([mine]);
      const listed = await w.call("onto.task.list", {}, grant);
      expect(listed.pagination.total).toBe(1);
      const other = await newTask(w, theirs, "Secret plan two");
      const found = await w.call("onto.search", { query: "plan" }, grant);
      expect(found.items.map((item: { label: string }) => item.label)).toEqual(["Open plan"]);
      expect(await w.failure("onto.task.list", { project_id: theirs }, grant)).toMatchObject({ code: "NOT_FOUND" });
      for (const args of [{ src_kind: "task", src_id: other, dst_kind: "project", dst_id: mine, rel: "references" }])
        expect(await w.failure("onto.edge.link", args, grant)).toMatchObject({ code: "NOT_FOUND" });
      const none: Grant = { level: "read", projects: [] };
      expect((await w.call("onto.project.list", {}, none)).items).toEqual([]);
      expect((await w.call("onto.search", { query: "plan" }, none)).items).toEqual([]);
    });

    it("logs every write with its actor, trace, before and after", async () => {
      const id = await newTask(w, project, "Logged");
      await w.call("onto.task.update", { task_id: id, priority: 1 });
      await w.call("onto.task.delete", { task_id: id });
      const rows = await w.state.transaction("read", (tx) =>
        queries(tx).selectFrom("onto_changes").selectAll().where("entity_id", "=", id).orderBy("seq").execute(),
      );
      expect(rows.map(({ op, version, actor }) => [op, version, actor])).toEqual([
        ["create", 1, "local"],
        ["update", 2, "local"],
        ["delete", 3, "local"],
      ]);
      expect(rows[1]).toMatchObject({
        before: '{"priority":3}',
        after: '{"priority":1}',
        trace_id: "tr_0000000000000000",
      });
    });

    it("moves a new document's words with its text", async () => {
      const id = await newDocument(w, project, "Glossary", { content: "The zeppelin flies." });
      const ids = async (search: string) =>
        (await w.call("onto.document.search", { search, project_id: project })).items.map(
          (item: { id: string }) => item.id,
        );
      expect(await ids("zeppelin")).toEqual([id]);
      await w.call("onto.document.update", { document_id: id, content: "The balloon flies." });
      expect(await ids("zeppelin")).toEqual([]);
      expect(await ids("balloon")).toEqual([id]);
      await w.call("onto.document.update", { document_id: id, content: "Second part.", update_strategy: "append" });
      expect(await ids("balloon")).toEqual([id]);
    });
  });
});
