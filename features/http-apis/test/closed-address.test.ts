/** An API on a private address that nobody has permitted: no token is asked for, nothing is sent, and the doctor says so. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { addressFindings } from "../../../runtime/cli/doctor-addresses.js";
import { settingsOf } from "../../../runtime/config/settings.js";
import type { Tool } from "../../../runtime/contract/registry.js";
import type { TokenSource } from "../../../runtime/contract/token-source.js";
import { checkHost } from "../../../runtime/http-client/guard.js";
import { temporaryFolder } from "../../../test/support/project.js";
import { listening } from "../../../test/support/upstream/http.js";
import { contextOf } from "../../../test/support/upstream/upstreams.js";
import { callHttpApis } from "../calls.js";

const SAID = "is not called, since its address is not public";

/** A project with one op of an API at this address, as its description says it. */
function project(server: string, change: object = {}) {
  const root = temporaryFolder();
  mkdirSync(join(root, "generated", "http"), { recursive: true });
  const call = { source: "api.yaml", method: "GET", path: "/me", accept: "application/json", arguments: [], server };
  writeFileSync(join(root, "generated", "http", "shop.json"), JSON.stringify({ "shop.me": call }));
  const tool = { op: "shop.me", group: "shop", source: { kind: "http" } } as unknown as Tool;
  const auth = {
    mode: "client_credentials",
    issuer: "https://id.example.com",
    client: { id: "a", secret: "b" },
  } as const;
  const config = { sources: [{ openapi: "api.yaml", pack: "shop", auth, ...change }] };
  const registry = { ir_version: 1, registry_version: "", tools: [tool], packs: [], reserved: [] } as const;
  const prompts = { instructions: "", packInstructions: new Map(), toolExamples: new Map() };
  const { settings } = settingsOf(config, registry, prompts, {}, () => undefined);
  const asked: string[] = [];
  const tokens: TokenSource = {
    token: async () => {
      asked.push("token");
      return "a-token";
    },
    refused: () => undefined,
    widened: async () => "",
  };
  const run = async () => {
    const bound = (await callHttpApis({ root, config, settings })(tool)) as {
      readonly run: (...all: never[]) => unknown;
    };
    return bound.run({} as never, contextOf([], { tokens }) as never);
  };
  const doctor = () => addressFindings({ root, registry, settings }, config);
  return { run, doctor, asked };
}

test("the address is checked first, and the doctor says the same words", async () => {
  const seen: unknown[] = [];
  const api = await listening((request, response) => {
    seen.push(request.headers);
    response.end("{}");
  });
  const { run, doctor, asked } = project(api.origin);
  const [finding, ...more] = await doctor();
  expect(more).toEqual([]);
  expect(finding).toMatchObject({ what: "apis", ok: false, found: `${new URL(api.origin).host} ${SAID}` });
  await expect(run()).rejects.toMatchObject({
    code: "UNAVAILABLE",
    message: `${finding?.found}: ${finding?.remedy}.`,
  });
  expect([asked, seen]).toEqual([[], []]);
});

test("an address that the configuration names is permitted, and the token is sent", async () => {
  const seen: unknown[] = [];
  const api = await listening((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  const { run, doctor, asked } = project("http://10.0.0.1", { server: api.origin });
  expect(await doctor()).toEqual([]);
  await run();
  expect([asked, seen]).toEqual([["token"], ["Bearer a-token"]]);
});

test.each([
  ["http://127.0.0.1:1", "private_address"],
  ["http://[::1]:1", "private_address"],
  ["http://169.254.169.254", "private_address"],
])("%s is refused before a connection", async (text, keyword) => {
  const refused = checkHost(new URL(text), { allowPrivate: [] });
  await expect(refused).rejects.toMatchObject({ details: { field_errors: [{ keyword }] } });
  const host = new URL(text).hostname.replace(/^\[|\]$/g, "");
  await checkHost(new URL(text), { allowPrivate: [host] });
});

test("a name is refused by its addresses, and one without any is out of reach", async () => {
  const to = (...addresses: readonly string[]) =>
    checkHost(new URL("http://api.example.com"), { allowPrivate: [], resolve: async () => addresses });
  await to("10.0.0.1", "93.184.216.34");
  await expect(to("10.0.0.1")).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
  await expect(to()).rejects.toMatchObject({ code: "UNAVAILABLE", details: { reason: "ENOTFOUND" } });
});

test("no token is asked for where it would go over http to another machine, as the description says", async () => {
  const { run, asked } = project("http://api.example.com");
  await expect(run()).rejects.toMatchObject({
    code: "UNAVAILABLE",
    message: expect.stringMatching(/in clear: .* https/),
  });
  expect(asked).toEqual([]);
});
