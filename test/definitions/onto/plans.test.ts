/** The query plans of the worked example: no query scans a table. */

import { CompiledQuery, type KyselyPlugin, type RootOperationNode, type SelectQueryNode, sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Queries, queries } from "../../../definitions/onto/backend/schema.js";
import { handlers } from "../../../definitions/onto/handlers.js";
import { DATABASES } from "../../runtime/state/databases.js";
import { contextOf, newDocument, newProject, newTask, type Op, openWorkspace, type Workspace } from "./workspace.js";

const [SQLITE] = DATABASES;

/** Tables that grow with the workspace; a scan of one without an index grows with it. */
const GROWING = ["onto_tasks", "onto_documents", "onto_plans", "onto_goals", "e"];
/** Tables of which an index must narrow what is read, not only order it. */
const NARROWED = ["onto_edges", "onto_changes", "onto_search_words", "onto_search_grams"];

/** What SQLite says about a statement, line by line. */
async function planOf(db: Queries, node: RootOperationNode): Promise<readonly string[]> {
  const { sql: text, parameters } = db.getExecutor().compileQuery(node, { queryId: "plan" });
  const { rows } = await db.executeQuery<{ detail: string }>(
    CompiledQuery.raw(`explain query plan ${text}`, [...parameters]),
  );
  return rows.map(({ detail }) => detail);
}

const isSelect = (node: RootOperationNode): node is SelectQueryNode | RootOperationNode =>
  node.kind === "SelectQueryNode" || node.kind === "RawNode";

describe("query plans", () => {
  let w: Workspace;
  let project: string;
  let task: string;
  beforeAll(async () => {
    w = await openWorkspace(SQLITE as (typeof DATABASES)[number]);
    project = await newProject(w);
    task = await newTask(w, project, "Review the budget");
    await newDocument(w, project, "Budget");
  });
  afterAll(() => w.close());

  /** The plans of all selects that an op runs. */
  const plans = (op: Op, args: object): Promise<readonly string[]> =>
    w.state.transaction("read", async (tx) => {
      const nodes: RootOperationNode[] = [];
      const spy: KyselyPlugin = {
        transformQuery({ node }) {
          nodes.push(node);
          return node;
        },
        transformResult: async ({ result }) => result,
      };
      const ctx = { ...contextOf({ level: "admin", projects: "*" }, () => {}), tx: queries(tx).withPlugin(spy) };
      await (handlers[op].run as (args: object, ctx: object) => Promise<unknown>)(args, ctx);
      const details: string[] = [];
      for (const node of nodes.filter(isSelect)) details.push(...(await planOf(queries(tx), node)));
      return details;
    });

  it.each([
    ["onto.task.list", {}],
    ["onto.task.list", { project_id: true }],
    ["onto.task.list", { project_id: true, state_key: "todo" }],
    ["onto.task.list", { state_key: "todo" }],
    ["onto.document.list", { project_id: true, type_key: "document.default" }],
    ["onto.task.search", { project_id: true, search: "review budget" }],
    ["onto.task.search", { search: "review budget" }],
    ["onto.task.search", { project_id: true, search: "review budget", state_key: "todo" }],
    ["onto.document.search", { search: "budget", type_key: "document.default" }],
    ["onto.search", { query: "review budget" }],
    ["onto.project.graph.get", { project_id: true }],
    ["onto.project.get", { project_id: true }],
    ["onto.task.get", { task_id: true }],
    ["onto.task.docs.list", { task_id: true }],
    ["onto.entity.relationships.get", { entity_id: "task" }],
    ["onto.document.tree.get", { project_id: true, include_documents: true }],
  ] as const)("%s %o reads through indexes", async (op, args) => {
    const ids = { project_id: project, task_id: task, entity_id: task };
    const filled = Object.fromEntries(
      Object.entries(args).map(([name, value]) => [
        name,
        value === true || value === "task" ? ids[name as "task_id"] : value,
      ]),
    );
    const details = await plans(op, filled);
    expect(details.length).toBeGreaterThan(0);
    const scans = details.filter((detail) => {
      const [, table = "", rest = ""] = /^SCAN (\S+)(.*)$/.exec(detail) ?? [];
      return NARROWED.includes(table) || (GROWING.includes(table) && !rest.includes("INDEX"));
    });
    expect(scans).toEqual([]);
    if (op === "onto.task.list") expect(details.join("; ")).not.toContain("TEMP B-TREE");
  });

  it("detects a scan", async () => {
    const details = await w.state.transaction("read", async (tx) => {
      const { rows } = await sql<{
        detail: string;
      }>`explain query plan select * from onto_tasks where description = 'x'`.execute(queries(tx));
      return rows.map(({ detail }) => detail);
    });
    expect(details).toEqual(["SCAN onto_tasks"]);
  });
});
