/**
 * The generator on real MCP servers of others, in one registry, through the command line: a twentieth of the snapshots of
 * the corpora, `SCALE=1` all of them.
 */

import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Registry, Tool } from "../../runtime/contract/registry.js";
import type { Ran } from "../support/commands.js";
import { compile } from "../support/compile.js";
import { hasCorpora, type SnapshotFile, snapshotFiles } from "../support/corpora.js";
import { pythonVersion, runPython } from "../support/generator-python.js";
import { CHECKOUT, type Json, temporaryFolder, toolwright } from "../support/project.js";
import { randomOf, SCALE, shuffled } from "../support/random.js";

/** A root with these snapshots, and this package installed. */
function rootWith(files: readonly SnapshotFile[], remove: (clean: () => void) => void): string {
  const root = temporaryFolder(remove);
  mkdirSync(join(root, "definitions/servers"), { recursive: true });
  writeFileSync(join(root, "definitions/toolwright.yaml"), "use: []\nsources: [{ mcp: servers/*.json }]\n");
  for (const [name, text] of files) writeFileSync(join(root, "definitions/servers", name), text);
  mkdirSync(join(root, "node_modules"));
  symlinkSync(CHECKOUT, join(root, "node_modules/toolwright"));
  return root;
}

/** Ops whose stub, or whose signature as help shows it, does not take all arguments by name, or the required ones alone. */
const REFUSED = `
import functools, inspect

def takes(function, names):
    try:
        return bool(inspect.signature(function).bind(None, **{name: 0 for name in names}))
    except TypeError:
        return False

def refused(stubs, calls):
    space = {"__annotations__": {}}
    exec("from __future__ import annotations\\n" + stubs, space)
    below = lambda at, part: space[at.__annotations__[part]]
    def stub(op):
        pack, *path, action = op.split(".")
        owner = functools.reduce(below, path, space[space["__annotations__"][pack]])
        # Inside a class, Python spells __name as _Class__name.
        return vars(owner).get(action) or vars(owner)["_" + owner.__name__.lstrip("_") + action]
    def shown(one):
        head, rest = one["signature"].split("(", 1)
        made = {}
        exec("from __future__ import annotations\\ndef shown(self, " + rest + ": ...", made)
        return made["shown"]
    return [one["op"] for one in calls for make in (lambda one: stub(one["op"]), shown)
            for names in (one["names"], one["required"]) if not takes(make(one), names)]
`;

type Judge = (value: unknown) => boolean;

/** A validator refuses what is no object, and takes the examples of its op that hold no placeholder. */
function expectVerdicts({ op, parameters_schema, examples }: Tool, validator: Judge | undefined): void {
  expect(validator?.("no object"), op).toBe(parameters_schema["type"] === undefined);
  for (const { args } of examples.filter((one) => !JSON.stringify(one.args).includes('"<')))
    expect(validator?.(args), `${op} ${JSON.stringify(args)}`).toBe(true);
}

const MINUTES = { timeout: 600_000 };
const cleaners: (() => void)[] = [];
const later = (clean: () => void): void => void cleaners.push(clean);
const snapshots = (): readonly SnapshotFile[] => {
  const all = snapshotFiles();
  return shuffled(all, randomOf(7)).slice(0, Math.max(8, Math.round(all.length * Math.min(1, SCALE))));
};

describe.skipIf(!hasCorpora)(hasCorpora ? `at scale ${SCALE}` : "../shared/corpora is not there", () => {
  let root = "";
  let ran: Ran;
  let registry: Registry;
  const read = (path: string): string => readFileSync(join(root, "generated", path), "utf8");
  const tools = (): readonly Tool[] => registry.tools;
  const files = (): readonly string[] =>
    readdirSync(join(root, "generated"), { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map((one) => join(one.parentPath, one.name).slice(join(root, "generated").length + 1));

  beforeAll(async () => {
    root = rootWith(snapshots(), later);
    ran = await toolwright(["generate", "--root", root, "--json"]);
    registry = JSON.parse(read("registry.json"));
  }, MINUTES.timeout);
  afterAll(() => {
    for (const clean of cleaners) clean();
  });

  test("[GEN-1.2] every tool of every server is in the registry, without an error", () => {
    expect(ran.code, ran.stderr).toBe(0);
    const expected = snapshots().flatMap(([name, text]) =>
      JSON.parse(text).tools.map((one: Json) => [`definitions/servers/${name}`, one.name].join(" ")),
    );
    expect(
      tools()
        .map((one) => `${one.source.file} ${one.tool_name}`)
        .sort(),
    ).toEqual(expected.sort());
  });

  test("[GEN-2.1] the registry of real servers compiles under tsc --strict", MINUTES, () => {
    expect(compile(root, ["generated"]).slice(0, 2000)).toBe("");
  });

  test("[GEN-2.2] every op of a real server maps to its tool, a line each", () => {
    const lines = new Set(read("ops.ts").split("\n"));
    for (const { op, tool_name } of tools())
      expect(lines).toContain(`  ${JSON.stringify(op)}: ${JSON.stringify(tool_name)},`);
  });

  test("[GEN-2.3] every op of a real server has a help page that begins with it", () => {
    const heading = (text: string): string => text.slice(0, text.indexOf("\n"));
    for (const { op, kind } of tools())
      expect(heading(read(`help/${op}.md`)).replaceAll("\\", "")).toBe(`# ${op} (${kind})`);
  });

  test("[GEN-2.4] stubs of real servers parse as Python, and every signature can be called", ({ skip }) => {
    if (!pythonVersion) return skip("python3 is not installed");
    const calls = tools().map(({ op, parameters, signature }) => ({
      op,
      signature: signature.python,
      names: parameters.map((one) => one.name),
      required: parameters.filter((one) => one.required).map((one) => one.name),
    }));
    expect(runPython("refused(value['stubs'], value['calls'])", { stubs: read("stubs.pyi"), calls }, REFUSED)).toEqual(
      [],
    );
  });

  test(
    "[GEN-2.5] validators of real servers load as plain ESM, each under 300 kB, and refuse what is no object",
    MINUTES,
    async () => {
      for (const pack of registry.packs) {
        const text = read(`validators/${pack.name}.js`);
        expect(text, pack.name).not.toMatch(/\brequire\(/);
        for (const block of text.split(/^export const (?=\w+ = \/\*@__PURE__)/m).slice(1))
          expect(block.length, block.slice(0, 80)).toBeLessThan(300_000);
        const file = pathToFileURL(join(root, "generated/validators", `${pack.name}.js`)).href;
        const { validators } = (await import(/* @vite-ignore */ file)) as {
          validators: Record<string, (value: unknown) => boolean>;
        };
        const own = tools().filter((one) => one.group === pack.name);
        expect(Object.keys(validators).sort()).toEqual(own.map((one) => one.op).sort());
        for (const one of own) expectVerdicts(one, validators[one.op]);
      }
    },
  );

  test("[GEN-3.1] files and tools in any order give the same bytes, for real servers as well", {
    ...MINUTES,
    tags: "slow",
  }, async () => {
    const random = randomOf(11);
    const permuted = shuffled(snapshots(), random).map(([name, text]): SnapshotFile => {
      const { tools: listed, ...rest } = JSON.parse(text);
      return [name, JSON.stringify({ tools: shuffled(listed, random), ...rest })];
    });
    const other = rootWith(permuted, later);
    expect((await toolwright(["generate", "--root", other])).code).toBe(0);
    for (const file of files())
      expect(readFileSync(join(other, "generated", file), "utf8") === read(file), file).toBe(true);
  });
});
