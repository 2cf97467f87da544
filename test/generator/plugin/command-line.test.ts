/** Plugins on the disk: TypeScript files and packages, through the command line and the programmatic API. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { build, generate } from "../../../generator/entry/index.js";
import { type Json, serve, temporaryFolder, toolwright } from "../../support/project.js";

const PREFIX = 'export const PREFIX: string = "get_";\n';
/** A plugin of two files of the project and one of a package. */
const FILES: Readonly<Record<string, string>> = {
  "definitions/toolwright.yaml":
    "use: []\nplugins: [./plugins/lines.ts, out-plugin]\nsources: [{ lines: tools.txt, kind: read }]\n",
  "definitions/tools.txt": "one\ntwo\n",
  "definitions/plugins/prefix.ts": PREFIX,
  "definitions/plugins/lines.ts": `import { PREFIX } from "./prefix.ts";
    console.log("loading");
    interface Line { readonly file: string; readonly text: string }
    export default {
      name: "lines",
      sources: [{ kind: "lines", read: ({ files: [file] }: { files: Line[] }) => ({
        definitions: file!.text.trim().split("\\n").map((name, i) => ({
          name: PREFIX + name, description: "Gets it.", parameters: { type: "object" }, file: file!.file, line: i + 1,
        })),
      }) }],
    };`,
  "node_modules/out-plugin/package.json":
    '{ "name": "out-plugin", "version": "1.0.0", "type": "module", "exports": { "import": "./index.js" } }',
  "node_modules/out-plugin/index.js": `export default { name: "out", emitters: [{
    name: "list", emit: ({ tools }) => [{ path: "list.txt", text: tools.map(({ op }) => op + "\\n").join("") }],
  }] };`,
};

