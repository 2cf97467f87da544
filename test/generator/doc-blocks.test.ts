/**
 * Every fenced block of the README, `docs/` and the other pages in the root does what it says: commands run, TypeScript compiles,
 * Python runs or parses, JSON parses, configuration fits its schema (`doc-snippets.test.ts`). What cannot be tried here is excused
 * by name.
 */

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildSchema, validateSchema } from "graphql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { compile } from "../support/compile.js";
import { type Block, blocksIn, type Command, commandsOf, docBlocks } from "../support/doc-blocks.js";
import { eachCase } from "../support/each-case.js";
import { type HttpServed, serveHttp } from "../support/http.js";
import { CHECKOUT, temporaryFolder, toolwright } from "../support/project.js";
import { keyIds, shell } from "./doc-shell.js";

const SLOW = { timeout: 180_000 };

/** Blocks that are no code, by page and first line. */
const DRAWINGS: ReadonlyMap<string, string> = new Map([
  ["README.md definitions/  ──read──▶", "a drawing of the folders"],
  ["CONTRIBUTING.md definitions/           the worked", "a tree; doc-links.test.ts looks for its files"],
  ["docs/architecture.md flowchart LR", "a drawing of the architecture"],
  ["docs/programs.md Error at line 5", "an answer, in the form that `test/runtime/run/written.test.ts` states"],
]);

/** Pages of which a test of their own writes, compiles and runs every block, with that test. */
const TESTED_WHOLE: ReadonlyMap<string, string> = new Map([
  ["docs/approvals.md", "test/runtime/cli/approvals-guide.test.ts"],
  ["docs/embedding.md", "test/package/embedding.test.ts"],
  ["docs/extending.md", "test/package/extending.test.ts"],
  ["docs/identity-provider.md", "test/runtime/access/guide.test.ts"],
]);

/** The file that `test/definitions/user-tables.test.ts` takes from docs/adding-a-tool.md, and calls. */
const NOTES_HANDLERS = "// definitions/notes/handlers.ts\nimport";

/** Commands that cannot run in a test, with the reason. */
const EXCUSED: ReadonlyMap<RegExp, string> = new Map([
  [/^npm install <path of a checkout, or tarball/, "names a place that the reader chooses"],
  [/^npm install && npm (?:start|test)\b/, "installs packages and runs all tests: CI does it"],
  [/^node --cpu-prof/, "names the program of an installed package, which takes a build"],
]);

const firstLine = ({ text }: Block): string => text.split("\n")[0] ?? "";

type Way = "commands" | "graphql" | "json" | "python" | "typescript" | "yaml" | "program" | "drawing" | "whole";

/** Pages whose TypeScript and Python are programs for `run`. */
const PROGRAM_PAGES: readonly string[] = ["docs/programs.md", "docs/typescript.md"];

/** How a block is checked; undefined if no check takes it. */
function wayOf(block: Block): Way | undefined {
  if ([...DRAWINGS.keys()].some((name) => `${block.page} ${block.text}`.startsWith(name))) return "drawing";
  if (TESTED_WHOLE.has(block.page) || block.text.startsWith(NOTES_HANDLERS)) return "whole";
  if (/^(?:ts|py)$/.test(block.language) && PROGRAM_PAGES.includes(block.page)) return "program";
  if (block.language === "sh") return "commands";
  if (block.language === "console") return block.text.startsWith("$ ") ? "commands" : "json";
  return {
    graphql: "graphql",
    json: "json",
    py: "python",
    python: "python",
    ts: "typescript",
    yaml: "yaml",
    yml: "yaml",
  }[block.language] as Way | undefined;
}

const BLOCKS = docBlocks();
const taken = (way: Way): readonly Block[] => BLOCKS.filter((one) => wayOf(one) === way);
const named = (block: Block): readonly [string, Block] => [`${block.page}:${block.line}`, block];

test.each(taken("graphql").map(named))("%s is a GraphQL schema", (_, { text }) => {
  expect(validateSchema(buildSchema(text))).toEqual([]);
});

