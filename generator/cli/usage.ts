/** The form in which commands are declared, and flags that several of them have. */

import { Option } from "commander";

/** Usage of a command, without the common flags. */
export interface CommandUsage {
  /** The last word of its name, and its operands. */
  readonly usage: string;
  readonly about: string;
  readonly examples: readonly string[];
  readonly flags?: readonly Option[];
  /** Unknown flags are accepted: they are arguments of an op. */
  readonly loose?: true;
}

/** Usage of a command that a feature adds. */
export interface AddedUsage extends CommandUsage {
  /** The command after which `--help` lists it. */
  readonly after: string;
  /** What the group of its first word is about, if no command of the core is in it. */
  readonly group?: string;
}

/** Declares a flag. */
export const commandFlag = (flags: string, about: string): Option => new Option(flags, about);

/** Names the state database. */
export const STATE = commandFlag("--state <URL>", "postgres:// URL (default: .onetool/state.db)");
/** Names the day of a comparison with a baseline. */
export const TODAY_FLAG = commandFlag(
  "--today <DATE>",
  "day that sunsets are compared with (default: that of the later commit)",
);
/** Lets writes run. */
export const ALLOW_WRITE = commandFlag("--allow-write", "let ops of the kind write run");
/** Collects the values of a flag that may be given again. */
export const repeated = (one: string, before: readonly string[] = []): readonly string[] => [...before, one];

const given = (flags: string, about: string): Option =>
  commandFlag(flags, `${about}; may be given again`).argParser(repeated);

/** Name tools without a project; `--stdio` is declared where it is used. */
const GIVEN_TOOLS: readonly Option[] = [
  given("--url <[NAME=]URL>", "without a project: an MCP server at this address"),
  given("--openapi <[NAME=]FILE|URL>", "without a project: the API of an OpenAPI description"),
  given("--tools <[NAME=]FILE>", "without a project: typed functions, function tools or a module of tools"),
  commandFlag("--server <URL>", "the base address of the API of --openapi, in place of that in its description"),
  given("--header <NAME: VALUE>", "sent with each request to the server of --url or the API of --openapi"),
  given("--env <NAME[=VALUE]>", "a variable for the command of --stdio; without a value, that of this process"),
  commandFlag("--timeout <SECONDS>", "time for the start of a server, and for each call (default: 30)"),
  commandFlag("--save [DIR]", "make a project of these tools in DIR (default: working directory), and use it"),
];

/** Flags of a command that works without a project. */
export const GIVEN: readonly Option[] = [
  given("--stdio <[NAME=]COMMAND>", "without a project: the MCP server that this command starts"),
  ...GIVEN_TOOLS,
];

/** The same for `serve`, whose --stdio without a command is a transport. */
export const GIVEN_TO_SERVE: readonly Option[] = [
  commandFlag(
    "--stdio [[NAME=]COMMAND]",
    "over standard input and output (the default); with a command, without a project: the MCP server that it starts; may be given again",
  )
    .preset("-")
    .argParser(repeated),
  ...GIVEN_TOOLS,
  commandFlag("--accept", "without a project: serve what has changed since it was first served"),
];

/** Prints JSON. */
export const JSON_FLAG = commandFlag("--json", "one JSON document");
