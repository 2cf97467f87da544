/** Edges of the worked example: linked, unlinked and listed, on every database. */

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CONTAINMENT_RELS } from "../../../definitions/onto/backend/relations.js";
import { DATABASES } from "../../runtime/state/databases.js";
import { runs } from "../../support/random.js";
import { type Answer, newDocument, newProject, newTask, openWorkspace, refused, type Workspace } from "./workspace.js";

describe.each(DATABASES)("edges on $name", (database) => {
  describe.skipIf(database.skip)("", () => {
    let w: Workspace;
    let project: string;
    const ids: Record<string, string> = {};
    beforeAll(async () => {
      w = await openWorkspace(database);
      const made = await w.call("onto.project.create", {
        project: { name: "Edges", type_key: "project.technical.product" },
        entities: [
          { temp_id: "goal", kind: "goal", name: "Goal" },
          { temp_id: "plan", kind: "plan", name: "Plan" },
          { temp_id: "plan2", kind: "plan", name: "Plan two" },
          { temp_id: "milestone", kind: "milestone", title: "Milestone", due_at: "2026-01-01" },
          { temp_id: "risk", kind: "risk", title: "Risk" },
          { temp_id: "requirement", kind: "requirement", text: "Requirement" },
          { temp_id: "task", kind: "task", title: "Task" },
          { temp_id: "task2", kind: "task", title: "Task two" },
        ],
        relationships: [],
      });
      project = made.project.id;
      Object.assign(ids, made.id_map, { project, document: await newDocument(w, project, "Document") });
    });
    afterAll(() => w.close());

    const kindOf = (name: string) => name.replace("2", "");
    const link = (src: string, rel: string, dst: string): Promise<Answer> =>
      w.call("onto.edge.link", {
        src_kind: kindOf(src),
        src_id: ids[src],
        dst_kind: kindOf(dst),
        dst_id: ids[dst],
        rel,
      });

    it.each([
      ["task", "supports_goal", "goal", "task supports_goal goal", 0],
      ["goal", "supportsGoal", "task", "task supports_goal goal", 1],
      ["goal", "achieved by", "task", "task supports_goal goal", 0],
      ["task", "part-of", "plan", "plan has_task task", 0],
      ["plan", "contains", "task", "plan has_task task", 0],
      ["task", "has_task", "plan", "plan has_task task", 1],
      ["task", "blocked_by", "risk", "risk blocks task", 0],
      ["task", "frobnicates", "task2", "task depends_on task2", 1],
      ["task", "frobnicates", "document", "task documented_in document", 1],
      ["document", "documents", "task", "task documented_in document", 0],
      ["goal", "xyz", "requirement", "goal references requirement", 1],
      ["plan", "addresses", "risk", "plan addresses risk", 0],
      ["milestone", "related", "document", "milestone relates_to document", 0],
    ])("%s %s %s is stored as %s", async (src, rel, dst, stored, warnings) => {
      const { edge, created } = await link(src, rel, dst);
      const name = (id: string) => Object.keys(ids).find((key) => ids[key] === id);
      expect(`${name(edge.src_id)} ${edge.rel} ${name(edge.dst_id)}`).toBe(stored);
      expect(w.warnings.length).toBe(warnings);
      expect(await link(src, rel, dst)).toMatchObject({ created: 0, edge: { id: edge.id } });
      expect(await w.call("onto.edge.unlink", { edge_id: edge.id })).toEqual({ edge });
      expect(created).toBe(1);
      expect(await w.failure("onto.edge.unlink", { edge_id: edge.id })).toMatchObject({
        code: "NOT_FOUND",
        details: { kind: "edge" },
      });
    });

    it("keeps a word that it did not know, and stores no membership of the project", async () => {
      const { edge } = await link("task", "Frobnicates with", "task2");
      expect(edge.props).toEqual({ original_rel: "Frobnicates with" });
      await w.call("onto.edge.unlink", { edge_id: edge.id });
      expect(await link("project", "has_task", "task")).toEqual({ edge: null, created: 0 });
      expect(w.warnings[0]).toContain("project_membership");
    });

    it("refuses itself, another project, another kind's id, a second parent", async () => {
      const errorOf = async (args: object) =>
        (
          (await w.failure("onto.edge.link", { src_kind: "task", src_id: ids["task"], rel: "depends_on", ...args }))
            .details as Answer
        ).field_errors?.[0];
      expect(await errorOf({ dst_kind: "task", dst_id: ids["task"] })).toMatchObject({
        path: "dst_id",
        keyword: "cycle",
      });
      const foreign = await newTask(w, await newProject(w), "Foreign");
      expect(await errorOf({ dst_kind: "task", dst_id: foreign })).toMatchObject({ path: "dst_id" });
      expect(await errorOf({ dst_kind: "goal", dst_id: foreign })).toMatchObject({
        path: "dst_id",
        keyword: "pattern",
        expected: "id<goal>",
      });
      const { edge } = await link("plan", "has_task", "task");
      expect(edge.props).toEqual({ is_primary: true });
      const second = await w.failure("onto.edge.link", {
        src_kind: "plan",
        src_id: ids["plan2"],
        dst_kind: "task",
        dst_id: ids["task"],
        rel: "has_task",
      });
      expect(second.message).toContain(edge.id);
      await w.call("onto.edge.unlink", { edge_id: edge.id });
    });

    it("shows edges from both ends", async () => {
      await link("task", "supports_goal", "goal");
      await link("risk", "threatens", "task");
      const both = await w.call("onto.entity.relationships.get", { entity_id: ids["task"] });
      expect(both).toMatchObject({
        outgoing: [{ rel: "supports_goal", kind: "goal", id: ids["goal"], label: "Goal" }],
        incoming: [{ rel: "threatens", kind: "risk", id: ids["risk"], label: "Risk" }],
        truncated: { outgoing: false, incoming: false },
      });
      const into = await w.call("onto.entity.relationships.get", { entity_id: ids["goal"], direction: "incoming" });
      expect(into).toMatchObject({ outgoing: [], incoming: [{ kind: "task" }] });
      const links = await w.call("onto.entity.links.get", { entity_id: ids["task"], entity_kind: "task" });
      expect(links).toMatchObject({
        goals: [{ rel: "supports_goal", direction: "outgoing", label: "Goal" }],
        risks: [{ rel: "threatens", direction: "incoming", label: "Risk" }],
        counts: { goals: 1, risks: 1, total: 2 },
      });
      const only = await w.call("onto.entity.links.get", {
        entity_id: ids["task"],
        entity_kind: "task",
        filter_kind: "plan",
      });
      expect(only).toEqual({ plans: [], counts: { plans: 0, total: 0 } });
      const uuid = "11111111-2222-3333-4444-555555555555";
      expect(await w.failure("onto.entity.relationships.get", { entity_id: uuid })).toMatchObject({
        code: "NOT_FOUND",
      });
    });

    it("makes edges of what a create asks for", async () => {
      const made = await w.call("onto.task.create", {
        project_id: project,
        title: "Connected",
        plan_id: ids["plan"],
        goal_id: ids["goal"],
        supporting_milestone_id: ids["milestone"],
        connections: [
          { kind: "goal", id: ids["goal"] },
          { kind: "risk", id: ids["risk"] },
          { kind: "document", id: ids["document"], intent: "semantic" },
          { kind: "task", id: ids["task2"], rel: "blocked by" },
        ],
      });
      const task = made.task.id;
      expect(made.edges.map((edge: Answer) => `${edge.src_kind} ${edge.rel} ${edge.dst_kind}`)).toEqual([
        "plan has_task task",
        "task supports_goal goal",
        "task targets_milestone milestone",
        "task mitigates risk",
        "task documented_in document",
        "task blocks task",
      ]);
      const moved = await w.call("onto.task.update", { task_id: task, goal_id: null });
      expect(moved).toMatchObject({ changed: ["goal_id"], task: { version: 2 } });
      expect(await w.call("onto.task.update", { task_id: task, goal_id: null })).toMatchObject({ changed: [] });
      const free = await w.call("onto.task.create", {
        project_id: project,
        title: "Free",
        connections: [
          { kind: "goal", id: ids["goal"] },
          { kind: "milestone", id: ids["milestone"] },
        ],
      });
      expect(free.edges.map((edge: Answer) => edge.rel)).toEqual(["has_task", "supports_goal"]);
      expect(free.edges[0].src_kind).toBe("milestone");
      const several = await w.call("onto.task.create", {
        project_id: project,
        title: "Several",
        parents: [
          { kind: "plan", id: ids["plan"] },
          { kind: "plan", id: ids["plan2"] },
          { kind: "project", id: project },
        ],
      });
      expect(several.edges.map((edge: Answer) => edge.props.is_primary)).toEqual([true, false]);
      await w.call("onto.edge.unlink", { edge_id: several.edges[0].id });
      const left = await w.call("onto.project.graph.get", { project_id: project });
      expect(left.edges.find((edge: Answer) => edge.id === several.edges[1].id).props).toEqual({ is_primary: true });
    });

    it("refuses wrong parents of a create and leaves nothing", async () => {
      const before = (await w.call("onto.project.get", { project_id: project })).counts;
      const create = (more: object) => w.failure("onto.task.create", { project_id: project, title: "Wrong", ...more });
      expect(await create({ plan_id: "plan_absent" })).toMatchObject({
        code: "NOT_FOUND",
        details: { path: "plan_id", kind: "plan" },
      });
      const two = { plan_id: ids["plan"], parent: { kind: "plan", id: ids["plan2"] } };
      expect(await create(two)).toMatchObject({ details: { field_errors: [{ keyword: "maxItems" }] } });
      const risk = { connections: [{ kind: "risk", id: ids["risk"], intent: "containment" }] };
      expect(await create(risk)).toMatchObject({
        details: { field_errors: [{ path: "connections[0].kind", keyword: "enum" }] },
      });
      expect((await w.call("onto.project.get", { project_id: project })).counts).toEqual(before);
    });

    it("stays sound after any sequence of links and unlinks", { tags: "full", timeout: 600_000 }, async () => {
      const names = [
        "goal",
        "plan",
        "plan2",
        "milestone",
        "risk",
        "requirement",
        "task",
        "task2",
        "document",
        "project",
      ];
      const words = [
        "has_task",
        "contains",
        "part_of",
        "supports_goal",
        "depends_on",
        "blocks",
        "relates_to",
        "whatever",
        "required_by",
      ];
      const step = fc.record({
        src: fc.constantFrom(...names),
        rel: fc.constantFrom(...words),
        dst: fc.constantFrom(...names),
        unlink: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 20 }), async (steps) => {
          for (const { src, rel, dst, unlink } of steps) {
            const made = await link(src, rel, dst).catch(refused);
            if (!made?.edge) continue;
            expect(await link(src, rel, dst)).toMatchObject({ created: 0, edge: { id: made.edge.id } });
            if (unlink) await w.call("onto.edge.unlink", { edge_id: made.edge.id });
          }
          expectSound((await w.call("onto.project.graph.get", { project_id: project })).edges);
        }),
        runs(database.name === "SQLite" ? 400 : 100),
      );
    });
  });
});

/** No edge twice, one main parent each, no way round through containment. */
function expectSound(edges: readonly Answer[]): void {
  const keys = edges.map((edge) => `${edge.src_id} ${edge.rel} ${edge.dst_id}`);
  expect(new Set(keys).size).toBe(keys.length);
  const parents = new Map<string, Answer[]>();
  for (const edge of edges.filter(({ rel }) => CONTAINMENT_RELS.includes(rel)))
    parents.set(edge.dst_id, [...(parents.get(edge.dst_id) ?? []), edge]);
  for (const held of parents.values()) expect(held.filter((edge) => edge.props.is_primary).length).toBe(1);
  for (const start of parents.keys()) {
    const seen = new Set<string>();
    for (let at: string | undefined = start; at !== undefined; at = parents.get(at)?.[0]?.src_id) {
      expect(seen.has(at)).toBe(false);
      seen.add(at);
    }
  }
}
