/** The order of servers on the screens of the console. */

import { expect, test } from "vitest";
import type { SeenServer } from "../../../../runtime/gateway/console-data.js";
import { byTrouble } from "../../../../runtime/serve/console/app/server-order.js";

const server = (name: string, more: Partial<SeenServer> = {}): SeenServer => ({
  ...{ name, state: "idle", tools: 3, sign_in: false, refused: [] },
  ...more,
});
const drift = (...findings: readonly string[]) => ({
  checked_at: "2026-11-26T14:20:40Z",
  findings: findings.map((text) => ({ level: "info", text })),
});

test("servers that need someone come first: without tools, with a failure, refused tools or other ones than their snapshot", () => {
  const servers = [
    server("idle"),
    server("connected", { state: "connected" }),
    server("same as its snapshot", { drift: drift() }),
    server("without a snapshot", { tools: 0 }),
    server("differs", { drift: drift("one tool more") }),
    server("refused", { state: "connected", refused: [{ op: "a.b", findings: [] }] }),
    server("failed", { error: "no answer" }),
    server("down", { state: "disconnected" }),
    server("to sign in", { state: "disconnected", sign_in: true }),
  ];
  expect(byTrouble(servers).map(({ name }) => name)).toEqual([
    ...["down", "to sign in", "refused", "without a snapshot", "differs", "failed"],
    ...["connected", "idle", "same as its snapshot"],
  ]);
});
