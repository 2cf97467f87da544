/** The packs that come with the package. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { shippedPacks } from "../../../generator/source/shipped.js";
import { shippedText } from "../../../generator/source/write-shipped.js";
import { SHIPPED_PACKS } from "../../../runtime/contract/settings/parts.js";
import { buildProject, errorsOf, hostOf, jsonProject, tool } from "../../support/generator-host.js";
import { CHECKOUT } from "../../support/project.js";

const packs = shippedPacks(readFileSync(join(CHECKOUT, "shipped.json"), "utf8"));
const build = (project: Readonly<Record<string, string>>, shipped = packs) =>
  buildProject(project, { ...hostOf(project), shipped: () => shipped });
const yaml = (use: string, pack = "p") => `${use}sources:\n  - { chat-tools: tools.json, pack: ${pack} }\n`;
const project = (use: string, pack?: string) => ({
  ...jsonProject([tool("get_a"), tool("get_b")]),
  "toolwright.yaml": yaml(use, pack),
});
const opsOf = async (use: string, pack?: string) =>
  (await build(project(use, pack))).registry?.tools.map(({ op }) => op);

test("shipped.json is what definitions/packs/ gives: else npm run build", { tags: "full" }, () => {
  expect(readFileSync(join(CHECKOUT, "shipped.json"), "utf8")).toBe(shippedText(CHECKOUT));
});

test("use may name the packs of shipped.json", () => {
  expect([...packs.keys()].sort()).toEqual([...SHIPPED_PACKS].sort());
});

const OT = [...(packs.get("ot") ?? [])].map(({ name }) => `ot.${name}`).sort();
const PROJ = ["proj.list", "proj.path"];

describe("use", () => {
  test.each([
    ["unset: the default packs", "", [...OT, "p.get_a", "p.get_b", ...PROJ]],
    ["empty: none", "use: []\n", ["p.get_a", "p.get_b"]],
    ["by name", "use: [proj]\n", ["p.get_a", "p.get_b", ...PROJ]],
  ])("decides which shipped packs are there: %s", async (_, use, ops) => {
    expect(await opsOf(use)).toEqual(ops);
  });

  test("a project's own pack takes the place of a default one of its name", async () => {
    expect(await opsOf("", "proj")).toEqual([...OT, "proj.get_a", "proj.get_b"]);
  });

  test("a pack that is named and not shipped is a warning", async () => {
    const older = new Map([...packs].filter(([name]) => name !== "oubliette"));
    const { diagnostics, registry } = await build(project("use: [proj, oubliette]\n"), older);
    expect(diagnostics.map(({ code, line }) => [code, line])).toEqual([["pack-not-shipped", 1]]);
    expect(registry?.tools.length).toBe(4);
  });

  test("no shipped pack causes a diagnostic in projects that use it", async () => {
    const { diagnostics } = await build(project(`use: [${[...packs.keys()].join(", ")}]\n`));
    expect(diagnostics.filter(({ file }) => file.startsWith("toolwright/"))).toEqual([]);
  });

  test("its ops are like any other: validators, help, stubs, and a source that names no machine", async () => {
    const { files, registry, diagnostics } = await build(project(""));
    expect(errorsOf(diagnostics)).toEqual([]);
    const path = registry?.tools.find(({ op }) => op === "proj.path");
    expect(path?.source).toEqual({
      kind: "local",
      file: "toolwright/definitions/packs/proj.ts",
      call: { export: "path" },
      shipped: true,
    });
    const names = files.map((one) => one.path);
    expect(names).toEqual(expect.arrayContaining(["validators/proj.js", "help/proj.path.md"]));
    expect(files.find((one) => one.path === "handlers.ts")?.text).not.toContain("Proj");
  });
});
