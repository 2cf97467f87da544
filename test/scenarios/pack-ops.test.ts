/** An op whose path is also that of other ops: `onto.search` beside `onto.search.project`, everywhere that a path is used. */

import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { clientOf } from "toolwright/codegen";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { localPrincipal } from "../../runtime/gateway/gateway.js";
import { compile } from "../support/compile.js";
import { type Opened, openRoot } from "../support/open-root.js";
import { generatedRoot, type Json, temporaryFolder, toolwright } from "../support/project.js";

const SLOW = 300_000;
const CODE = `
export const pack = { summary: "Searches." };
/** Search everything. @kind read */
export async function search(args: { query: string; limit?: number }): Promise<{ all: string }> { return { all: args.query }; }
/** Search projects. @kind read */
export async function search_project(args: { query: string }): Promise<{ project: string }> { return { project: args.query }; }
/** Search names of projects. @kind read */
export async function search_name(args: { query?: string }): Promise<{ name: string }> { return { name: args.query ?? "all" }; }
`;
const CONFIG = `use: []
sources: [{ functions: onto.ts }]
surfaces: [typescript, python, skill]
ops:
  onto/search_project: { op: onto.search.project }
  onto/search_name: { op: onto.search.project.name }
`;

const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);
let root: string;
let opened: Opened;
beforeAll(async () => {
  const definitions = temporaryFolder(later);
  mkdirSync(definitions, { recursive: true });
  writeFileSync(join(definitions, "onto.ts"), CODE);
  writeFileSync(join(definitions, "toolwright.yaml"), CONFIG);
  root = await generatedRoot(definitions, later);
  opened = await openRoot(root, "", async (close) => later(close));
}, SLOW);
afterAll(async () => {
  for (const clean of cleaning.reverse()) await clean();
}, SLOW);

const help = (path: string): Json => opened.gateway.help({ path }, localPrincipal(opened.project.settings)) as Json;

describe("the gateway", () => {
  test("calls both, and repairs neither into the other", async () => {
    expect(await opened.exec("onto.search", { query: "a" })).toMatchObject({ ok: true, result: { all: "a" } });
    expect(await opened.exec("onto.search.project", { query: "a" })).toMatchObject({ result: { project: "a" } });
    expect(await opened.exec("onto.search.project.name")).toMatchObject({ result: { name: "all" } });
    const envelope: Json = await opened.exec("onto.serch.project", { query: "a" });
    expect(envelope.error?.corrected_call ?? envelope.op).toEqual({ op: "onto.search.project", args: { query: "a" } });
  });

  test("help of the path names both", () => {
    expect(help("onto.search")).toMatchObject({
      type: "op",
      usage: "onto.search(query, limit?)",
      items: [{ op: "onto.search.project" }, { op: "onto.search.project.name" }],
    });
    expect(help("onto.search.project")).toMatchObject({ type: "op", items: [{ op: "onto.search.project.name" }] });
    expect(help("onto.search.project.name").items).toBeUndefined();
    expect(help("onto").items).toEqual([
      expect.objectContaining({ op: "onto.search" }),
      { group: "onto.search", ops: 2 },
    ]);
  });
});

const PROGRAMS: readonly (readonly [code: string, answer: string])[] = [
  ["onto.search(query='a')", '{"all":"a"}'],
  [
    "[onto.search('a')['all'], onto.search.project('b')['project'], onto.search.project.name()['name']]",
    '["a","b","all"]',
  ],
  ["find = onto.search\n[find('a')['all'], find.project('b')['project']]", '["a","b"]'],
  ["list(map(lambda q: onto.search(q)['all'], ['a', 'b']))", '["a","b"]'],
  ["search_project('a')", '{"project":"a"}'],
];

describe("run", () => {
  const run = (code: string): Promise<string> => opened.run(code);

  test.each(PROGRAMS)("calls the op that is meant: %s", { timeout: SLOW, tags: "slow" }, async (code, answer) => {
    expect((await run(code)).replace(/[ \n]/g, "")).toBe(answer);
  });

  test("says what is there where a name is wrong", { tags: "full", timeout: SLOW }, async () => {
    expect(await run("onto.search.projct(query='a')")).toContain(
      "pack 'onto.search' has no function 'projct'. Available: project",
    );
    expect(await run("onto.serch(query='a')")).toContain("pack 'onto' has no function 'serch'. Available: search");
    expect(await run("onto.search(qury='a')")).toContain("qury");
  });
});

test("the check before a run knows both", { timeout: SLOW }, async () => {
  const text = await opened.run(
    "x = onto.search(query=1)\ny = onto.search.project(query=2)\nz = onto.search.project.name(quer='a')\nx.foo",
  );
  expect(text).toMatch(/onto\.search\(\) .*(str|query)/);
});

describe("what is generated", () => {
  test("the TypeScript client has a function with members, also where a member is called name", {
    timeout: SLOW,
  }, () => {
    const use = join(root, "use.ts");
    writeFileSync(
      use,
      `import { createClient } from "./generated/surfaces/client.js";
declare const client: ReturnType<typeof createClient>;
export const all = async (): Promise<string | undefined> => {
  const answer = await client.onto.search({ query: "a" });
  return answer.ok ? answer.result.all : undefined;
};
export const name = async (): Promise<string | undefined> => {
  const answer = await client.onto.search.project.name();
  return answer.ok ? answer.result.name : undefined;
};
// @ts-expect-error: the query is required
export const wrong = client.onto.search.project({});
`,
    );
    expect(compile(root, ["use.ts"])).toBe("");
  });

  test("the TypeScript client calls each", async () => {
    const asked: string[] = [];
    const ops = ["onto.search.length", "onto.search", "onto.search.name", "onto.search.call"];
    const client = clientOf<Json>(ops, async ({ op }) => {
      asked.push(op);
      return undefined as never;
    });
    await client.onto.search({});
    for (const name of ["length", "name", "call"]) await client.onto.search[name]({});
    expect(asked).toEqual(["onto.search", "onto.search.length", "onto.search.name", "onto.search.call"]);
  });

  test("the Python client calls each", { timeout: SLOW }, async () => {
    const program = `import client
ask = client.Client(lambda request: {"ok": True, "result": request["op"], "meta": {}}).onto
print(ask.search(query="a"), ask.search.project(query="a"), ask.search.project.name())`;
    const env = { ...process.env, PYTHONPATH: join(root, "generated", "surfaces"), PYTHONDONTWRITEBYTECODE: "1" };
    const { stdout } = await promisify(execFile)("python3", ["-c", program], { env });
    expect(stdout.trim()).toBe("onto.search onto.search.project onto.search.project.name");
  });

  test("stubs call an op of a pack as the pack's object", () => {
    const stubs = readFileSync(join(root, "generated", "stubs.pyi"), "utf8");
    expect(stubs).toContain("    search: _Onto_Search\n");
    expect(stubs).toMatch(
      /class _Onto_Search:\n {4}project: _Onto_Search_Project\n {4}def __call__\(self, query: str, limit/,
    );
    expect(stubs).not.toContain("def search(");
  });

  test("the documentation has a page of each", { timeout: SLOW }, async () => {
    const { code, stderr } = await toolwright(["docs", "build", "--root", root, "--out", join(root, "site")]);
    expect(code, stderr).toBe(0);
    const pages = readdirSync(join(root, "site", "onto"));
    for (const op of ["onto.search", "onto.search.project", "onto.search.project.name"]) expect(pages).toContain(op);
  });
});
