/** Plugins: kinds of sources and emitters from outside, as the configuration names them. */

import { describe, expect, test } from "vitest";
import { formatDiagnostic } from "../../../generator/core/diagnostic.js";
import { buildProject, hostOf, type Project, pluginProject } from "../../support/generator-host.js";

/** Reads the sections of INI files as tools. */
const INI = `export default {
  name: "ini",
  sources: [{
    kind: "ini",
    options: { type: "object", properties: { prefix: { type: "string" }, depth: { type: "integer", minimum: 1 } } },
    read: async ({ files, options }, host) => ({
      definitions: (await Promise.all(files.map(async ({ file, text }) => [
        ...text.matchAll(/^\\[(\\w+)\\]$/gm),
      ].map(([, name], i) => ({
        name: (options.prefix ?? "") + name,
        description: "Does " + name + ".",
        parameters: { type: "object", properties: {}, additionalProperties: false },
        file,
        line: i + 1,
      }))))).flat(),
    }),
  }],
};`;

const emitter = (emit: string, rest = ""): string =>
  `export default { name: "out", emitters: [{ name: "list", ${rest} emit: ${emit} }] };`;
const source = (read: string, rest = ""): string =>
  `export default { name: "in", sources: [{ kind: "ini", ${rest} read: ${read} }] };`;
/** Time limit of plugins in tests: enough to start a thread on a busy machine. */
const SHORT_MS = 4000;
const keyOf = (key: string, schema = "{}", rest = "about: 'A value.'"): string =>
  `export default { name: "a", settings: [{ key: ${key}, schema: ${schema}, ${rest} }] };`;
const ONE = 'sources: [{ ini: "*.ini", kind: read }]\n';
const said = async (project: Project, pluginMs?: number): Promise<readonly string[]> => {
  const host = { ...hostOf(project), ...(pluginMs === undefined ? {} : { pluginMs }) };
  const { diagnostics, files } = await buildProject(project, host);
  if (diagnostics.some(({ severity }) => severity === "error")) expect(files).toEqual([]);
  return diagnostics.map((one) =>
    formatDiagnostic(one)
      .replace("definitions/", "")
      .replace(/;[^;]*$/, ""),
  );
};

