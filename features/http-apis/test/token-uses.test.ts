/** Connections as calls use them: an HTTP API, an upstream MCP server, and the commands. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { decodeJwt } from "jose";
import { describe, expect, test } from "vitest";
import type { Forward, InputRequired, Turn } from "../../../runtime/call/client-access.js";
import { askingTokens } from "../../../runtime/call/sign-in-questions.js";
import { connectionsCommand } from "../../../runtime/cli/connections.js";
import type { RuntimeConfig } from "../../../runtime/config/settings.js";
import { type Principal, ToolFailure } from "../../../runtime/contract/handler.js";
import type { HttpCall } from "../../../runtime/contract/http-call.js";
import type { TokenSource } from "../../../runtime/contract/token-source.js";
import { temporaryFolder } from "../../../test/support/project.js";
import {
  connectionsOver,
  machineSettings,
  PUBLIC,
  settingsFor,
  stateFor,
  TOOLS,
  TOOLS_CLIENT,
} from "../../../test/support/servers/connections.js";
import { MACHINE, type Oidc, startOidc } from "../../../test/support/servers/oidc.js";
import { listening, mcpRoute } from "../../../test/support/upstream/http.js";
import { called, contextOf } from "../../../test/support/upstream/upstreams.js";
import { httpHandler } from "../handler.js";

const auth = (issuer: string) =>
  ({
    mode: "client_credentials",
    issuer,
    client: { id: MACHINE.client_id, secret: "${MACHINE_SECRET}" },
    scope: "mcp:read",
    resource: "https://api.example.com/mcp",
  }) as const;

const NEVER = new AbortController().signal;
const SLOW = { timeout: 180_000 };

const CALL: HttpCall = { source: "api.json", method: "GET", path: "/me", accept: "application/json", arguments: [] };
const GRAPHQL: HttpCall = {
  ...{ source: "api.graphql", method: "POST", path: "/me", accept: "application/json", arguments: [] },
  graphql: { operation: "query", field: "me", document: "query { me }" },
};

test.each([
  ["an HTTP API", CALL],
  ["a GraphQL API", GRAPHQL],
])("%s gets a token; when it refuses one, the call is made again with a newer one", SLOW, async (_, call) => {
  const oidc = await startOidc();
  const shown: (string | undefined)[] = [];
  const api = await listening((request, response) => {
    shown.push(request.headers.authorization);
    response.writeHead(shown.length === 1 ? 401 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(shown.length === 1 ? {} : { data: { me: "machine" } }));
  });
  const source = { pack: "github", server: api.origin, auth: auth(oidc.issuer) };
  const run = httpHandler(call, source, async () => fetch);
  const tokens = connectionsOver(await stateFor(), machineSettings(oidc.issuer));
  expect(JSON.stringify(await run({}, contextOf([], { tokens })))).toContain("machine");
  expect(shown).toHaveLength(2);
  expect(shown[0]).toMatch(/^Bearer eyJ/);
  expect(shown[1]).not.toBe(shown[0]);
  await expect(run({}, contextOf([]))).rejects.toMatchObject({ code: "UNAVAILABLE" });
  expect(shown).toHaveLength(2);
});

test(
  "an upstream server gets a token; when it refuses one, the request is made again with a newer one",
  SLOW,
  async () => {
    const oidc = await startOidc();
    const answer = mcpRoute([{ name: "whoami", inputSchema: { type: "object" } }], {
      call: async () => ({ content: [{ type: "text", text: "machine" }] }),
    });
    const refused = new Set<string | undefined>();
    const web = await listening(async (request, response, body, origin) => {
      const shown = request.headers.authorization;
      if (request.url !== "/open" && (shown === undefined || refused.has(shown)))
        return void response.writeHead(401).end();
      return answer(request, response, body, origin);
    });
    const settings = machineSettings(oidc.issuer);
    const { call, pool } = await called({
      servers: { github: { url: `${web.origin}/mcp`, auth: auth(oidc.issuer) } },
      accepted: { github: { url: `${web.origin}/open` } },
    });
    pool.takeTokens(connectionsOver(await stateFor(), settings));
    expect(await call("github.whoami")).toBe("machine");
    const first = web.headers.get("/mcp")?.authorization;
    refused.add(first);
    expect(await call("github.whoami")).toBe("machine");
    expect(web.headers.get("/mcp")?.authorization).not.toBe(first);
  },
);

/** A root whose server `github` has a shared connection, and what its commands print. */
function commands(oidc: Oidc) {
  const root = temporaryFolder();
  mkdirSync(join(root, ".onetool"), { mode: 0o700 });
  const config: RuntimeConfig = {
    sources: [],
    servers: {
      github: {
        url: "https://api.example.com/mcp",
        auth: {
          mode: "shared",
          issuer: oidc.issuer,
          client: { id: TOOLS.client_id },
          scope: "openid offline_access mcp:read",
          authorize_params: { prompt: "consent" },
        },
      },
    },
    state: "",
    state_encryption: { keys: [{ id: "k1", from: "ab".repeat(32) }] },
  };
  const printed: string[] = [];
  const print = (text: string): void => void printed.push(text);
  const browse = async (url: URL): Promise<void> => {
    const answer = await oidc.browse(url, url.searchParams.get("redirect_uri") ?? "");
    await fetch(answer);
  };
  const start = { root, config, overrides: {}, out: print, err: print, paint: (_: string, text: string) => text };
  const run = async (command: "list" | "revoke" | "login", name?: string, open = browse) => {
    printed.length = 0;
    const openPage = (url: URL): void => void open(url);
    const code = await connectionsCommand({ ...start, openPage }, command, {}, name);
    return { code, text: printed.join("") };
  };
  return { run, browse };
}

