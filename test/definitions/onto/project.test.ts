/** Projects of the worked example: created with their entities, and reorganised, on every database. */

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES } from "../../runtime/state/databases.js";
import { runs } from "../../support/random.js";
import { type Answer, newDocument, newProject, newTask, openWorkspace, refused, type Workspace } from "./workspace.js";

const PROJECT = { name: "Launch", type_key: "project.business.launch" };

describe.each(DATABASES)("projects on $name", (database) => {
  describe.skipIf(database.skip)("", () => {
    let w: Workspace;
    beforeAll(async () => {
      w = await openWorkspace(database);
    });
    afterAll(() => w.close());

    const errorsOf = async (args: object): Promise<string[]> => {
      const failed = await w.failure("onto.project.create", {
        project: PROJECT,
        entities: [],
        relationships: [],
        ...args,
      });
      expect(failed.code).toBe("VALIDATION_ERROR");
      return (failed.details as Answer).field_errors.map((error: Answer) => `${error.path} ${error.keyword}`);
    };

    it("creates a project with entities, links and a context document in one call", async () => {
      const made = await w.call("onto.project.create", {
        project: { ...PROJECT, props: { facets: { context: "startup", scale: "small" }, budget: 5 } },
        entities: [
          { temp_id: "g", kind: "goal", name: "Ship it" },
          { temp_id: "m", kind: "milestone", title: "Beta", due_at: "2026-06-01" },
          { temp_id: "p", kind: "plan", title: "Phase one" },
          { temp_id: "t", kind: "task", title: "Build", state_key: "Started" },
          { temp_id: "r", kind: "risk", title: "Delay" },
          { temp_id: "d", kind: "document", title: "Spec", content: "Body" },
          { temp_id: "k", kind: "metric", name: "Users", target_value: 100 },
          { temp_id: "s", kind: "source", uri: "https://example.com/" },
        ],
        relationships: [
          [
            { temp_id: "g", kind: "goal" },
            { temp_id: "m", kind: "milestone" },
          ],
          [
            { temp_id: "g", kind: "goal" },
            { temp_id: "t", kind: "task" },
          ],
          [
            { temp_id: "p", kind: "plan" },
            { temp_id: "t", kind: "task" },
          ],
          { from: "t", to: "p" },
          { from: "r", to: "t", rel: "threatens" },
          { from: "t", to: "d" },
          ["t", "s"],
        ],
        context_document: { title: "Context", content: "What it is about" },
        meta: { model: "m", confidence: 0.9 },
      });
      expect(made).toMatchObject({
        status: "created",
        counts: { entities: 8, edges: 6 },
        project: { state_key: "planning", tree_version: 1 },
      });
      expect(made.project.props).toEqual({
        facets: { context: "startup", scale: "small" },
        budget: 5,
        meta: { model: "m", confidence: 0.9 },
      });
      expect(w.warnings.map((warning) => warning.split(":")[0]).sort()).toEqual([
        "arg_renamed",
        "ends_swapped",
        "enum_alias",
        "refs_expanded",
      ]);
      const graph = await w.call("onto.project.graph.get", { project_id: made.project.id });
      const name = new Map<string, string>(Object.entries(made.id_map).map(([temp, id]) => [id as string, temp]));
      expect(
        graph.edges.map((edge: Answer) => `${name.get(edge.src_id)} ${edge.rel} ${name.get(edge.dst_id)}`).sort(),
      ).toEqual([
        "g has_milestone m",
        "p has_task t",
        "r threatens t",
        "t documented_in d",
        "t references s",
        "t supports_goal g",
      ]);
      expect(graph.counts).toMatchObject({ tasks: 1, documents: 2, metrics: 1, edges: 6 });
      expect(graph.truncated).toEqual({});
      expect(graph.documents[0]).not.toHaveProperty("content");
      const tree = await w.call("onto.document.tree.get", { project_id: made.project.id });
      expect(tree.structure.root.map((node: Answer) => node.id)).toEqual([made.context_document_id, made.id_map.d]);
      expect((await w.call("onto.task.get", { task_id: made.id_map.t })).task).toMatchObject({
        state_key: "in_progress",
        priority: 3,
      });
    });

    it("asks first when a required clarification is sent", async () => {
      const before = (await w.call("onto.project.list")).pagination.total;
      const clarifications = [{ key: "k", question: "For whom?", required: true }];
      const asked = await w.call("onto.project.create", {
        project: PROJECT,
        entities: [],
        relationships: [],
        clarifications,
      });
      expect(asked).toEqual({ status: "needs_clarification", clarifications });
      expect((await w.call("onto.project.list")).pagination.total).toBe(before);
    });

    it("reports all that is wrong together, and writes nothing", async () => {
      const before = (await w.call("onto.project.list")).pagination.total;
      expect(await errorsOf({ relationships: [["g1", "zz"]] })).toContain("entities minItems");
      const found = await errorsOf({
        project: { name: " ", type_key: "project.magic.show", props: { facets: { scale: "giant", mood: "x" } } },
        entities: [
          { temp_id: "g1", kind: "goal", name: "G" },
          { temp_id: "g1", kind: "goal", name: "H" },
          { temp_id: "m1", kind: "milestone", title: "M" },
          { temp_id: "t1", kind: "task", title: "T", impact: "high", prioritty: 2 },
        ],
        relationships: [
          ["g1", "zz"],
          [
            { temp_id: "g1", kind: "task" },
            { temp_id: "t1", kind: "task" },
          ],
          { from: "nope", to: "t1" },
          [
            { temp_id: "x", kind: "project" },
            { temp_id: "t1", kind: "task" },
          ],
          { from: "t1", to: "t1" },
        ],
      });
      expect([...found].sort()).toEqual([
        "entities[1].temp_id uniqueItems",
        "entities[2].due_at required",
        "entities[3].impact additionalProperties",
        "entities[3].prioritty additionalProperties",
        "project.name required",
        "project.props.facets.mood additionalProperties",
        "project.props.facets.scale enum",
        "project.type_key enum",
        "relationships[0][1] unknown_reference",
        "relationships[1][0].kind const",
        "relationships[2].from unknown_reference",
        "relationships[3][0].kind enum",
        "relationships[4] cycle",
      ]);
      expect((await w.call("onto.project.list")).pagination.total).toBe(before);
    });
  });
});