describe("a source", () => {
  test("gives tools of this project: pack and kind of the entry, place in its file", async () => {
    const rest = "sources:\n  - { ini: '*.ini', pack: shop, kind: read, options: { prefix: get_ } }\n";
    const { registry, diagnostics } = await buildProject(
      pluginProject(INI, rest, { "a.ini": "[one]\n[two]\n", "b.ini": "[three]\n" }),
    );
    expect(diagnostics).toEqual([]);
    expect(registry?.tools.map(({ op, kind, source }) => [op, kind, source])).toEqual([
      ["shop.get_one", "read", { kind: "local", file: "definitions/a.ini" }],
      ["shop.get_three", "read", { kind: "local", file: "definitions/b.ini" }],
      ["shop.get_two", "read", { kind: "local", file: "definitions/a.ini" }],
    ]);
  });

  test("may read other files, and name them", async () => {
    const read = `async ({ files: [{ text }] }, { read }) => {
      const file = "definitions/" + text.trim();
      const { description, ...rest } = JSON.parse(await read(file));
      if ((await read("definitions/gone.json")) !== undefined) throw new Error("it is there");
      return { definitions: [{ name: "get_far", description, parameters: { type: "object" }, ...rest, file, line: 3 }] };
    }`;
    const far = { description: "Far.", kind: "write", op: "q.far", pack: "q", annotations: { idempotentHint: true } };
    const { registry, drafts } = await buildProject(
      pluginProject(source(read), ONE, { "a.ini": "far.json\n", "far.json": JSON.stringify(far) }),
    );
    expect(
      registry?.tools.map(({ op, kind, group, annotations }) => [op, kind, group, annotations.idempotentHint]),
    ).toEqual([["q.far", "write", "q", true]]);
    expect(drafts?.[0]?.place).toEqual({ file: "definitions/far.json", line: 3, column: 1 });
  });

  test("is not called with wrong options, which are reported at their place", async () => {
    const rest = "sources:\n  - ini: '*.ini'\n    options: { prefx: a, depth: 0 }\n";
    expect(await said(pluginProject(INI, rest))).toEqual([
      "toolwright.yaml:5:16 error config-unknown-key  unknown key 'sources[0].options.prefx' (did you mean 'prefix'?)",
      "toolwright.yaml:5:26 error config-invalid  sources[0].options.depth must be an integer >= 1, got 0",
    ]);
    expect(
      await said(
        pluginProject(source("() => { throw new Error('called') }"), "sources: [{ ini: a.ini, options: { a: 1 } }]\n"),
      ),
    ).toEqual(["toolwright.yaml:3:36 error config-unknown-key  unknown key 'sources[0].options.a'"]);
  });

  test.each([
    [
      "no kind of a plugin",
      "sources: [{ inni: '*.ini' }]\n",
      "3:13 error config-unknown-key  unknown key 'sources[0].inni' (did you mean 'ini'?)",
    ],
    [
      "two kinds",
      "sources: [{ ini: '*.ini', mcp: a.json }]\n",
      "3:11 error config-invalid  sources must be one of chat-tools, functions, graphql, mcp, module, openapi in each entry, got ini and mcp",
    ],
    [
      "no pattern",
      "sources: [{ ini: [a.ini] }]\n",
      "3:13 error config-invalid  sources[0].ini must be a text that is not empty, got a list",
    ],
    ["no file", "sources: [{ ini: b.ini }]\n", "3:11 error source-empty  no file matches b.ini; correct the path"],
    [
      "options of a built-in kind",
      "sources: [{ mcp: a.json, options: {} }]\n",
      "3:26 error config-invalid  sources[0].options must be left out, since mcp is no kind of a plugin, got a map",
    ],
  ])("an entry of %s is refused", async (_, rest, line) => {
    expect(await said(pluginProject(INI, rest))).toEqual([`toolwright.yaml:${line}`]);
  });

  test("without plugins, a key that is not known is a typing error", async () => {
    const project = { ...pluginProject(INI, ONE), "toolwright.yaml": `use: []\n${ONE}` };
    expect(await said(project)).toEqual([
      "toolwright.yaml:2:13 error config-unknown-key  unknown key 'sources[0].ini'",
    ]);
  });

  test.each([
    [
      "throws",
      "() => { throw new Error('no such section\\n    at stack') }",
      "plugin-failed  the plugin ./plugin.js failed in the source ini: no such section",
    ],
    ["throws no error", "async () => { throw 7 }", "plugin-failed  the plugin ./plugin.js failed in the source ini: 7"],
    [
      "gives nothing",
      "() => {}",
      "plugin-invalid  the result of the source ini of the plugin ./plugin.js is wrong: it gives nothing that JSON can hold",
    ],
    [
      "gives a list",
      "() => []",
      "plugin-invalid  the result of the source ini of the plugin ./plugin.js is wrong: the value must be a map, got a list",
    ],
    [
      "gives what is no JSON",
      "() => ({ definitions: 1n })",
      "plugin-failed  the plugin ./plugin.js failed in the source ini: Do not know how to serialize a BigInt",
    ],
    [
      "leaves out what is required",
      "() => ({ definitions: [{ name: 'a', description: '', parameters: {} }] })",
      "plugin-invalid  the result of the source ini of the plugin ./plugin.js is wrong: definitions[0].file must be set, got nothing",
    ],
    [
      "names a file that it did not read",
      "() => ({ definitions: [{ name: 'a', description: '', parameters: {}, file: '/etc/passwd' }] })",
      'plugin-invalid  the result of the source ini of the plugin ./plugin.js is wrong: it names the file "/etc/passwd", which it did not read',
    ],
    [
      "ends its thread",
      "() => process.exit(0)",
      "plugin-failed  the plugin ./plugin.js failed in the source ini: it ended its thread",
    ],
  ])("that %s is reported at its entry", async (_, read, line) => {
    expect(await said(pluginProject(source(read), ONE))).toEqual([`toolwright.yaml:3:11 error ${line}`]);
  });

  test.each([
    ["waits for ever", "() => new Promise(() => {})"],
    ["never returns", "() => { for (;;); }"],
  ])("that %s is stopped", { tags: "full" }, async (_, read) => {
    const line =
      "error plugin-failed  the plugin ./plugin.js failed in the source ini: it did not end within 4 seconds";
    expect(await said(pluginProject(source(read), ONE), SHORT_MS)).toEqual([`toolwright.yaml:3:11 ${line}`]);
  });
});

