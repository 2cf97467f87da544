/** The emitted surfaces: hostile text stays text, names are valid, and only requested surfaces are emitted. */

import { Ajv2020 } from "ajv/dist/2020.js";
import { transformSync } from "esbuild";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { docstring } from "../../../generator/core/printer.js";
import { buildProject, jsonProject, type Project, tool } from "../../../test/support/generator-host.js";
import { pythonVersion, runPython } from "../../../test/support/generator-python.js";
import type { Json } from "../../../test/support/project.js";
import { runs } from "../../../test/support/random.js";
import { frontMatter } from "../skill.js";

const SLOW = 600_000;
const ALL = "surfaces: [skill, openai, anthropic, typescript, python]\n";

/** Texts of the emitted surfaces by path below `surfaces/`. */
async function emitted(project: Project): Promise<Readonly<Record<string, string>>> {
  const { files, registry, diagnostics } = await buildProject(project);
  if (!registry) throw new Error(JSON.stringify(diagnostics));
  const own = files.filter(({ path }) => path.startsWith("surfaces/"));
  return Object.fromEntries(own.map(({ path, text }) => [path.slice("surfaces/".length), text]));
}

const lists = (files: Readonly<Record<string, string>>): readonly Json[] => [
  JSON.parse(files["openai.json"] ?? ""),
  JSON.parse(files["anthropic.json"] ?? ""),
];

describe("what is emitted", () => {
  test("nothing unless it is asked for", async () => {
    expect(await emitted(jsonProject([tool("list_a")]))).toEqual({});
    expect(Object.keys(await emitted(jsonProject([tool("list_a")], "surfaces: [python]\n")))).toEqual(["client.py"]);
  });

  test("hidden ops are in none of them", async () => {
    const files = await emitted(
      jsonProject([tool("list_a"), tool("list_hush")], `${ALL}ops: { list_hush: { hidden: true } }\n`),
    );
    for (const [path, text] of Object.entries(files)) {
      expect(text, path).toContain("list_a");
      expect(text, path).not.toContain("hush");
    }
  });

  test("a surface of another name is refused, with the place", async () => {
    const { diagnostics } = await buildProject(jsonProject([tool("list_a")], "surfaces: [pyhton]\n"));
    expect(diagnostics[0]).toMatchObject({ severity: "error", file: "definitions/toolwright.yaml" });
    expect(diagnostics[0]?.message).toContain("python");
  });

  test("ops of expose.hot are loaded from the start, and where all are there is nothing to search", async () => {
    const some = lists(
      await emitted(jsonProject([tool("list_a"), tool("list_b")], `${ALL}expose: { hot: [p.list_a] }\n`)),
    );
    expect(some[0].tools.map(({ type, name }: Json) => name ?? type)).toEqual(["tool_search", "list_a", "p"]);
    expect(some[1].tools.map(({ name, defer_loading }: Json) => [name, defer_loading])).toEqual([
      ["tool_search_tool_bm25", undefined],
      ["list_a", undefined],
      ["list_b", true],
    ]);
    const all = lists(await emitted(jsonProject([tool("list_a")], `${ALL}expose: { hot: ["p.*"] }\n`)));
    for (const { tools } of all) expect(tools.map(({ name }: Json) => name)).toEqual(["list_a"]);
  });

  test("forms at the top are read as one object, tuples are those of 2020-12, and references lead somewhere", async () => {
    const parameters = {
      type: "object",
      properties: {
        pair: { type: "array", items: [{ type: "number" }], additionalItems: false },
        at: { $ref: "#/$defs/p" },
      },
      $defs: { p: { type: "object", properties: { x: { type: "number" } } } },
      anyOf: [{ properties: { a: { type: "string" } }, required: ["a"] }, { properties: { b: { type: "string" } } }],
    };
    const one = { type: "function", function: { name: "list_a", description: "Lists.", parameters } };
    const [openai, anthropic] = lists(await emitted(jsonProject([one], ALL)));
    const schema = anthropic.tools[1].input_schema;
    const pair = { type: "array", items: { type: "number" }, maxItems: 1 };
    expect(openai.tools[1].tools[0].parameters).toEqual({ ...schema, properties: { ...schema.properties, pair } });
    expect(schema).toEqual({
      type: "object",
      properties: {
        pair: { type: "array", prefixItems: [{ type: "number" }], items: false },
        at: { $ref: "#/$defs/p" },
        a: { type: "string" },
        b: { type: "string" },
      },
      additionalProperties: false,
      $defs: parameters.$defs,
    });
    expect(new Ajv2020({ strict: false }).compile(schema)({ pair: [1], at: { x: 1 } })).toBe(true);
  });
});

