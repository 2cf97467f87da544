/** A fifth gateway tool, and a gateway with a key, for tests of each transport. */

import { onTestFinished } from "vitest";
import { createRates } from "../../../runtime/access/rate.js";
import type { Gateway } from "../../../runtime/gateway/gateway.js";
import type { OpenTransport } from "../../../runtime/gateway/open-transport.js";
import { SERVED_TOOLS, type ServedTool } from "../../../runtime/serve/gateway-tools.js";
import { fixture } from "../gateway/fixture.js";

/** Counts as three calls, and answers who asked what. */
export const ECHO: ServedTool = {
  name: "tool_echo",
  definition: {
    description: "Repeat the arguments.",
    inputSchema: { type: "object", properties: { say: { type: "string" } } },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  about: "repeats the arguments",
  offered: { mcp: "gateway", socket: true, api: "/api/echo" },
  callsIn: () => 3,
  answer: ({ input, principal: { id } }) => ({ value: { id, input }, isError: false }),
};
/** The gateway tools, and this one. */
export const gatewayTools = [...SERVED_TOOLS, ECHO];
/** What it answers to the local caller. */
export const SAID = { id: "local", input: { say: "moin" } };

/** Closes a transport after the test. */
export const closing = (transport: OpenTransport): OpenTransport => {
  onTestFinished(async () => {
    transport.stop();
    await transport.close();
  });
  return transport;
};

/** A gateway with a key `k`, which may make four calls. */
export function gatewayWithKey(): Gateway {
  const { gateway } = fixture();
  const live = { keyId: "k", grant: { level: "read", projects: "*" }, expiresAt: undefined };
  const verify = async (key: string) => (key === "secret" ? live : undefined);
  const keys = { ...gateway.keys, verify, anyMade: async () => false } as unknown as Gateway["keys"];
  return { ...gateway, keys, rates: createRates({ burst: 4, perSecond: 0 }, () => 0) };
}