/** A client of a machine, whose callback has any port. */
const NATIVE = {
  client_id: TOOLS.client_id,
  application_type: "native",
  redirect_uris: ["http://127.0.0.1/callback"],
  response_types: ["code"],
  grant_types: ["authorization_code", "refresh_token"],
  token_endpoint_auth_method: "none",
};

test("connections login, list and revoke: a shared connection from its sign-in to its end", SLOW, async () => {
  const oidc = await startOidc({ clients: [NATIVE] });
  const { run } = commands(oidc);
  expect(await run("list")).toEqual({ code: 0, text: "nobody is connected\n" });
  expect(await run("login", "github")).toEqual({ code: 0, text: "github is connected for all callers\n" });
  const listed = await run("list");
  expect(listed.text).toMatch(/^github {2}all callers {2}http:\S+ {2}since \S+, renewed \S+\n$/);
  expect(listed.text).not.toContain("eyJ");
  expect(await run("revoke", "gitlab")).toMatchObject({ code: 1, text: "error there is no connection to gitlab\n" });
  expect(await run("revoke", "github")).toMatchObject({ code: 0 });
  expect(await run("list")).toMatchObject({ text: "nobody is connected\n" });
});

test.each([
  ["another issuer", (answer: URL) => answer.searchParams.set("iss", "https://evil.example.com"), "iss"],
  ["no issuer", (answer: URL) => answer.searchParams.delete("iss"), "iss"],
  ["two codes", (answer: URL) => answer.searchParams.append("code", "other"), "twice"],
  ["another code", (answer: URL) => answer.searchParams.set("code", "other"), "it answers invalid_grant (HTTP 400)"],
  ["no code", (answer: URL) => answer.searchParams.delete("code"), "code"],
  [
    "markup as an error",
    (answer: URL) => answer.searchParams.set("error", "<img src=x onerror=alert(1)>"),
    "an error without a valid code",
  ],
])("a sign-in is refused for an answer with %s", async (_, change, check) => {
  const oidc = await startOidc({ clients: [NATIVE] });
  const { run } = commands(oidc);
  const outcome = await run("login", "github", async (url) => {
    const answer = await oidc.browse(url, url.searchParams.get("redirect_uri") ?? "");
    change(answer);
    await fetch(answer);
  });
  expect(outcome).toEqual({ code: 1, text: `error github was not connected: ${check}\n` });
  expect(await run("list")).toMatchObject({ text: "nobody is connected\n" });
});

const person = (id: string): Principal => ({
  ...{ kind: "user", id, grant: { level: "write", projects: "*" }, allowWrite: true },
});

