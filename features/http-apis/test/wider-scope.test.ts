/** A server that refuses a call with `insufficient_scope`: the person is asked to sign in for more, the call goes on, and it ends. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { decodeJwt } from "jose";
import { describe, expect, test } from "vitest";
import type { Forward } from "../../../runtime/call/client-access.js";
import { askingTokens } from "../../../runtime/call/sign-in-questions.js";
import type { Connections } from "../../../runtime/connections/connections.js";
import type { Principal } from "../../../runtime/contract/handler.js";
import type { HttpCall } from "../../../runtime/contract/http-call.js";
import {
  connectionsOver,
  PUBLIC,
  settingsFor,
  stateFor,
  TOOLS_CLIENT,
} from "../../../test/support/servers/connections.js";
import { startOidc } from "../../../test/support/servers/oidc.js";
import { listening, mcpRoute } from "../../../test/support/upstream/http.js";
import { called, contextOf } from "../../../test/support/upstream/upstreams.js";
import { httpHandler } from "../handler.js";

const SLOW = { timeout: 180_000 };
const CALLBACK = `${PUBLIC}/connections/callback`;
const ALICE: Principal = {
  ...{ kind: "user", id: "alice", grant: { level: "write", projects: "*" }, allowWrite: true },
};

/** A person who has signed in at a provider, with the scope `mcp:read`. */
async function person() {
  const oidc = await startOidc({ clients: [{ ...TOOLS_CLIENT, redirect_uris: [CALLBACK] }] });
  const tokens = connectionsOver(await stateFor(), settingsFor(oidc.issuer, { mode: "per_user" }));
  const connect = async (): Promise<void> => {
    const { url, browser } = await tokens.signIns.begin("github", ALICE);
    const answer = await oidc.browse(new URL(url), CALLBACK);
    expect(await tokens.signIns.finish(answer.searchParams, browser)).toMatchObject({ kind: "connected" });
  };
  await connect();
  return { issuer: oidc.issuer, tokens, connect };
}

/** What a server does with a token: `needed` is undefined where it takes every token. */
interface Guard {
  needed: string | undefined;
  challenge(): string;
  /** Calls that it has refused for their scope. */
  refused: number;
}

const guardOf = (needed: string): Guard => ({
  needed,
  challenge() {
    return `Bearer error="insufficient_scope", scope="${this.needed}", resource_metadata="https://x.example.com/"`;
  },
  refused: 0,
});

/** Whether a request was answered with 403. */
function isRefused(guard: Guard, { headers }: IncomingMessage, response: ServerResponse): boolean {
  const [, token = ""] = /^Bearer (.+)$/.exec(headers.authorization ?? "") ?? [];
  const scopes = token === "" ? [] : String(decodeJwt(token)["scope"]).split(" ");
  if (guard.needed === undefined || scopes.includes(guard.needed)) return false;
  guard.refused++;
  response.writeHead(403, { "www-authenticate": guard.challenge(), "content-type": "application/json" });
  response.end('{"error":"insufficient_scope"}');
  return true;
}

type Call = (tokens: Connections | ReturnType<typeof askingTokens>) => Promise<unknown>;

/** An MCP server whose calls, or whose connections too, need a scope. */
async function mcpServer(guard: Guard, issuer: string, tokens: Connections, isGuardedAtStart: boolean) {
  const route = mcpRoute([{ name: "save", inputSchema: { type: "object" } }], {
    call: async () => ({ content: [{ type: "text", text: "saved" }] }),
  });
  const web = await listening(async (request, response, body, origin) => {
    const isGuarded = request.url !== "/open" && (isGuardedAtStart || body.includes('"tools/call"'));
    if (isGuarded && isRefused(guard, request, response)) return;
    return route(request, response, body, origin);
  });
  const { call, pool } = await called({
    servers: { github: { url: `${web.origin}/mcp`, auth: { mode: "per_user", issuer } } },
    accepted: { github: { url: `${web.origin}/open` } },
  });
  pool.takeTokens(tokens);
  return (from: Parameters<Call>[0]) => call("github.save", {}, { principal: ALICE, tokens: from });
}

