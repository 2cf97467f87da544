/** The command `breaking`. */

import type { CommandPart, FeatureCommand } from "../../core/feature.js";
import { commandFlag, STATE, TODAY_FLAG } from "../../generator/cli/usage.js";
import type { BreakingFlags } from "./command.js";

const BREAKING: FeatureCommand = {
  after: "enums",
  usage: "breaking",
  about: "compare generated/ with a baseline, by meaning; exit 1 when callers would break",
  examples: [
    "breaking --against git:origin/main",
    "breaking --against git:v1.2.0 --profile wire --format github",
    "breaking --against ../release/generated/registry.json --fail-on warning",
    "breaking --explain arg-range-narrowed",
  ],
  flags: [
    commandFlag("--against <BASELINE>", "git:REF, a registry.json, or a folder that holds one"),
    commandFlag(
      "--merge-base",
      "compare with the commit at which HEAD left the baseline, so that what the baseline got since is no change (default in CI)",
    ),
    commandFlag("--no-merge-base", "compare with the baseline itself, in CI too"),
    commandFlag("--format <FORMAT>", "how to print it")
      .choices(["text", "json", "github", "markdown", "sarif"])
      .default("text"),
    commandFlag("--fail-on <LEVEL>", "exit 1 from this level on").choices(["error", "warning", "info"]),
    commandFlag("--profile <PROFILE>", "findings that count: of calls, of code, or all").choices([
      "wire",
      "code",
      "all",
    ]),
    TODAY_FLAG,
    commandFlag(
      "--usage",
      "say how often changed ops were called in 30 days and by how many keys, from the state database",
    ),
    STATE,
    commandFlag("--explain <RULE>", "explain a rule instead: what it finds, how it is decided, an example"),
  ],
  async run({ configured, features }, flags: BreakingFlags): Promise<number> {
    const { start, config } = await configured();
    const [{ breaking }, { openDisk }] = await Promise.all([
      import("./command.js"),
      import("../../generator/cli/files.js"),
    ]);
    const usage = async (days: number) => (await import("./recorded-calls.js")).recordedCalls(start, days, features);
    return breaking({ ...start, config, features, read: openDisk(start.root).read, usage }, flags);
  },
};

/** What breaking changes add to the command line. */
export const BREAKING_COMMANDS: CommandPart = { commands: { breaking: BREAKING } };
