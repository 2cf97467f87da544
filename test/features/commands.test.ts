/** Commands that features add: where they are listed, what they get, and which are refused. */

import { expect, test } from "vitest";
import { explainedByFeatures, featureCommands } from "../../core/commands.js";
import type { CommandContext, Feature, FeatureCommand } from "../../core/feature.js";
import { commandLine } from "../../generator/cli/command-line.js";
import { type Actions, COMMANDS } from "../../generator/cli/commands.js";
import { commandFlag } from "../../generator/cli/usage.js";

const context = { setting: { root: "/project" } } as unknown as CommandContext;
const given: unknown[] = [];
const command = (after: string): FeatureCommand => ({
  after,
  usage: "quota <caller>",
  about: "show the calls of a caller",
  examples: ["quota anna"],
  flags: [commandFlag("--json", "one JSON document")],
  async run({ setting }, ...words: readonly unknown[]) {
    given.push(setting.root, ...words.slice(0, 2));
    return 3;
  },
});
const featureOf = (commands: Readonly<Record<string, FeatureCommand>>): Feature => ({
  name: "quota",
  commands: async () => ({ commands, explain: async () => () => ({ words: "none" }) }),
});
const programOf = async (feature: Feature) => {
  const actions = Object.fromEntries(Object.keys(COMMANDS).map((name) => [name, async () => 0])) as unknown as Actions;
  return commandLine("toolwright", "", actions, await featureCommands([feature], async () => context));
};
const namesIn = async (feature: Feature): Promise<readonly string[]> =>
  (await programOf(feature)).commands.map((one) => one.name());

test("a command is listed behind the command that it names, or last", async () => {
  const names = await namesIn(featureOf({ quota: command("enums") }));
  expect(names[names.indexOf("enums") + 1]).toBe("quota");
  expect((await namesIn(featureOf({ quota: command("nowhere") }))).at(-1)).toBe("quota");
});

test("it is run with the project of its flags, its operands and its flags", async () => {
  const before = process.exitCode;
  const program = await programOf(featureOf({ quota: command("enums") }));
  await program.parseAsync(["quota", "anna", "--json"], { from: "user" });
  expect(process.exitCode).toBe(3);
  process.exitCode = before;
  expect(given).toEqual(["/project", "anna", { json: true }]);
});

test("a group that the core does not have says what it is about, once for all of its commands", async () => {
  const inGroup: FeatureCommand = { ...command("nowhere"), group: "calls of callers" };
  const program = await programOf(featureOf({ "quota show": inGroup, "quota reset": { ...inGroup, usage: "reset" } }));
  const group = program.commands.at(-1);
  expect([group?.name(), group?.description()]).toEqual(["quota", "calls of callers"]);
  expect(group?.commands.map((one) => one.name())).toEqual(["quota", "reset"]);
});

test("a command that exists is refused", async () => {
  await expect(programOf(featureOf({ serve: command("enums") }))).rejects.toThrow(
    "feature-conflict: the feature quota (shipped) adds the command serve, which toolwright has: give it another name",
  );
});

test("two features do not add the same command, and one adds at most 64", async () => {
  const commandsOf = (features: readonly Feature[]) => featureCommands(features, async () => context);
  const actions = {} as Actions;
  const [mine, other] = [featureOf({ quota: command("") }), { ...featureOf({ quota: command("") }), name: "limits" }];
  const added = await commandsOf([mine, { ...other, origin: "./limits.ts" }]);
  expect(() => commandLine("toolwright", "", actions, added)).toThrow(
    "feature-conflict: the feature limits (./limits.ts) adds the command quota, which the feature quota (shipped) has",
  );
  const manyOf = (count: number) =>
    commandsOf([
      featureOf(
        Object.fromEntries(Array.from({ length: count }, (_, i) => [`q${i}`, { ...command(""), usage: `q${i}` }])),
      ),
    ]);
  const [most, more] = [await manyOf(64), await manyOf(65)];
  expect(() => commandLine("toolwright", "", actions, most)).not.toThrow();
  expect(() => commandLine("toolwright", "", actions, more)).toThrow("adds 65 commands, and may add 64");
});

test("what features say of an op is joined", async () => {
  const other: Feature = {
    name: "other",
    commands: async () => ({ explain: async () => () => ({ lacks: ["more"] }) }),
  };
  const explained = await explainedByFeatures([featureOf({}), other, { name: "silent" }], context);
  expect(explained(undefined)).toEqual({ words: "none", lacks: ["more"] });
});