describe("an emitter", () => {
  const emit = `({ tools }, { title = "Ops" }) => [
    { path: "docs/ops.md", text: "# " + title + "\\n" + tools.map(({ op }) => "* " + op + "\\n").join("") },
  ]`;
  const options = 'options: { type: "object", properties: { title: { type: "string", minLength: 1 } } },';
  const filesOf = async (project: Project) => (await buildProject(project)).files;
  const both = (rest = "") => ({
    "toolwright.yaml": `use: []\nplugins: [./ini.js, ./out.js]\n${ONE}${rest}`,
    "ini.js": INI,
    "out.js": emitter(emit, options),
    "a.ini": "[get_a]\n",
  });

  test("adds files beside those of the built-in ones, and the lock names them", async () => {
    const files = await filesOf(both("emitters: { list: { title: All } }\n"));
    expect(files.find(({ path }) => path === "docs/ops.md")?.text).toBe("# All\n* a.get_a\n");
    const lock = JSON.parse(files.find(({ path }) => path === "toolwright.lock")?.text ?? "");
    expect(Object.keys(lock.files)).toContain("docs/ops.md");
    const plain = await filesOf({ ...both(), "toolwright.yaml": `use: []\nplugins: [./ini.js]\n${ONE}` });
    const own = files.filter(({ path }) => path !== "docs/ops.md" && path !== "toolwright.lock");
    expect(own).toEqual(plain.filter(({ path }) => path !== "toolwright.lock"));
  });

  test("gets checked options only", async () => {
    expect(await said(both("emitters:\n  list: { title: '' }\n  lst: {}\n"))).toEqual([
      'toolwright.yaml:5:11 error config-invalid  emitters.list.title must be a text that is not empty, got ""',
      "toolwright.yaml:6:3 error config-unknown-key  unknown key 'emitters.lst' (did you mean 'list'?)",
    ]);
  });

  test.each([
    ["out of the folder", "../ops.md", "it leads out of its folder"],
    ["out of the folder, later", "a/../../ops.md", "it leads out of its folder"],
    ["absolute", "/etc/ops.md", "it is absolute, or a part of it is empty"],
    ["of a drive", "c:/ops.md", "it has a backslash or another character that not every system takes"],
    ["with backslashes", "..\\\\ops.md", "it has a backslash or another character that not every system takes"],
    ["of a device", "docs/NUL.md", "not every system takes such a name"],
    ["of the lock", "Toolwright.lock", "toolwright writes it"],
    ["too long", `${"a/".repeat(100)}b`, "it has 201 characters, and may have 200"],
  ])("cannot write a path %s", async (_, path, reason) => {
    const [line] = await said(pluginProject(emitter(`() => [{ path: "${path}", text: "" }]`)));
    expect(line).toContain(
      "toolwright.yaml:2:11 error plugin-output  the emitter list of the plugin ./plugin.js cannot",
    );
    expect(line).toContain(reason);
  });

  test.each([
    [
      "the same file",
      "OPS.ts",
      "generated/OPS.ts error output-collision  OPS.ts would be written twice, by ops and list",
    ],
    [
      "a folder",
      "ops.ts/a.md",
      "generated/ops.ts error output-collision  ops.ts would be written twice, by ops and list",
    ],
  ])("cannot write over another emitter: %s", async (_, path, line) => {
    expect(await said(pluginProject(emitter(`() => [{ path: "${path}", text: "" }]`)))).toEqual([line]);
  });

  test("that throws, or gives no files, is reported at its plugin", async () => {
    const failing = pluginProject(emitter("() => { throw new Error('no title') }"));
    expect(await said(failing)).toEqual([
      "toolwright.yaml:2:11 error plugin-failed  the plugin ./plugin.js failed in the emitter list: no title",
    ]);
    expect(await said(pluginProject(emitter("() => [{ path: 'a.md' }]")))).toEqual([
      "toolwright.yaml:2:11 error plugin-invalid  the result of the emitter list of the plugin ./plugin.js is wrong: [0].text must be set, got nothing",
    ]);
  });
});

