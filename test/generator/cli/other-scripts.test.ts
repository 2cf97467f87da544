/** Names in other scripts than Latin stay readable, from the definition to a program. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { wireNames } from "../../../runtime/contract/wire-names.js";
import { buildProject, registryOf, tool } from "../../support/generator-host.js";
import { temporaryFolder, toolwright } from "../../support/project.js";

const WEATHER = tool("查询天气", { 城市: { type: "string" } }, { required: ["城市"] }, "查询城市天气。");
const CONFIG = "use: []\nsources:\n  - { chat-tools: tools.json, pack: p, kind: read, handlers: h.mjs }\n";

test("ops and arguments keep their letters, and model providers get names of their own", async () => {
  const tools = [WEATHER, tool("创建任务"), tool("получить-погоду")];
  const registry = await registryOf({ "toolwright.yaml": CONFIG, "tools.json": JSON.stringify(tools) });
  expect(registry.tools.map(({ op }) => op)).toEqual(["p.получить_погоду", "p.创建任务", "p.查询天气"]);
  const names = [...wireNames(registry.tools).values()];
  expect(new Set(names).size).toBe(3);
  for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
});

test("model providers get names of arguments that they accept, and calls may use them", async () => {
  const two = tool("get_a", { 城市: { type: "string" }, 日期: { type: "string" }, größe: {}, ok: {} });
  const project = { "toolwright.yaml": `surfaces: [openai]\n${CONFIG}`, "tools.json": JSON.stringify([two]) };
  const { registry, files } = await buildProject(project);
  expect(registry?.tools[0]?.parameters.map(({ name, aliases }) => [name, ...aliases])).toEqual([
    ["城市", "__"],
    ["日期", "___2"],
    ["größe", "gr__e"],
    ["ok"],
  ]);
  const text = files.find(({ path }) => path === "surfaces/openai.json")?.text ?? "";
  for (const name of ["__", "___2", "gr__e", "ok"]) expect(text).toContain(`"${name}": {`);
  expect(text).not.toContain('"城市"');
});

test("a program and the command line call them by name", { tags: "full", timeout: 120_000 }, async () => {
  const root = temporaryFolder();
  mkdirSync(join(root, "definitions"));
  const files = {
    "toolwright.yaml": CONFIG,
    "tools.json": JSON.stringify([WEATHER]),
    "h.mjs": 'export const handlers = { "p.查询天气": ({ 城市 }) => ({ 城市, 温度: 3 }) };\n',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, "definitions", name), text);
  expect((await toolwright(["generate", "--root", root])).code).toBe(0);
  writeFileSync(join(root, "a.py"), 'x = p.查询天气(城市="北京")\nx["温度"] + 1\n');
  expect((await toolwright(["run", join(root, "a.py"), "--root", root])).stdout.trim()).toBe("4");
  const called = await toolwright(["exec", "p.查询天气", "--城市", "北京", "--json", "--root", root]);
  expect(JSON.parse(called.stdout).result).toEqual({ 城市: "北京", 温度: 3 });
  const empty = await toolwright(["exec", "p.查询天气", "--json", "--root", root]);
  const { corrected_call: corrected } = JSON.parse(empty.stdout).error;
  expect(corrected).toMatchObject({ op: "p.查询天气", args: { 城市: expect.stringMatching(/^<城市/) } });
  const copied = await toolwright(["exec", "p.查询天气", "--城市", corrected.args.城市, "--json", "--root", root]);
  expect(JSON.parse(copied.stdout).error.code).toBe("VALIDATION_ERROR");
});
