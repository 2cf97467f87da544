/** A client in this process, connected to the server of a fixture. */

import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { startSession } from "../../../../runtime/catalog/session.js";
import type { Principal } from "../../../../runtime/codegen.js";
import type { Live } from "../../../../runtime/gateway/reloadable-gateway.js";
import { createServer } from "../../../../runtime/serve/mcp/server.js";
import { type Fixture, liveOf, principal } from "../../gateway/fixture.js";

/** Connects a client to a fixture's gateway. */
export const connected = (made: Fixture, who?: Principal): Promise<Client> => connectedTo(liveOf(made.gateway), who);

/** Connects a client to a gateway that may reload. */
export async function connectedTo(live: Live, who: Principal = principal()): Promise<Client> {
  const [here, there] = InMemoryTransport.createLinkedPair();
  const server = createServer({
    live,
    principal: () => who,
    session: startSession(),
    version: "0.0.0",
  });
  const client = new Client({ name: "test", version: "1" });
  await Promise.all([server.connect(there), client.connect(here)]);
  return client;
}
