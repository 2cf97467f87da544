/** How `toolwright connect` is called. */

import type { Command } from "commander";

const ABOUT = "print what an MCP client needs to start this server, or write it into the client's file; exit 1 on a no";
const EXAMPLES = [
  "connect",
  "connect claude-code --write",
  "connect cursor --name shop --allow-write",
  "connect codex --url https://example.com/mcp --write --yes",
  "connect json",
] as const;

/** Declares the command; `add` declares one with the flags that every one has. */
export const connectCommand = (add: (usage: string, about: string, examples: readonly string[]) => Command): Command =>
  add("connect [client]", ABOUT, EXAMPLES)
    .option("--write", "write the client's file, after showing the change and asking")
    .option("--yes", "do not ask")
    .option("--url <URL>", "a server that runs already, instead of one that the client starts")
    .option("--name <NAME>", "name of the entry (default: toolwright)")
    .option("--allow-write", "let ops of the kind write run")
    .option("--json", "one JSON document");