/** A server that knows its callers by their tokens, and callers who have signed in. */
async function perUser(people: readonly string[]) {
  const oidc = await startOidc({ clients: [{ ...TOOLS_CLIENT, redirect_uris: [`${PUBLIC}/connections/callback`] }] });
  const sessions = new Map<string, Set<string>>();
  const web = await listening(async (request, response, body, origin) => {
    const [, token] = /^Bearer (.+)$/.exec(request.headers.authorization ?? "") ?? [];
    if (request.url !== "/open" && token === undefined) return void response.writeHead(401).end();
    const sub = token === undefined ? "nobody" : String(decodeJwt(token).sub);
    const session = request.headers["mcp-session-id"];
    if (typeof session === "string") sessions.set(session, (sessions.get(session) ?? new Set()).add(sub));
    const route = mcpRoute([{ name: "whoami", inputSchema: { type: "object" } }], {
      call: async () => ({ content: [{ type: "text", text: sub }] }),
    });
    return route(request, response, body, origin);
  });
  const settings = settingsFor(oidc.issuer, { mode: "per_user" });
  const tokens = connectionsOver(await stateFor(), settings);
  const connect = async (id: string): Promise<void> => {
    const { url, browser } = await tokens.signIns.begin("github", person(id));
    oidc.user = id;
    const answer = await oidc.browse(new URL(url), `${PUBLIC}/connections/callback`);
    expect(await tokens.signIns.finish(answer.searchParams, browser)).toMatchObject({ kind: "connected" });
  };
  for (const id of people) await connect(id);
  const server = { url: `${web.origin}/mcp`, auth: { mode: "per_user", issuer: oidc.issuer } } as const;
  const { call, failure, pool } = await called({
    servers: { github: server },
    accepted: { github: { url: `${web.origin}/open` } },
  });
  pool.takeTokens(tokens);
  return { call, failure, tokens, connect, sessions };
}

const CALLS = process.env["SCALE"] === "1" ? 500 : 40;

test(`two callers of one server, ${CALLS} interleaved calls: each is itself`, SLOW, async () => {
  const { call, failure, tokens, sessions } = await perUser(["alice", "bob"]);
  const callers = Array.from({ length: CALLS }, (_, i) => (i % 3 === 0 ? "alice" : "bob"));
  const found = await Promise.all(callers.map((id) => call("github.whoami", {}, { principal: person(id), tokens })));
  expect(found).toEqual(callers);
  for (const subjects of sessions.values()) expect(subjects.size).toBe(1);
  const carol = await failure("github.whoami", {}, { principal: person("carol"), tokens });
  expect(carol).toMatchObject({ code: "UNAVAILABLE", details: { reason: "sign_in_required" } });
});

describe("a call without a connection", () => {
  test("asks a client of the older protocols to open the page, and goes on after the sign-in", SLOW, async () => {
    const { call, tokens, connect } = await perUser([]);
    const asked: unknown[] = [];
    const forward: Forward = {
      ...{ client: 1, capabilities: { elicitation: { url: {} } } },
      request: async (question) => {
        asked.push(question);
        await connect("alice");
        return { action: "accept" };
      },
    };
    const signal = new AbortController().signal;
    const context = { principal: person("alice"), tokens: askingTokens(tokens, { forward, signal }) };
    expect(await call("github.whoami", {}, context)).toBe("alice");
    expect(asked).toMatchObject([
      {
        method: "elicitation/create",
        params: { mode: "url", url: `${PUBLIC}/#/connections?name=github`, elicitationId: expect.any(String) },
      },
    ]);
  });

  test("fails at once when the client declines, or cannot open pages", SLOW, async () => {
    const { failure, tokens } = await perUser([]);
    const signal = new AbortController().signal;
    for (const elicitation of [{ url: {} }, { form: {} }]) {
      const forward: Forward = {
        ...{ client: 1, capabilities: { elicitation } },
        request: async () => ({ action: "decline" }),
      };
      const context = { principal: person("alice"), tokens: askingTokens(tokens, { forward, signal }) };
      expect(await failure("github.whoami", {}, context)).toMatchObject({
        code: "UNAVAILABLE",
        details: { sign_in: `${PUBLIC}/#/connections?name=github` },
      });
    }
  });

  test("is answered with the question in the newer protocol, once; the repeated call goes on", SLOW, async () => {
    const { call, failure, tokens, connect } = await perUser([]);
    const turns: Turn[] = [];
    const signal = new AbortController().signal;
    const round = (given: InputRequired["given"]) => {
      const capabilities = { elicitation: { url: {} } };
      const inputRequired: InputRequired = { capabilities, given, end: (turn) => void turns.push(turn) };
      const asking = askingTokens(tokens, { forward: undefined, inputRequired, signal });
      return { principal: person("alice"), tokens: asking, inputRequired };
    };
    await failure("github.whoami", {}, round({}));
    expect(turns).toMatchObject([
      {
        kind: "asks",
        inputRequests: { toolwright_sign_in: { method: "elicitation/create", params: { mode: "url" } } },
      },
    ]);
    const answer = { inputResponses: { toolwright_sign_in: { action: "accept" } } };
    await failure("github.whoami", {}, round(answer));
    expect(turns).toHaveLength(1);
    await connect("alice");
    expect(await call("github.whoami", {}, round(answer))).toBe("alice");
  });
});

