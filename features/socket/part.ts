/** The socket as `serve` opens it. */

import type { SocketPart } from "../../runtime/gateway/open-transport.js";
import { socketPath } from "./socket-file.js";

/** Checks the path at once, and loads the server when it is opened. */
export const SOCKET_PART: SocketPart = {
  path: socketPath,
  open: async (options) => (await import("./server.js")).openSocket(options),
};
