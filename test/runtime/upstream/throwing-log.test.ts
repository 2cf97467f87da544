/** An error in the timers and listeners of a connection, such as a failing log, does not end the process. */

import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import type { Logger } from "../../../runtime/contract/handler.js";
import { createConnection } from "../../../runtime/upstream/connection.js";
import { expandServer } from "../../../runtime/upstream/servers.js";
import { temporaryFolder } from "../../support/project.js";
import { calls } from "../../support/upstream/upstreams.js";

/** A log that throws until it is stopped. */
function throwingLog(): { readonly log: Logger; stop(): void } {
  let isBroken = true;
  const write = (): void => {
    if (isBroken) throw new Error("the log cannot be written");
  };
  return {
    log: { debug: write, info: write, warn: write, error: () => undefined },
    stop: () => {
      isBroken = false;
    },
  };
}

test("a connection whose log throws when it is opened and when it is lost can be used again", async () => {
  const server = expandServer("one", calls(), () => undefined);
  if ("reason" in server) throw new Error(server.reason);
  const { log, stop } = throwingLog();
  const rejected: unknown[] = [];
  const hear = (reason: unknown): void => void rejected.push(reason);
  process.on("unhandledRejection", hear);
  onTestFinished(() => void process.off("unhandledRejection", hear));
  const options = { root: temporaryFolder(), version: "0", log: () => log, graceMs: 300 };
  const connection = createConnection(server, true, { ...options, backoff: { firstMs: 20, longestMs: 40 } });
  onTestFinished(() => connection.close());
  const die = () => connection.use(undefined, ({ upstream }) => upstream.request("tools/call", { name: "die" }));
  for (let i = 0; i < 3; i++) {
    await expect(die()).rejects.toThrow();
    await sleep(100);
  }
  stop();
  await expect
    .poll(
      () =>
        connection
          .use(undefined, ({ upstream }) => upstream.request("tools/call", { name: "words" }))
          .catch(() => undefined),
      { timeout: 20_000 },
    )
    .toMatchObject({ content: [{ text: "plain words" }] });
  expect(rejected).toEqual([]);
});
