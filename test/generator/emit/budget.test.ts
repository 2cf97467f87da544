/** Token figures of this repository stay within their bounds. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { parse } from "yaml";
import type { Budget } from "../../../generator/emit/budget.js";
import { build } from "../../../generator/entry/index.js";
import { GATEWAY_TOKENS } from "../../../runtime/contract/exposure.js";
import { GATEWAY_TOOLS, inLanguages, listedTool } from "../../../runtime/contract/gateway-tools.js";
import { type HelpIndexFile, wholeHelp } from "../../../runtime/contract/help.js";
import { opHelp } from "../../../runtime/contract/op-page.js";
import type { Registry } from "../../../runtime/contract/registry.js";
import { temporaryFolder } from "../../support/project.js";
import { saidOf } from "../../support/run/languages.js";

const read = <T>(path: string): T =>
  JSON.parse(readFileSync(new URL(`../../../generated/${path}`, import.meta.url), "utf8"));
const registry = read<Registry>("registry.json");
const budget = read<Budget>("budget.json");
const help = read<HelpIndexFile>("help/index.json");

const median = (figures: readonly number[]): number =>
  [...figures].sort((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0;

test("the gateway tools cost at most what hot ops leave for them", () => {
  expect(budget.exposed.gateway).toBe(
    GATEWAY_TOOLS.reduce((sum, one) => sum + countTokens(JSON.stringify(listedTool(one))), 0),
  );
  expect(budget.exposed.gateway).toBeLessThanOrEqual(GATEWAY_TOKENS);
});

test.each([["[python]"], ["[typescript]"], ["[python, typescript]"]])(
  "the gateway tools with run.languages %s cost what a client is shown",
  async (languages) => {
    const root = temporaryFolder();
    mkdirSync(join(root, "definitions"));
    const config = `use: []\nsources: []\nrun: { languages: ${languages} }\n`;
    writeFileSync(join(root, "definitions", "toolwright.yaml"), config);
    const { files, diagnostics } = await build({ root });
    expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    const { exposed }: Budget = JSON.parse(files.find(({ path }) => path === "budget.json")?.text ?? "");
    const shown = GATEWAY_TOOLS.map((one) => listedTool(inLanguages(one, saidOf(parse(languages) as string[]))));
    expect(exposed.gateway).toBe(shown.reduce((sum, one) => sum + countTokens(JSON.stringify(one)), 0));
    expect(exposed.gateway).toBeLessThanOrEqual(GATEWAY_TOKENS);
  },
);

test("short help: median at most 150 tokens and p90 at most 350 without policy, at most 550 with one", () => {
  expect(budget.help_short.median).toBeLessThanOrEqual(150);
  expect(budget.help_short.p90).toBeLessThanOrEqual(350);
  const withPolicy = registry.tools.filter((one) => one.policy !== undefined);
  expect(withPolicy.length).toBeGreaterThanOrEqual(2);
  for (const { op, tokens } of withPolicy) expect(tokens.help, op).toBeLessThanOrEqual(550);
});

test("full help: median at most 400 tokens", () => {
  expect(median(Object.values(budget.tools).map((one) => one.help_full))).toBeLessThanOrEqual(400);
});

test("the figures are those of what is served", () => {
  for (const tool of registry.tools) {
    const { op, tokens } = tool;
    const listed = help.ops[op];
    if (!listed) throw new Error(`no help for ${op}`);
    const served = opHelp(tool, registry.registry_version, wholeHelp(listed, tool), {
      format: "short",
      include_examples: true,
      include_schemas: false,
    });
    // The version's twelve digits may be a few tokens more or less than the zeros that are counted.
    expect(Math.abs(countTokens(JSON.stringify(served)) - tokens.help), op).toBeLessThanOrEqual(10);
  }
});
