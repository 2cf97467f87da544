/** Writes at the same time in one project of the worked example, from two connections, on every database. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { queries } from "../../../definitions/onto/backend/schema.js";
import { handlers } from "../../../definitions/onto/handlers.js";
import type { State } from "../../../runtime/state/open.js";
import { DATABASES } from "../../runtime/state/databases.js";
import {
  type Answer,
  contextOf,
  newDocument,
  newProject,
  newTask,
  type Op,
  openWorkspace,
  type Workspace,
} from "./workspace.js";

const AT_ONCE = 12;

describe.each(DATABASES)("writes at the same time on $name", (database) => {
  describe.skipIf(database.skip)("", () => {
    let w: Workspace;
    let other: State;
    beforeAll(async () => {
      w = await openWorkspace(database);
      other = await w.place.open();
    });
    afterAll(async () => {
      await other.close();
      await w.close();
    });

    /** Writes with the other connection. */
    const there = (op: Op, args: object): Promise<Answer> =>
      other.transaction("write", (tx) => {
        const { run } = handlers[op] as unknown as { run(args: object, ctx: object): Promise<Answer> };
        return run(args, { ...contextOf({ level: "admin", projects: "*" }, () => undefined), tx });
      });

    /** The same op many times at once, half of them with each connection. */
    const atOnce = (op: Op, argsOf: (i: number) => object) =>
      Promise.allSettled(
        Array.from({ length: AT_ONCE }, (_, i) => (i % 2 ? w.call(op, argsOf(i)) : there(op, argsOf(i)))),
      );
    const fulfilled = (done: readonly PromiseSettledResult<Answer>[]): number =>
      done.filter(({ status }) => status === "fulfilled").length;

    it("places every document in the tree, and counts each", async () => {
      const project = await newProject(w);
      const done = await atOnce("onto.document.create", (i) => ({
        ...{ project_id: project, title: `Page ${i}`, description: `Page ${i}`, content: "" },
      }));
      expect(fulfilled(done)).toBe(AT_ONCE);
      const { structure, tree_version } = await w.call("onto.document.tree.get", { project_id: project });
      expect([structure.root.length, tree_version]).toEqual([AT_ONCE, AT_ONCE]);
      const { counts } = await w.call("onto.project.get", { project_id: project });
      expect(counts.documents).toBe(AT_ONCE);
    });

    it("raises the version once for each change, and lets one of several changes of a version through", async () => {
      const project = await newProject(w);
      const task = await newTask(w, project, "Draft");
      const appended = await atOnce("onto.task.update", (i) => ({
        ...{ task_id: task, description: `Line ${i}`, update_strategy: "append" },
      }));
      expect(fulfilled(appended)).toBe(AT_ONCE);
      const after = (await w.call("onto.task.get", { task_id: task })).task;
      expect(after.version).toBe(1 + AT_ONCE);
      for (let i = 0; i < AT_ONCE; i++) expect(after.description).toMatch(new RegExp(`^Line ${i}$`, "m"));
      const expected = await atOnce("onto.task.update", (i) => ({
        ...{ task_id: task, title: `Title ${i}`, expected_version: after.version },
      }));
      expect(fulfilled(expected)).toBe(1);
    });

    it("gives an entity one parent, and one edge for each pair", async () => {
      const project = await newProject(w);
      const plans: string[] = [];
      for (let i = 0; i < AT_ONCE; i++)
        plans.push((await w.call("onto.plan.create", { project_id: project, name: `Plan ${i}` })).plan.id);
      const task = await newTask(w, project, "Child");
      const done = await atOnce("onto.edge.link", (i) => ({
        ...{ src_kind: "plan", src_id: plans[i], dst_kind: "task", dst_id: task, rel: "has_task" },
      }));
      expect(fulfilled(done)).toBe(1);
      const document = await newDocument(w, project, "Notes");
      const linked = await atOnce("onto.task.doc.create_or_attach", () => ({ task_id: task, document_id: document }));
      expect(fulfilled(linked)).toBe(AT_ONCE);
      expect(linked.filter((one) => one.status === "fulfilled" && one.value.created)).toHaveLength(1);
    });

    it.skipIf(database.name === "SQLite")("does not hold up writes in another project", async () => {
      const [mine, yours] = [await newProject(w), await newProject(w)];
      let end = (): void => undefined;
      const stuck = other.transaction("write", async (tx) => {
        await queries(tx).updateTable("onto_projects").set({ description: "stuck" }).where("id", "=", mine).execute();
        await new Promise<void>((resolve) => {
          end = resolve;
        });
      });
      await newTask(w, yours, "Free");
      const waiting = newTask(w, mine, "Waits");
      expect(await Promise.race([waiting.then(() => "done"), new Promise((r) => setTimeout(r, 200, "waits"))])).toBe(
        "waits",
      );
      end();
      await Promise.all([stuck, waiting]);
    });
  });
});
