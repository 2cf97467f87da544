/** Words of queries: which are stored of which calls, and whose ranking they change. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openState } from "../../../runtime/state/open.js";
import { queries } from "../../../runtime/state/schema.js";
import { type Json, type Served, serve, temporaryFolder, toolwright } from "../../support/project.js";

const tool = (name: string, description: string, properties: object = {}) => ({
  type: "function",
  function: { name, description, parameters: { type: "object", properties } },
});
const TOOLS = [
  tool("list_pulls", "List pull requests.", { state: { enum: ["open", "closed"] }, author: { type: "string" } }),
  tool("get_book", "Get a book.", { id: { type: "string" } }),
  tool("burn_book", "Fail always."),
];
const HANDLERS = `export const handlers = {
  "shop.pulls.list": async () => [{ id: 1 }],
  "shop.book.get": async () => ({ title: "a" }),
  "shop.book.burn": async () => { throw new Error("broken"); },
};
`;

/** A project of three ops. @param more - further lines of its configuration */
async function wordProject(more = "learn: { words: on }"): Promise<string> {
  const root = temporaryFolder();
  const definitions = join(root, "definitions");
  mkdirSync(definitions);
  writeFileSync(join(definitions, "shop.json"), JSON.stringify(TOOLS));
  writeFileSync(join(definitions, "handlers.ts"), HANDLERS);
  const source = "{ chat-tools: shop.json, pack: shop, kind: read, handlers: handlers.ts }";
  const ops =
    "ops: { list_pulls: { op: shop.pulls.list }, get_book: { op: shop.book.get }, burn_book: { op: shop.book.burn } }";
  writeFileSync(join(definitions, "toolwright.yaml"), `sources:\n  - ${source}\n${ops}\nuse: [ot]\n${more}\n`);
  const made = await toolwright(["generate", "--root", root]);
  expect(made.code, made.stderr).toBe(0);
  return root;
}

/** The rows of a root, once its server has ended. */
async function rowsOf(root: string): Promise<readonly Json[]> {
  const state = await openState({ url: "", root });
  const rows = await state.transaction("read", (tx) => queries(tx).selectFrom("help_words").selectAll().execute());
  await state.close();
  return rows;
}

const PULLS = "shop.pulls.list";

/** What a session does, and what is counted after it: `op stems`, as far as stems are stored as text. */
async function counted(root: string, session: (served: Served) => Promise<void>): Promise<readonly Json[]> {
  const served = await serve(root, ["--allow-write"]);
  await session(served);
  await served.close();
  return rowsOf(root);
}

const help = (served: Served, path: string) => served.call("tool_help", { path });
const exec = (served: Served, op: string, args: object = {}) => served.call("tool_exec", { op, args });

describe("words of queries", { timeout: 120_000 }, () => {
  test("the latest query before a successful call is credited to its op, by tool_help and ot.help", async () => {
    const root = await wordProject();
    const rows = await counted(root, async (served) => {
      for (const query of ["open PRs", "the PR inbox", "PRs please"]) {
        await help(served, query);
        await exec(served, "shop.book.burn");
        await exec(served, PULLS, { state: "open" });
        // The query has been credited.
        await exec(served, "shop.book.get");
      }
      await exec(served, "ot.help", { query: "novel to read" });
      await help(served, "shop.book.get");
      await exec(served, "shop.book.get");
    });
    const stored = rows.map(({ op, stem, count }) => [op, stem, count]);
    expect(stored.filter(([, stem]) => stem !== null)).toEqual([[PULLS, "pr", 3]]);
    const hidden = stored.filter(([, stem]) => stem === null).map(([op]) => op);
    expect(hidden.sort()).toEqual(["shop.book.get", "shop.book.get", PULLS, PULLS]);
    expect(JSON.stringify(rows)).not.toMatch(/inbox|novel|local/);
  });
});
