/** Resources after a reload: requests are answered by the configuration in force. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { serveHttp } from "../../../test/support/http.js";
import { CHECKOUT, generatedRoot, serverCommand } from "../../../test/support/project.js";
import { SLOW } from "../../../test/support/run/run-demo.js";

const BEFORE = `"side://{side}": { op: mark.which }`;
const AFTER = `"side://only": { op: mark.only_a }`;

test.each([
  ["HTTP", async (root: string) => new StreamableHTTPClientTransport(new URL((await serveHttp(root)).url))],
  ["stdio", async (root: string) => new StdioClientTransport(serverCommand(root))],
])(
  "over %s, a client that stays connected is answered by the resources in force",
  { timeout: SLOW },
  async (_, transportTo) => {
    const root = await generatedRoot(join(CHECKOUT, "test/support/demos/sides/A"), onTestFinished);
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "legacy" } });
    await client.connect(await transportTo(root));
    onTestFinished(() => client.close());
    const listed = async () => {
      const { resources } = await client.listResources(undefined, { cacheMode: "refresh" });
      const { resourceTemplates } = await client.listResourceTemplates(undefined, { cacheMode: "refresh" });
      const uris = [...resources.map(({ uri }) => uri), ...resourceTemplates.map(({ uriTemplate }) => uriTemplate)];
      return uris.filter((uri) => uri.startsWith("side:"));
    };
    expect(await listed()).toEqual(["side://{side}"]);
    const config = join(root, "definitions/toolwright.yaml");
    const before = readFileSync(config, "utf8");
    expect(before).toContain(BEFORE);
    writeFileSync(config, before.replace(BEFORE, AFTER));
    await client.callTool({ name: "run", arguments: { command: "ot.reload()" } });
    expect(await listed()).toEqual(["side://only"]);
    await expect(client.readResource({ uri: "side://B" })).rejects.toMatchObject({ code: expect.any(Number) });
  },
);
