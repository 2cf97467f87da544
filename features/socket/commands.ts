/** The command `client`. */

import type { CommandPart, FeatureCommand } from "../../core/feature.js";
import { ALLOW_WRITE, commandFlag, STATE } from "../../generator/cli/usage.js";
import type { ClientFlags } from "./client.js";

const CLIENT: FeatureCommand = {
  after: "serve",
  usage: "client",
  about: "serve, over stdio, the project at --root and the tools of a server on a socket; its key is OUBLIETTE_API_KEY",
  examples: [
    "client --socket .onetool/run/toolwright.sock",
    "client --socket ../shop/.onetool/run/toolwright.sock --root .",
  ],
  flags: [
    commandFlag("--socket <PATH>", "where the server listens; it may start later").makeOptionMandatory(),
    ALLOW_WRITE,
    STATE,
  ],
  async run({ setting: { root, version }, start }, flags: ClientFlags): Promise<number> {
    const { serveClient } = await import("./client.js");
    return serveClient({ root, version, env: process.env, project: start }, flags);
  },
};

/** What the socket adds to the command line. */
export const SOCKET_COMMANDS: CommandPart = { commands: { client: CLIENT } };