describe("a module that is no plugin", () => {
  test.each([
    ["no default export", "export const a = 1;", "it gives nothing that JSON can hold"],
    ["no name", "export default {};", "name must be set, got nothing"],
    [
      "no function",
      "export default { name: 'a', sources: [{ kind: 'b', read: 1 }] };",
      "sources[0].read must be a function, got 1",
    ],
    [
      "a kind that is no key",
      "export default { name: 'a', sources: [{ kind: 'B c', read() {} }] };",
      '"B c" must be a lower-case letter, then up to 63 lower-case letters, digits and hyphens',
    ],
    [
      "a schema of a text",
      "export default { name: 'a', emitters: [{ name: 'b', options: { type: 'string' }, emit() {} }] };",
      "options.type must be object",
    ],
    [
      "a schema with another keyword",
      "export default { name: 'a', emitters: [{ name: 'b', options: { type: 'object', properties: { c: { pattern: 'x' } } }, emit() {} }] };",
      "in options.properties.c, unknown key 'pattern'",
    ],
    [
      "a feature whose name is no name",
      "export default { name: 'A b', serve() {} };",
      '"A b" must be a lower-case letter, then up to 63 lower-case letters, digits and hyphens',
    ],
    [
      "a feature without a function",
      "export default { name: 'a', serve: true };",
      "serve must be a function, got true",
    ],
    [
      "a command with malformed operands",
      "export default { name: 'a', commands: { b: { operands: '<c', about: 'Does it.', run() {} } } };",
      'the operands "<c" must be <name>, [name] or [names...], with blanks between them',
    ],
    [
      "a malformed key",
      keyOf('"a.__proto__"'),
      'the key "a.__proto__" must be names of lower-case letters, digits, hyphens and underscores, with dots between them',
    ],
    [
      "a key whose schema has another keyword",
      keyOf('"a.b"', "{ pattern: 'x' }"),
      "in the schema of a.b, unknown key 'pattern'",
    ],
    ["a key without a sentence", keyOf('"a.b"', "{}", ""), "settings[0].about must be set, got nothing"],
    [
      "a default that the schema refuses",
      keyOf('"a.b"', "{ type: 'integer' }", "about: 'A.', preset: '1'"),
      'in the preset of a.b, the value must be an integer, got "1"',
    ],
  ])("is refused, since it has %s", async (_, plugin, fact) => {
    expect(await said(pluginProject(plugin))).toEqual([
      `toolwright.yaml:2:11 error plugin-invalid  the default export of the plugin ./plugin.js is wrong: ${fact}`,
    ]);
  });
});

test("what features declare is written to generated/features.json, and nothing of other plugins is", async () => {
  const writtenBy = async (plugin: string) => {
    const { files, diagnostics } = await buildProject(pluginProject(plugin));
    expect(diagnostics).toEqual([]);
    return files.find(({ path }) => path === "features.json")?.text;
  };
  const settings = [{ key: "a.b", schema: { type: "integer" }, preset: 1, about: "A value." }];
  const text = await writtenBy(`export default { name: "a", settings: ${JSON.stringify(settings)}, serve() {} };`);
  expect(JSON.parse(text ?? "")).toEqual({ features: [{ name: "a", plugin: "./plugin.js", serves: true, settings }] });
  expect(await writtenBy(INI)).toBeUndefined();
});

test("of two plugins with one name the second is refused", async () => {
  const project = {
    ...pluginProject(INI),
    "other.js": INI,
    "toolwright.yaml": "use: []\nplugins: [./plugin.js, ./other.js]\nsources: []\n",
  };
  expect(await said(project)).toEqual([
    "toolwright.yaml:2:24 error plugin-collision  the plugin ./other.js adds the kind of source ini, which ./plugin.js has",
  ]);
});

test("a plugin that cannot be loaded is reported once, without what follows from it", async () => {
  expect(await said(pluginProject("export default null.x;", `${ONE}emitters: { list: {} }\n`))).toEqual([
    "toolwright.yaml:2:11 error plugin-failed  the plugin ./plugin.js failed in being loaded: Cannot read properties of null (reading 'x')",
  ]);
});

test("a plugin that never ends loading is stopped", { tags: "full" }, async () => {
  expect(await said(pluginProject("for (;;);"), SHORT_MS)).toEqual([
    "toolwright.yaml:2:11 error plugin-failed  the plugin ./plugin.js failed in being loaded: it did not end within 4 seconds",
  ]);
});
