/** What a client can do in the course of a call: answer what upstream servers ask, and show what is no text. */

import type { Server, ServerContext, ContentBlock as WireBlock } from "@modelcontextprotocol/server";
import type { ClientDoors } from "../upstream/context.js";
import type { Forward } from "../upstream/questions.js";
import type { ContentBlock } from "../upstream/result.js";

/** Blocks, and their bytes as JSON, that one answer carries beside its text. */
const MOST_BLOCKS = 50;
const MOST_BYTES = 20_000_000;
/** A person may take their time; the deadline of the call ends it anyway. */
export const PATIENCE_MS = 600_000;

/** The doors of one call. */
export interface CallDoors extends ClientDoors {
  /** What was attached, in order, as content of the answer. */
  blocks(): WireBlock[];
}

/** How a client of the older protocols is asked in the course of a call; undefined where it can answer nothing. */
export type ForwardOf = (server: Server, context: ServerContext) => Forward | undefined;

/** Makes the doors of calls over one connection, or of one request. In the newer protocol nobody is asked in the middle of a call. */
export function clientDoors(server: Server, forwardOf: ForwardOf): (context: ServerContext) => CallDoors {
  return (context) => ({
    ...attaching(),
    forward: context.mcpReq.envelope === undefined ? forwardOf(server, context) : undefined,
  });
}

/** Asks the client at the other end of the connection. */
export const askConnected: ForwardOf = (server) => {
  const { elicitation, sampling, roots } = server.getClientCapabilities() ?? {};
  if (!elicitation && !sampling && !roots) return undefined;
  const capabilities = {
    ...(elicitation ? { elicitation } : {}),
    ...(sampling ? { sampling } : {}),
    ...(roots ? { roots } : {}),
  };
  return {
    client: server,
    capabilities,
    async request({ method, params }, signal) {
      const ask = ASK.get(method);
      if (!ask) throw new Error(`${method} cannot be passed on`);
      return { ...(await ask(server, params as never, { signal, timeout: PATIENCE_MS })) };
    },
  };
};

function attaching(): Pick<CallDoors, "attach" | "blocks"> {
  const blocks: ContentBlock[] = [];
  let bytes = 0;
  return {
    attach(block) {
      bytes += JSON.stringify(block).length;
      if (blocks.length < MOST_BLOCKS && bytes <= MOST_BYTES) blocks.push(block);
    },
    // The client of the upstream server has checked their form.
    blocks: () => blocks as unknown as WireBlock[],
  };
}

type Ask = (server: Server, params: never, options: { signal: AbortSignal; timeout: number }) => Promise<object>;

const ASK: ReadonlyMap<string, Ask> = new Map<string, Ask>([
  ["elicitation/create", (server, params, options) => server.elicitInput(params, options)],
  ["sampling/createMessage", (server, params, options) => server.createMessage(params, options)],
  ["roots/list", (server, params, options) => server.listRoots(params, options)],
]);
