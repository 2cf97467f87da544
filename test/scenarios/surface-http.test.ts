/** The scenarios of discovery over Streamable HTTP, in both eras of the protocol; the same table as on stdio. */

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { serveHttp } from "../support/http.js";
import { MODERN, surfaceScenarios } from "../support/servers/surface.js";

const TRANSPORTS = { "HTTP, 2025": { versionNegotiation: { mode: "legacy" } }, "HTTP, 2026": MODERN } as const;

for (const [transport, options] of Object.entries(TRANSPORTS))
  surfaceScenarios(transport, async (root) => {
    const ends: (() => Promise<void>)[] = [];
    const { url } = await serveHttp(root, [], (end) => void ends.push(end));
    const client = new Client({ name: "test", version: "1" }, options);
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    const hangUp = client.close.bind(client);
    // The server ends with its client, since the folder that it writes to goes next.
    client.close = async () => {
      await hangUp();
      await Promise.all(ends.map((end) => end()));
    };
    return client;
  });
