/** Words of queries: what is stored of a call, and whose ranking it changes. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openState } from "../../../runtime/state/open.js";
import { raw, serveHttp } from "../../../test/support/http.js";
import { keysOf } from "../../../test/support/keys.js";
import { type Json, type Served, serve, temporaryFolder, toolwright } from "../../../test/support/project.js";
import { learnedQueries } from "../tables.js";
import { withWords } from "../words/capture.js";

const tool = (name: string, description: string, properties: object = {}) => ({
  type: "function",
  function: { name, description, parameters: { type: "object", properties } },
});
const TOOLS = [
  tool("list_pulls", "List pull requests.", { state: { enum: ["open", "closed"] }, author: { type: "string" } }),
  tool("get_book", "Get a book.", { id: { type: "string" } }),
  tool("burn_book", "Fail always."),
  tool("clear_shelf", "Remove all."),
];
const HANDLERS = `export const handlers = {
  "shop.pulls.list": async () => [{ id: 1 }],
  "shop.book.get": async () => ({ title: "a" }),
  "shop.shelf.clear": async () => ({ cleared: true }),
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
    "ops: { list_pulls: { op: shop.pulls.list }, get_book: { op: shop.book.get }, burn_book: { op: shop.book.burn }, clear_shelf: { op: shop.shelf.clear, kind: write } }";
  writeFileSync(join(definitions, "toolwright.yaml"), `sources:\n  - ${source}\n${ops}\nuse: [ot]\n${more}\n`);
  const made = await toolwright(["generate", "--root", root]);
  expect(made.code, made.stderr).toBe(0);
  return root;
}

/** The rows of a root, once its server has ended. */
async function rowsOf(root: string): Promise<readonly Json[]> {
  const state = await openState({ url: "", root });
  const rows = await state.transaction("read", (tx) =>
    learnedQueries(tx).selectFrom("help_words").selectAll().execute(),
  );
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

  test("words of arguments, digits, keys, addresses, long words and texts are not counted", async () => {
    const root = await wordProject();
    const rows = await counted(root, async (served) => {
      const queries: readonly (readonly [query: string, args?: object])[] = [
        ["annabel please", { author: "Annabel Smith" }],
        [
          "annabel@example.com annabel.example.com https://annabel.example/x ~/annabel /home/annabel/x y4u 4711 task_9x1b2c",
        ],
        ["ghp_abcdefghijklmnopqrstuvwxyzABCDEFGHIJ sk-proj-AbCdEfGhIjKlMnOpQrStUvWxYz"],
        ["donaudampfschifffahrtsgesellschaft nffrfeufnvqx"],
        ["all pull requests of a list"],
        ["the password: annabel"],
        [`pasted ${"text ".repeat(40)}`],
      ];
      for (const [query, args] of queries) {
        await help(served, query);
        await exec(served, PULLS, args ?? {});
      }
      const author = "Annabel Smith";
      const requests: readonly Json[] = [
        { op: PULLS, arguments: { author } },
        { op: PULLS, author },
        { tool: PULLS, input: { author } },
        { op: PULLS, args: JSON.stringify({ author }) },
      ];
      for (const request of requests) {
        await help(served, "annabel please");
        const { value } = await served.call("tool_exec", request);
        expect(value.ok).toBe(true);
        await help(served, "annabel please");
        await served.call("tool_batch", { ops: [request] });
      }
    });
    expect(rows).toEqual([]);
  });

  test("programs and batches are credited, and neither dry runs, previews nor the ninth call", async () => {
    const root = await wordProject("learn: { words: on }\nexpose: { run_preview: always }");
    const rows = await counted(root, async (served) => {
      await served.client.callTool({ name: "run", arguments: { command: "ot.help(query='inbox alpha')" } });
      await served.client.callTool({ name: "run", arguments: { command: "shop.pulls.list()" } });
      await served.call("tool_batch", { ops: [{ type: "help", path: "inbox beta" }, { op: PULLS }] });
      await help(served, "inbox gamma");
      for (let i = 0; i < 8; i++) await exec(served, "shop.book.burn");
      await exec(served, PULLS);
      await help(served, "inbox delta");
      await exec(served, "shop.shelf.clear", { dry_run: true });
      await served.client.callTool({ name: "run", arguments: { command: "shop.pulls.list()", preview: true } });
      await help(served, "shop.pulls.list");
      await exec(served, PULLS);
    });
    expect(rows.map(({ op, stem, count }) => [op, stem, count]).filter(([, stem]) => stem !== null)).toEqual([
      [PULLS, "inbox", 3],
    ]);
    // inbox, alpha, beta and delta.
    expect(rows).toHaveLength(4);
  });

  test("callers over HTTP are told apart by their keys", async () => {
    const root = await wordProject();
    const keys = keysOf(root);
    const make = async (name: string) => (await keys.create({ name, scope: "read" }, "local")).key;
    const [anna, ben] = [await make("anna"), await make("ben")];
    await keys.close();
    const server = await serveHttp(root);
    const call = async (key: string, op: string, args: object = {}): Promise<void> => {
      const headers = { authorization: `Bearer ${key}` };
      const { status } = await raw(server.url, { path: "/api/exec", body: { op, args }, headers });
      expect(status).toBe(200);
    };
    await call(anna, "ot.help", { query: "a novel" });
    await call(ben, "shop.book.get");
    await call(ben, "ot.help", { query: "the inbox" });
    await call(anna, "shop.book.get");
    await call(ben, PULLS);
    server.signal("SIGTERM");
    await server.exit;
    const rows = await rowsOf(root);
    expect(rows.map(({ op, count }) => [op, count]).sort()).toEqual([
      ["shop.book.get", 1],
      [PULLS, 1],
    ]);
    expect(new Set(rows.map(({ caller_key }) => caller_key)).size).toBe(2);
  });

  test("nothing is stored where words or statistics are off", async () => {
    for (const more of ["", "learn: { words: on }\nstats: { enabled: false }", "learn: off"]) {
      const root = await wordProject(more);
      const rows = await counted(root, async (served) => {
        await help(served, "open PRs");
        await exec(served, PULLS);
      });
      expect(rows, more).toEqual([]);
    }
  });
});

