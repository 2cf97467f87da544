/** Prompts: argument values cannot break out of their place in the code, and snippets become prompts. */

import type { GetPromptResult } from "@modelcontextprotocol/client";
import fc from "fast-check";
import { ts } from "ts-morph";
import { afterAll, describe, expect, test } from "vitest";
import { runSettingsOf } from "../../../runtime/config/run-settings.js";
import type { Snippet } from "../../../runtime/contract/snippet.js";
import { PYTHON } from "../../../runtime/run/languages/python/language.js";
import { stringValue } from "../../../runtime/run/languages/python/python-text.js";
import { type PyNode, parsePython, sourceText } from "../../../runtime/run/languages/python/python-tree.js";
import { unwrapPython } from "../../../runtime/run/languages/python/unwrap.js";
import type { AddedLanguage } from "../../../runtime/run/languages/table.js";
import { wellFormed } from "../../../runtime/run/text-repr.js";
import { fixture, handler, principal } from "../../../test/runtime/gateway/fixture.js";
import { closed, toolOf } from "../../../test/runtime/gateway/fixture-tools.js";
import { connected } from "../../../test/runtime/serve/mcp/connected.js";
import { runs } from "../../../test/support/random.js";
import { runSettings } from "../../../test/support/run/languages.js";
import { TYPESCRIPT_PROGRAMS } from "../../typescript/feature.js";
import { TYPESCRIPT } from "../../typescript/language.js";
import { CODE_PROMPTS, codeMessage } from "../prompt-code.js";
import { withResources } from "./with-resources.js";

/** The code that `run` makes of a message, parsed: the shape of its tree, its comments and its texts. */
function read(message: string) {
  const unwrapped = unwrapPython(message);
  if (unwrapped.kind !== "code") throw new Error(unwrapped.message);
  const tree = parsePython(unwrapped.code);
  const named = (name: string): readonly PyNode[] => tree.nodes.filter((node) => node.name === name);
  const shape = tree.nodes.map(({ name }) => name).filter((name) => name !== "Comment");
  return {
    code: unwrapped.code,
    faults: tree.faults.length,
    // Lists differ in length: what belongs to an item is left out, since the texts are compared.
    shape: shape.filter((name) => name !== "String" && name !== "Escape" && name !== ","),
    comments: named("Comment").map((node) => sourceText(tree, node)),
    texts: named("String").map((node) => stringValue(sourceText(tree, node))),
  };
}

const loopOf = (prompt: string, given: Readonly<Record<string, string>>) =>
  (CODE_PROMPTS.get(prompt) as NonNullable<ReturnType<typeof CODE_PROMPTS.get>>).loop(given);
const codeOf = (prompt: string, given: Readonly<Record<string, string>>): string =>
  codeMessage(PYTHON.texts.callLoop(loopOf(prompt, given)), "python");

/** Texts that would leave a literal, a comment or a fence if they could. */
const HOSTILE = [
  '"',
  "'",
  '"""',
  "'''",
  "\\",
  '\\"',
  "\n",
  "\r",
  "\r\n",
  "\u2028",
  "\u2029",
  "\u0085",
  "\v",
  "\f",
  "\u0000",
  "\u001c",
  "\u007f",
  "```",
  "\n```\n",
  "``` ",
  "#",
  "# ",
  "import os",
  "\nimport os\n",
  "]",
  "], x",
  "{",
  "}",
  "{{ x }}",
  "{% raw %}",
  "f'{1}'",
  "\\n",
  "\\u0022",
  "\\N{QUOTATION MARK}",
  "__onetool__run",
  "!onetool",
  "\ud800",
  "\udc00",
  "😀",
  "​",
  "‮",
  "\ufeff",
  "\t",
  "  ",
  ",",
];
const hostile = fc.array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "grapheme" }), fc.string()), {
  minLength: 1,
  maxLength: 8,
});
const text = hostile.map((parts) => parts.join("")).filter((one) => one.trim() !== "");
/** As the prompts keep a text: well-formed, without blanks around it. */
const kept = (one: string): string => wellFormed(one).trim();

