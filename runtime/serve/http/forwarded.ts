/** Finds the address of a client behind trusted proxies. */

import ipaddr from "ipaddr.js";
import type { Network } from "../../config/transport-settings.js";

/** Most entries of `X-Forwarded-For` that are read. */
const MAX_PROXIES = 32;

/** Whether an address is in one of the networks. An IPv4 address written as IPv6 counts as IPv4. */
const isIn = (address: string, networks: readonly Network[]): boolean => {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return networks.some(([text, bits]) => {
    const network = ipaddr.parse(text);
    return parsed.kind() === network.kind() && parsed.match(network, bits);
  });
};

/** An entry without the port and brackets that some proxies add. */
const withoutPort = (entry: string): string =>
  /^\[([^\]]+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^(\d+(?:\.\d+){3}):\d+$/.exec(entry)?.[1] ?? entry;

/**
 * The address of the client: that of the connection, or, if that is a trusted proxy, the last one of `X-Forwarded-For`
 * that is not. What stands before it was sent by the client, which may write anything there.
 *
 * @param remote address of the connection
 * @param forwarded the header `X-Forwarded-For`; several are joined with commas
 */
export function addressOfClient(remote: string, forwarded: string | null, trusted: readonly Network[]): string {
  if (forwarded === null || trusted.length === 0) return remote;
  const entries = forwarded
    .split(",")
    .slice(-MAX_PROXIES)
    .map((entry) => withoutPort(entry.trim()));
  let client = remote;
  while (isIn(client, trusted)) {
    const next = entries.pop();
    if (next === undefined || !ipaddr.isValid(next)) break;
    client = next;
  }
  return client;
}
