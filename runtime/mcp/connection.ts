/** What servers do over the life of their connection, beside answering. */

import type { Server } from "@modelcontextprotocol/server";
import type { Logger } from "../contract/handler.js";

/** Does something once the connection is closed, after what was to be done before. */
export function whenClosed(server: Server, end: () => void): void {
  const before = server.onclose;
  server.onclose = () => {
    before?.();
    end();
  };
}

/** Waits for what a client is told unasked; where it cannot be told any more, only the log hears of it. */
export function tolerate(told: Promise<unknown>, what: string, log: Logger): void {
  told.catch((error: unknown) => log.debug(`${what} not sent`, { error: String(error) }));
}
