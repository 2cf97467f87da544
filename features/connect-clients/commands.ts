/** The commands `connect` and `disconnect`, which write clients' files. */

import type { CommandContext, CommandPart, FeatureCommand } from "../../core/feature.js";
import { ALLOW_WRITE, commandFlag, JSON_FLAG } from "../../generator/cli/usage.js";
import { launcherPath } from "../../runtime/contract/own-command.js";
import { person } from "../../runtime/contract/terminal.js";
import type { ConnectFlags, ConnectSetting } from "./setting.js";

const connecting = ({ setting, start }: CommandContext): ConnectSetting => {
  const { root, out, err, paint } = setting;
  return { root, out, err, paint, launcher: launcherPath(), project: start, ...person() };
};

const CONNECT: FeatureCommand = {
  after: "run",
  usage: "connect [client]",
  about:
    "print what an MCP client needs to start this server, or write it into the client's file; exit 1 if you decline",
  examples: [
    "connect",
    "connect claude-code --write",
    "connect claude-code --write --replace",
    "connect cursor --name shop --allow-write",
    "connect codex --url https://example.com/mcp --write --yes",
    "connect json",
  ],
  flags: [
    commandFlag("--write", "write the client's file, after showing the change and asking"),
    commandFlag("--replace", "with --write: take the servers that were imported out of the client's files"),
    commandFlag("--yes", "do not ask; without --replace, imported servers stay"),
    commandFlag("--url <URL>", "a server that runs already; the client reads its key from OUBLIETTE_API_KEY"),
    commandFlag("--no-key", "with --url: the server asks for no key, as one on this machine may"),
    commandFlag("--name <NAME>", "name of the entry (default: toolwright)"),
    ALLOW_WRITE,
    JSON_FLAG,
  ],
  async run(context, client: string | undefined, flags: ConnectFlags): Promise<number> {
    return (await import("./connect.js")).connectClient(connecting(context), client, flags);
  },
};

const DISCONNECT: FeatureCommand = {
  after: "run",
  usage: "disconnect <client>",
  about:
    "take this server out of a client's files, and put back what connect took out; exit 1 if you decline, or there is nothing",
  examples: ["disconnect claude-code", "disconnect cursor --yes"],
  flags: [commandFlag("--yes", "do not ask"), JSON_FLAG],
  async run(context, client: string, flags: ConnectFlags): Promise<number> {
    return (await import("./disconnect.js")).disconnect(connecting(context), client, flags);
  },
};

/** What clients add to the command line. */
export const CONNECT_COMMANDS: CommandPart = { commands: { connect: CONNECT, disconnect: DISCONNECT } };