test("every list in the list for OpenAI says what its items are, which is refused without", async () => {
  const list = { type: "array" };
  const [openai] = lists(
    await emitted(
      jsonProject(
        [
          tool("list_a", {
            bare: list,
            any: { ...list, items: true },
            nullable: { type: ["array", "null"] },
            either: { anyOf: [list, { type: "string" }] },
            held: { type: "object", additionalProperties: list, properties: { items: { type: "string" } } },
            tuple: { ...list, items: [{ type: "string" }, { type: "number" }, { type: "string" }], maxItems: 3 },
            closed: { ...list, items: [{ type: "string" }], additionalItems: false, maxItems: 5 },
            text: { type: "string" },
          }),
        ],
        ALL,
      ),
    ),
  );
  const any = { type: "array", items: {} };
  expect(openai.tools[1].tools[0].parameters.properties).toEqual({
    bare: any,
    any,
    nullable: { type: ["array", "null"], items: {} },
    either: { anyOf: [any, { type: "string" }] },
    held: { type: "object", additionalProperties: any, properties: { items: { type: "string" } } },
    tuple: { type: "array", items: { anyOf: [{ type: "string" }, { type: "number" }] }, maxItems: 3 },
    closed: { type: "array", items: { type: "string" }, maxItems: 1 },
    text: { type: "string" },
  });
});

test("no op has the name of what finds the others", async () => {
  const names = ["tool_search", "tool_search_tool_bm25", "run"];
  const [openai, anthropic] = lists(
    await emitted(
      jsonProject(
        names.map((name) => tool(name)),
        ALL,
      ),
    ),
  );
  expect(anthropic.tools.map(({ name }: Json) => name)).toEqual([
    "tool_search_tool_bm25",
    ...["p_run", "p_tool_search", "p_tool_search_tool_bm25"],
  ]);
  expect(openai.ops).toEqual({
    p_run: "p.run",
    p_tool_search: "p.tool_search",
    p_tool_search_tool_bm25: "p.tool_search_tool_bm25",
  });
});