/** A server at which nobody's token is accepted but `good`, and tokens as they are given, one after the other. */
async function strict(given: readonly (string | ToolFailure)[]) {
  const route = mcpRoute([{ name: "whoami", inputSchema: { type: "object" } }], {
    call: async () => ({ content: [{ type: "text", text: "alice" }] }),
  });
  const web = await listening(async (request, response, body, origin) => {
    if (request.url !== "/open" && request.headers.authorization !== "Bearer good")
      return void response.writeHead(401).end();
    return route(request, response, body, origin);
  });
  const { call, failure, pool } = await called({
    servers: { github: { url: `${web.origin}/mcp`, auth: { mode: "per_user", issuer: "https://id.example.com" } } },
    accepted: { github: { url: `${web.origin}/open` } },
  });
  const left = [...given];
  const tokens: TokenSource = {
    token: async () => {
      const [next = ""] = left.length > 1 ? left.splice(0, 1) : left;
      if (typeof next === "string") return next;
      throw next;
    },
    refused: () => undefined,
    widened: async () => "",
  };
  pool.takeTokens(tokens);
  return { call, failure, tokens };
}

const PAGE = `${PUBLIC}/#/connections?name=github`;
const ended = new ToolFailure("UNAVAILABLE", `github is not connected for you. To do: open ${PAGE}.`, {
  ...{ server: "github", reason: "sign_in_required", sign_in: PAGE },
});

describe("a call whose grant ends while its connection is opened", () => {
  test("says where to sign in", async () => {
    const { failure, tokens } = await strict(["bad", "bad", ended]);
    expect(await failure("github.whoami", {}, { principal: person("alice"), tokens })).toEqual({
      ...{ code: "UNAVAILABLE", message: ended.message, details: ended.details },
    });
  });

  test("asks its client to open the page, and goes on after the sign-in", async () => {
    const { call, tokens } = await strict(["bad", "bad", ended, ended, "good"]);
    const forward: Forward = {
      ...{ client: 1, capabilities: { elicitation: { url: {} } } },
      request: async () => ({ action: "accept" }),
    };
    const context = { principal: person("alice"), tokens: askingTokens(tokens, { forward, signal: NEVER }) };
    expect(await call("github.whoami", {}, context)).toBe("alice");
  });

  test("says why there is no token, where no sign-in helps", async () => {
    const away = new ToolFailure("UNAVAILABLE", "There is no token for github.", {
      server: "github",
      reason: "HTTP 500",
    });
    const { failure, tokens } = await strict(["bad", "bad", away]);
    expect(await failure("github.whoami", {}, { principal: person("alice"), tokens })).toMatchObject({
      details: { server: "github", reason: "HTTP 500" },
    });
  });
});

test("a server that refuses every token is told with a remedy about its auth", async () => {
  const { failure, tokens } = await strict(["bad"]);
  const { message } = await failure("github.whoami", {}, { principal: person("alice"), tokens });
  expect(message).toContain(
    "it refuses the token of its connection (HTTP 401). To do: compare issuer, resource and scope of servers.github.auth",
  );
  expect(message).not.toMatch(/snapshot|headers/);
});
