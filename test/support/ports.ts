/**
 * Ports for tests that free a port and bind it again.
 *
 * A port given by the system (`listen(0)`) comes from the range of passing ports, and once it is free, any connection
 * made meanwhile may take it. These ports lie below that range, which begins at 32,768 on Linux.
 */

import { randomInt } from "node:crypto";
import { createServer } from "node:net";

const FIRST = 20_000;
const COUNT = 12_000;

/**
 * A port on 127.0.0.1 without a listener, which the system gives to no connection.
 *
 * @returns The port's number, from 20,000 to 31,999.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    const port = FIRST + randomInt(COUNT);
    if (await canListen(port)) return port;
  }
  throw new Error(`No port from ${FIRST} to ${FIRST + COUNT - 1} was found free.`);
}

const canListen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