test("every block is checked, or is a drawing", () => {
  const unknown = BLOCKS.filter((one) => wayOf(one) === undefined);
  expect(unknown.map((one) => `${one.page}:${one.line} ${one.language}`)).toEqual([]);
  expect(taken("drawing")).toHaveLength(DRAWINGS.size);
  for (const [page, file] of TESTED_WHOLE) {
    expect(
      taken("whole").some((one) => one.page === page),
      page,
    ).toBe(true);
    expect(readFileSync(join(CHECKOUT, file), "utf8")).toContain(page);
  }
  expect(BLOCKS.length).toBeGreaterThan(30);
  const [first, second] = blocksIn("x.md", "a\n```\nb\n```\n\n````js\nc\n````\n");
  expect([first, second].map((one) => one && [one.line, one.text, wayOf(one)])).toEqual([
    [2, "b\n", undefined],
    [6, "c\n", undefined],
  ]);
});

/** JSON as it stands in a page: comments before it, `…` for what is left out, members without their braces. */
function readJson(text: string): unknown {
  const bare = text.replace(/^\/\/.*\n/gm, "").replace(/,?\s*…(?=\s*[}\]])/g, "");
  return JSON.parse(/^\s*"/.test(bare) ? `{${bare}}` : bare);
}

test.each(taken("json").map(named))("%s is JSON, whole or line by line", (_at, { text }) => {
  const lines = text.trim().split("\n");
  const isLines = lines.length > 1 && lines.every((line) => line.startsWith("{"));
  for (const one of isLines ? lines : [text]) expect(() => readJson(one)).not.toThrow();
});

test.each(taken("yaml").map(named))("%s is YAML", (_at, { text }) => {
  expect(() => parse(text)).not.toThrow();
});

const cleaners: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaners.push(clean);
let root = "";
let empty = "";
let served: HttpServed;

/** A project with this repository's definitions and clients for TypeScript and Python, in a repository of git. */
async function builtProject(): Promise<string> {
  const folder = temporaryFolder(later);
  const definitions = join(folder, "definitions");
  mkdirSync(definitions);
  for (const name of readdirSync(join(CHECKOUT, "definitions")))
    symlinkSync(
      join(CHECKOUT, "definitions", name),
      join(definitions, name === "toolwright.yaml" ? "base.yaml" : name),
    );
  for (const name of ["docs", "runtime"]) symlinkSync(join(CHECKOUT, name), join(folder, name));
  writeFileSync(
    join(definitions, "toolwright.yaml"),
    `include: [base.yaml]\nsurfaces: [typescript, python]\nrun: { languages: [python, typescript] }\n`,
  );
  installed(folder);
  const { code, stderr } = await toolwright(["generate", "--root", folder]);
  if (code !== 0) throw new Error(stderr);
  writeFileSync(join(folder, ".gitignore"), "node_modules\n.onetool\n");
  const git = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];
  for (const args of [
    ["init", "-q", "-b", "main"],
    ["add", "."],
    [...git, "commit", "-q", "-m", "Start"],
  ])
    execFileSync("git", args, { cwd: folder });
  return folder;
}

/** Installs toolwright and the server of files in a folder, as npm would. */
function installed(folder: string): void {
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, ".bin"), { recursive: true });
  symlinkSync(CHECKOUT, join(modules, "toolwright"));
  symlinkSync(join(CHECKOUT, "node_modules/@modelcontextprotocol"), join(modules, "@modelcontextprotocol"));
  symlinkSync(join(CHECKOUT, "node_modules/zod"), join(modules, "zod"));
  symlinkSync(join(CHECKOUT, "node_modules/.bin/mcp-server-filesystem"), join(modules, ".bin/mcp-server-filesystem"));
  const launcher = join(modules, ".bin/toolwright");
  writeFileSync(launcher, `#!/bin/sh\nexec '${process.execPath}' '${join(CHECKOUT, "generator/launch.mjs")}' "$@"\n`);
  chmodSync(launcher, 0o755);
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "dependencies": { "toolwright": "0.0.0" } }\n');
}

beforeAll(async () => {
  root = await builtProject();
  empty = temporaryFolder(later);
  installed(empty);
  served = await serveHttp(root, ["--allow-write"], async (clean) => later(clean));
}, SLOW.timeout);
afterAll(async () => {
  for (const clean of cleaners.reverse()) await clean();
});

