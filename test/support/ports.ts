/**
 * Ports for tests that free a port and bind it again.
 *
 * A port given by the system (`listen(0)`) comes from the range of passing ports, and once it is free, any connection
 * made meanwhile may take it. These ports lie below that range, which begins at 32,768 on Linux. Each worker of the
 * tests has ports of its own and takes them in turn: otherwise another test could find the port free between two uses.
 */

import { randomInt } from "node:crypto";
import { createServer, type Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const FIRST = 20_000;
const WORKERS = 12;
const EACH = 1_000;

const start = FIRST + (Number(process.env["VITEST_POOL_ID"] ?? 0) % WORKERS) * EACH;
let taken = randomInt(EACH);

/**
 * A port on 127.0.0.1 without a listener, which the system gives to no connection and no other test of the run gets.
 *
 * @returns The port's number, from 20,000 to 31,999.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    taken = (taken + 1) % EACH;
    const port = start + taken;
    if (await canListen(port)) return port;
  }
  throw new Error(`No port from ${start} to ${start + EACH - 1} was found free in 100 tries.`);
}

/**
 * Listens on a port that a server of this process may just have left.
 *
 * A process that another thread starts meanwhile holds the closed listener from its fork until its exec, and until then
 * the port counts as taken: so a taken port is tried again for two seconds.
 */
export async function listenAt(server: Server, port: number, address = "127.0.0.1"): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const error = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
      server.once("error", resolve).listen(port, address, () => {
        server.off("error", resolve);
        resolve(undefined);
      });
    });
    if (!error) return;
    if (error.code !== "EADDRINUSE" || tries === 100) throw error;
    await sleep(20);
  }
}

const canListen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
