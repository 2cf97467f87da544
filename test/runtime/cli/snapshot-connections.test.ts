/** `toolwright snapshot` of servers with connections: with whose token they are read, and what to do without one. */

import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SignJWT } from "jose";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { rowIdentity, storeConnection } from "../../../runtime/connections/rows.js";
import { createSeal } from "../../../runtime/connections/sealing.js";
import { openState } from "../../../runtime/state/open.js";
import { temporaryFolder, toolwright } from "../../support/project.js";
import { startIssuer } from "../../support/servers/issuer.js";
import { listening, mcpRoute } from "../../support/upstream/http.js";

const ISSUER = "https://id.example.com";
const SLOW = { timeout: 120_000 };

/** A project with a server that takes tokens that begin with `ok`, and its stored connections. */
async function project(auth: object, rest: object = {}) {
  const route = mcpRoute([{ name: "whoami", inputSchema: { type: "object" } }]);
  const web = await listening(async (request, response, body, origin) =>
    request.headers.authorization?.startsWith("Bearer ok")
      ? route(request, response, body, origin)
      : void response.writeHead(401).end(),
  );
  const root = temporaryFolder();
  mkdirSync(join(root, "definitions"));
  mkdirSync(join(root, ".onetool"), { mode: 0o700 });
  const key = randomBytes(32);
  const config = {
    sources: [{ mcp: "servers/*.json" }],
    servers: { per: { url: `${web.origin}/mcp`, auth: { issuer: ISSUER, client: { id: "tools" }, ...auth } } },
    state_encryption: { keys: [{ id: "k1", from: key.toString("base64") }] },
    public_url: "https://tools.example.com",
    ...rest,
  };
  writeFileSync(join(root, "definitions", "toolwright.yaml"), stringify(config));
  const store = async (principal: string, token: string): Promise<void> => {
    const place = { kind: "own", principal, server: "per", issuer: ISSUER } as const;
    const state = await openState({ url: "", root });
    const content = JSON.stringify({ access_token: token, client: { clientId: "tools" } });
    await storeConnection(state, place, createSeal([{ id: "k1", key }]).close(content, rowIdentity(place)), Date.now());
    await state.close();
  };
  const run = async (args: readonly string[] = [], input?: string) => {
    const { code, stdout, stderr } = await toolwright(
      ["snapshot", "per", "--root", root, ...args],
      input === undefined ? {} : { input },
    );
    return { code, said: stdout + stderr };
  };
  return { run, store, shown: () => web.headers.get("/mcp")?.authorization };
}

test("a per_user server is read with the connection of the owner, or of a caller that is named", {
  ...SLOW,
  tags: "slow",
}, async () => {
  const { run, store, shown } = await project({ mode: "per_user" });
  const lacking = await run();
  expect(lacking.code).toBe(1);
  expect(lacking.said).toContain("per is not connected for the owner of the machine");
  expect(lacking.said).toContain("open https://tools.example.com/#/connections?name=per in a browser");
  expect(lacking.said).toContain("toolwright snapshot per --principal ID");
  await store("local", "ok-owner");
  expect(await run()).toMatchObject({ code: 0, said: expect.stringContaining("per  written") });
  expect(shown()).toBe("Bearer ok-owner");
  await store("key_4f6e9a436f", "ok-key");
  expect(await run(["--principal", "key_4f6e9a436f"])).toMatchObject({ code: 0 });
  expect(shown()).toBe("Bearer ok-key");
  const other = await run(["--principal", "key_0000000000"]);
  expect(other).toMatchObject({ code: 1, said: expect.stringContaining("per is not connected for key_0000000000") });
});

test("a token_exchange server is read with a token on standard input, which only its issuer is shown", {
  ...SLOW,
  tags: "slow",
}, async () => {
  const { issuer, state } = await startIssuer();
  state.tokens = { access_token: "ok-exchanged", token_type: "Bearer" };
  const auth = { mode: "token_exchange", issuer, client: { id: "tools", secret: "a-secret" } };
  const access = { oauth: { resource: "https://tools.example.com/mcp", issuers: [{ issuer, grants: [] }] } };
  const { run, shown } = await project(auth, { access });
  const lacking = await run();
  expect(lacking).toMatchObject({
    code: 1,
    said: expect.stringContaining("toolwright snapshot per --token < token"),
  });
  const jwt = (of: string): Promise<string> =>
    new SignJWT({ iss: of }).setProtectedHeader({ alg: "HS256" }).sign(randomBytes(32));
  const foreign = await run(["--token"], await jwt("https://evil.example.com"));
  expect(foreign).toMatchObject({ code: 2, said: expect.stringContaining("is of https://evil.example.com") });
  const key = await run(["--token"], `oub_abcdefghij_${"x".repeat(43)}`);
  expect(key).toMatchObject({ code: 2, said: expect.stringContaining("holds an API key of toolwright") });
  expect(state.redeemed).toHaveLength(0);
  const token = await jwt(issuer);
  expect(await run(["--token"], `${token}\n`)).toMatchObject({ code: 0 });
  expect(state.redeemed.map(({ form }) => form.get("subject_token"))).toEqual([token]);
  expect(shown()).toBe("Bearer ok-exchanged");
});

test("a shared server without client.id is connected in the console, as every message says", SLOW, async () => {
  const { run } = await project({ mode: "shared", client: { metadata_url: "auto", register: true } });
  const { code, said } = await run();
  expect([code, said]).toEqual([
    1,
    expect.stringContaining("open https://tools.example.com/#/connections?name=per as an admin, and connect per"),
  ]);
  expect(said).not.toContain("connections login");
});