describe("the skill", () => {
  test.each([
    ["[python]", "with Python, as `pack.op(argument=1)`"],
    ["[typescript]", "with TypeScript, as `await pack.op({ argument: 1 })`"],
    [
      "[python, typescript]",
      "with Python, as `pack.op(argument=1)`; with TypeScript in a `ts` fence, as `await pack.op({ argument: 1 })`",
    ],
  ])("says how programs are written with run.languages %s", async (languages, how) => {
    const project = (config: string) => jsonProject([tool("list_a")], ALL + config);
    const [, overview] = await skillOf(project(`run: { languages: ${languages} }\n`));
    expect(overview).toContain(`- Calls whose results are filtered or joined: \`run\` ${how}\n`);
    expect(overview.includes("throws a `ToolError`")).toBe(languages.includes("typescript"));
    const [, usual] = await skillOf(project(""));
    expect(usual === overview).toBe(languages === "[python]");
  });

  const skillOf = async (project: Project): Promise<readonly [front: Json, overview: string, reference: string]> => {
    const files = await emitted(project);
    const overview = files["skill/SKILL.md"] ?? "";
    return [parse(overview.split(/^---$/m)[1] ?? ""), overview, files["skill/references/p.md"] ?? ""];
  };

  test("has the type of each argument, and repeated texts once", async () => {
    const parameters = { "task-id": { type: "string" }, limit: { type: "integer", description: "At most." }, a: {} };
    const [, , reference] = await skillOf(
      jsonProject(
        [tool("list_a", parameters)],
        `${ALL}ops: { list_a: { notes: [limit needs a.], constraints: [{ requires: { argument: limit, needs: [a] } }] } }\n`,
      ),
    );
    expect(reference).toContain("## `p.list_a`\n");
    expect(reference).toContain("- `task_id: string`\n- `limit: integer` At most.\n- `a: any`\n");
    expect(reference.match(/^- limit needs a\./gm)).toHaveLength(1);
  });

  test("is short enough to be read as a whole, however many ops and packs there are", async () => {
    const packs = Array.from({ length: 200 }, (_, i) => `pack_with_a_name_${i}`);
    const files = Object.fromEntries(packs.map((pack) => [`${pack}.json`, JSON.stringify([tool("delete_a")])]));
    const sources = packs.map((pack) => `{ chat-tools: ${pack}.json, pack: ${pack} }`);
    const [{ description }, overview] = await skillOf({
      ...files,
      "toolwright.yaml": `use: []\n${ALL}sources: [${sources.join(", ")}]\n`,
    });
    expect(description.length).toBeLessThanOrEqual(1024);
    expect(description).toMatch(
      /^Calls 200 tools in 200 packs: pack_with_a_name_0; .* more\. Use when a task needs any/,
    );
    expect(overview.split("\n").length).toBeLessThan(300);
    expect(overview).toContain("200 ops; the references say which.");
  });

  test("names the destructive ones of a few, in the reference of all", async () => {
    const [, overview, reference] = await skillOf(jsonProject([tool("delete_a"), tool("list_a")], ALL));
    expect(overview).toContain("## Destructive\n\n- `p.delete_a`\n\n");
    expect(reference.match(/^- `.*Destructive\.$/gm)).toEqual([expect.stringMatching(/^- `p\.delete_a` \(write\): /)]);
  });

  test("speaks of the tools that there are over MCP", async () => {
    const spoken = async (expose: string): Promise<readonly string[]> => {
      const [, overview] = await skillOf(jsonProject([tool("list_a")], `${ALL}expose: { ${expose} }\n`));
      return ["`tool_exec`", "`run`", "a tool of its own"].filter((one) => overview.includes(one));
    };
    expect(await spoken("")).toEqual(["`tool_exec`", "`run`"]);
    expect(await spoken("run: false")).toEqual(["`tool_exec`"]);
    expect(await spoken("gateway: false")).toEqual(["a tool of its own"]);
    expect(await spoken("gateway: false, run: true")).toEqual(["`run`", "a tool of its own"]);
  });
});

/** Text that tries to be read as something else. */
const HOSTILE = [
  ...[
    '"""',
    "'''",
    "*/",
    "/*",
    "`",
    `${"$"}{x}`,
    "-->",
    "<!--",
    "---",
    "\n---\n",
    "...",
    "\\",
    '\\"',
    "\r",
    "\r\n",
    "\n",
    "\t",
    "\0",
  ],
  ...[
    "\u202e",
    "\u2067",
    "\u2028",
    "\u2029",
    "\u0085",
    "\ufeff",
    "\u001b[0m",
    "\ud800",
    "\udc00",
    "# x",
    "|",
    ": ",
    "- ",
    "&a",
    "!!x",
    "{{ x }}",
    "%",
  ],
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "binary", maxLength: 5 })), { maxLength: 12 })
  .map((parts) => parts.join(""));
const python = describe.skipIf(pythonVersion === undefined);

python(`docstrings (${pythonVersion ?? "python3 is not installed"})`, () => {
  test("hold any text, line by line", { timeout: SLOW }, () => {
    const texts = fc.sample(text, { ...runs(20_000) });
    const sources = texts.map((one) => `def f():\n${docstring([one], "    ")}    return 1\n`);
    const found = runPython(
      "[[len(f.body), ast.get_docstring(f, clean=False), f.body[1].value.value] for f in [ast.parse(one).body[0] for one in value]]",
      sources,
    ) as readonly (readonly [number, string, number])[];
    for (const [i, [statements, doc, last]] of found.entries()) {
      const lines = (value: string): readonly string[] =>
        value.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => line.trim());
      expect([statements, last], texts[i]).toEqual([2, 1]);
      expect(lines(doc).join("\n").trimEnd(), JSON.stringify(texts[i])).toBe(
        lines(texts[i] as string)
          .join("\n")
          .trimEnd(),
      );
    }
  });
});

