/** Builds the command line from the table of `commands.ts`. */

import { Command, Option } from "commander";
import { ownCommand } from "../../runtime/contract/own-command.js";
import { err, out } from "../../runtime/contract/terminal.js";
import { type Action, type Actions, type AddedCommand, COMMANDS, GROUPS, refuseCommands } from "./commands.js";
import type { CommandUsage } from "./usage.js";

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "silent"];

/** The command that a start builds alone, since building all of them takes longer than reading the registry. */
const SERVE = "serve";

/**
 * The command line of a package. Errors are thrown, exit codes set.
 *
 * @param added commands of features
 * @param first word of the arguments: `serve` needs no other command
 */
export function commandLine(
  name: string,
  version: string,
  actions: Actions,
  added: readonly AddedCommand[] = [],
  first = "",
): Command {
  const program = new Command(name)
    .description(
      "Generates a typed registry from agent tool definitions, and serves it to agents through a few MCP tools.",
    )
    .version(version)
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: out, writeErr: err })
    .showHelpAfterError(`(see "${name} --help")`)
    .addHelpText(
      "after",
      "\nExit codes: 0 done; 1 done, and the answer is no; 2 usage, configuration or definitions; 70 our own fault\n",
    );
  const declare = (command: string, usage: CommandUsage, action: Action, about?: string): void => {
    const [group] = command.split(" ").slice(0, -1);
    add(group === undefined ? program : groupOf(program, group, about), usage).action(
      async (...given: unknown[]): Promise<void> => {
        process.exitCode = await action(...(given as never[]));
      },
    );
  };
  const known = Object.keys(COMMANDS);
  refuseCommands(added);
  const declareAdded = (isHere: (after: string) => boolean): void => {
    for (const one of added) if (isHere(one.after)) declare(one.name, one, one.action, one.group ?? one.by);
  };
  for (const [command, usage] of Object.entries<CommandUsage>(COMMANDS)) {
    if (first === SERVE && command !== SERVE) continue;
    declare(command, usage, actions[command as keyof Actions]);
    declareAdded((after) => after === command);
  }
  declareAdded((after) => !known.includes(after));
  return program;
}

/** `--root` among arguments whose command may be one of the project there, and is not known yet. */
export function rootFlag(args: readonly string[]): { readonly root?: string } {
  const parser = new Command().option("--root [DIR]");
  parser.parseOptions([...args]);
  const { root } = parser.opts<{ readonly root?: string | true }>();
  return typeof root === "string" ? { root } : {};
}

/** The parent command of a group: one of the table, which takes the flags that both have, or a new one. */
const groupOf = (program: Command, name: string, about = GROUPS[name] ?? ""): Command =>
  program.commands.find((one) => one.name() === name) ?? program.command(name).description(about).helpCommand(false);

const fullName = (command: Command): string =>
  command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name();

/** The command, as a person types it here. */
const typed = ownCommand({ program: process.argv[1] ?? "", folder: process.cwd(), env: process.env });

/** Adds a command with the common flags, and examples in its help. */
function add(program: Command, { usage, about, examples, flags = [], loose }: CommandUsage): Command {
  const command = program
    .command(usage)
    .description(about)
    .option("--root <DIR>", "folder with definitions/ (default: working directory)")
    .addOption(new Option("--log-level <LEVEL>", "how much to log").choices(LOG_LEVELS))
    .addHelpText("after", `\nExamples:\n${examples.map((one) => `  $ ${typed} ${one}`).join("\n")}\n`)
    .exitOverride();
  command.showHelpAfterError(`(see "${fullName(command)} --help")`);
  for (const one of flags) command.addOption(one);
  return loose ? command.allowUnknownOption().allowExcessArguments() : command;
}
