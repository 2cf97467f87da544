/** The installed package: every feature works with the packages that `dependencies` bring. */

import { isAscii } from "node:buffer";
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join, relative } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installInto } from "../support/installed.js";
import { CHECKOUT, temporaryFolder } from "../support/project.js";

const cleaning: (() => void)[] = [];
let root: string;
let program: string;

/** Runs the installed command line in the project. */
function run(...args: readonly string[]): Promise<{ readonly code: number | null; readonly text: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program, ...args], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (more) => (text += more));
    child.once("close", (code) => resolve({ code, text }));
  });
}

const REQUESTS = [
  {
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
  },
  { method: "notifications/initialized" },
  { id: 2, method: "tools/list" },
  { id: 3, method: "tools/call", params: { name: "tool_exec", arguments: { op: "ot.version" } } },
];

/** The answer of a server over stdio to the call of an op, or what it printed instead. */
function firstCall(): Promise<unknown> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program, "serve"], { cwd: root });
    let text = "";
    child.stderr.setEncoding("utf8").on("data", (more) => (text += more));
    const lines = createInterface({ input: child.stdout });
    lines.on("line", (line) => {
      const answer = JSON.parse(line);
      if (answer.id !== 3) return;
      resolve(answer);
      child.stdin.end();
    });
    child.once("close", () => resolve(text));
    for (const one of REQUESTS) child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...one })}\n`);
  });
}

const write = (path: string, text: string): void => writeFileSync(join(root, path), text);

beforeAll(() => {
  root = temporaryFolder((clean) => cleaning.push(clean));
  program = installInto(root);
  mkdirSync(join(root, "definitions"));
  write(
    "definitions/sums.ts",
    "/** Adds two numbers.\n * @access read\n */\nexport function add(a: number, b: number): number {\n  return a + b;\n}\n",
  );
  const pet = { get: { operationId: "getPet", summary: "Reads a pet.", responses: { 200: { description: "ok" } } } };
  const api = { openapi: "3.1.0", info: { title: "Pets", version: "1" }, paths: { "/pet": pet } };
  write("definitions/pets.json", JSON.stringify(api));
  const sources = ["  - functions: sums.ts", "  - openapi: pets.json", "    server: https://pets.example"];
  const lines = [
    "use: [web, ot]",
    "sources:",
    ...sources,
    'web: { allow_private: ["127.0.0.1"] }',
    "surfaces: [typescript, python, skill]",
  ];
  write("definitions/toolwright.yaml", `${lines.join("\n")}\n`);
});
afterAll(() => {
  for (const clean of cleaning) clean();
});

describe("the installed package", () => {
  test("brings at most 40 packages", () => {
    const modules = join(root, "node_modules");
    const names = readdirSync(modules).flatMap((one) =>
      one.startsWith("@") ? readdirSync(join(modules, one)).map((name) => `${one}/${name}`) : [one],
    );
    expect(names.length).toBeLessThanOrEqual(40);
  });

  test("brings no install script, about which npm would warn", () => {
    const { packages } = JSON.parse(readFileSync(join(CHECKOUT, "package-lock.json"), "utf8")) as {
      packages: Record<string, { readonly dev?: boolean; readonly hasInstallScript?: boolean }>;
    };
    const installed = Object.entries(packages).filter(([, { dev }]) => dev !== true);
    expect(installed.length).toBeGreaterThan(20);
    expect(installed.filter(([, one]) => one.hasInstallScript).map(([name]) => name)).toEqual([]);
  });

  test("generates, checks and explains", async () => {
    expect(await run("generate")).toMatchObject({ code: 0 });
    expect(await run("check")).toMatchObject({ code: 0 });
    expect((await run("explain", "sums.add")).text).toContain("sums.add");
  });

  test("calls a typed function, and runs programs", { tags: "full" }, async () => {
    const called = await run("exec", "sums.add", "--a", "1", "--b", "2", "--allow-write");
    expect(called.text).toMatch(/"result": 3\b/);
    write("plain.py", "sum(range(5))");
    write("class.py", "class A: pass\nA().__class__.__name__");
    expect(await run("run", "plain.py")).toEqual({ code: 0, text: "10\n" });
    expect(await run("run", "class.py")).toEqual({ code: 0, text: "A\n" });
  });

  test("reads a page, and searches the tools", { tags: "full" }, async () => {
    const page = `<html><body><article><h1>Title</h1><p>${"Many words. ".repeat(200)}</p></article></body></html>`;
    const server = createServer((_, response) => response.writeHead(200, { "content-type": "text/html" }).end(page));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      expect((await run("exec", "web.fetch", "--url", url)).text).toMatch(/"ok": true[\s\S]*Many words/);
    } finally {
      server.close();
    }
    expect((await run("exec", "ot.help", "--query", "add numbers")).text).toContain("sums.add");
  });

  test("builds the documentation site, and reports breaking changes", { tags: "full" }, async () => {
    expect(await run("docs", "build")).toMatchObject({ code: 0 });
    expect(readFileSync(join(root, "site", "assets", "minisearch.js"), "utf8")).toContain("MiniSearch");
    const registry = join(root, "generated", "registry.json");
    expect((await run("breaking", "--against", registry)).code).toBe(0);
  });

  test("names the licences of what it contains", () => {
    const text = readFileSync(join(root, "node_modules", "toolwright", "dist", "LICENSES.txt"), "utf8");
    for (const name of ["@modelcontextprotocol/server", "ajv", "hono", "kysely", "pg", "zod"])
      expect(text).toMatch(new RegExp(`^${name} \\d`, "m"));
  });

  test("has the files that the documentation lists, and no others", () => {
    const [, section = ""] = readFileSync(join(CHECKOUT, "docs/changing-toolwright.md"), "utf8").split(
      /^## What the package contains$/m,
    );
    const [table = ""] = section.split(/^## /m);
    const listed = [...table.matchAll(/^\| (`.*) \|/gm)].flatMap(([, cell = ""]) =>
      [...(cell.split(" | ")[0] ?? "").matchAll(/`([^`]+)`/g)].map(([, entry = ""]) => entry),
    );
    const entryOf = (file: string): string => {
      if (file.startsWith("dist/") && file.endsWith(".d.ts")) return "dist/**/*.d.ts";
      return listed.find((entry) => file === entry || file.startsWith(`${entry}/`)) ?? file;
    };
    const own = join(root, "node_modules", "toolwright");
    const files = readdirSync(own, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map((one) => relative(own, join(one.parentPath, one.name)).replaceAll("\\", "/"));
    const addedByNpm = ["LICENSE", "README.md", "package.json"];
    expect([...new Set(files.map(entryOf))].sort()).toEqual([...listed, ...addedByNpm].sort());
    expect(files.filter((one) => entryOf(one) === "dist/runtime").sort()).toEqual([
      "dist/runtime/codegen.js",
      "dist/runtime/feature.js",
    ]);
  });

  test("is loaded without decoding: the command line is ASCII", () => {
    const parts = ["program.cjs", "run.cjs", "rest.cjs"].map((name) => readFileSync(join(dirname(program), name)));
    expect(parts.map(isAscii)).toEqual([true, true, true]);
  });

  test.each([
    ["without upstream servers", ""],
    ["with one", 'servers: { away: { command: node, args: ["away.mjs"] } }\n'],
  ])(
    "starts a server, lists its tools and answers a first call without the last of three files: %s",
    { tags: "slow" },
    async (_, more) => {
      const config = readFileSync(join(root, "definitions/toolwright.yaml"), "utf8");
      write("definitions/toolwright.yaml", config + more);
      await run("generate");
      const rest = join(dirname(program), "rest.cjs");
      renameSync(rest, `${rest}.away`);
      try {
        expect(await firstCall()).toMatchObject({ result: { structuredContent: { op: "ot.version", ok: true } } });
      } finally {
        renameSync(`${rest}.away`, rest);
        write("definitions/toolwright.yaml", config);
      }
    },
  );

  test("has no path of the machine that packed it", () => {
    const folder = join(root, "node_modules", "toolwright", "dist", "generator");
    const files = readdirSync(folder).filter((name) => name.endsWith("js"));
    expect(files.filter((name) => readFileSync(join(folder, name), "utf8").includes(CHECKOUT))).toEqual([]);
  });
});
