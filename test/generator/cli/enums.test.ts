/** `toolwright enums`: values that only descriptions list are shown, and in force once they are pinned. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { enums as runEnums } from "../../../generator/cli/enums.js";
import type { CommandSetting } from "../../../generator/cli/generate.js";
import { listedValues } from "../../../generator/core/prose-values.js";
import { buildProject, errorsOf, jsonProject, registryOf, tool } from "../../support/generator-host.js";
import { temporaryFolder } from "../../support/project.js";

describe("a description that lists all values", () => {
  test.each([
    ["one of: todo, doing, done", ["todo", "doing", "done"]],
    ["State: active | archived", ["active", "archived"]],
    ["The state (active, archived, or deleted).", ["active", "archived", "deleted"]],
    ["How to sort. Must be one of 'asc' or 'desc'. Default: asc.", ["asc", "desc"]],
    ["Valid values: `new` (just made), `in_progress` (under way), `done` (closed).", ["new", "in_progress", "done"]],
    ["Cloud provider (AWS, AZURE, GCP). For networks only.", ["AWS", "AZURE", "GCP"]],
    ['Either "all" or "mine".', ["all", "mine"]],
    ["Allowed values are: A_1, A-2, and tar.gz", ["A_1", "A-2", "tar.gz"]],
  ])("gives them: %s", (text, values) => {
    expect(listedValues(text)).toEqual(values);
  });
});

describe("a description that does not", () => {
  test.each([
    "A state, e.g. todo, doing, done",
    "State: todo, doing, done, etc.",
    "One of: todo, doing, or any other state",
    "State, such as one of: todo, done",
    "Valid values include: todo, done",
    "Valid values: todo, done. Custom values are allowed.",
    "Comma-separated, one of: todo, done",
    "Either the id or the name of the task",
    "Must be one of the ids that list gives",
    "Valid values: todo, done. Leave empty for all.",
    "Options: 1, 2, 3",
    "The name. Must be DNS-friendly (letters, numbers, hyphens). ",
    "Slug of a theme (blog, shop, art) to install",
    "Valid values: a number of days, or all",
    'Full type: "base.request" or "langchain.agent"',
    "Pass at least one of the following: `name`, `title`",
    "Valid values: todo, done. Valid values: open, closed.",
    `Valid values: ${"a, ".repeat(1000)}b`,
  ])("gives none: %s", (text) => {
    expect(listedValues(text)).toBeUndefined();
  });
});

const listing = (more: object = {}): object =>
  tool("list_things", {
    state: { type: "string", description: "one of: todo, doing, done", ...more },
    tags: { type: "array", items: { type: "string" }, description: "Allowed values: red, green" },
    other: { type: ["string", "null"], description: "Valid values: x, y" },
  });

test("pinned values are those of the schema, of its items, and null where it was allowed", async () => {
  const ops = "ops: { list_things: { enums: { state: [todo, done], tags: [red, green], other: [x, y] } } }\n";
  const registry = await registryOf(jsonProject([listing()], ops));
  expect(registry.tools[0]?.parameters_schema["properties"]).toMatchObject({
    state: { type: "string", enum: ["todo", "done"] },
    tags: { type: "array", items: { enum: ["red", "green"] } },
    other: { enum: ["x", "y", null] },
  });
});

test("a pin for an argument that is not there is an error, and so is an empty one", async () => {
  const faults = async (enums: string) =>
    errorsOf((await buildProject(jsonProject([listing()], `ops: { list_things: { enums: ${enums} } }\n`))).diagnostics);
  expect(await faults("{ stat: [a] }")).toEqual([expect.stringContaining("list_things has no argument stat")]);
  expect(await faults("{ state: [] }")).toEqual([expect.stringContaining("ops.list_things.enums.state")]);
});

/** The command, in this process. */
async function enums(
  root: string,
  tools: readonly string[],
  flags: { readonly write?: boolean; readonly json?: boolean },
) {
  let printed = "";
  const print = (text: string): void => {
    printed += text;
  };
  const setting = {
    root,
    version: "0",
    by: "this test",
    home: ".onetool",
    gatewayTools: async () => [],
    templateFault: async () => undefined,
    shipped: () => "[]",
    progress: () => undefined,
    out: print,
    err: print,
    paint: (_: string, text: string) => text,
  } as unknown as CommandSetting;
  return [await runEnums(setting, tools, flags), printed];
}

test("the command shows, pins, and then has nothing left", async () => {
  const root = temporaryFolder();
  mkdirSync(join(root, "definitions"));
  const config = "# mine\nuse: []\nsources: [{ chat-tools: p.json }]\nops:\n  list_things: { kind: read } # here\n";
  writeFileSync(join(root, "definitions/toolwright.yaml"), config);
  const preset = tool("get_thing", { mode: { type: "string", description: "one of: x, y", default: "z" } });
  writeFileSync(join(root, "definitions/p.json"), JSON.stringify([listing(), preset]));

  expect(await enums(root, [], {})).toEqual([
    0,
    "TOOL         ARGUMENT  VALUES           DESCRIPTION\n" +
      "list_things  state     todo|doing|done  one of: todo, doing, done\n" +
      "list_things  tags      red|green        Allowed values: red, green\n" +
      "list_things  other     x|y              Valid values: x, y\n" +
      '3 lists that only prose gives; read them, then "toolwright enums --write" pins them in definitions/toolwright.yaml\n',
  ]);
  await expect(enums(root, ["list_thing"], {})).rejects.toThrow(
    "there is no tool list_thing; did you mean list_things?",
  );
  expect((await enums(root, ["list_things"], { write: true }))[1]).toContain(
    "pinned 3 lists in definitions/toolwright.yaml",
  );
  const pinned = readFileSync(join(root, "definitions/toolwright.yaml"), "utf8");
  expect(pinned).toContain("# mine\n");
  expect(pinned).toContain("enums: { state: [ todo, doing, done ], tags: [ red, green ], other: [ x, y ] }");
  expect(await enums(root, [], { json: true })).toEqual([0, '{"ok":true,"enums":[],"pinned":0}\n']);
});
