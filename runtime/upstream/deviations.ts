/** How the transports of upstream servers may break the protocol and still be read. Each is logged once for a server. */

import type { Logger } from "../contract/handler.js";

/** How an answer that is read breaks the protocol. */
export type Deviation = keyof typeof DEVIATIONS;

const DEVIATIONS = {
  id_text: "it repeats the id of a request as text",
  no_id: "it answers without the id of the request",
  version: 'its answers lack "jsonrpc": "2.0"',
  null_member: "its answers have a _meta that is no object",
  member: "its messages have members that JSON-RPC does not know",
  both: "its answers have a result and an error, of which one is null",
  result_type: "its results lack resultType",
  handshake: "its answer to initialize or server/discover lacks members, or has them in another type",
  content_type: "it answers with JSON under another content type",
  ping: "it refuses ping",
  session: "it refuses a lost session in another way than with HTTP 404",
} as const;

/** Logs each deviation of a server the first time. */
export function deviationLog(server: string, log: () => Logger): (what: Deviation) => void {
  const told = new Set<Deviation>();
  return (what) => {
    if (told.has(what)) return;
    told.add(what);
    log().warn(`server ${server} breaks the protocol, and is read all the same: ${DEVIATIONS[what]}`);
  };
}
