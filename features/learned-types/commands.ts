/** The command `learn`, and what `explain` says of what was learned. */

import type { CommandPart, FeatureCommand } from "../../core/feature.js";
import { commandFlag, JSON_FLAG, STATE } from "../../generator/cli/usage.js";
import type { LearnFlags } from "./learn.js";

const LEARN: FeatureCommand = {
  after: "explain",
  usage: "learn",
  about:
    "write definitions/learned/ from calls: the types of results that no server declares, and the words by which callers look for ops; with --check, exit 1 when one is out of date",
  examples: ["learn", "learn --json", "learn --check", "learn --from samples/", "learn --forget key_4f6e9a436f"],
  flags: [
    commandFlag("--check", "write nothing and read no database; compare what was learned with the definitions"),
    commandFlag("--from <DIR>", "learn types from recorded results instead: a file OP.ndjson for each op"),
    commandFlag(
      "--export <CALLER>",
      "print the words of a key or user from the state database as JSON, and write nothing",
    ),
    commandFlag(
      "--forget <CALLER>",
      "delete the words of a key or user from the state database, and write nothing else",
    ),
    STATE,
    JSON_FLAG,
  ],
  async run({ setting, start }, flags: LearnFlags): Promise<number> {
    const [{ learn }, { learnSources }] = await Promise.all([import("./learn.js"), import("./recorded.js")]);
    return learn(setting, flags, learnSources(start, setting.root));
  },
};

/** What learned types add to the command line. */
export const COMMAND_PART: CommandPart = {
  commands: { learn: LEARN },
  async explain({ start }) {
    const [{ explainLearned }, { recordedIfAny }] = await Promise.all([
      import("./explain.js"),
      import("./recorded.js"),
    ]);
    return explainLearned(await recordedIfAny(start));
  },
};
