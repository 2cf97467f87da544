/** The project of a stored object, as packs declare it: which packs are asked, and what their modules export. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { StoredObjects } from "../../../runtime/contract/pack.js";
import type { Registry } from "../../../runtime/contract/registry.js";
import type { Tables } from "../../../runtime/contract/tables.js";
import { type PackObjects, packModules } from "../../../runtime/gateway/pack-modules.js";
import { storedProjects } from "../../../runtime/gateway/stored-projects.js";
import type { State } from "../../../runtime/state/open.js";
import { temporaryFolder } from "../../support/project.js";

const tablesOf = (name: string): Tables => ({ name, versions: [] });

/** A pack that knows some objects, and what was done in order. */
function pack(done: string[], name: string, kinds: readonly string[], ids: RegExp | undefined): PackObjects {
  const objects: StoredObjects = {
    kinds,
    ...(ids ? { ids } : {}),
    async projectOf(_, kind, id) {
      done.push(`${name} ${kind} ${id}`);
      return id.startsWith(name) ? `project of ${name}` : undefined;
    },
    projectExists: async (_, id) => id === `${name}_p`,
  };
  return { objects, tables: tablesOf(name) };
}

function asked() {
  const done: string[] = [];
  const state = {
    ensure: async ({ name }: Tables) => void done.push(`tables of ${name}`),
    transaction: async (mode: string, run: (tx: unknown) => Promise<unknown>) => {
      done.push(mode);
      return run({});
    },
  } as unknown as State;
  const packs = [pack(done, "a", ["note", "folder"], /^a_/g), pack(done, "b", ["note"], undefined)];
  return {
    done,
    ...storedProjects(
      async () => state,
      async () => packs,
    ),
  };
}

test("packs are asked whose kinds and ids fit, with their tables in place, until one knows the object", async () => {
  const { done, projectOf } = asked();
  expect(await projectOf("note", "b_1")).toBe("project of b");
  expect(done.splice(0)).toEqual(["tables of b", "read", "b note b_1"]);
  expect(await projectOf("note", "a_1")).toBe("project of a");
  expect(done.splice(0)).toEqual(["tables of a", "tables of b", "read", "a note a_1"]);
  expect(await projectOf("", "a_1")).toBe("project of a");
  expect(done.splice(0)).toContain("a  a_1");
  expect(await projectOf("folder", "b_1")).toBeUndefined();
  expect(await projectOf("stone", "a_1")).toBeUndefined();
  expect(done).toEqual([]);
});

test("a project exists if a pack knows it", async () => {
  const { exists } = asked();
  expect(await Promise.all(["a_p", "b_p", "c_p"].map(exists))).toEqual([true, true, false]);
});

/** The objects that a project declares with this text in a handlers module. */
function declared(text: string, target: "project" | "global" = "project") {
  const root = temporaryFolder();
  mkdirSync(join(root, "definitions"));
  writeFileSync(join(root, "definitions", "handlers.mjs"), `export const handlers = {};\n${text}\n`);
  const tool = { op: "notes.get", group: "notes", target, source: { kind: "local", file: "definitions/tools.json" } };
  const registry = { tools: [tool] } as unknown as Registry;
  const config = { sources: [{ "chat-tools": "tools.json", pack: "notes", handlers: "handlers.mjs" }] };
  return packModules({ root, registry, config, shipped: () => undefined }).objects();
}

const OBJECTS =
  "export const storedObjects = { kinds: ['note'], projectOf: async () => 'p', projectExists: async () => true };";

test("a module exports its objects; one whose ops are all global is not asked", async () => {
  const [found] = await declared(
    `${OBJECTS}\nexport const tables = { name: "notes", versions: [{ version: 1, statements: () => [] }] };`,
  );
  expect([found?.objects.kinds, found?.tables?.name]).toEqual([["note"], "notes"]);
  expect(await declared(OBJECTS, "global")).toEqual([]);
  expect(await declared("")).toEqual([]);
});

test.each([
  ["export const storedObjects = { kinds: ['note'] };", "exports `storedObjects` in another form"],
  [`${OBJECTS}\nexport const tables = ['a'];`, "exports `tables` that are not the tables of a pack"],
])("another form is refused: %s", async (text, message) => {
  await expect(declared(text)).rejects.toThrow(message);
});

test("the data of a preview is asked in place of the state database", async () => {
  const { done, projectOf } = asked();
  const data = {
    ensure: async ({ name }: Tables) => void done.push(`previewed tables of ${name}`),
    transaction: async (_: string, run: (tx: never) => Promise<unknown>) => {
      done.push("previewed");
      return run({} as never);
    },
  } as unknown as State;
  expect(await projectOf("note", "b_1", data)).toBe("project of b");
  expect(done).toEqual(["previewed tables of b", "previewed", "b note b_1"]);
});
