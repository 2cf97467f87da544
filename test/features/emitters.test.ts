/** Emitters of features: their files, what `budget.json` counts of them, and names for lists of tools. */

import { expect, test } from "vitest";
import type { Budget } from "../../generator/emit/budget.js";
import type { Emitter } from "../../generator/emit/emitter.js";
import type { GeneratingFeature } from "../../generator/pipeline.js";
import { buildProject, countTokens, hostOf, jsonProject, tool } from "../support/generator-host.js";

const emitterOf = (path: string): Emitter => ({
  name: path,
  emit: ({ tools }) => [{ path, text: `${tools.map(({ op }) => op).join("\n")}\n` }],
});
const CARDS: GeneratingFeature = {
  name: "cards",
  generate: async () => ({
    emitters: [{ ...emitterOf("cards/prompt.txt"), isReadByModels: true }, emitterOf("cards/ops.txt")],
  }),
};

async function built(features: readonly GeneratingFeature[], ...tools: readonly object[]) {
  const project = jsonProject(tools);
  const { files, registry, diagnostics } = await buildProject(project, { ...hostOf(project), features });
  if (!registry) throw new Error(JSON.stringify(diagnostics));
  const text = (path: string): string | undefined => files.find((one) => one.path === path)?.text;
  return { registry, text, budget: JSON.parse(text("budget.json") ?? "{}") as Budget };
}

test("its files are among the others, and the budget counts those that models read", async () => {
  const { text, budget, registry } = await built([CARDS], tool("list_a"));
  const prompt = `${registry.tools.map(({ op }) => op).join("\n")}\n`;
  expect([text("cards/prompt.txt"), text("cards/ops.txt")]).toEqual([prompt, prompt]);
  expect(budget.surfaces).toEqual({ "cards/prompt.txt": countTokens(prompt) });
  expect(text("toolwright.lock")).toContain('"cards/ops.txt"');
});

test("without it there are no such files", async () => {
  const { text, budget } = await built([], tool("list_a"));
  expect([text("cards/prompt.txt"), budget.surfaces]).toEqual([undefined, undefined]);
});

test("an argument has a name that model providers accept where a feature lists all ops as tools", async () => {
  const named = tool("list_a", { größe: { type: "string" } });
  const aliasesWith = async (listsTools: boolean) =>
    (await built([{ name: "cards", listsTools: () => listsTools }], named)).registry.tools[0]?.parameters[0]?.aliases;
  expect(await aliasesWith(true)).toEqual(["gr__e"]);
  expect(await aliasesWith(false)).toEqual([]);
});