describe.each(DATABASES)("reorganize on $name", (database) => {
  describe.skipIf(database.skip)("", () => {
    let w: Workspace;
    let project: string;
    const ids: Record<string, string> = {};
    beforeAll(async () => {
      w = await openWorkspace(database);
      const made = await w.call("onto.project.create", {
        project: PROJECT,
        entities: [
          { temp_id: "goal1", kind: "goal", name: "One" },
          { temp_id: "goal2", kind: "goal", name: "Two" },
          { temp_id: "milestone1", kind: "milestone", title: "M", due_at: "2026-01-01" },
          { temp_id: "plan1", kind: "plan", name: "P1" },
          { temp_id: "plan2", kind: "plan", name: "P2" },
          { temp_id: "task1", kind: "task", title: "T1" },
          { temp_id: "task2", kind: "task", title: "T2" },
          { temp_id: "risk1", kind: "risk", title: "R" },
        ],
        relationships: [
          { from: "plan1", to: "task1" },
          { from: "task1", to: "goal1", rel: "supports_goal" },
        ],
      });
      project = made.project.id;
      Object.assign(ids, made.id_map);
    });
    afterAll(() => w.close());

    const end = (name: string) => ({ kind: name.replace(/\d/g, ""), id: ids[name] ?? "" });
    const node = (name: string, connections: (string | object)[], more: object = {}) => ({
      ...end(name),
      connections: connections.map((to) => (typeof to === "string" ? end(to) : to)),
      ...more,
    });
    const edges = async (): Promise<string[]> => {
      const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
      const graph = await w.call("onto.project.graph.get", { project_id: project });
      return graph.edges
        .map((edge: Answer) => `${names.get(edge.src_id)} ${edge.rel} ${names.get(edge.dst_id)}`)
        .sort();
    };
    const apply = (nodes: object[], more: object = {}) =>
      w.call("onto.project.graph.reorganize", { project_id: project, nodes, dry_run: false, ...more });
    const plan = (nodes: object[], more: object = {}) =>
      w.plan("onto.project.graph.reorganize", { project_id: project, nodes, dry_run: true, ...more });

    it("plans without writing, applies what it planned, and then has nothing to do", async () => {
      const before = await edges();
      const nodes = [node("task1", ["plan2", "goal2"]), node("task2", ["plan2", "task1"])];
      const planned = await plan(nodes);
      expect(planned).toMatchObject({
        dry_run: true,
        node_count: 2,
        counts: { create: 4, update: 0, delete: 2 },
        apply_with: { dry_run: false },
      });
      expect(planned.changes.edges_to_create[0]).toEqual({
        src_kind: expect.any(String),
        src_id: expect.any(String),
        rel: expect.any(String),
        dst_kind: expect.any(String),
        dst_id: expect.any(String),
      });
      expect(await edges()).toEqual(before);
      const applied = await apply(nodes);
      expect(applied).toEqual({ dry_run: false, node_count: 2, counts: planned.counts, plan_hash: planned.plan_hash });
      expect(await edges()).toEqual([
        "plan2 has_task task1",
        "plan2 has_task task2",
        "task1 supports_goal goal2",
        "task2 depends_on task1",
      ]);
      expect((await apply(nodes)).counts).toEqual({ create: 0, update: 0, delete: 0 });
      expect(
        await w.call("onto.project.graph.reorganize", { project_id: project, nodes, dry_run: true }),
      ).toMatchObject({ dry_run: true });
    });

    it("merges, keeps relations when none are named, and holds children", async () => {
      await apply([node("task1", ["plan2", "goal2"]), node("task2", [])]);
      expect(await edges()).toContain("task2 depends_on task1");
      const replaced = await apply([node("task2", [], { semantic_mode: "replace_auto" })]);
      expect(replaced.counts).toEqual({ create: 0, update: 0, delete: 1 });
      const merged = await apply([
        node("task1", [{ ...end("goal1"), intent: "semantic" }], { mode: "merge", semantic_mode: "merge" }),
      ]);
      expect(merged.counts).toEqual({ create: 1, update: 0, delete: 0 });
      const held = await apply([node("plan1", ["task2", "milestone1"])]);
      expect(held.counts).toEqual({ create: 2, update: 0, delete: 0 });
      expect(await edges()).toEqual([
        "milestone1 has_plan plan1",
        "plan1 has_task task2",
        "plan2 has_task task1",
        "task1 supports_goal goal1",
        "task1 supports_goal goal2",
      ]);
    });

    it("takes one parent of the nearest kind, or several when allowed", async () => {
      const several = await apply([node("task1", ["plan2", "plan1"])], { options: { allow_multi_parent: true } });
      expect(several.counts).toMatchObject({ create: 1 });
      const graph = await w.call("onto.project.graph.get", { project_id: project });
      const primary = graph.edges.filter((edge: Answer) => edge.dst_id === ids["task1"] && edge.rel === "has_task");
      expect(primary.map((edge: Answer) => [edge.src_id === ids["plan2"], edge.props.is_primary]).sort()).toEqual([
        [false, false],
        [true, true],
      ]);
      const turned = await apply([node("task1", ["plan1", "plan2"], { allow_multi_parent: true })]);
      expect(turned.counts).toEqual({ create: 0, update: 2, delete: 0 });
      expect((await apply([node("task1", ["plan1"])])).counts).toEqual({ create: 0, update: 0, delete: 1 });
    });

    it("refuses documents, the project, doubles, bad ids, strangers, and a node left without a parent", async () => {
      const errors = async (nodes: object[], more: object = {}) => {
        const failed = await w.failure("onto.project.graph.reorganize", { project_id: project, nodes, ...more });
        return ((failed.details as Answer).field_errors ?? [failed.details]).map(
          (error: Answer) => `${error.path} ${error.keyword ?? failed.code}`,
        );
      };
      const document = await newDocument(w, project, "D");
      const bad = [
        { kind: "document", id: document, connections: [] },
        node("task1", [{ kind: "plan", id: "abc" }, { kind: "project", id: project }, end("task1")]),
        node("task1", []),
      ];
      expect(await errors(bad)).toEqual([
        "nodes[0].kind enum",
        "nodes[1].connections[0].id pattern",
        "nodes[1].connections[1].kind enum",
        "nodes[1].connections[2].id cycle",
        "nodes[2].id uniqueItems",
      ]);
      const foreign = await newTask(w, await newProject(w), "Foreign");
      expect(await errors([node("task1", [{ kind: "task", id: foreign }])])).toEqual([
        "nodes[0].connections[0].id NOT_FOUND",
      ]);
      expect(await errors([node("task1", [])], { options: { allow_project_fallback: false } })).toEqual([
        "nodes[0].connections minItems",
      ]);
      expect(
        await errors([node("goal1", [])], { options: { allow_project_fallback: false }, dry_run: true }).catch(
          (error) => String(error),
        ),
      ).toContain("did not fail");
    });

    it("plans what it applies, for any request", { tags: "full", timeout: 600_000 }, async () => {
      const names = ["goal1", "goal2", "milestone1", "plan1", "plan2", "task1", "task2", "risk1"];
      const connection = fc.record({
        to: fc.constantFrom(...names),
        intent: fc.constantFrom(undefined, "containment", "semantic"),
        rel: fc.constantFrom(undefined, undefined, "depends_on", "part_of", "contains", "whatever"),
      });
      const asked = fc.record({
        name: fc.constantFrom(...names),
        connections: fc.array(connection, { maxLength: 3 }),
        mode: fc.constantFrom("replace", "merge"),
        semantic_mode: fc.constantFrom(undefined, "replace_auto", "merge", "preserve"),
        allow_multi_parent: fc.boolean(),
      });
      const nodesOf = fc.uniqueArray(asked, { minLength: 1, maxLength: 4, selector: ({ name }) => name });
      await fc.assert(
        fc.asyncProperty(nodesOf, async (specs) => {
          const nodes = specs.map(({ name, connections, semantic_mode, ...rest }) => ({
            ...node(
              name,
              connections.map(({ to, intent, rel }) => ({
                ...end(to),
                ...(intent && { intent }),
                ...(rel && { rel }),
              })),
            ),
            ...rest,
            ...(semantic_mode && { semantic_mode }),
          }));
          const planned = await plan(nodes).catch(refused);
          if (!planned) return;
          const before = await edges();
          const applied = await apply(nodes);
          expect(applied.counts).toEqual(planned.counts);
          expect(applied.plan_hash).toBe(planned.plan_hash);
          const after = await edges();
          expect(after.length).toBe(before.length + planned.counts.create - planned.counts.delete);
          expect((await plan(nodes)).counts).toEqual({ create: 0, update: 0, delete: 0 });
        }),
        runs(database.name === "SQLite" ? 1500 : 250),
      );
    });
  });
});
