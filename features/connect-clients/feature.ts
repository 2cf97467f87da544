/** Writes entries of this server into the files of MCP clients, and shows them in the console. */

import type { Feature } from "../../core/feature.js";

/** Clients that start this server, or call it. */
export const CONNECT_CLIENTS: Feature = {
  name: "connect-clients",
  commands: async () => (await import("./commands.js")).CONNECT_COMMANDS,
  serve: async () => (await import("./serve.js")).showClients,
};
