/** The command line as a process: exit codes, help, `exec`, `run`, and messages for wrong input. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CHECKOUT, freshRoot, generatedRoot, temporaryFolder, toolwright } from "../../support/project.js";

const FAULTY = join(CHECKOUT, "test/support/demos/faulty/definitions");

/** A root with these files under `definitions/`. */
function rootWith(files: Readonly<Record<string, string>>): string {
  const root = temporaryFolder();
  mkdirSync(join(root, "definitions"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, "definitions", name), text);
  return root;
}

const tool = (name: string, parameters: object = { type: "object", properties: {} }): object => ({
  type: "function",
  function: { name, description: `Do ${name}.`, parameters },
});
const SOURCES = "sources:\n  - chat-tools: tools.json\n    pack: demo\n";

describe("wrong input ends with exit 2, says where and what to do, and writes nothing", () => {
  const cases: readonly (readonly [about: string, files: Readonly<Record<string, string>>, says: RegExp])[] = [
    [
      "an unknown key in toolwright.yaml",
      { "toolwright.yaml": `${SOURCES}sinonyms: {}\n`, "tools.json": JSON.stringify([tool("a")]) },
      /^definitions\/toolwright\.yaml:4:1 error config-unknown-key {2}unknown key 'sinonyms' \(did you mean 'synonyms'\?\)/m,
    ],
    [
      "two tools with one op",
      {
        "toolwright.yaml": `${SOURCES}ops:\n  a: { op: demo.same }\n  b: { op: demo.same }\n`,
        "tools.json": JSON.stringify([tool("a"), tool("b")]),
      },
      /^definitions\/tools\.json:1:\d+ error op-collision {2}demo\.same comes from a \(.*\) and b \(.*\); give one/m,
    ],
    [
      "an expression that cannot be read",
      {
        "toolwright.yaml": "sources:\n  - chat-tools: tools.ts\n",
        "tools.ts": `export const TOOLS = [\n  { type: "function", function: { name: "a", description: String(1) } },\n];\n`,
      },
      /^definitions\/tools\.ts:2:\d+ error unsupported-expression {2}a call of String cannot be read.*; write a literal/m,
    ],
    [
      "an invalid schema",
      {
        "toolwright.yaml": SOURCES,
        "tools.json": JSON.stringify([tool("a", { type: "object", properties: { x: { type: "dict" } } })]),
      },
      /^definitions\/tools\.json:1:\d+ error schema-invalid {2}.*\/properties\/x\/type.*; correct/m,
    ],
    [
      "an override for a tool that does not exist",
      {
        "toolwright.yaml": `${SOURCES}ops:\n  lost_tasks: { kind: read }\n`,
        "tools.json": JSON.stringify([tool("list_tasks")]),
      },
      /^definitions\/toolwright\.yaml:5:3 error unused-override {2}there is no tool lost_tasks; did you mean list_tasks\?/m,
    ],
  ];

  test.for(cases)("for %s", { tags: "full" }, async ([, files, says]) => {
    const root = rootWith(files);
    const { code, stdout, stderr } = await toolwright(["generate", "--root", root]);
    expect(stderr).toMatch(says);
    expect([code, stdout]).toEqual([2, ""]);
    expect(existsSync(join(root, "generated"))).toBe(false);
    const json = await toolwright(["generate", "--json", "--root", root]);
    expect(json.code).toBe(2);
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: false,
      diagnostics: expect.arrayContaining([expect.objectContaining({ severity: "error" })]),
    });
  });

  test("a folder without definitions, an unknown command, an unknown flag, arguments that are no JSON", {
    tags: "full",
  }, async () => {
    const empty = temporaryFolder();
    for (const [args, says] of [
      [
        ["generate", "--root", empty],
        /there is no project here; make one with "toolwright init", or name its folder with --root/,
      ],
      [
        ["serve", "--root", empty],
        /^error there is no project here; .*; or name tools without one with --stdio, --url, --openapi or --tools\n$/,
      ],
      [
        ["check", "--root", join(CHECKOUT, "definitions")],
        /there is no project here, but one in \.\.; go there, or name it with --root/,
      ],
      [["generat"], /unknown command 'generat'.*\n.*Did you mean generate\?/],
      [["check", "--jsno"], /unknown option '--jsno'.*\n.*--json.*\n\(see "toolwright check --help"\)/],
      [["exec", "onto.task.list", "--args", "{limit:5}"], /--args is no JSON/],
      [["exec", "onto.task.list", "limit"], /limit is neither a flag nor its value: write NAME=VALUE/],
    ] as const) {
      const { code, stderr } = await toolwright(args);
      expect(stderr).toMatch(says);
      expect(code).toBe(2);
    }
  });
});

