/** The capabilities that a server sees, and how questions of the newer protocol end a call. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CLIENT_CAPABILITIES_META_KEY, inputRequired, type ServerContext } from "@modelcontextprotocol/server";
import { describe, expect, test } from "vitest";
import type { Forward, InputRequired, Turn } from "../../../runtime/call/client-access.js";
import { type Json, temporaryFolder } from "../../support/project.js";
import { listening, mcpRoute } from "../../support/upstream/http.js";
import { called, calls } from "../../support/upstream/upstreams.js";

const SLOW = 60_000;
const forward = (capabilities: Forward["capabilities"]): Forward => ({
  client: {},
  capabilities,
  request: async () => ({ action: "decline" }),
});

describe("a server of the older protocols", () => {
  const isAlive = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  /** Processes of the server so far. */
  const pidsIn = (file: string): readonly number[] =>
    existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").map(Number) : [];

  async function open() {
    const pids = join(temporaryFolder(), "pids");
    const opened = await called({ servers: { one: calls({ pids }) }, accepted: { one: calls() } });
    const told = async (ctx: { readonly forward?: Forward } = {}): Promise<Json> =>
      (await opened.call("one.capabilities", {}, ctx)).capabilities;
    return { ...opened, told, pids: () => pidsIn(pids) };
  }

  test("is opened again for a client that can answer more, and stays for one that can answer less", {
    timeout: SLOW,
  }, async () => {
    const { told, pids } = await open();
    expect(await told()).toEqual({});
    expect(await told({ forward: forward({ elicitation: { form: {} } }) })).toEqual({ elicitation: { form: {} } });
    const more = { elicitation: { form: {}, url: {} }, roots: {} };
    expect(await told({ forward: forward({ elicitation: { url: {} }, roots: {} }) })).toEqual(more);
    for (const capabilities of [{}, { roots: {} }, { elicitation: { form: {} } }])
      expect(await told({ forward: forward(capabilities) })).toEqual(more);
    expect(await told()).toEqual(more);
    expect(pids()).toHaveLength(3);
    await expect.poll(() => pids().map(isAlive), { timeout: SLOW / 2 }).toEqual([false, false, true]);
  });

  test("finishes the calls under way before it is closed, and opens once for many", {
    tags: "full",
    timeout: SLOW,
  }, async () => {
    const { call, told, pids, upstreams } = await open();
    await told();
    const under = call("one.progress");
    const able = forward({ sampling: {} });
    const answers = await Promise.all([
      told({ forward: able }),
      told({ forward: able }),
      told({ forward: able }),
      told(),
    ]);
    for (const answer of answers.slice(0, 3)) expect(answer).toEqual({ sampling: {} });
    expect(await under).toEqual({ done: true });
    expect(pids()).toHaveLength(2);
    await expect.poll(() => pids().map(isAlive), { timeout: SLOW / 2 }).toEqual([false, true]);
    expect(upstreams.states().get("one")).toEqual({ state: "connected" });
  });

  test("leaves no process behind when it ends while two of it are in use", {
    tags: "full",
    timeout: SLOW,
  }, async () => {
    const { call, told, pids, upstreams } = await open();
    await told();
    const hanging = call("one.hang").catch((error: unknown) => error);
    await told({ forward: forward({ roots: {} }) });
    expect(pids().map(isAlive)).toEqual([true, true]);
    await upstreams.close();
    expect(await hanging).toMatchObject({ code: "UNAVAILABLE" });
    expect(pids().map(isAlive)).toEqual([false, false]);
  });
});

describe("a server of the newer protocol", () => {
  const tools = ["ask", "declared", "endless", "write"].map((name) => ({
    name,
    inputSchema: { type: "object", properties: {} },
    annotations: { readOnlyHint: name !== "write" },
  }));
  const who = inputRequired.listRoots();
  /** What the server makes of a call. */
  const call = async ({ name }: Json, { mcpReq }: ServerContext): Promise<object> => {
    const declared = (mcpReq.envelope as Json)[CLIENT_CAPABILITIES_META_KEY];
    if (name === "declared") return { content: [], structuredContent: declared };
    if (name === "endless") return inputRequired({ requestState: "x".repeat(100_001) });
    const given = mcpReq.inputResponses;
    if (!given) return inputRequired({ inputRequests: { who }, requestState: "note" });
    return { content: [], structuredContent: { given, note: mcpReq.requestState() } };
  };
  async function open() {
    const { origin, seen } = await listening(mcpRoute(tools, { legacy: "reject", call }));
    return { ...(await called({ servers: { web: { url: `${origin}/mcp`, timeout: 10 } } })), seen };
  }
  const answered = (
    given: InputRequired["given"] = {},
    capabilities: InputRequired["capabilities"] = { roots: {} },
  ) => {
    const turns: Turn[] = [];
    return { given, capabilities, turns, end: (turn: Turn) => void turns.push(turn) };
  };

  test("gets the elicitation capabilities of the client with each call, over one connection", {
    tags: "full",
  }, async () => {
    const { call: make } = await open();
    const some: readonly InputRequired["capabilities"][] = [
      {},
      { sampling: {} },
      { elicitation: { form: {} }, roots: {} },
      {},
    ];
    for (const capabilities of some) {
      expect(await make("web.declared", {}, { inputRequired: answered({}, capabilities) })).toEqual(capabilities);
      expect(await make("web.declared", {}, { forward: forward(capabilities) })).toEqual(capabilities);
    }
    expect(await make("web.declared")).toEqual({});
  });

  test("its questions end the call, and answers and note go back to it with the next", async () => {
    const { call: make, failure } = await open();
    const first = answered();
    for (const tool of ["web.ask", "web.write"]) {
      const { code, details } = await failure(tool, {}, { inputRequired: first });
      // Nothing was begun: a key for a write is free again.
      expect({ code, details }).toEqual({
        code: "UNAVAILABLE",
        details: { server: "web", reason: "input_required", asks: ["roots/list"] },
      });
    }
    const turn = { kind: "asks", inputRequests: { who: { method: "roots/list" } }, requestState: "note" };
    expect(first.turns).toEqual([turn, turn]);
    const inputResponses = { who: { roots: [] } };
    const second = answered({ inputResponses, requestState: "note" });
    expect(await make("web.ask", {}, { inputRequired: second })).toEqual({ given: inputResponses, note: "note" });
    expect(second.turns).toEqual([]);
  });

  test("a missing capability is reported, and no other client is asked", async () => {
    const { failure } = await open();
    const silent = answered({}, {});
    expect(await failure("web.ask", {}, { inputRequired: silent })).toMatchObject({ code: "UNAVAILABLE" });
    expect(silent.turns).toEqual([{ kind: "lacks", requiredCapabilities: { roots: {} } }]);
    expect(await failure("web.ask")).toMatchObject({
      code: "UNAVAILABLE",
      message: expect.stringMatching(/tool_exec/),
    });
  });

  test("a note that is too long for a client to carry is refused in words", async () => {
    const { failure } = await open();
    const long = answered();
    const { message } = await failure("web.endless", {}, { inputRequired: long });
    expect(message).toMatch(/too long/);
    expect(long.turns).toEqual([]);
  });
});