/** An HTTP API whose operation needs a scope. */
async function httpApi(guard: Guard, issuer: string): Promise<Call> {
  const api = await listening((request, response) => {
    if (isRefused(guard, request, response)) return;
    response.writeHead(200, { "content-type": "application/json" });
    response.end('"saved"');
  });
  const call: HttpCall = { source: "a", method: "POST", path: "/", accept: "application/json", arguments: [] };
  const source = { pack: "github", server: api.origin, auth: { mode: "per_user", issuer } } as const;
  const run = httpHandler(call, source, async () => fetch);
  return (tokens) => run({}, contextOf([], { principal: ALICE, tokens }));
}

const KINDS = [
  ["an MCP server, at a call", (guard, issuer, tokens) => mcpServer(guard, issuer, tokens, false)],
  ["an MCP server, at the start", (guard, issuer, tokens) => mcpServer(guard, issuer, tokens, true)],
  ["an HTTP API", (guard, issuer) => httpApi(guard, issuer)],
] as const satisfies readonly [string, (guard: Guard, issuer: string, tokens: Connections) => Promise<Call>][];

describe.each(KINDS)("%s that needs a wider scope", (_, open) => {
  test("says which scope it asks for and where to sign in; then the call works", SLOW, async () => {
    const { issuer, tokens, connect } = await person();
    const guard = guardOf("mcp:write");
    const call = await open(guard, issuer, tokens);
    for (let i = 0; i < 2; i++)
      await expect(call(tokens)).rejects.toMatchObject({
        code: "UNAVAILABLE",
        details: { reason: "sign_in_required", scope: "mcp:write", sign_in: `${PUBLIC}/#/connections?name=github` },
      });
    await connect();
    expect(await call(tokens)).toBe("saved");
  });

  test("goes on in the same call, if its client opens the page", SLOW, async () => {
    const { issuer, tokens, connect } = await person();
    const call = await open(guardOf("mcp:write"), issuer, tokens);
    let asked = 0;
    const forward: Forward = {
      ...{ client: 1, capabilities: { elicitation: { url: {} } } },
      request: async () => {
        asked++;
        await connect();
        return { action: "accept" };
      },
    };
    expect(await call(askingTokens(tokens, { forward, signal: new AbortController().signal }))).toBe("saved");
    expect(asked).toBe(1);
  });

  test("that refuses what was signed in with the scope too is not asked in a loop", SLOW, async () => {
    const { issuer, tokens, connect } = await person();
    // The provider does not know the scope, so that no token has it.
    const guard = guardOf("mcp:admin");
    const call = await open(guard, issuer, tokens);
    await expect(call(tokens)).rejects.toMatchObject({ details: { reason: "sign_in_required" } });
    await connect();
    const before = guard.refused;
    const failure = await call(tokens).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "UNAVAILABLE", details: { status: 403 } });
    expect(failure).not.toHaveProperty("details.reason", "sign_in_required");
    expect(guard.refused - before).toBeLessThanOrEqual(2);
  });
});

test.each([
  ["no scope", () => 'Bearer error="insufficient_scope"'],
  ["another error", () => 'Bearer error="invalid_request", scope="mcp:write"'],
  ["another scheme", () => 'Basic realm="x", error="insufficient_scope", scope="mcp:write"'],
  ["no challenge", () => ""],
])("a refusal with %s asks nobody to sign in", SLOW, async (_, challenge) => {
  const { issuer, tokens } = await person();
  for (const [, open] of [KINDS[0], KINDS[2]]) {
    const call = await open({ ...guardOf("mcp:write"), challenge }, issuer, tokens);
    const failure = await call(tokens).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "UNAVAILABLE" });
    expect(failure).not.toHaveProperty("details.reason", "sign_in_required");
  }
});
