/** Joins the commands of features to the command line. */

import type { Action, AddedCommand } from "../generator/cli/commands.js";
import type { ExplainOp } from "../generator/cli/explain.js";
import type { CommandContext, CommandPart, Feature } from "./feature.js";

/** Makes the context of a command from its flags. */
type ContextOf = (flags: object) => Promise<CommandContext>;

const partsOf = async (features: readonly Feature[]): Promise<readonly CommandPart[]> =>
  (await Promise.all(features.map(({ commands }) => commands?.()))).flatMap((part) => part ?? []);

/** The commands that features add. */
export async function featureCommands(
  features: readonly Feature[],
  contextOf: ContextOf,
): Promise<readonly AddedCommand[]> {
  return (await partsOf(features)).flatMap(({ commands = {} }) =>
    Object.entries(commands).map(([name, { run, ...usage }]): AddedCommand => {
      // The flags stand before the command itself.
      const action: Action = async (...given) => run(await contextOf(given.at(-2) ?? {}), ...given);
      return { ...usage, name, action };
    }),
  );
}

/** What features say of ops in `explain`. */
export async function explainedByFeatures(features: readonly Feature[], context: CommandContext): Promise<ExplainOp> {
  const said = await Promise.all((await partsOf(features)).map((part) => part.explain?.(context)));
  return (tool) => Object.assign({}, ...said.map((one) => one?.(tool)));
}
