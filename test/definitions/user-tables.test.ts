/**
 * The tables of a user's own pack: the example of docs/adding-a-tool.md, in a project of its own.
 *
 * @module-tag full
 */

import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { DATABASES } from "../runtime/state/databases.js";
import { columnsOf, tablesOf } from "../runtime/state/raw.js";
import { pageText, section } from "../support/doc-pages.js";
import { CHECKOUT, type Json, temporaryFolder, toolwright } from "../support/project.js";

const SLOW = 240_000;

/** The snippets of the section, by language. */
const [YAML = "", TOOLS = "", HANDLERS = "", SECOND = ""] = [
  ...section(pageText("docs/adding-a-tool.md"), "Tables of a pack").matchAll(/^```\w+\n((?:.*\n)*?)```$/gm),
].map(([, text = ""]) => text);

const FIRST_ENDS = "not null)`],\n    },\n";

/** The handlers with both versions of the tables. */
const upgraded = (): string => {
  expect(HANDLERS.split(FIRST_ENDS).length).toBe(2);
  return HANDLERS.replace(FIRST_ENDS, `${FIRST_ENDS}${SECOND.replace(/^\/\/.*\n/, "")}`);
};

/** A project with the tools of the section, not generated yet. */
function notesRoot(): string {
  const root = temporaryFolder();
  mkdirSync(join(root, "definitions", "notes"), { recursive: true });
  mkdirSync(join(root, "node_modules"));
  symlinkSync(CHECKOUT, join(root, "node_modules", "toolwright"));
  writeFileSync(join(root, "definitions", "notes", "tools.ts"), TOOLS);
  return root;
}

const writeHandlers = (root: string, text: string): void =>
  writeFileSync(join(root, "definitions", "notes", "handlers.ts"), text);

/** The envelope of a call through the command line. */
async function exec(root: string, op: string, args: object = {}): Promise<Json> {
  const { stdout, stderr } = await toolwright([
    ...["exec", op, "--args", JSON.stringify(args), "--allow-write", "--json", "--root", root],
  ]);
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout);
}

describe.each(DATABASES)("tables of a pack on $name", (database) => {
  test.skipIf(database.skip)(
    "are created at the first call, and keep their rows when a version is added",
    { tags: "full", timeout: SLOW },
    async () => {
      const place = await database.place();
      onTestFinished(() => place.remove());
      const root = notesRoot();
      // The embedded database is the project's own.
      const at = { root, url: place.url };
      const state = place.url === "" ? "" : `state: ${JSON.stringify(place.url)}\n`;
      writeFileSync(join(root, "definitions", "toolwright.yaml"), `${YAML}use: [ot, oubliette]\n${state}`);
      writeHandlers(root, HANDLERS);
      expect(await toolwright(["generate", "--root", root])).toMatchObject({ code: 0 });

      expect(await exec(root, "notes.add_note", { body: "first" })).toMatchObject({ ok: true, result: { id: 1 } });
      expect(await columnsOf(at)).not.toContainEqual(expect.stringMatching(/^notes_entries stars/));
      writeHandlers(root, upgraded());
      expect((await exec(root, "notes.list_notes")).result).toEqual({ notes: [{ id: 1, body: "first", stars: 0 }] });
      expect((await tablesOf(at)).filter((name) => /^(notes|oubliette|onto)_/.test(name))).toEqual(["notes_entries"]);

      writeHandlers(root, HANDLERS);
      const older = await exec(root, "notes.list_notes");
      expect(older.error).toMatchObject({
        code: "UNAVAILABLE",
        message: expect.stringContaining("have version 2, this project knows 1"),
      });
    },
  );
});

test("a new project of a user has no table of the example", { timeout: SLOW }, async () => {
  const root = notesRoot();
  const made = await toolwright(["init", "--yes", "--root", root], { cwd: root });
  expect(made, made.stderr).toMatchObject({ code: 0 });
  const config = join(root, "definitions", "toolwright.yaml");
  writeFileSync(
    config,
    readFileSync(config, "utf8").replace(
      /^( *)- chat-tools: .*$/m,
      "$&\n$1  pack: notes\n$1  handlers: notes/handlers.ts",
    ),
  );
  writeHandlers(root, HANDLERS);
  expect(await toolwright(["generate", "--root", root])).toMatchObject({ code: 0 });
  await exec(root, "ot.stats");
  const tables = await tablesOf({ root, url: "" });
  expect(tables).toContain("ledger");
  expect(tables.filter((name) => /^(notes|oubliette|onto)_/.test(name))).toEqual([]);
});
