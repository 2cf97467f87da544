/**
 * The upstream client as the conformance suite's client: connects to the address in its last argument with the product's own
 * client and OAuth, lists the tools, and calls the first one. The person agrees at once: the address of the provider is
 * fetched. Exit 1 with the reason where the product would report a failure.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "../../runtime/contract/thrown.js";
import { authorizationOf } from "../../runtime/upstream/authorization.js";
import { connect } from "../../runtime/upstream/client.js";
import { openServer } from "../../runtime/upstream/servers.js";

const WAIT_MS = 60_000;
const address = process.argv.at(-1) ?? "";
const root = mkdtempSync(join(tmpdir(), "toolwright-conformance-client-"));

async function main(): Promise<void> {
  const server = openServer("conformance", { url: address }, () => undefined);
  if ("reason" in server) throw new Error(server.reason);
  const open = (url: URL): void => void fetch(url).catch(() => undefined);
  const authorization = authorizationOf({ root, open, waitMs: WAIT_MS });
  const upstream = await connect(server, { root, version: "0.0.0", authorization });
  try {
    const { tools } = await upstream.request("tools/list");
    const [first] = Array.isArray(tools) ? (tools as { readonly name: string }[]) : [];
    if (first) await upstream.request("tools/call", { name: first.name, arguments: {} });
  } finally {
    await upstream.close();
  }
}

main()
  .catch((error: unknown) => {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exitCode = 1;
  })
  .finally(() => rmSync(root, { recursive: true, force: true }));
