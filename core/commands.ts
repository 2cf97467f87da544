/** Joins the commands of features to the command line. */

import type { Command } from "commander";
import type { Action, AddedCommand } from "../generator/cli/commands.js";
import type { ExplainOp } from "../generator/cli/explain.js";
import { featureLabel } from "../runtime/contract/settings/feature-settings.js";
import type { CommandContext, CommandPart, Feature } from "./feature.js";

/** Makes the context of a command from its flags. */
type ContextOf = (flags: object) => Promise<CommandContext>;

const partsOf = (features: readonly Feature[]): Promise<readonly (CommandPart & { readonly by: string })[]> =>
  Promise.all(features.map(async (one) => ({ ...(await one.commands?.()), by: featureLabel(one) })));

/** The flags of a command, with those that the command above it takes in its place. */
const flagsOf = (command: Pick<Command, "optsWithGlobals"> | undefined): object => command?.optsWithGlobals() ?? {};

/** The commands that features add. */
export async function featureCommands(
  features: readonly Feature[],
  contextOf: ContextOf,
): Promise<readonly AddedCommand[]> {
  return (await partsOf(features)).flatMap(({ commands = {}, by }) =>
    Object.entries(commands).map(([name, { run, ...usage }]): AddedCommand => {
      // The command itself is last: the flags of the command that it stands below count, too.
      const action: Action = async (...given) => run(await contextOf(flagsOf(given.at(-1))), ...given);
      return { ...usage, name, by, action };
    }),
  );
}

/** What features say of ops in `explain`. */
export async function explainedByFeatures(features: readonly Feature[], context: CommandContext): Promise<ExplainOp> {
  const said = await Promise.all((await partsOf(features)).map((part) => part.explain?.(context)));
  return (tool) => Object.assign({}, ...said.map((one) => one?.(tool)));
}
