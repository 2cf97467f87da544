/** The Unix socket: a transport for callers with a key, and a client that serves its tools over stdio. */

import type { Feature } from "../../core/feature.js";

/** The socket. Its limits are keys of the core, since lines over stdio have the limit of its lines. */
export const UNIX_SOCKET: Feature = {
  name: "socket",
  commands: async () => (await import("./commands.js")).SOCKET_COMMANDS,
  socket: async () => (await import("./part.js")).SOCKET_PART,
};