test.each([
  ["call x --toolz tools.ts", /^error --toolz is no flag of call: did you mean --tools\?\nthere is no project here; /],
  ["exec x --alow-write", /^error --alow-write is no flag of exec: did you mean --allow-write\?\nthere is no project/],
  ["add --yess a npx server", /^error --yess is no flag of add: did you mean --yes\?\nthere is no project here; /],
  ["call x --limit 5 -- --toolz", /^error there is no project here; /],
])("without a project, %s says which flag is meant, if any", async (words, says) => {
  const { code, stderr } = await toolwright(words.split(" "), { cwd: temporaryFolder() });
  expect([code, stderr]).toEqual([2, expect.stringMatching(says)]);
});

describe("help and versions", () => {
  test("--version prints the version, --help every command with examples", { tags: "full" }, async () => {
    const { version } = JSON.parse(readFileSync(join(CHECKOUT, "package.json"), "utf8"));
    expect((await toolwright(["--version"])).stdout).toBe(`${version}\n`);
    const all = await toolwright(["--help"]);
    expect(all.code).toBe(0);
    for (const command of [
      "init",
      "snapshot",
      "generate",
      "check",
      "explain",
      "serve",
      "help",
      "exec",
      "config",
      "doctor",
    ]) {
      expect(all.stdout).toContain(`  ${command}`);
      const { code, stdout } = await toolwright([command, "--help"]);
      expect(code).toBe(0);
      expect(stdout).toContain(`Examples:\n  $ toolwright ${command}`);
      expect(stdout).toMatch(/--root <DIR>/);
    }
  });

  test("help prints for a person, and with --json what tool_help answers; no colour without a terminal", {
    tags: "full",
  }, async () => {
    const text = await toolwright(["help", "onto.task.update"]);
    expect(text.stdout).toContain("onto.task.update (write, needs --allow-write)");
    expect(text.stdout).toMatch(/task_id +\* id<task>/);
    expect(text.stdout).not.toContain("\u001b");
    expect(JSON.parse((await toolwright(["help", "util.web", "--json"])).stdout)).toMatchObject({
      type: "directory",
      path: "util.web",
    });
  });
});

describe("exec", () => {
  test("a write without --allow-write names the flag of the command, and so does run", async () => {
    const root = freshRoot();
    const remedy = "Add --allow-write to the command, or set access.allow_write.";
    const called = await toolwright(["exec", "onto.task.delete", "--task-id", "task_1", "--json", "--root", root]);
    expect(JSON.parse(called.stdout).error).toMatchObject({
      code: "PERMISSION_DENIED",
      message: `onto.task.delete writes, and writing is switched off. ${remedy}`,
    });
    const ran = await toolwright(["run", "-c", 'onto.task.delete(task_id="task_1")', "--root", root]);
    expect([ran.code, ran.stdout + ran.stderr]).toEqual([
      1,
      expect.stringContaining(`onto.task.delete changes data and writes are not allowed here. ${remedy}`),
    ]);
  });

  test("values are read by the argument's schema: text stays text, the rest is JSON", { tags: "full" }, async () => {
    const root = freshRoot();
    const exec = async (...args: readonly string[]) => {
      const { code, stdout } = await toolwright(["exec", ...args, "--json", "--root", root, "--allow-write"]);
      return { code, envelope: JSON.parse(stdout) };
    };
    const made = await exec(
      "onto.project.create",
      "--args",
      '{"entities":[],"relationships":[]}',
      "--project",
      '{"name":"123","type_key":"project.business.x"}',
    );
    expect(made).toMatchObject({ code: 0, envelope: { ok: true, result: { project: { name: "123" } } } });
    const { id } = made.envelope.result.project;
    const task = await exec(
      "onto.task.create",
      "--project-id",
      id,
      "--title",
      "42",
      "--priority",
      "1",
      "--due-at=2026-12-24",
    );
    expect(task.envelope).toMatchObject({ ok: true, result: { task: { title: "42", priority: 1 } } });
    const cleared = await exec("onto.task.update", "--task_id", task.envelope.result.task.id, "--due-at", "null");
    expect(cleared.envelope).toMatchObject({ ok: true, result: { task: { due_at: null, version: 2 } } });
    const refused = await exec("onto.task.list", "--limit", "twenty");
    expect(refused).toMatchObject({ code: 1, envelope: { ok: false, error: { code: "VALIDATION_ERROR" } } });
    const previewed = await exec("onto.task.delete", "--task-id", task.envelope.result.task.id, "--dry-run");
    expect(previewed.envelope.result).toMatchObject({ dry_run: true });
    expect((await exec("onto.task.get", "--task-id", task.envelope.result.task.id)).code).toBe(0);
  });
});

