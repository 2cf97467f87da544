/** The command `config check-token`. */

import type { Command } from "commander";
import type { CommandPart, FeatureCommand } from "../../core/feature.js";
import { JSON_FLAG } from "../../generator/cli/usage.js";

const CHECK_TOKEN: FeatureCommand = {
  after: "config",
  usage: "check-token",
  about:
    "say what the access token on standard input may do here, or which check refuses it; exit 1 when it is refused",
  examples: ["config check-token < token", "config check-token --json < token"],
  flags: [JSON_FLAG],
  async run({ start }, _: object, command: Command): Promise<number> {
    const { checkToken } = await import("./check-token.js");
    // The command above it takes the flags that both have.
    return checkToken(await start(), command.optsWithGlobals());
  },
};

/** What sign-in adds to the command line. */
export const SIGN_IN_COMMANDS: CommandPart = { commands: { "config check-token": CHECK_TOKEN } };