/** What a page finds when its first command runs: the folder, and what is written there before. */
const PLACES: Readonly<Record<string, () => string>> = {
  "README.md": () => empty,
  "docs/getting-started.md": () => empty,
  // Its keys would lock the server of the other pages.
  "docs/deploying.md": () => {
    const folder = temporaryFolder(later);
    for (const name of ["definitions", "generated", "node_modules", "package.json", "runtime"])
      symlinkSync(join(root, name), join(folder, name));
    return folder;
  },
  "docs/snippets.md": () => {
    const folder = temporaryFolder(later);
    mkdirSync(join(folder, "definitions"));
    for (const name of ["generated", "node_modules", "package.json", "runtime"])
      symlinkSync(join(root, name), join(folder, name));
    for (const name of readdirSync(join(root, "definitions")))
      symlinkSync(join(root, "definitions", name), join(folder, "definitions", name));
    const [file] = taken("yaml").filter((one) => firstLine(one) === "# definitions/snippets.yaml");
    writeFileSync(join(folder, "definitions/snippets.yaml"), file?.text ?? "");
    return folder;
  },
  "docs/adding-a-tool.md": () => {
    const [servers] = taken("yaml").filter(
      (one) => one.page === "docs/adding-a-tool.md" && firstLine(one) === "servers:",
    );
    startAnew();
    mkdirSync(join(empty, "definitions"));
    const sources = "use: [ot]\nsources: [{ mcp: servers/*.json }]\n";
    writeFileSync(join(empty, "definitions/toolwright.yaml"), `${sources}${servers?.text}`);
    return empty;
  },
};

/** The project of the section on names: its definitions and configuration stand in blocks that begin with their paths. */
function namesProject(): string {
  const folder = temporaryFolder(later);
  mkdirSync(join(folder, "definitions"));
  installed(folder);
  const files = BLOCKS.flatMap((one) => {
    const [, path] = /^(?:\/\/|#) (definitions\/(?:onto\.ts|toolwright\.yaml))$/.exec(firstLine(one)) ?? [];
    return one.page === "docs/adding-a-tool.md" && path !== undefined ? [[path, one.text] as const] : [];
  });
  const project = new Map(
    [...files].reverse().filter(([path, text]) => path.endsWith(".ts") || text.includes("chat-tools: onto.ts")),
  );
  expect([...project.keys()].sort()).toEqual(["definitions/onto.ts", "definitions/toolwright.yaml"]);
  for (const [path, text] of project) writeFileSync(join(folder, path), text);
  return folder;
}

/** The project of the section on values that only prose lists: one tool, whose argument is the one that the section shows. */
function enumsProject(): string {
  const folder = temporaryFolder(later);
  mkdirSync(join(folder, "definitions"));
  installed(folder);
  const state = { type: "string", description: "one of: todo, doing, done" };
  const parameters = { type: "object", properties: { state } };
  const things = { type: "function", function: { name: "list_things", description: "List things.", parameters } };
  writeFileSync(join(folder, "definitions/things.json"), JSON.stringify([things]));
  writeFileSync(join(folder, "definitions/toolwright.yaml"), "sources: [{ chat-tools: things.json }]\n");
  return folder;
}

/** Commands that run in a project of their own, whatever their page is. */
const PROJECTS: ReadonlyMap<string, () => string> = new Map([
  ["toolwright names", namesProject],
  ["toolwright enums", enumsProject],
]);

/** Leaves in the empty folder what `init` starts from: the file of a client. */
function startAnew(): void {
  for (const name of ["definitions", "generated", ".gitattributes", ".onetool"])
    rmSync(join(empty, name), { recursive: true, force: true });
  const files = { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "."] };
  writeFileSync(join(empty, ".mcp.json"), JSON.stringify({ mcpServers: { files } }));
}

/** The file `tools.ts` of a page. */
const toolsFile = (page: string): string =>
  BLOCKS.find((one) => one.page === page && firstLine(one) === "// tools.ts")?.text ?? "";

/** What is there when a command runs. */
function prepare(page: string, line: string, cwd: string): void {
  if (line.startsWith("toolwright init")) startAnew();
  if (line.includes("./telemetry.mjs")) writeFileSync(join(cwd, "telemetry.mjs"), "");
  if (line.includes("tools.ts")) writeFileSync(join(cwd, "tools.ts"), toolsFile(page));
}

/** Exit codes other than 0 that a command is documented to have. */
const CODES: ReadonlyMap<RegExp, number> = new Map([
  [/^toolwright snapshot/, 1], // A variable is not set.
  [/^toolwright run --check/, 1], // It finds something.
  [/^toolwright runs (?:approve|resolve|resume|show|stop)/, 1], // There is no such run.
]);
const codeOf = (line: string, shown: string): number =>
  shown.startsWith("Error: ") ? 1 : ([...CODES].find(([one]) => one.test(line))?.[1] ?? 0);

