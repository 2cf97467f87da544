/** Token figures of this repository stay within their bounds. */

import { readFileSync } from "node:fs";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import type { Budget } from "../../../generator/emit/budget.js";
import { GATEWAY_TOKENS } from "../../../runtime/contract/exposure.js";
import { GATEWAY_TOOLS, listedTool } from "../../../runtime/contract/gateway-tools.js";
import { type HelpIndexFile, wholeHelp } from "../../../runtime/contract/help.js";
import { opHelp } from "../../../runtime/contract/op-page.js";
import type { Registry } from "../../../runtime/contract/registry.js";

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
