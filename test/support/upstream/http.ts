/** MCP servers over HTTP on the loopback address, with or without an authorization server of their own. */

import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler, Server, type ServerContext } from "@modelcontextprotocol/server";
import { onTestFinished } from "vitest";
import { listenAt } from "../ports.js";

/** A listening server. */
export interface Listening {
  readonly origin: string;
  /** Requests so far: "POST /mcp". */
  readonly seen: string[];
  /** Headers of the last request to each path. */
  readonly headers: Map<string, IncomingMessage["headers"]>;
  /** Stops before the test ends. */
  stop(): Promise<void>;
}

type Route = (request: IncomingMessage, response: ServerResponse, body: string, origin: string) => void | Promise<void>;

/** Listens until the test ends. */
export async function listening(route: Route, port = 0): Promise<Listening> {
  const seen: string[] = [];
  const headers = new Map<string, IncomingMessage["headers"]>();
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? "/", "http://x").pathname;
    seen.push(`${request.method} ${path}`);
    headers.set(path, request.headers);
    let body = "";
    for await (const chunk of request) body += chunk;
    await route(request, response, body, origin);
  });
  await listenAt(server, port);
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(() => void stop());
  return { origin, seen, headers, stop };
}

/** What a tool answers. */
type Call = (
  params: { readonly name: string; readonly arguments?: Readonly<Record<string, unknown>> | undefined },
  context: ServerContext,
) => Promise<object>;

/** Answers MCP requests as a server of the official SDK. */
export function mcpRoute(
  tools: readonly object[],
  { call, ...options }: { readonly legacy?: "reject"; readonly call?: Call } = {},
): Route {
  const handler = createMcpHandler(() => {
    const server = new Server({ name: "web", version: "3.0.0" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", () => ({ tools: tools as never }));
    if (call)
      server.setRequestHandler("tools/call", async (request, context) => call(request.params, context) as never);
    return server;
  }, options);
  return async (request, response, body, origin) => {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const answer = await handler.fetch(
      new Request(`${origin}${request.url}`, {
        method: request.method ?? "GET",
        headers: request.headers as Record<string, string>,
        signal: gone.signal,
        ...(body === "" ? {} : { body }),
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    for await (const chunk of answer.body ?? []) response.write(chunk);
    response.end();
  };
}

const json = (response: ServerResponse, status: number, value: object, headers: Record<string, string> = {}): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(value));
};

/** What an authorization server remembers. */
export interface Authority extends Listening {
  /** Redirect addresses of registered clients, by client id. */
  readonly clients: Map<string, string>;
  /** Access tokens that count. */
  readonly tokens: Set<string>;
  /** Refresh tokens that count; each does once. */
  readonly refreshes: Set<string>;
  readonly grants: string[];
  /** Scopes that were asked for, by access token. */
  readonly scopes: Map<string, string>;
  /** The scope that calls of tools need. */
  readonly guard: { needs?: string };
  /** Refresh tokens that came a second time. Each ends the whole authorization. */
  readonly reused: string[];
  /** How it answers a request for tokens, instead of as it should. */
  readonly broken: { answer?: (form: URLSearchParams, response: ServerResponse) => void };
}

/** An MCP server that asks for OAuth, and the authorization server beside it: discovery, registration, PKCE, refresh. */
export async function guardedServer(
  tools: readonly object[],
  says: "yes" | "no" = "yes",
  options: Parameters<typeof mcpRoute>[1] = {},
): Promise<Authority> {
  const clients = new Map<string, string>();
  const tokens = new Set<string>();
  const codes = new Map<
    string,
    { readonly challenge: string; readonly client: string; readonly redirect: string; readonly scope: string }
  >();
  const scopes = new Map<string, string>();
  const guard: Authority["guard"] = {};
  const grants: string[] = [];
  const refreshes = new Set<string>();
  const redeemed = new Set<string>();
  const reused: string[] = [];
  const mcp = mcpRoute(tools, options);
  const broken: Authority["broken"] = {};
  const routes: Record<string, Route> = {
    "/.well-known/oauth-protected-resource/mcp": (_, response, __, origin) =>
      json(response, 200, { resource: `${origin}/mcp`, authorization_servers: [origin] }),
    "/.well-known/oauth-authorization-server": (_, response, __, origin) =>
      json(response, 200, {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ["code"],
        grant_types_supported: ["authorization_code", "refresh_token"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
      }),
    "/register": (_, response, body) => {
      const asked = JSON.parse(body);
      const id = randomUUID();
      clients.set(id, asked.redirect_uris[0]);
      json(response, 201, { ...asked, client_id: id });
    },
    "/authorize": (request, response, _, origin) => {
      const query = new URL(request.url ?? "", origin).searchParams;
      const [client = "", redirect = "", challenge = "", state = ""] = [
        "client_id",
        "redirect_uri",
        "code_challenge",
        "state",
      ].map((name) => query.get(name) ?? "");
      if (clients.get(client) !== redirect || query.get("code_challenge_method") !== "S256")
        return json(response, 400, { error: "invalid_request" });
      const code = randomUUID();
      codes.set(code, { challenge, client, redirect, scope: query.get("scope") ?? "" });
      const answer = says === "yes" ? { code, state } : { error: "access_denied", state };
      response.writeHead(302, { location: `${redirect}?${new URLSearchParams(answer as Record<string, string>)}` });
      response.end();
    },
    "/token": (_, response, body) => {
      const form = new URLSearchParams(body);
      grants.push(form.get("grant_type") ?? "");
      if (broken.answer) return broken.answer(form, response);
      const granted = codes.get(form.get("code") ?? "");
      const verifier = createHash("sha256")
        .update(form.get("code_verifier") ?? "")
        .digest("base64url");
      const isCode = granted?.challenge === verifier && granted.client === form.get("client_id");
      const refresh = form.get("refresh_token") ?? "";
      if (redeemed.has(refresh)) {
        reused.push(refresh);
        for (const one of [tokens, refreshes]) one.clear();
      }
      if (!isCode && !refreshes.delete(refresh)) return json(response, 400, { error: "invalid_grant" });
      if (!isCode) redeemed.add(refresh);
      codes.delete(form.get("code") ?? "");
      const [access, next] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
      tokens.add(access);
      const scope = granted?.scope ?? scopes.get(refresh) ?? "";
      for (const one of [access, next]) scopes.set(one, scope);
      refreshes.add(next);
      json(response, 200, { access_token: access, token_type: "Bearer", expires_in: 3600, refresh_token: next });
    },
    "/mcp": async (request, response, body, origin) => {
      const token = request.headers.authorization?.replace(/^Bearer /, "") ?? "";
      const lacks = guard.needs !== undefined && !scopes.get(token)?.split(" ").includes(guard.needs);
      if (tokens.has(token) && lacks && body.includes('"tools/call"'))
        return json(
          response,
          403,
          {},
          {
            "www-authenticate": `Bearer error="insufficient_scope", scope="${guard.needs}"`,
          },
        );
      if (tokens.has(token)) return mcp(request, response, body, origin);
      const where = `${origin}/.well-known/oauth-protected-resource/mcp`;
      return json(response, 401, { error: "no" }, { "www-authenticate": `Bearer resource_metadata="${where}"` });
    },
  };
  const server = await listening((request, response, body, origin) => {
    const route = routes[new URL(request.url ?? "/", origin).pathname];
    return route ? route(request, response, body, origin) : json(response, 404, {});
  });
  return { ...server, clients, tokens, refreshes, grants, scopes, guard, reused, broken };
}
