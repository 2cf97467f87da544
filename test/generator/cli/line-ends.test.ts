/** A checkout with the line ends of Windows gives what the same files give elsewhere. */

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder, toolwright } from "../../support/project.js";

const FILES = {
  "toolwright.yaml": `use: []
sources:
  - { functions: packs/*.ts }
  - { chat-tools: tools.ts, pack: t, kind: read, handlers: handlers.ts }
  - { graphql: api.graphql, url: "https://a.example/graphql", pack: g }
  - { openapi: api.yaml, pack: a, server: "https://a.example" }
packs:
  t:
    summary: |
      Two lines
      of a summary.
`,
  "packs/notes.ts": `/**
 * Lists notes,
 * in two lines.
 *
 * @param tag the tag,
 *   also in two lines
 * @returns notes
 * @kind read
 */
export function list(tag: string): string[] {
  return [tag];
}

export interface Note {
  /** A text
   * in two lines. */
  readonly text: string;
}

/**
 * Reads one.
 * @example
 * get({ id: "a" })
 */
export const get = async (id: string): Promise<Note> => ({ text: id });
`,
  "tools.ts": `export const TOOLS = [
  {
    type: "function",
    function: {
      name: "list_things",
      description: \`Lists things.
Do not guess:
- ask first\`,
      parameters: { type: "object", properties: {} },
    },
  },
];
`,
  "handlers.ts": 'export const handlers = {\n  "t.list_things": async () => [],\n};\n',
  "api.graphql": 'type Query {\n  """\n  Two lines\n  of text.\n  """\n  thing(id: ID): String\n}\n',
  "api.yaml": `openapi: 3.1.0
info: { title: A, version: "1" }
paths:
  /a:
    get:
      operationId: getA
      description: |
        Two lines
        of text.
      responses: { "200": { description: ok } }
`,
  "snippets.yaml": "greet:\n  description: Greets\n  body: |\n    a = 1\n    a\n",
  "prompts.yaml": "instructions: |\n  Two lines\n  of text.\n",
} as const;

test("check finds no drift, and generate writes nothing", async () => {
  const root = temporaryFolder();
  const write = (end: string): void => {
    for (const [name, text] of Object.entries(FILES)) {
      mkdirSync(join(root, "definitions", dirname(name)), { recursive: true });
      writeFileSync(join(root, "definitions", name), text.replaceAll("\n", end));
    }
  };
  write("\n");
  const first = await toolwright(["generate", "--root", root]);
  expect(first.code, first.stderr).toBe(0);
  rmSync(join(root, ".onetool"), { recursive: true });
  write("\r\n");
  const checked = await toolwright(["check", "--root", root]);
  expect([checked.code, checked.stdout]).toEqual([0, expect.stringContaining("is up to date")]);
  const again = await toolwright(["generate", "--json", "--root", root]);
  expect(JSON.parse(again.stdout)).toMatchObject({ ok: true, written: [], deleted: [] });
  for (const file of readdirSync(join(root, "generated"), { recursive: true, withFileTypes: true }))
    if (file.isFile()) expect(readFileSync(join(file.parentPath, file.name), "utf8"), file.name).not.toContain("\r");
});