/** A command as it runs here: without npm, on a free port, at the test's server, with consent. */
const prepared = (line: string): string =>
  line
    .replace(/^npm exec --no -- /, "")
    .replace("--http 8080", "--http 0")
    .replace("http://127.0.0.1:8080", served.url.replace(/\/+(?:mcp)?$/, ""))
    .replace(/^toolwright add /, "toolwright add --yes ")
    .replace(/^(toolwright connect .*) --write\b/, "$1 --write --yes");

/** Whether a command prints exactly what the page shows. */
const isExact = ({ line, output }: Pick<Command, "line" | "output">): boolean =>
  /^toolwright (?:enums|init)\b/.test(line) || output.startsWith("Error: ");

const COMMANDS = taken("commands").flatMap(commandsOf);
const isExcused = ({ line }: Command): boolean => [...EXCUSED.keys()].some((one) => one.test(line));

/** An output without the version of the registry, which every change of a shipped op changes. */
const printed = (output: string): string => output.trim().replace(/registry [0-9a-f]{12}$/m, "registry …");

/** Checks how a command ended, and what it printed, as far as the page says it. */
function expectEnd(
  { line, output: shown }: Pick<Command, "line" | "output">,
  code: number | null,
  output: string,
): void {
  const expected = codeOf(line, shown);
  expect({ line, code, output: code === expected ? "" : output }).toEqual({ line, code: expected, output: "" });
  if (shown !== "" && isExact({ line, output: shown })) expect(printed(output)).toBe(printed(shown));
  // A request that is refused is no fault of curl.
  if (line.startsWith("curl")) expect(output).toContain('"ok":true');
}

/** Runs the commands of a page one after the other; ids of keys that the page shows stand for those of this run. */
async function runAll(commands: readonly Command[], cwd: string): Promise<void> {
  const ids = new Map<string, string>();
  const projects = new Map<string, string>();
  for (const { page, line: said, output: shown } of commands) {
    const line = [...ids].reduce((text, [old, id]) => text.replaceAll(old, id), prepared(said));
    prepare(page, line, cwd);
    const [own, project] = [...PROJECTS].find(([command]) => line.startsWith(command)) ?? [];
    if (own !== undefined && project && !projects.has(own)) projects.set(own, project());
    const { code, output } = await shell(line, projects.get(own ?? "") ?? cwd);
    expectEnd({ line, output: shown }, code, output);
    for (const [at, id] of keyIds(shown).entries()) ids.set(id, keyIds(output)[at] ?? id);
  }
}

describe("commands", () => {
  eachCase([...new Set(COMMANDS.map((one) => one.page))], "README.md", "docs/ci.md")(
    "of %s run",
    { ...SLOW, tags: "slow" },
    async (page) => {
      const commands = COMMANDS.filter((one) => one.page === page && !isExcused(one));
      await runAll(commands, PLACES[page]?.() ?? root);
    },
  );

  test("each excuse is needed", () => {
    for (const [excuse] of EXCUSED)
      expect(
        COMMANDS.some(({ line }) => excuse.test(line)),
        String(excuse),
      ).toBe(true);
  });
});

