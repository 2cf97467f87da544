/** Authorization of an open connection: expired tokens are renewed, and what happens if that fails. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { authorizationOf } from "../../../runtime/upstream/authorization.js";
import { snapshotText } from "../../../runtime/upstream/snapshot.js";
import { type Json, temporaryFolder } from "../../support/project.js";
import { guardedServer } from "../../support/upstream/http.js";
import { ready, snapshotOf } from "../../support/upstream/servers.js";
import { called } from "../../support/upstream/upstreams.js";

afterEach(() => vi.restoreAllMocks());

const inputSchema = { type: "object", properties: {} };
const TOOLS = [
  { name: "read", inputSchema, annotations: { readOnlyHint: true } },
  { name: "write", inputSchema },
];
const REMEDY = 'To do: run "toolwright snapshot web" on a terminal, where a browser can be opened.';

/** A server that a person has authorized a project for. */
async function authorized() {
  const root = temporaryFolder();
  const made: string[] = [];
  const call = async ({ name }: { readonly name: string }) => {
    made.push(name);
    return { content: [{ type: "text", text: "done" }] };
  };
  const authority = await guardedServer(TOOLS, "yes", { call });
  const entry = { url: `${authority.origin}/mcp`, timeout: 20 };
  /** What `toolwright snapshot web` does on a terminal. */
  const authorize = async (): Promise<void> => {
    const open = (url: URL): void => void fetch(url);
    const server = { ...ready(entry), name: "web" };
    const found = await snapshotOf(server, { authorization: authorizationOf({ root, open, waitMs: 20_000 }) });
    mkdirSync(join(root, "definitions", "servers"), { recursive: true });
    writeFileSync(join(root, "definitions", "servers", "web.json"), snapshotText(found));
  };
  await authorize();
  authority.grants.length = 0;
  const tokens = (): Json => JSON.parse(readFileSync(join(root, ".onetool", "oauth", "web.json"), "utf8")).tokens;
  /** A connection of its own, as each process has one. */
  const connected = () => called({ servers: { web: entry }, root, backoff: { firstMs: 1, longestMs: 1 } });
  return { authority, authorize, tokens, made, connected };
}

test("a token that expired is renewed in the course of a call, which is made once, and kept for later", async () => {
  const { authority, connected, made, tokens } = await authorized();
  const { call } = await connected();
  expect(await call("web.write")).toBe("done");
  const before = tokens();
  authority.tokens.clear();
  expect(await call("web.write")).toBe("done");
  expect(authority.grants).toEqual(["refresh_token"]);
  expect(made).toEqual(["write", "write"]);
  expect(tokens().access_token).not.toBe(before.access_token);
  expect(authority.tokens.has(tokens().access_token)).toBe(true);
  const { call: later } = await connected();
  expect(await later("web.read")).toBe("done");
  expect(authority.grants).toEqual(["refresh_token"]);
});

test("calls that meet an expired token at once: a refresh token that does once is used once at a time", async () => {
  const { authority, connected, tokens } = await authorized();
  const { call } = await connected();
  await call("web.read");
  authority.tokens.clear();
  expect(await Promise.all(Array.from({ length: 8 }, () => call("web.read")))).toEqual(Array(8).fill("done"));
  expect(authority.refreshes.has(tokens().refresh_token)).toBe(true);
});

test("what another process has renewed is taken over", async () => {
  const { authority, connected } = await authorized();
  const [one, other] = [await connected(), await connected()];
  await Promise.all([one.call("web.read"), other.call("web.read")]);
  for (let turn = 1; turn <= 3; turn++) {
    authority.tokens.clear();
    expect([await one.call("web.read"), await other.call("web.read")]).toEqual(["done", "done"]);
    expect(authority.grants).toHaveLength(turn);
  }
});

/** Answers of a token endpoint that quote what it was sent. */
const QUOTING = {
  "a page": [500, (sent: string) => `<html>cannot handle ${sent}</html>`, "could not be renewed"],
  "a description": [
    400,
    (sent: string) => JSON.stringify({ error: "invalid_request", error_description: sent }),
    "its authorization server answers invalid_request, HTTP 400",
  ],
  "a code": [400, (sent: string) => JSON.stringify({ error: sent }), "could not be renewed"],
  "an error with status 200": [
    200,
    (sent: string) => JSON.stringify({ error: "invalid_scope", error_description: sent }),
    "its authorization server answers invalid_scope, HTTP 200",
  ],
  "what is no token": [200, (sent: string) => JSON.stringify({ access_token: [sent] }), "could not be renewed"],
} as const;

test.each(Object.entries(QUOTING))("nobody sees a refresh token that a token endpoint quotes in %s", async (_, one) => {
  const [status, text, said] = one;
  const printed = vi.spyOn(console, "warn").mockReturnValue();
  const { authority, connected, tokens } = await authorized();
  const { call, failure } = await connected();
  await call("web.read");
  authority.broken.answer = (form, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(text(form.get("refresh_token") ?? ""));
  };
  const { refresh_token: secret } = tokens();
  authority.tokens.clear();
  const failed = await failure("web.read");
  expect(failed.code).toBe("UNAVAILABLE");
  expect(failed.message).toContain(said);
  expect(JSON.stringify([failed, printed.mock.calls])).not.toContain(secret);
});

test.each(["read", "write"])(
  "%s: authorization that ended is UNAVAILABLE with what to do, until it is given again",
  { tags: "full" },
  async (name) => {
    const { authority, authorize, connected, made } = await authorized();
    const { call, failure } = await connected();
    await call("web.read");
    authority.tokens.clear();
    authority.refreshes.clear();
    for (let turn = 0; turn < 2; turn++) {
      const failed = await failure(`web.${name}`);
      expect(failed).toMatchObject({ code: "UNAVAILABLE", details: { server: "web" } });
      expect(failed.message).toContain("its authorization has ended, and could not be renewed");
      expect(failed.message).toContain(REMEDY);
    }
    expect(made).toEqual(["read"]);
    // A process that finds no tokens says so, too.
    const fresh = await (await connected()).failure("web.read");
    expect(fresh).toMatchObject({ code: "UNAVAILABLE" });
    expect(fresh.message).toContain('run "toolwright snapshot web" on a terminal');
    await authorize();
    expect(await call("web.read")).toBe("done");
  },
);