describe("doctor and stale code", () => {
  test("doctor reports the project and unbound handlers, and exits with 0 if there is nothing to fix", async () => {
    const root = await generatedRoot(FAULTY);
    const { code, stdout } = await toolwright(["doctor", "--root", root]);
    expect(stdout).toMatch(
      /ok +handlers +6 of 7 bound; the others answer UNAVAILABLE\n +needs a person: bind in definitions\/handlers\.ts: demo: unplugged\n/,
    );
    expect(code).toBe(0);
    writeFileSync(join(root, "definitions", "handlers.ts"), "export const handlers = nothing;\n");
    const broken = JSON.parse((await toolwright(["doctor", "--json", "--root", root])).stdout);
    expect(broken.ok).toBe(false);
    expect(broken.findings.find((one: { what: string }) => one.what === "handlers")).toMatchObject({
      ok: false,
      remedy: expect.any(String),
    });
  });

  test("a definition that changed since the last generate is reported by serve and doctor, and found by check", {
    tags: "full",
  }, async () => {
    const root = await generatedRoot(FAULTY);
    const file = join(root, "definitions", "tools.json");
    expect((await toolwright(["check", "--root", root])).code).toBe(0);
    writeFileSync(file, readFileSync(file, "utf8").replace("Never answer.", "Answer never."));
    expect((await toolwright(["serve", "--root", root])).stderr).toMatch(
      /older than definitions\/tools\.json.*toolwright generate/,
    );
    expect((await toolwright(["doctor", "--root", root])).stdout).toMatch(
      /FAIL fresh +older than definitions\/tools\.json/,
    );
    expect((await toolwright(["check", "--root", root])).code).toBe(1);
  });

  test.for([
    ["without a package.json and without toolwright beside it", undefined],
    ["whose package.json calls .js files CommonJS", "commonjs"],
  ] as const)("a project %s is served all the same", { tags: "full" }, async ([, type]) => {
    const root = rootWith({});
    if (type) writeFileSync(join(root, "package.json"), JSON.stringify({ type }));
    for (const name of ["toolwright.yaml", "tools.json", "handlers.ts"])
      writeFileSync(join(root, "definitions", name), readFileSync(join(FAULTY, name), "utf8"));
    expect((await toolwright(["generate", "--root", root])).code).toBe(0);
    const { stdout } = await toolwright([
      "exec",
      "demo.answer",
      "--text",
      "ab",
      "--count",
      "2",
      "--root",
      root,
      "--json",
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, result: { text: "abab" } });
  });
});

