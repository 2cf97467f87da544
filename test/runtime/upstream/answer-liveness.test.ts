/** While an upstream server sends a large answer, or many messages, other clients are answered. */

import { afterAll, beforeAll, expect } from "vitest";
import { eachCase } from "../../support/each-case.js";
import { expectAlive, pingsDuring } from "../../support/servers/liveness.js";
import { HUGE_FORMS, HUGE_SERVERS, type Huge, serveHuge } from "../../support/upstream/huge.js";

const SLOW = 120_000;
const cleaning: (() => unknown)[] = [];
let huge: Huge;
beforeAll(async () => {
  huge = await serveHuge({ timeout: 30 }, (clean) => void cleaning.push(clean));
}, SLOW);
afterAll(async () => {
  for (const clean of cleaning.reverse()) await clean();
});

/** Forms whose parts are small: what is written for each of them costs more than its bytes. */
const DENSE: ReadonlySet<string> = new Set(["exact", "objects", "numbers", "blocks"]);
const CASES = HUGE_FORMS.flatMap((form) =>
  HUGE_SERVERS.flatMap((server) =>
    [DENSE.has(form) ? 400_000 : 3_000_000, 31_000_000].map(
      (bytes) => [`${form} over ${server}`, bytes, form, server] as const,
    ),
  ),
);

eachCase(CASES, "notifications over stdio", "notifications over events")(
  "%s, %i bytes",
  { timeout: SLOW, retry: 2, tags: "slow" },
  async (_what, bytes, form, server) => {
    const answers: string[] = [];
    const attack = async (): Promise<void> => {
      answers.push((await huge.call(server, form, bytes)).text);
    };
    const target = { socket: huge.server.socket, pid: huge.server.child.pid };
    expectAlive(await pingsDuring(target, attack, { atLeastMs: 500 }));
    for (const answer of answers)
      expect(answer.slice(0, 100)).toMatch(/"ok":(true|false,"error":\{"code":"UNAVAILABLE")/);
  },
);
