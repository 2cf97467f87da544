/** Declares the commands that write clients' files; `commands.ts` lists them with the others. */

import { ALLOW_WRITE, type CommandUsage, commandFlag, JSON_FLAG } from "./usage.js";

/** The commands, in the order in which `--help` lists them. */
export const CONNECT_COMMANDS = {
  connect: {
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
  },
  disconnect: {
    usage: "disconnect <client>",
    about:
      "take this server out of a client's files, and put back what connect took out; exit 1 if you decline, or there is nothing",
    examples: ["disconnect claude-code", "disconnect cursor --yes"],
    flags: [commandFlag("--yes", "do not ask"), JSON_FLAG],
  },
} as const satisfies Readonly<Record<string, CommandUsage>>;