test("a query is credited for ten minutes, and to no call that began before it", async () => {
  const taken: string[] = [];
  const clock = { now: Date.UTC(2026, 10, 22) };
  const definition = { ...TOOLS[0]?.function, op: PULLS, group: "shop", tool_name: "list_pulls", aliases: [] };
  const known = { ...definition, summary: "List pull requests.", parameters_schema: {} };
  let end = (): void => {};
  const answer = { ok: true, op: PULLS, result: [], meta: { trace_id: "", latency_ms: 0, warnings: [] } };
  const dispatch: Json = {
    index: { view: () => ({ exact: (op: string) => (op === PULLS ? known : undefined) }) },
    dispatch: ({ wait }: Json) => (wait ? new Promise((done) => (end = () => done(answer))) : Promise.resolve(answer)),
  };
  const help: Json = { help: () => ({ type: "not_found" }) };
  const wrapped = withWords(
    { dispatch, help },
    { learnedWords: new Set([PULLS]) },
    {
      take: (caller, { op }, stems) => void taken.push(`${caller} ${op} ${stems.join(" ")}`),
      clock: () => clock.now,
    },
  );
  const anna: Json = { kind: "key", id: "anna", grant: { level: "read", projects: "*" } };
  const call = (request: object = {}) => wrapped.dispatch.dispatch({ op: PULLS, args: {}, ...request }, anna);
  wrapped.help.help({ path: "early inbox" }, anna);
  clock.now += 600_001;
  await call();
  expect(taken).toEqual([]);
  const slow = call({ wait: true });
  wrapped.help.help({ path: "late inbox" }, anna);
  end();
  await slow;
  expect(taken).toEqual([]);
  clock.now += 600_000;
  await call();
  expect(taken).toEqual([`anna ${PULLS} late inbox`]);
});
