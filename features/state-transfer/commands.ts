/** The commands `state export` and `state import`. */

import type { CommandContext, CommandPart, FeatureCommand } from "../../core/feature.js";
import { JSON_FLAG, STATE } from "../../generator/cli/usage.js";
import { out } from "../../runtime/contract/terminal.js";
import type { StateFlags } from "./command.js";

const GROUP = { after: "runs drop", group: "move the state of the project: backup, restore, another database" };
const FLAGS = [STATE, JSON_FLAG];

/** An export goes to standard output as it is, so no text is adapted to how the command was started. */
const printing = async ({ setting, start }: CommandContext) => ({
  ...(await start()),
  out,
  progress: setting.progress,
});

const EXPORT: FeatureCommand = {
  ...GROUP,
  usage: "export <file>",
  about: "write all of the state database, its keys included, to a new file or - (standard output)",
  examples: [
    "state export backup.ndjson",
    "state export - | gzip > backup.ndjson.gz",
    "state export --state postgres://tools@db.example.com/tools backup.ndjson --json",
  ],
  flags: FLAGS,
  async run(context, file: string, flags: StateFlags): Promise<number> {
    return (await import("./command.js")).exportCommand(await printing(context), file, flags);
  },
};

const IMPORT: FeatureCommand = {
  ...GROUP,
  usage: "import <file>",
  about: "fill an empty state database from such a file or - (standard input): all of it, or nothing",
  examples: [
    "state import backup.ndjson",
    "state import --state postgres://tools@db.example.com/tools backup.ndjson",
    "state import - < backup.ndjson",
  ],
  flags: FLAGS,
  async run(context, file: string, flags: StateFlags): Promise<number> {
    return (await import("./command.js")).importCommand(await printing(context), file, flags);
  },
};

/** What the transfer of a state adds to the command line. */
export const STATE_COMMANDS: CommandPart = { commands: { "state export": EXPORT, "state import": IMPORT } };
