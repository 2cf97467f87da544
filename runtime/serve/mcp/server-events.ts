/** The end of a server's connection, and notifications that may fail. */

import type { Server } from "@modelcontextprotocol/server";
import type { Logger } from "../../contract/handler.js";

/** Runs a function once the connection is closed, after the functions registered before. */
export function whenClosed(server: Server, end: () => void): void {
  const before = server.onclose;
  server.onclose = () => {
    before?.();
    end();
  };
}

/** Waits for a notification; a failure to send it is only logged. */
export function tolerate(told: Promise<unknown>, what: string, log: Logger): void {
  told.catch((error: unknown) => log.debug(`${what} not sent`, { error: String(error) }));
}
