/**
 * The pages on embedding and packs: their code compiles and runs outside the checkout, with the package as npm installs it.
 *
 * @module-tag full
 */

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pageText } from "../support/doc-pages.js";
import { compile, installInto, linkPackages } from "../support/installed.js";
import { CHECKOUT, temporaryFolder } from "../support/project.js";

interface Block {
  readonly file: string;
  readonly text: string;
  /** What it prints, as the page says. */
  readonly output: string;
}

/** Blocks that begin with the name of a file, and the text block that follows each. */
const blocksOf = (page: string): readonly Block[] =>
  [...pageText(page).matchAll(/```\w+\n(?:\/\/|#) (\S+)\n(.*?)```(?:\n(?:\nIt prints:\n)?\n```text\n(.*?)```)?/gs)].map(
    ([, file = "", text = "", output = ""]) => ({ file, text, output }),
  );
const blocks = blocksOf("docs/embedding.md");
const programs = blocks.filter(({ file }) => !file.startsWith("definitions/"));

const cleaning: (() => void)[] = [];
let folder = "";

beforeAll(() => {
  folder = temporaryFolder((clean) => cleaning.push(clean));
  installInto(folder);
  linkPackages(folder, ["@modelcontextprotocol/client", "@types/node"]);
  for (const { file, text } of blocks) write(join(folder, file), text);
  run([COMMAND, "generate"]);
}, 300_000);
afterAll(() => {
  for (const clean of cleaning) clean();
});

const COMMAND = "node_modules/toolwright/dist/generator/main.js";

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const run = (args: readonly string[]): string =>
  execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

test("the programs of the page compile with the published types, and print what the page says", {
  tags: "full",
  timeout: 300_000,
}, () => {
  expect(programs.map(({ file }) => file)).toEqual(["call.ts", "typed.ts", "callers.ts", "server.ts"]);
  expect(
    compile(
      folder,
      programs.map(({ file }) => file),
    ),
  ).toBe("");
  for (const { file, output } of programs) {
    expect(output, file).not.toBe("");
    expect(run([join("out", file.replace(/ts$/, "js"))]), file).toBe(output);
  }
});

/** Modules with public types, and what their examples may use beside the package's exports. */
const DOCUMENTED = ["runtime/gateway/embedded.ts", "runtime/serve/serve.ts"];
const SURROUNDINGS = `import * as api from "toolwright";
import type { BatchEntry, BatchRequest, CallControl, Caller, ExecOptions, ForCaller, GatewayOptions, HelpQuery,
  ProjectGateway, ProjectOptions, ServeOptions } from "toolwright";
const { createGateway, serve } = api;
declare const gateway: ProjectGateway;
declare const createClient: (call: api.Call) => { onto: { task: { list(args: object): Promise<api.Envelope> } } };
`;

test("the examples in the documentation of public types compile", { timeout: 300_000, tags: "full" }, () => {
  const examples = DOCUMENTED.flatMap((file) =>
    [...pageText(file).matchAll(/@example\n((?: *\*(?: (?!@).*)?\n)+)/g)].map(([, text = ""]) =>
      text.replace(/^ *\*(?:\/$| ?)/gm, ""),
    ),
  );
  expect(examples.length).toBeGreaterThan(10);
  const root = join(folder, "examples");
  const names = examples.map((text, at) => {
    write(join(root, `${at}.ts`), `${SURROUNDINGS}{\n${text}}\n`);
    return `${at}.ts`;
  });
  expect(compile(root, names)).toBe("");
});

test("the pack of a package compiles with the published types, and is read and called where npm installs it", {
  timeout: 300_000,
  tags: "full",
}, () => {
  const root = join(folder, "depot");
  const [pack] = blocksOf("docs/packs.md").filter(({ file }) => file.endsWith("/depot.ts"));
  const file = pack?.file ?? "";
  write(join(root, file), pack?.text ?? "");
  write(join(root, dirname(file), "package.json"), '{ "name": "acme-depot", "type": "module" }');
  write(join(root, "definitions/toolwright.yaml"), `sources:\n  - functions: ../${file}\n`);
  expect(compile(root, [file])).toBe("");
  run([COMMAND, "generate", "--root", root]);
  const call = (...args: readonly string[]): unknown =>
    JSON.parse(run([COMMAND, "exec", "depot.seal_crate", "--root", root, "--allow-write", "--json", ...args])).result;
  expect(call("--dry-run", "--", "--id", "C-1")).toEqual({ dry_run: true, would_seal: "C-1" });
  expect(call("--", "--id", "C-1")).toEqual({ id: "C-1", sealed: true });
});

test("importing the package loads no other package", async () => {
  const { metafile } = await build({
    ...{
      absWorkingDir: CHECKOUT,
      entryPoints: ["generator/entry/index.ts"],
      outdir: "out",
      write: false,
      metafile: true,
    },
    ...{ bundle: true, splitting: true, format: "esm", platform: "node", packages: "external" },
    conditions: ["toolwright-source"],
  });
  const loaded = new Set<string>();
  const outside: string[] = [];
  const load = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    for (const { path, kind, external } of metafile.outputs[file]?.imports ?? []) {
      if (kind !== "import-statement") continue;
      if (!external) load(path);
      else if (!path.startsWith("node:")) outside.push(path);
    }
  };
  load("out/index.js");
  expect(outside).toEqual([]);
  expect([...loaded].reduce((sum, file) => sum + (metafile.outputs[file]?.bytes ?? 0), 0)).toBeLessThan(20_000);
});
