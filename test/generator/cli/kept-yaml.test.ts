/** What is kept of YAML files: used for the same text alone, never for a damaged file or another program, and never needed. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openKeptYaml, YAML_CACHE } from "../../../generator/cli/kept-yaml.js";
import { Report } from "../../../generator/core/diagnostic.js";
import { readYaml } from "../../../generator/core/yaml-file.js";
import { digestText } from "../../../runtime/contract/canonical.js";
import { temporaryFolder, toolwright } from "../../support/project.js";

const FILE = "definitions/toolwright.yaml";
const TEXT = "sources: []\naliases:\n  a: b\n  __proto__: c\nlimits: { cpu_ms: 5 }\n";
const BY = "1.0.0";

/** A root with a state directory, and the file that is kept in it. */
function root() {
  const folder = temporaryFolder();
  mkdirSync(join(folder, ".onetool"));
  return { folder, path: join(folder, ".onetool", YAML_CACHE) };
}

/** Reads a text as one start does. */
async function started(folder: string, text = TEXT, by = BY) {
  const yaml = openKeptYaml(join(folder, ".onetool"), by);
  const report = new Report();
  const file = yaml.read(FILE, text, report);
  await yaml.keep();
  return { file, faults: report.sorted().map(({ code }) => code) };
}

/** Changes what is kept, as no program does, to see whether it is used. */
function change(path: string, sign = digestText): void {
  const body = String(readFileSync(path, "utf8").split("\n")[1]).replace('"a":"b"', '"a":"kept"');
  writeFileSync(path, `${sign(body)}\n${body}`);
}

const aliasOf = ({ file }: Awaited<ReturnType<typeof started>>) => file?.values["aliases"];

describe("what is kept of YAML files", () => {
  test("is what the parser gives, with its places, for the owner alone", async () => {
    const { folder, path } = root();
    const parsed = readYaml(FILE, TEXT, new Report());
    expect((await started(folder)).file).toEqual(parsed);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect((await started(folder)).file).toEqual(parsed);
    change(path);
    expect(aliasOf(await started(folder))).toMatchObject({ a: "kept" });
  });

  test("counts for its text, whatever the file is called, and has the name of that file", async () => {
    const { folder } = root();
    await started(folder);
    const other = openKeptYaml(join(folder, ".onetool"), BY).read("definitions/team.yaml", TEXT, new Report());
    expect([...(other?.places.values() ?? [])].map(({ file }) => file)).toContain("definitions/team.yaml");
    expect(aliasOf(await started(folder, TEXT.replace("a: b", "a: new")))).toMatchObject({ a: "new" });
  });

  test.each([
    ["damaged", (path: string) => change(path, () => "0")],
    ["empty", (path: string) => writeFileSync(path, "")],
    ["signed, and no JSON", (path: string) => writeFileSync(path, `${digestText("{")}\n{`)],
  ])("that is %s is not used, and replaced", async (_, spoil) => {
    const { folder, path } = root();
    await started(folder);
    const good = readFileSync(path, "utf8");
    spoil(path);
    expect(aliasOf(await started(folder))).toMatchObject({ a: "b" });
    expect(readFileSync(path, "utf8")).toBe(good);
  });

  test("of another program is not used", async () => {
    const { folder, path } = root();
    await started(folder);
    change(path);
    expect(aliasOf(await started(folder, TEXT, "2.0.0"))).toMatchObject({ a: "b" });
  });

  test("has no faults: a text with one is reported each time", async () => {
    const { folder, path } = root();
    for (const _ of [1, 2]) expect((await started(folder, "a: [")).faults).toEqual(["yaml-invalid"]);
    expect(existsSync(path)).toBe(false);
  });

  test("has no values that JSON cannot hold", async () => {
    const { folder, path } = root();
    for (const _ of [1, 2]) expect((await started(folder, "a: .nan")).file?.values).toEqual({ a: Number.NaN });
    expect(existsSync(path)).toBe(false);
  });

  test("is not needed: nothing is made without a state directory, and a file that cannot be written changes nothing", async () => {
    const bare = temporaryFolder();
    expect(aliasOf(await started(bare))).toMatchObject({ a: "b" });
    expect(existsSync(join(bare, ".onetool"))).toBe(false);
    const { folder, path } = root();
    mkdirSync(path, { recursive: true });
    expect(aliasOf(await started(folder))).toMatchObject({ a: "b" });
  });

  test("serves a start, which sees every change of the file", { timeout: 180_000 }, async () => {
    const { folder, path } = root();
    mkdirSync(join(folder, "definitions"));
    const config = (alias: string) =>
      writeFileSync(join(folder, FILE), `use: [ot]\nsources: []\naliases: { v: ${alias} }\n`);
    config("ot.version");
    expect((await toolwright(["generate", "--root", folder])).code).toBe(0);
    const exec = async () => JSON.parse((await toolwright(["exec", "v", "--json", "--root", folder])).stdout);
    expect(await exec()).toMatchObject({ ok: true, meta: { executed_op: "ot.version" } });
    expect(existsSync(path)).toBe(true);
    expect(await exec()).toMatchObject({ ok: true, meta: { executed_op: "ot.version" } });
    config("ot.help");
    expect(await exec()).toMatchObject({ meta: { executed_op: "ot.help" } });
  });
});
