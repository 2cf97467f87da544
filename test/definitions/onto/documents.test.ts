/** Documents of the worked example and their tree, on every database. */

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES } from "../../runtime/state/databases.js";
import { runs } from "../../support/random.js";
import { newDocument, newProject, newTask, openWorkspace, type Workspace } from "./workspace.js";

describe.each(DATABASES)("documents on $name", (database) => {
  describe.skipIf(database.skip)("", () => {
    let w: Workspace;
    beforeAll(async () => {
      w = await openWorkspace(database);
    });
    afterAll(() => w.close());

    it("runs the worked example: search, read the tree, move, read again, survive a restart", async () => {
      const project = await newProject(w, "Worked example");
      const folder = await newDocument(w, project, "Engineering");
      const other = await newDocument(w, project, "Marketing");
      const spec = await newDocument(w, project, "API Spec", { content: "Endpoints of the public API." });
      const found = await w.call("onto.document.search", { search: "API Spec", limit: 10 });
      expect(found.items[0]).toMatchObject({ id: spec, label: "API Spec", score: 1, project_name: "Worked example" });
      const before = await w.call("onto.document.tree.get", { project_id: project, include_documents: true });
      expect(before.structure.root.map((node: { id: string }) => node.id)).toEqual([folder, other, spec]);
      expect(before.documents[folder].title).toBe("Engineering");
      expect(before.documents[folder].content).toBeUndefined();
      const args = { project_id: project, document_id: spec, new_parent_id: folder };
      const moved = await w.call("onto.document.tree.move", args);
      expect(moved).toMatchObject({
        moved: true,
        position: 0,
        parent_id: folder,
        tree_version: before.tree_version + 1,
      });
      expect(moved.path.map((step: { title: string }) => step.title)).toEqual(["Engineering", "API Spec"]);
      expect(await w.call("onto.document.tree.move", args)).toMatchObject({
        moved: false,
        tree_version: moved.tree_version,
      });
      await w.reopen();
      const after = await w.call("onto.document.tree.get", { project_id: project });
      expect(after.structure).toEqual({
        version: moved.tree_version,
        root: [
          { id: folder, children: [{ id: spec, children: [] }] },
          { id: other, children: [] },
        ],
      });
      const { path } = await w.call("onto.document.path.get", { document_id: spec });
      expect(path).toEqual([
        { id: folder, title: "Engineering" },
        { id: spec, title: "API Spec" },
      ]);
    });

    it("refuses cycles, unknown parents and a tree that changed meanwhile", async () => {
      const project = await newProject(w);
      const a = await newDocument(w, project, "A");
      const b = await newDocument(w, project, "B", { parent_id: a });
      const move = (more: object) =>
        w.failure("onto.document.tree.move", { project_id: project, document_id: a, ...more });
      for (const parent of [a, b])
        expect(await move({ new_parent_id: parent })).toMatchObject({
          code: "VALIDATION_ERROR",
          details: { field_errors: [{ path: "new_parent_id", keyword: "cycle" }] },
        });
      expect(await move({ new_parent_id: "doc_absent" })).toMatchObject({
        code: "NOT_FOUND",
        details: { path: "new_parent_id", kind: "document", id: "doc_absent" },
      });
      expect(await move({ expected_tree_version: 1 })).toMatchObject({
        code: "CONFLICT",
        details: { expected_version: 1, current_version: 2 },
      });
      const stranger = await newDocument(w, await newProject(w), "Elsewhere");
      expect(await move({ new_parent_id: stranger })).toMatchObject({ code: "NOT_FOUND" });
      expect(
        await w.failure("onto.document.create", {
          project_id: project,
          title: "C",
          description: "",
          content: "",
          parent_id: stranger,
        }),
      ).toMatchObject({ code: "NOT_FOUND", details: { path: "parent_id" } });
    });

    it("says how a document outside the tree becomes a parent", async () => {
      const project = await newProject(w);
      const spec = await newDocument(w, project, "Spec");
      const task_id = await newTask(w, project, "Pay");
      const made = await w.call("onto.task.doc.create_or_attach", { task_id, title: "Invoice", description: "Bill" });
      const loose = made.document.id;
      const args = { project_id: project, document_id: spec, new_parent_id: loose };
      expect(await w.failure("onto.document.tree.move", args)).toMatchObject({
        code: "VALIDATION_ERROR",
        details: { field_errors: [{ path: "new_parent_id", keyword: "tree" }] },
      });
      await w.call("onto.document.tree.move", { project_id: project, document_id: loose });
      expect(await w.call("onto.document.tree.move", args)).toMatchObject({ parent_id: loose });
    });

    it("lifts children when a folder is deleted, and lists what hangs nowhere", async () => {
      const project = await newProject(w);
      const a = await newDocument(w, project, "A");
      const folder = await newDocument(w, project, "Folder");
      const b = await newDocument(w, project, "B", { parent_id: folder });
      const c = await newDocument(w, project, "C", { parent_id: folder, position: 0 });
      const z = await newDocument(w, project, "Z");
      const gone = await w.call("onto.document.delete", { document_id: folder });
      expect(gone).toMatchObject({ deleted: { kind: "document", id: folder, label: "Folder" }, lifted: [c, b] });
      const task = await newTask(w, project, "Write");
      const attach = { task_id: task, title: "Notes", description: "Notes of the task", role: "notes" };
      const notes = await w.call("onto.task.doc.create_or_attach", attach);
      expect(notes).toMatchObject({ created: true, edge: { rel: "documented_in", props: { role: "notes" } } });
      const again = await w.call("onto.task.doc.create_or_attach", { task_id: task, document_id: notes.document.id });
      expect(again).toMatchObject({ created: false, edge: { id: notes.edge.id } });
      await w.call("onto.document.update", { document_id: z, state_key: "archived" });
      const tree = await w.call("onto.document.tree.get", { project_id: project, include_documents: true });
      expect(tree.structure.root.map((node: { id: string }) => node.id)).toEqual([a, c, b, z]);
      expect(tree.unlinked.map((document: { id: string }) => document.id)).toEqual([notes.document.id]);
      expect(tree.archived.map((document: { id: string }) => document.id)).toEqual([z]);
      expect(await w.call("onto.document.path.get", { document_id: notes.document.id })).toEqual({
        path: [],
        linked: false,
      });
      const listed = await w.call("onto.task.docs.list", { task_id: task });
      expect(listed.items).toMatchObject([{ edge_id: notes.edge.id, role: "notes", document: { title: "Notes" } }]);
      expect(await w.failure("onto.document.get", { document_id: folder })).toMatchObject({
        code: "NOT_FOUND",
        details: { kind: "document", id: folder, deleted_at: expect.any(String) },
      });
    });

    it("wants content with documents, and one way to attach", async () => {
      const project = await newProject(w);
      const doc = await newDocument(w, project, "A", { content: "body" });
      expect(await w.failure("onto.document.tree.get", { project_id: project, include_content: true })).toMatchObject({
        details: { field_errors: [{ path: "include_documents", keyword: "requires" }] },
      });
      const tree = await w.call("onto.document.tree.get", {
        project_id: project,
        include_documents: true,
        include_content: true,
      });
      expect(tree.documents[doc].content).toBe("body");
      const task = await newTask(w, project, "T");
      for (const args of [{}, { title: "x" }, { document_id: doc, title: "x" }])
        expect(await w.failure("onto.task.doc.create_or_attach", { task_id: task, ...args })).toMatchObject({
          details: { field_errors: [{ keyword: "one_of" }] },
        });
    });

    it("keeps the tree sound after any sequence of operations", { tags: "full", timeout: 600_000 }, async () => {
      const step = fc.record({
        what: fc.constantFrom("create", "move", "move", "delete"),
        which: fc.nat(30),
        under: fc.option(fc.nat(30), { nil: undefined }),
        position: fc.nat(5),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
          const project = await newProject(w);
          const live: string[] = [];
          let version = 0;
          for (const { what, which, under, position } of steps) {
            const parent = under === undefined ? null : (live[under % Math.max(1, live.length)] ?? null);
            const id = live[which % Math.max(1, live.length)];
            const attempt = async () => {
              if (what === "create" || id === undefined)
                live.push(await newDocument(w, project, `D${live.length}`, { parent_id: parent, position }));
              else if (what === "move")
                await w.call("onto.document.tree.move", {
                  project_id: project,
                  document_id: id,
                  new_parent_id: parent,
                  new_position: position,
                });
              else {
                await w.call("onto.document.delete", { document_id: id });
                live.splice(live.indexOf(id), 1);
              }
            };
            await attempt().catch((error: { code?: string }) => expect(error.code).toBe("VALIDATION_ERROR"));
            const { structure, tree_version } = await w.call("onto.document.tree.get", { project_id: project });
            const ids = JSON.stringify(structure.root).match(/doc_[a-z0-9]+/g) ?? [];
            expect([...ids].sort()).toEqual([...live].sort());
            expect(new Set(ids).size).toBe(ids.length);
            expect(tree_version).toBeGreaterThanOrEqual(version);
            version = tree_version;
          }
        }),
        runs(database.name === "SQLite" ? 400 : 100),
      );
    });
  });
});
