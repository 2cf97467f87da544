/** A server whose call needs a scope that the token lacks: what the failure says can be done, and the call works then. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { temporaryFolder, toolwright } from "../../support/project.js";
import { onTerminal } from "../../support/terminal.js";
import { guardedServer } from "../../support/upstream/http.js";
import { BROWSER } from "../../support/upstream/servers.js";

const SLOW = { timeout: 240_000 };
const TOOLS = [{ name: "save", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }];

test("a person who signed in with a browser follows the remedy, and the call works", SLOW, async ({ skip }) => {
  const call = async () => ({ content: [{ type: "text", text: "saved" }] });
  const authority = await guardedServer(TOOLS, "yes", { call });
  const root = temporaryFolder();
  mkdirSync(join(root, "definitions"));
  const config = {
    sources: [{ mcp: "servers/*.json" }],
    servers: { web: { url: `${authority.origin}/mcp`, timeout: 60 } },
  };
  writeFileSync(join(root, "definitions", "toolwright.yaml"), stringify(config));
  const env = { BROWSER: `${process.execPath} ${BROWSER}` };
  const first = await onTerminal(["snapshot", "--root", root], { env });
  if (!first) return skip("python3 is not there");
  expect(first.code).toBe(0);
  expect((await toolwright(["generate", "--root", root])).code).toBe(0);
  const exec = () => toolwright(["exec", "web.save", "--root", root, "--json"]);
  authority.guard.needs = "notes:write";
  const refused = await exec();
  expect(refused.code).not.toBe(0);
  const remedy = /toolwright (connections renew web --scope 'notes:write')/.exec(refused.stdout + refused.stderr);
  expect(remedy).not.toBeNull();
  const words = (remedy?.[1] ?? "").replaceAll("'", "").split(" ");
  const alone = await toolwright([...words, "--root", root]);
  expect(alone).toMatchObject({ code: 2, stderr: expect.stringContaining("connections renew needs a terminal") });
  const renewed = await onTerminal([...words, "--root", root], { env });
  expect([renewed?.code, renewed?.text]).toEqual([0, expect.stringContaining("web is authorized again")]);
  expect((await exec()).stdout).toContain("saved");
  // The next scope is asked for beside the one that the token has by now.
  authority.guard.needs = "notes:delete";
  await onTerminal(["connections", "renew", "web", "--scope", "notes:delete", "--root", root], { env });
  expect([...authority.scopes.values()].at(-1)).toBe("notes:write notes:delete");
  expect((await exec()).stdout).toContain("saved");
});

test("every kind of authorization says what gives it further scopes", SLOW, async () => {
  const root = temporaryFolder();
  mkdirSync(join(root, "definitions"));
  const issuer = "https://id.example.com";
  const client = { id: "tools", secret: "hush-hush" };
  const url = "https://mcp.example.com/mcp";
  const config = {
    sources: [],
    public_url: "https://tools.example.com",
    state_encryption: { keys: [{ id: "k1", from: Buffer.alloc(32, 1).toString("base64") }] },
    access: { oauth: { resource: "https://tools.example.com/mcp", issuers: [{ issuer, grants: [] }] } },
    servers: {
      each: { url, auth: { mode: "per_user", issuer, client } },
      own: { url, auth: { mode: "client_credentials", issuer, client } },
      swapped: { url, auth: { mode: "token_exchange", issuer, client } },
      shared: { url, auth: { mode: "shared", issuer, client: { metadata_url: "auto" } } },
      keyed: { url, headers: { Authorization: "Bearer x" } },
      local: { command: "x" },
    },
  };
  writeFileSync(join(root, "definitions", "toolwright.yaml"), stringify(config));
  const renew = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await toolwright(["connections", "renew", "--root", root, ...args]);
    return { code, said: stdout + stderr };
  };
  for (const [name, said] of [
    ["each", "https://tools.example.com/#/connections?name=each"],
    ["own", "add the scope to `scope` of own in toolwright.yaml"],
    ["swapped", "add the scope to `scope` of swapped in toolwright.yaml"],
    ["shared", "https://tools.example.com/#/connections?name=shared as an admin"],
    ["keyed", "its token is in servers.keyed"],
    ["local", "nobody signs in at local"],
  ] as const)
    expect(await renew(name, "--scope", "a b")).toEqual({ code: 1, said: expect.stringContaining(said) });
  expect(await renew("none")).toEqual({ code: 2, said: expect.stringContaining("neither a connection nor a server") });
  expect(await renew("each", "--scope", 'a"b')).toEqual({
    code: 2,
    said: expect.stringContaining("no list of scopes"),
  });
});