function project(files: Readonly<Record<string, string>> = {}): string {
  const root = temporaryFolder();
  for (const [path, text] of Object.entries({ ...FILES, ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

test("generate writes what plugins add; a change of a file or a package of a plugin is a change; check finds drift", {
  tags: "full",
  timeout: 120_000,
}, async () => {
  const root = project();
  const first = await toolwright(["generate", "--root", root, "--json"]);
  expect([first.code, first.stderr]).toEqual([0, "loading\n"]);
  expect(JSON.parse(first.stdout)).toMatchObject({ ok: true, ops: 2 });
  const list = join(root, "generated/list.txt");
  expect(readFileSync(list, "utf8")).toBe("tools.get_one\ntools.get_two\n");

  // Nothing changed: no plugin is loaded.
  expect(await toolwright(["generate", "--root", root])).toMatchObject({ code: 0, stderr: "" });
  expect(await toolwright(["check", "--root", root])).toMatchObject({ code: 0 });

  writeFileSync(join(root, "definitions/plugins/prefix.ts"), PREFIX.replace("get_", "list_"));
  const drift = await toolwright(["check", "--root", root]);
  expect([drift.code, drift.stdout]).toEqual([1, expect.stringContaining("stale    generated/list.txt")]);
  await toolwright(["generate", "--root", root]);
  expect(readFileSync(list, "utf8")).toBe("tools.list_one\ntools.list_two\n");

  const packaged = join(root, "node_modules/out-plugin/index.js");
  writeFileSync(packaged, readFileSync(packaged, "utf8").replaceAll("list.txt", "other.txt"));
  await toolwright(["generate", "--root", root]);
  expect([existsSync(list), existsSync(join(root, "generated/other.txt"))]).toEqual([false, true]);

  const explained = await toolwright(["explain", "tools.list_one", "--root", root]);
  expect(explained.stdout).toContain("from list_one at definitions/tools.txt:1:1");
});

test("a server never loads a plugin", { timeout: 120_000, tags: "full" }, async () => {
  const root = project();
  expect((await toolwright(["generate", "--root", root])).code).toBe(0);
  writeFileSync(join(root, "definitions/plugins/lines.ts"), 'throw new Error("loaded");');
  const served = await serve(root);
  const { value } = await served.call("tool_help", { path: "tools.get_one" });
  expect(value).toMatchObject({ type: "op", usage: "tools.get_one(**arguments)" });
  expect(served.stderr()).not.toContain("Error: loaded");
  await served.close();
});

test("build gives files, diagnostics and registry, and writes nothing; generate says what changed", {
  tags: "full",
}, async () => {
  const root = project();
  const built = await build({ root });
  expect([built.ok, built.diagnostics, built.registry?.tools.map(({ op }) => op)]).toEqual([
    true,
    [],
    ["tools.get_one", "tools.get_two"],
  ]);
  expect(built.files.find(({ path }) => path === "list.txt")?.text).toBe("tools.get_one\ntools.get_two\n");
  expect(existsSync(join(root, "generated"))).toBe(false);
  const paths = built.files.map(({ path }) => path);
  const { written, ...rest } = await generate({ root });
  expect([...written].sort()).toEqual([...paths].sort());
  expect(rest).toMatchObject({ ok: true, deleted: [], unchanged: 0 });
  expect(await generate({ root })).toMatchObject({ ok: true, written: [], deleted: [], unchanged: paths.length });
  writeFileSync(
    join(root, "definitions/toolwright.yaml"),
    "use: []\nplugins: [./plugins/lines.ts]\nsources: [{ lines: tools.txt }]\n",
  );
  const changed = await generate({ root, strict: true });
  expect(changed).toMatchObject({ ok: true, deleted: ["list.txt"] });
});

/** A project of tools, and a feature of a package beside one of its own. */
const FEATURES: Readonly<Record<string, string>> = {
  "definitions/toolwright.yaml":
    'use: []\nplugins: [./limit.mjs, "@acme/audit"]\nlimit: { per_hour: 5 }\nsources: [{ functions: notes.ts, kind: read }]\n',
  "definitions/notes.ts": "/** Gets the notes. */\nexport const getNotes = (): string[] => [];\n",
  "definitions/limit.mjs": featureText("limit", "limit.per_hour"),
  "node_modules/@acme/audit/package.json":
    '{ "name": "@acme/audit", "version": "1.0.0", "type": "module", "exports": "./index.js" }',
  "node_modules/@acme/audit/index.js": featureText("audit", "audit.file", "string"),
};

function featureText(name: string, key: string, type = "integer"): string {
  const setting = `{ key: "${key}", schema: { type: "${type}" }, about: "A value." }`;
  return `export default { name: "${name}", settings: [${setting}], serve: () => { throw new Error("served"); } };`;
}

test("features of files and of packages declare keys, and no command runs their serve", { tags: "full" }, async () => {
  const root = project(FEATURES);
  const early = await toolwright(["config", "--root", root]);
  expect(early.code).toBe(2);
  expect(early.stderr).toMatch(
    /toolwright\.yaml:3:1 .*unknown key 'limit'.*; if a plugin declares it, run "toolwright generate"/,
  );
  expect(await toolwright(["generate", "--root", root])).toMatchObject({ code: 0, stderr: "" });
  const { features } = JSON.parse(readFileSync(join(root, "generated/features.json"), "utf8"));
  expect(features.map(({ name, plugin }: Json) => [name, plugin])).toEqual([
    ["limit", "./limit.mjs"],
    ["audit", "@acme/audit"],
  ]);
  const listed = JSON.parse((await toolwright(["features", "--json", "--root", root])).stdout).features;
  expect(listed.slice(-2)).toMatchObject([
    { name: "limit", origin: "./limit.mjs", adds: { settings: 1, serve: true }, active: false },
    { name: "audit", origin: "@acme/audit", active: false },
  ]);
  const config = await toolwright(["config", "--root", root]);
  expect([config.code, config.stdout]).toEqual([0, expect.stringContaining("limit:\n  per_hour: 5\n")]);
  const served = await serve(root);
  expect((await served.call("tool_exec", { op: "notes.getNotes" })).value).toMatchObject({ ok: true });
  for (const [i, name] of ["limit", "audit"].entries())
    expect(served.stderr()).toMatch(
      new RegExp(`toolwright.yaml:2:\\d+ plugins\\[${i}\\] is .*feature ${name} is not served`),
    );
  await served.close();
  writeFileSync(
    join(root, "definitions/toolwright.yaml"),
    "use: []\nplugins: []\nsources: [{ functions: notes.ts, kind: read }]\n",
  );
  expect((await toolwright(["features", "--root", root])).stdout).not.toContain("audit");
  await toolwright(["generate", "--root", root]);
  expect(existsSync(join(root, "generated/features.json"))).toBe(false);
});

test("a command of a feature is listed in its project, and runs with trust only", { tags: "full" }, async () => {
  const commandsText = (name: string) =>
    `export default { name: "${name}", commands: { show: { operands: "<caller> [days...]", about: "show the calls of a caller",
      run: async ({ root, config, out }, ...words) => (out(JSON.stringify({ root, config, words }) + "\\n"), 3) } } };`;
  const root = project({
    "definitions/toolwright.yaml": "use: []\nplugins: [./limit.mjs]\nsources: []\ntrust: none\n",
    "definitions/limit.mjs": commandsText("limit"),
  });
  const at = (...words: readonly string[]) => toolwright([...words, "--root", root]);
  expect((await at("generate")).code).toBe(0);
  expect((await at("--help")).stdout).toContain("the feature limit (./limit.mjs)");
  expect((await toolwright(["--help"])).stdout).not.toContain("the feature limit");
  expect((await at("limit", "show", "--help")).stdout).toContain("limit show [options] <caller> [days...]");
  const refused = await at("limit", "show", "anna");
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("runs only with trust: local")]);
  const file = join(root, "definitions/toolwright.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace("none", "local"));
  const shown = await at("limit", "show", "anna", "1", "2");
  expect([shown.code, JSON.parse(shown.stdout)]).toEqual([3, { root, config: {}, words: ["anna", ["1", "2"]] }]);
  expect((await at("limit", "show")).stderr).toContain("missing required argument 'caller'");
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace("./limit.mjs", "./other.mjs"));
  const gone = await at("limit", "show", "anna");
  expect([gone.code, gone.stdout, gone.stderr]).toEqual([
    2,
    "",
    expect.stringContaining("`plugins` does not name the feature limit (./limit.mjs) any more"),
  ]);
  writeFileSync(file, text);

  writeFileSync(join(root, "definitions/limit.mjs"), commandsText("list"));
  const conflict = await at("generate");
  expect([conflict.code, conflict.stderr]).toEqual([
    2,
    expect.stringContaining(
      "feature-conflict: the feature list (./limit.mjs) adds the command list, which toolwright has",
    ),
  ]);
});

test.each([
  ["one name", "limit", "limit.file", "the feature limit (@acme/audit) has the name of another one (./limit.mjs)"],
  [
    "one key",
    "audit",
    "limit.per_hour",
    "the feature audit (@acme/audit) declares the key limit.per_hour, which the feature limit (./limit.mjs) has",
  ],
  [
    "a key of toolwright",
    "audit",
    "trust",
    "the feature audit (@acme/audit) declares the key trust, which toolwright has",
  ],
  [
    "a key below none",
    "audit",
    "audits.file",
    "the feature audit (@acme/audit) declares the key audits.file below one that nothing declares",
  ],
])(
  "two features of %s are a conflict: nothing is written, nothing is served",
  {
    tags: "full",
  },
  async (_, name, key, conflict) => {
    const root = project(FEATURES);
    expect((await toolwright(["generate", "--root", root])).code).toBe(0);
    const file = join(root, "generated/features.json");
    const before = readFileSync(file, "utf8");
    writeFileSync(join(root, "node_modules/@acme/audit/index.js"), featureText(name, key));
    const refusal = { code: 2, stdout: "", stderr: expect.stringContaining(`error feature-conflict: ${conflict}`) };
    expect(await toolwright(["generate", "--root", root])).toEqual(refusal);
    expect(readFileSync(file, "utf8")).toBe(before);
    // As a merge of two branches may write it.
    const [first, second] = JSON.parse(before).features;
    const clashing = { ...second, name, settings: [{ ...second.settings[0], key }] };
    writeFileSync(file, JSON.stringify({ features: [first, clashing] }));
    expect(await toolwright(["serve", "--stdio", "--root", root])).toEqual(refusal);
  },
);

test("a fault is a result of build and generate: nothing is thrown, nothing is written", { tags: "full" }, async () => {
  const root = project({ "definitions/toolwright.yaml": "sources: [{ lines: tools.txt }]\n" });
  for (const one of [build, generate]) {
    const { ok, files, registry, diagnostics } = await one({ root });
    expect([ok, files, registry, diagnostics.map(({ code }) => code)]).toEqual([
      false,
      [],
      undefined,
      ["config-unknown-key"],
    ]);
  }
  expect(existsSync(join(root, "generated"))).toBe(false);
});

test.each([
  [
    "a syntax error",
    { "definitions/plugins/prefix.ts": "export const PREFIX = ;\n" },
    'definitions/plugins/prefix.ts:1:23 error plugin-failed  the plugin ./plugins/lines.ts failed in its code: Unexpected ";"',
  ],
  [
    "no default export",
    { "definitions/plugins/lines.ts": "export const a = 1;\n" },
    'definitions/toolwright.yaml:2:11 error plugin-failed  the plugin ./plugins/lines.ts failed in its code: No matching export in "definitions/plugins/lines.ts" for import "default"',
  ],
  [
    "an import that leads nowhere",
    { "definitions/plugins/prefix.ts": 'export * from "gone-package";\n' },
    'definitions/plugins/prefix.ts:1:15 error plugin-failed  the plugin ./plugins/lines.ts failed in its code: Could not resolve "gone-package"',
  ],
])("a plugin with %s is reported where it is", { tags: "full" }, async (_, files, line) => {
  const { diagnostics } = await build({ root: project(files) });
  const said = diagnostics.map(
    ({ file, line, column, severity, code, message }) => `${file}:${line}:${column} ${severity} ${code}  ${message}`,
  );
  expect(said).toEqual([line]);
});

test.each(["./gone.ts", "gone-package", "/etc/plugin.js", "https://example.com/a.js", "node:fs", "~/a.js", "@a", "#a"])(
  "a plugin %s is refused",
  async (name) => {
    const yaml = `use: []\nplugins: [${JSON.stringify(name)}]\nsources: []\n`;
    const { diagnostics } = await build({ root: project({ "definitions/toolwright.yaml": yaml }) });
    const reason = ["./gone.ts", "gone-package"].includes(name)
      ? "cannot be found"
      : "is neither a relative path nor the name of a package";
    expect(diagnostics.map(({ line, column, message }) => [line, column, message])).toEqual([
      [2, 11, `the plugin ${name} ${reason}`],
    ]);
  },
);

test("the same bytes in another folder", { tags: "full" }, async () => {
  const [here, there] = await Promise.all([build({ root: project() }), build({ root: join(project(), ".") })]);
  expect(there.files).toEqual(here.files);
  expect(here.files.length).toBeGreaterThan(5);
});

test("the last --root counts for commands of features too, and none behind --", async () => {
  const root = temporaryFolder();
  mkdirSync(join(root, "generated"));
  const features = [{ name: "limit", plugin: "./limit.mjs", settings: [], commands: { show: { about: "Shows it." } } }];
  writeFileSync(join(root, "generated/features.json"), JSON.stringify({ features }));
  const empty = temporaryFolder();
  for (const flags of [
    ["--root", empty, "--root", root],
    [`--root=${root}`, "--", "--root", empty],
  ])
    expect(await toolwright(["limit", "show", "--help", ...flags])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Shows it."),
    });
});