describe("no value leaves its place", () => {
  test("topics", () => {
    const plain = read(codeOf("batch_search", { topics: '["a"]' }));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (topics) => {
        const { code, ...found } = read(codeOf("batch_search", { topics: JSON.stringify(topics) }));
        expect(found).toEqual({ faults: 0, shape: plain.shape, comments: [], texts: topics.map(kept) });
        expect(code.split(/[\n\r\v\f\u0085\u2028\u2029]/u).length).toBe(5);
      }),
      runs(2000),
    );
  });

  test("addresses and instructions", () => {
    const plain = read(codeOf("transform_data", { urls: '["a"]', instruction: "b" }));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), text, (urls, instruction) => {
        const given = { urls: JSON.stringify(urls), instruction };
        const { code, comments, ...found } = read(codeOf("transform_data", given));
        expect(found).toEqual({ faults: 0, shape: plain.shape, texts: urls.map(kept) });
        expect(comments[0]).toMatch(/^# Instruction:/);
        const lines = code.split(/[\n\r\v\f\u0085\u2028\u2029]/u);
        expect(lines.slice(0, comments.length)).toEqual(comments);
        expect(lines.length).toBe(comments.length + 5);
        expect(code).not.toMatch(/(?!\n|\t)\p{Cc}/u);
      }),
      runs(2000),
    );
  });

  test("each line of an instruction is a line of comment", () => {
    const message = codeOf("transform_data", { urls: "a b", instruction: "One\n\nimport os\r\n```\u2028last " });
    expect(message.split("\n").slice(2, 7)).toEqual(["# Instruction: One", "#", "# import os", "# ```", "# last"]);
  });
});

/** The tokens of code in TypeScript: the kinds of those that are no text, the texts, and the comment before it. */
function readTypescript(code: string) {
  const file = ts.createSourceFile("a.ts", code, ts.ScriptTarget.ES2023, true);
  const kinds: ts.SyntaxKind[] = [];
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node)) texts.push(node.text);
    else kinds.push(node.kind);
    ts.forEachChild(node, visit);
  };
  visit(file);
  const faults = (file as unknown as { parseDiagnostics: readonly unknown[] }).parseDiagnostics.length;
  return { kinds, texts, faults, start: file.statements[0]?.getStart() ?? 0 };
}

describe("no value leaves its place in TypeScript", () => {
  const codeIn = (prompt: string, given: Readonly<Record<string, string>>): string =>
    TYPESCRIPT.texts.callLoop(loopOf(prompt, given));

  test("topics", () => {
    const plain = readTypescript(codeIn("batch_search", { topics: '["a"]' }));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (topics) => {
        const found = readTypescript(codeIn("batch_search", { topics: JSON.stringify(topics) }));
        expect(found).toEqual({ ...plain, texts: topics.map(kept) });
      }),
      runs(1000),
    );
  });

  test("addresses and instructions", () => {
    const plain = readTypescript(codeIn("transform_data", { urls: '["a"]', instruction: "b" }));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), text, (urls, instruction) => {
        const code = codeIn("transform_data", { urls: JSON.stringify(urls), instruction });
        const { start, ...found } = readTypescript(code);
        expect({ ...found, start: 0 }).toEqual({ ...plain, start: 0, texts: urls.map(kept) });
        for (const line of code
          .slice(0, start)
          .trimEnd()
          .split(/[\n\r\u2028\u2029]/u))
          expect(line).toMatch(/^\/\//);
      }),
      runs(1000),
    );
  });
});

describe("lists", () => {
  const urlsOf = (urls: string) => read(codeOf("transform_data", { urls, instruction: "x" })).texts;

  test.each([
    ["https://a.example", ["https://a.example"]],
    ["https://a.example, https://b.example", ["https://a.example", "https://b.example"]],
    ["https://a.example,https://b.example", ["https://a.example", "https://b.example"]],
    ["https://a.example\nhttps://b.example", ["https://a.example", "https://b.example"]],
    ["https://a.example/?q=1,2", ["https://a.example/?q=1,2"]],
    ["a.example, b.example", ["a.example", "b.example"]],
    ['["https://a.example/?q=1,2", " "]', ["https://a.example/?q=1,2"]],
  ])("addresses in %j", (given, urls) => {
    expect(urlsOf(given)).toEqual(urls);
  });

  test("topics between commas", () => {
    expect(read(codeOf("batch_search", { topics: "AI,  ML and more,," })).texts).toEqual(["AI", "ML and more"]);
  });

  test("there may be a hundred, not more", () => {
    const list = (length: number) => JSON.stringify(Array.from({ length }, (_, i) => `t${i}`));
    expect(read(codeOf("batch_search", { topics: list(100) })).texts.length).toBe(100);
    expect(() => codeOf("batch_search", { topics: list(101) })).toThrow("'topics' has 101 entries, and may have 100");
  });
});