test("front matter holds any text", { timeout: SLOW }, () => {
  fc.assert(
    fc.property(text, text, (name, description) => {
      const [opened, front, rest, ...more] = frontMatter({ name, description }).split(/^---$/m);
      expect([opened, rest, more]).toEqual(["", "\n", []]);
      expect(parse(front ?? "")).toEqual({ name, description });
    }),
    runs(10_000),
  );
});

/** Files of code and data that turn the direction of writing. */
const turned = (files: Readonly<Record<string, string>>): readonly string[] =>
  Object.keys(files).filter((path) => !path.endsWith(".md") && /\p{Bidi_Control}/u.test(files[path] ?? ""));

const name = fc.constantFrom(
  "self",
  "class",
  "__x",
  "größe",
  "a-b",
  "_UNSET",
  "builtins",
  "constructor",
  "__proto__",
  "1st",
  "Any",
);
const hostileTool = fc.record({
  description: text.map((one) => `Lists ${one}`),
  argument: name,
  about: text,
  preset: text,
  choice: text,
});

python("surfaces of hostile definitions", () => {
  test("parse in their languages, and keep the texts", { tags: "full", timeout: SLOW }, async () => {
    const projects = fc.sample(fc.array(hostileTool, { minLength: 1, maxLength: 4 }), runs(300));
    const clients: string[] = [];
    for (const tools of projects) {
      const definitions = tools.map(({ description, argument, about, preset, choice }, i) =>
        tool(
          `list_${i}`,
          { [argument]: { enum: [...new Set([choice, preset])], description: about, default: preset } },
          {},
          description,
        ),
      );
      const config = `${ALL}packs: { p: { summary: ${JSON.stringify(tools[0]?.about)} } }\n`;
      const files = await emitted(jsonProject(definitions, config));
      clients.push(files["client.py"] ?? "");
      expect(turned(files)).toEqual([]);
      expect(transformSync(files["client.ts"] ?? "", { loader: "ts" }).code).toMatch(/const createClient = /);
      for (const { tools: listed } of lists(files)) {
        const flat: readonly Json[] = listed
          .flatMap((one: Json) => one.tools ?? [one])
          .filter(({ description }: Json) => description);
        expect(flat.map(({ description }) => description)).toEqual(tools.map(({ description }) => description));
      }
      const skill = files["skill/SKILL.md"] ?? "";
      expect(parse(skill.split(/^---$/m)[1] ?? "").name).toBe("toolwright");
      expect(skill.match(/^# /gm)).toEqual(["# "]);
    }
    const methods =
      "[n.name for n in ast.walk(ast.parse(one, feature_version=(3, 9))) if isinstance(n, ast.FunctionDef)]";
    const found = runPython(`[${methods} for one in value]`, clients) as readonly (readonly string[])[];
    for (const [i, names] of found.entries())
      expect(names.filter((one) => one.startsWith("list_"))).toEqual(projects[i]?.map((_, at) => `list_${at}`));
  });
});