/** What stands before and after a piece of TypeScript, by its first line. */
const TYPESCRIPT: Readonly<Record<string, (text: string) => string>> = {
  "// definitions/onto/find.ts": (text) =>
    `import { IN_PROJECT, LIMIT_50, TASK_STATE } from "./definitions/onto/fields.js";\nvoid [IN_PROJECT, LIMIT_50, TASK_STATE];\n${text}`,
  "// definitions/packs/shop.ts": (text) =>
    `import type { Context } from "toolwright/codegen";\ninterface Order { id: string }\n${text.replaceAll("{ … }", '{ throw new Error("…"); }')}`,
  // The types are those of the sources, in short: to compile the runtime takes a minute.
  "const COUNT = {": (
    text,
  ) => `type GatewayTool = { name: string; definition: object; about: string; usage: object; offered: object };
declare const RUN: GatewayTool, HELP: GatewayTool, EXEC: GatewayTool, BATCH: GatewayTool;\n${text}`,
  "tool_count({": (
    text,
  ) => `type Help = { type: "directory"; items: readonly unknown[] } | { type: "op" } | { error: object };
declare const isHelpFailure: (help: Help) => help is { error: object };
interface Given { gateway: { help(input: object, principal: object, session: object): Help };
  principal: object; input: unknown; hooks: { session: object } }
export const ANSWERS: Record<string, (given: Given) => { value: object; isError: boolean }> = {\n${text}\n};`,
  "const CALLS: Notation": (text) => `interface Notation { name: string; words: readonly string[];
  accepts(text: string, fence?: string): boolean; read(text: string): { kind: "code"; code: string } }
declare const SNIPPET: Notation, PYTHON_ITSELF: Notation;\n${text}`,
  "// definitions/packs/count.ts": (text) =>
    text.replace(
      /^import type .*$/m,
      "interface Context { host: { view(principal: object): { listed: readonly object[] } }; principal: object }\ntype ShippedBindings = object;",
    ),
  "// definitions/executor.ts": (text) =>
    text.replace(
      'import { runTool } from "../src/tools.js";',
      "declare const runTool: (tool: string, args: object, signal: unknown) => Promise<unknown>;",
    ),
  '// definitions/tools.ts\nimport { z } from "zod"': (text) =>
    text.replace(
      /^import .*orders.js";$/m,
      "declare const orders: { find(args: object): Promise<object> };\ndeclare global { interface URL { readonly href: string } }",
    ),
  // A version that the page appends to those of the file before it.
  "// definitions/notes/handlers.ts\n    {": (text) => `export const versions = [\n${text}];`,
  "import { createClient, httpCall }": (text) => `declare const console: { log(...values: unknown[]): void };\n${text}`,
  "// generated/ops.ts": (text) => `export const OPS = {\n${text}\n};`,
};

test("TypeScript compiles", SLOW, () => {
  const files = taken("typescript").map((block) => {
    const [, before = (text: string) => text] =
      Object.entries(TYPESCRIPT).find(([first]) => block.text.startsWith(first)) ?? [];
    const name = `${block.page.replace(/\W+/g, "-")}-${block.line}.ts`;
    writeFileSync(join(root, name), `${before(block.text)}\nexport {};\n`);
    return name;
  });
  expect(files.length).toBeGreaterThan(4);
  expect(compile(root, files)).toBe("");
});

test.each(taken("program").map(named))("%s runs, and answers what it says behind →", SLOW, async (_at, block) => {
  const file = join(root, `program.${block.language}`);
  writeFileSync(file, block.text);
  const { stdout } = await toolwright(["run", file, "--root", root]);
  const said = [...block.text.matchAll(/^(?:\/\/|#) → (.*)$/gm)].map(([, line]) => line).join("\n");
  if (said === "") expect(stdout).not.toMatch(/^Error/);
  else expect(stdout.trimEnd()).toBe(said);
});

/** What tries a piece of Python, by its first line. */
const PYTHON: Readonly<Record<string, (text: string) => Promise<unknown>>> = {
  "# run": async (text) => {
    const { code, stdout, stderr } = await toolwright(["run", "--root", root, "--check", "-c", text]);
    expect([code, stdout + stderr]).toEqual([0, expect.anything()]);
  },
  "# generated/stubs.pyi": async (text) =>
    execFileSync("python3", ["-c", "import ast, sys; ast.parse(sys.stdin.read())"], { input: text }),
  '"""Greetings."""': async (text) => {
    mkdirSync(join(root, ".onetool/tools"), { recursive: true });
    writeFileSync(join(root, ".onetool/tools/greet.py"), text);
    const { stdout } = await toolwright(["exec", "greet.hello", "--root", root, "--name", "Ann", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, result: "Hello Ann!" });
  },
  "from client import": async (text) => {
    const env = { ...process.env, PYTHONPATH: join(root, "generated/surfaces"), PYTHONDONTWRITEBYTECODE: "1" };
    execFileSync("python3", ["-c", prepared(text)], { env });
  },
};

test.each(taken("python").map(named))("%s runs", { tags: "full", ...SLOW }, async (_at, block) => {
  const attempt = Object.entries(PYTHON).find(([first]) => firstLine(block).startsWith(first))?.[1];
  expect(attempt, `no way to try ${firstLine(block)}`).toBeDefined();
  await attempt?.(block.text);
});