const SNIPPETS: ReadonlyMap<string, Snippet> = new Map([
  [
    "hi",
    {
      description: "Say hi",
      parameters: new Map([
        ["name", { description: "Who", example: "Bob" }],
        ["n", { default: "3", choices: ["1", "2", "3"] }],
        ["note", { required: false }],
      ]),
      body: '"{{ name }}" * {{ n }}\n',
    },
  ],
  ["batch_search", { parameters: new Map(), body: "1\n```\n2\n" }],
  ["broken", { parameters: new Map(), body: "{{ nothing }}" }],
  ["typed", { language: "typescript", parameters: new Map([["name", {}]]), body: "`{{ name }}`" }],
]);

const ROWS = TYPESCRIPT_PROGRAMS.languages as readonly [AddedLanguage];

describe("a project whose programs are in TypeScript", async () => {
  const SEARCH = toolOf({
    ...{ op: "brave.web_search", tool: "brave_web_search", kind: "read" },
    schema: closed({ query: { type: "string" }, count: { type: "integer" } }),
  });
  const FETCH = toolOf({
    ...{ op: "web.fetch", tool: "web_fetch", kind: "read" },
    schema: closed({ url: { type: "string" } }),
  });
  const handlers = {
    "brave.web_search": handler(async ({ query, count }) => `${count} ${query}`),
    "web.fetch": handler(async ({ url }) => `the page ${url}`),
  };
  const run = { ...runSettingsOf({}), languages: ROWS };
  const options = { ...(await withResources()), languages: ROWS };
  const made = fixture({ more: [SEARCH, FETCH], handlers, options, settings: { run } });
  afterAll(() => made.gateway.close());

  test.each([
    [
      "batch_search",
      { topics: '["tides", "__proto__", "2", "say \\"hi\\"", "ML"]', count: "3" },
      '{"tides":"3 tides","__proto__":"3 __proto__","2":"3 2","say \\"hi\\"":"3 say \\"hi\\"","ML":"3 ML"}',
    ],
    [
      "transform_data",
      { urls: "https://a.example https://b.example", instruction: "Titles\n*/ of each" },
      '{"https://a.example":"the page https://a.example","https://b.example":"the page https://b.example"}',
    ],
  ])("%s is TypeScript, which runs", async (name, given, answer) => {
    const client = await connected(made);
    const { messages } = await client.getPrompt({ name, arguments: given });
    const [{ content } = { content: undefined }] = messages;
    const command = content?.type === "text" ? content.text : "";
    expect(command).toMatch(/^__onetool__run\n```typescript\n/);
    expect(await made.gateway.run({ command }, principal())).toMatchObject({ text: answer, isError: false });
  });
});

/** The ops that the code of the built-in prompts calls. */
const CALLED = ["brave.web_search", "web.fetch"].map((op) =>
  toolOf({ op, tool: op, kind: "read", schema: closed({}) }),
);

describe("snippets", async () => {
  const project = { snippets: async () => SNIPPETS };
  const settings = { run: runSettings({}) };
  const client = await connected(fixture({ project, settings, more: CALLED, options: await withResources() }));
  const get = (name: string, given: Readonly<Record<string, string>> = {}): Promise<GetPromptResult> =>
    client.getPrompt({ name, arguments: given });
  const textOfPrompt = async (name: string, given: Readonly<Record<string, string>> = {}): Promise<string> => {
    const { content } = (await get(name, given)).messages[0] ?? {};
    return content?.type === "text" ? content.text : "";
  };

  test("each is a prompt, behind ours, whose names stay free", async () => {
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual([
      "batch_search",
      "transform_data",
      "broken",
      "hi",
      "snippet_batch_search",
      "typed",
    ]);
    expect(prompts.find(({ name }) => name === "hi")).toEqual({
      name: "hi",
      description: "Say hi",
      arguments: [
        { name: "name", description: "Who", required: true },
        { name: "n", required: false },
        { name: "note", required: false },
      ],
    });
  });

  test("a built-in prompt is absent where its op is absent; its name stays free", async () => {
    const few = await connected(
      fixture({ project, more: CALLED.filter(({ op }) => op === "web.fetch"), options: await withResources() }),
    );
    const { prompts } = await few.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual([
      "transform_data",
      "broken",
      "hi",
      "snippet_batch_search",
      "typed",
    ]);
    await expect(few.getPrompt({ name: "batch_search", arguments: { topics: "a" } })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/Prompt 'batch_search' not found\.$/),
    });
    const ref = { type: "ref/prompt" as const, name: "batch_search" };
    await expect(few.complete({ ref, argument: { name: "topics", value: "" } })).rejects.toMatchObject({
      code: -32602,
    });
  });

  test("its message is the code that it becomes", async () => {
    expect(await textOfPrompt("hi", { name: "Bob" })).toBe('__onetool__run\n```python\n"Bob" * 3\n```');
    expect(await textOfPrompt("hi", { name: "Bob", n: "", note: "" })).toBe(
      '__onetool__run\n```python\n"Bob" * 3\n```',
    );
    expect(await textOfPrompt("typed", { name: "${1}" })).toBe("__onetool__run\n```typescript\n`\\$\\{1}`\n```");
    expect(read(await textOfPrompt("hi", { name: 'a" + evil() + "\n\\', n: "2" })).texts).toEqual([
      'a" + evil() + "\n\\',
    ]);
  });

  test("arguments that are more code than a run takes are refused, also where only the code is", async () => {
    const most = 262_144;
    for (const [name, given] of [
      ["hi", { name: "x".repeat(most) }],
      ["nothing", { name: "x".repeat(most) }],
      ["batch_search", { topics: "x".repeat(most) }],
      ["transform_data", { urls: "https://a.example", instruction: "é".repeat(most / 2) }],
    ] as const)
      await expect(get(name, given), name).rejects.toMatchObject({
        code: -32_602,
        message: expect.stringMatching(/its arguments have \d+ bytes, and may have 262144 \(limits\.code_bytes\)$/),
      });
    await expect(get("batch_search", { topics: "\u0001".repeat(100_000) })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringMatching(/the code has \d+ bytes, and may have 262144 \(limits\.code_bytes\)$/),
    });
    expect(await textOfPrompt("batch_search", { topics: "x".repeat(200_000) })).toContain("x".repeat(200_000));
  });

  test("a fence in the code does not end the code", async () => {
    const message = await textOfPrompt("snippet_batch_search");
    expect(message).toBe("__onetool__run\n````python\n1\n```\n2\n````");
    expect(read(message).code).toBe("1\n```\n2");
  });

  test.each([
    ["hi", {}, "hi: 'name' is required"],
    ["hi", { name: "" }, "hi: 'name' is required"],
    ["hi", { name: "a", nmae: "b" }, "hi: there is no argument 'nmae'; did you mean 'name'?"],
    ["broken", {}, "broken: snippet '$broken' uses undefined variable 'nothing'"],
    ["hii", {}, "Prompt 'hii' not found. Nearest: hi"],
    ["snippet_hi", {}, "Prompt 'snippet_hi' not found"],
    ["__proto__", {}, "Prompt '__proto__' not found"],
  ])("%s %j is refused", async (name, given, text) => {
    await expect(get(name, given)).rejects.toMatchObject({ code: -32602, message: expect.stringContaining(text) });
  });

  test.each([
    ["hi", "n", "", ["1", "2", "3"]],
    ["hi", "n", "2", ["2"]],
    ["hi", "name", "b", ["Bob"]],
    ["hi", "note", "", []],
    ["hi", "nothing", "", []],
    ["batch_search", "topics", "", []],
  ])("completion of %s %s %j", async (prompt, name, value, values) => {
    const ref = { type: "ref/prompt" as const, name: prompt };
    const { completion } = await client.complete({ ref, argument: { name, value } });
    expect(completion).toEqual({ values, total: values.length, hasMore: false });
  });

  test("there is no completion for a prompt that there is not", async () => {
    const ref = { type: "ref/prompt" as const, name: "nothing" };
    await expect(client.complete({ ref, argument: { name: "a", value: "" } })).rejects.toMatchObject({ code: -32602 });
  });
});
