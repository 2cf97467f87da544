/**
 * The upstream client as the conformance suite's client: connects to the address in its last argument with the product's own
 * client and OAuth, lists the tools, and calls the first one. The person agrees at once: the address of the provider is
 * fetched. Exit 1 with the reason where the product would report a failure.
 *
 * Servers are signed in at as from a terminal (`toolwright snapshot`), which finds the provider and registers the client, or
 * as with `auth` in the configuration: with CONFORMANCE_AUTH=configured, and in scenarios that need a client of a document or
 * a configured one, or a second sign-in for a wider scope.
 */

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { discoverOAuthProtectedResourceMetadata, extractWWWAuthenticateParams } from "@modelcontextprotocol/client";
import { connectionPartsOf } from "../../runtime/config/connection-settings.js";
import { silentLog } from "../../runtime/config/log.js";
import { type Connections, createConnections } from "../../runtime/connections/connections.js";
import { isToolFailure } from "../../runtime/contract/handler.js";
import type { ServerAuth } from "../../runtime/contract/settings/entries.js";
import { messageOf } from "../../runtime/contract/thrown.js";
import { openState } from "../../runtime/state/open.js";
import { authorizationOf } from "../../runtime/upstream/authorization.js";
import { connectUpstream, type Upstream, type UpstreamOptions } from "../../runtime/upstream/client.js";
import { expandServer } from "../../runtime/upstream/servers.js";
import { isUpstreamError } from "../../runtime/upstream/upstream-error.js";

const WAIT_MS = 60_000;
const NAME = "conformance";
const OWNER = { kind: "local", id: "local", grant: { level: "admin", projects: "*" }, allowWrite: true } as const;
const PUBLIC = "http://127.0.0.1:9";
/** The document by which the suite knows a client; it is not fetched. */
const DOCUMENT = "https://conformance-test.local/client-metadata.json";

const address = process.argv.at(-1) ?? "";
const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as Readonly<Record<string, string>>;
const root = mkdtempSync(join(tmpdir(), "toolwright-conformance-client-"));

/** Scenarios about what the product does not do where the provider is configured: finding it. */
const FINDING = new Set(["auth/resource-mismatch", "auth/authorization-server-migration"]);
/** The clients of scenarios for which the server has `auth` in the configuration. */
const CONFIGURED: Readonly<Record<string, ServerAuth["client"]>> = {
  "auth/basic-cimd": { metadata_url: DOCUMENT, register: true },
  "auth/pre-registration": { id: context["client_id"] ?? "", secret: context["client_secret"] ?? "" },
  "auth/scope-step-up": { register: true },
};

/** Lists the tools, and calls the first one. */
async function use(upstream: Upstream): Promise<void> {
  try {
    const { tools } = await upstream.request("tools/list");
    const [first] = Array.isArray(tools) ? (tools as { readonly name: string }[]) : [];
    if (first) await upstream.request("tools/call", { name: first.name, arguments: {} });
  } catch (error) {
    throw upstream.explain(error);
  } finally {
    await upstream.close();
  }
}

/** As `toolwright snapshot` on a terminal. */
async function fromTerminal(): Promise<void> {
  const server = expandServer(NAME, { url: address }, () => undefined);
  if ("reason" in server) throw new Error(server.reason);
  const open = (url: URL): void => void fetch(url).catch(() => undefined);
  const authorization = authorizationOf({ root, open, waitMs: WAIT_MS });
  await use(await connectUpstream(server, { root, version: "0.0.0", authorization }));
}

/** What an operator reads from the server's metadata, and writes into the configuration. */
async function configured(client: NonNullable<ServerAuth["client"]>): Promise<ServerAuth> {
  const request = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const answer = await fetch(address, { method: "POST", headers, body: JSON.stringify(request) });
  const { resourceMetadataUrl, scope: challenged } = extractWWWAuthenticateParams(answer);
  const metadata = await discoverOAuthProtectedResourceMetadata(address, {
    ...(resourceMetadataUrl ? { resourceMetadataUrl } : {}),
  });
  const [issuer = ""] = metadata.authorization_servers ?? [];
  const scope = challenged ?? metadata.scopes_supported?.join(" ");
  const { resource } = metadata;
  return { mode: "shared", issuer, client, resource, ...(scope === undefined ? {} : { scope }) };
}

/** As a call of a server with `auth`, whose person signs in at the console when the failure says so, at most twice. */
async function withAuth(auth: ServerAuth): Promise<void> {
  const entry = { url: address, auth };
  const config = { sources: [], servers: { [NAME]: entry }, public_url: PUBLIC };
  const encryption = { keys: [{ id: "k1", from: randomBytes(32).toString("hex") }] };
  const parts = connectionPartsOf(config, encryption, () => "toolwright.yaml");
  const server = expandServer(NAME, entry, () => undefined);
  if ("reason" in server || !parts) throw new Error("the configuration is refused");
  const state = await openState({ url: "", root });
  const connections = createConnections({
    ...{ ...parts, state: async () => state, clock: Date.now, log: silentLog, publicUrl: new URL(PUBLIC) },
    secret: () => undefined,
  });
  const options = { root, version: "0.0.0", tokens: () => connections };
  try {
    for (let signIns = 0; ; signIns++) {
      const missing = await called(server, options, connections).catch((error: unknown) => error);
      if (missing === undefined) return;
      if (!isSignInRequired(missing) || signIns === 2) throw missing;
      await signIn(connections);
    }
  } finally {
    await state.close();
  }
}

/** @throws ToolFailure where a person has to sign in */
async function called(
  server: Parameters<typeof connectUpstream>[0],
  options: UpstreamOptions,
  connections: Connections,
): Promise<void> {
  await connections.token({ name: NAME });
  try {
    await use(await connectUpstream(server, options));
  } catch (error) {
    if (isUpstreamError(error) && error.scope !== undefined) await connections.widened({ name: NAME }, error.scope);
    throw error;
  }
}

const isSignInRequired = (error: unknown): boolean =>
  isToolFailure(error) && (error.details as { readonly reason?: string }).reason === "sign_in_required";

/** The console of the owner, and the person's browser. */
async function signIn({ signIns }: Connections): Promise<void> {
  const { url, browser } = await signIns.begin(NAME, OWNER);
  const answer = await fetch(url, { redirect: "manual" });
  const callback = new URL(answer.headers.get("location") ?? "", url);
  const finished = await signIns.finish(callback.searchParams, browser, callback.pathname);
  if (finished.kind === "refused") throw new Error(`the sign-in is refused: ${finished.fault}`);
}

async function main(): Promise<void> {
  const isConfigured = process.env["CONFORMANCE_AUTH"] === "configured" && !FINDING.has(scenario);
  const client = CONFIGURED[scenario] ?? (isConfigured ? { register: true } : undefined);
  await (client ? withAuth(await configured(client)) : fromTerminal());
}

main()
  .catch((error: unknown) => {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exitCode = 1;
  })
  .finally(() => rmSync(root, { recursive: true, force: true }));