describe("packs and their handlers", () => {
  const handlers = (body: string): string =>
    `const unbound = (file) => Object.assign(async () => { throw Object.assign(new Error("unbound in " + file), { name: "ToolFailure", code: "UNAVAILABLE" }); }, { unbound: file });\nexport const handlers = { ${body} };\n`;
  const call = async (root: string, op: string) =>
    JSON.parse((await toolwright(["exec", op, "--json", "--root", root])).stdout);

  test("a pack whose name is no identifier keeps its summary and finds its handlers", { tags: "full" }, async () => {
    const root = rootWith({
      "toolwright.yaml":
        'use: []\nsources: [{ chat-tools: tools.json, pack: my-pack, kind: read, handlers: h.mjs }]\npacks: { my-pack: { summary: "Mine." } }\n',
      "tools.json": JSON.stringify([tool("get_a")]),
      "h.mjs": handlers('"my_pack.get_a": async () => "done"'),
    });
    expect((await toolwright(["generate", "--strict", "--root", root])).code).toBe(0);
    expect(await call(root, "my_pack.get_a")).toMatchObject({ ok: true, result: "done" });
    const help = JSON.parse((await toolwright(["help", "", "--full", "--json", "--root", root])).stdout);
    expect(help.items).toEqual([expect.objectContaining({ group: "my_pack", summary: "Mine." })]);
  });

  test("two handler files of one pack share its ops; a broken file of another pack is no matter", {
    tags: "full",
  }, async () => {
    const root = rootWith({
      "toolwright.yaml":
        "sources:\n  - { chat-tools: a.json, pack: p, kind: read, handlers: a.mjs }\n  - { chat-tools: b.json, pack: p, kind: read, handlers: b.mjs }\n  - { chat-tools: other.json, kind: read, handlers: broken.mjs }\n",
      "a.json": JSON.stringify([tool("get_a")]),
      "b.json": JSON.stringify([tool("get_b")]),
      "other.json": JSON.stringify([tool("get_c")]),
      "a.mjs": handlers('"p.get_a": async () => "a", "p.get_b": unbound("a.mjs")'),
      "b.mjs": handlers('"p.get_a": unbound("b.mjs"), "p.get_b": async () => "b"'),
      "broken.mjs": "export const handlers = {};\nthrow new Error('broken');\n",
    });
    expect((await toolwright(["generate", "--root", root])).code).toBe(0);
    expect((await call(root, "p.get_a")).result).toBe("a");
    expect((await call(root, "p.get_b")).result).toBe("b");
    expect((await call(root, "other.get_c")).error.code).toBe("INTERNAL");
  });

  test("a flag without its value, a wrong log level and a wrong state are usage errors", { tags: "full" }, async () => {
    for (const [args, says] of [
      [["exec", "onto.task.search", "--search", "--json"], /--search has no value/],
      [["exec", "onto.task.list", "--log-level", "silly"], /Allowed choices are trace, debug/],
      [
        ["exec", "onto.task.list", "--state", "done"],
        /a postgres:\/\/ URL\. .* exec onto\.task\.list -- --state "done"$/m,
      ],
      [["run", "-c", "1", "--state", "/tmp/x.db"], /state must be a postgres:\/\/ URL/],
    ] as const) {
      const { code, stderr } = await toolwright(args);
      expect(stderr).toMatch(says);
      expect(code).toBe(2);
    }
    const found = JSON.parse(
      (await toolwright(["exec", "search_onto_tasks", "--query", "42", "--json", "--root", freshRoot()])).stdout,
    );
    expect(found).toMatchObject({
      ok: true,
      meta: { warnings: [expect.stringMatching(/^op_alias/), expect.stringMatching(/^arg_renamed/)] },
    });
  });
});

describe("explain", () => {
  test("prints the errors of the definitions, and explains what it can", { tags: "full" }, async () => {
    const root = rootWith({
      "toolwright.yaml": `use: []\n${SOURCES}ops:\n  get_thing: { kind: read }\n`,
      "tools.json": JSON.stringify([tool("get_things"), { type: "function" }]),
    });
    const known = await toolwright(["explain", "get_things", "--root", root]);
    expect(known.stdout).toMatch(/^demo\.get_things {2}from get_things at /);
    expect([known.code, known.stderr]).toEqual([
      0,
      expect.stringMatching(/^definitions\/tools\.json:1:\d+ error not-a-tool/),
    ]);
    const lost = await toolwright(["explain", "create_thing", "--root", root]);
    expect(lost.stderr).toMatch(
      /error not-a-tool.*\n1 error, 0 warnings\. There is no op, tool or alias create_thing among/,
    );
    expect([lost.code, lost.stdout]).toEqual([2, ""]);
  });
});
