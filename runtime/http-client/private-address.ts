/** Decides which addresses the web client may reach: public ones, and those in `web.allow_private`. Pure. */

import ipaddr from "ipaddr.js";
import { fail } from "../contract/handler.js";

/** Decides whether an address is refused. */
export interface AddressGuard {
  /** The range for which an address is refused, such as `loopback`; undefined if it may be reached. */
  refusal(address: string): string | undefined;
  /** Whether `web.allow_private` lists this host name, so that any address of it may be reached. */
  names(hostname: string): boolean;
}

type Address = ReturnType<typeof ipaddr.parse>;
type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** The global unicast range allocated by IANA; outside it are compatible, translated and unassigned addresses. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");
const HOST_NAME = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;

/**
 * Makes the guard of a configuration.
 *
 * @param allowPrivate host names, addresses and networks (CIDR) that may be reached although they are private
 * @throws ToolFailure UNAVAILABLE for any other entry, instead of ignoring it
 */
export function addressGuard(allowPrivate: readonly string[]): AddressGuard {
  const networks: Network[] = [];
  const names = new Set<string>();
  for (const entry of allowPrivate) {
    const network = networkOf(entry);
    if (network) networks.push(network);
    else if (HOST_NAME.test(plainHost(entry))) names.add(plainHost(entry));
    else refuseEntry(entry);
  }
  return {
    names: (hostname) => names.has(plainHost(hostname)),
    refusal(text) {
      if (!ipaddr.isValid(text)) return "unknown";
      const address = ipaddr.parse(text);
      return networks.some((network) => isIn(address, network)) ? undefined : rangeOf(address);
    },
  };
}

/** Normalizes a host name for comparison: lower case, no trailing dot. */
const plainHost = (name: string): string => name.toLowerCase().replace(/\.$/, "");

const refuseEntry = (entry: string): never =>
  fail(
    "UNAVAILABLE",
    `web.allow_private in toolwright.yaml holds ${JSON.stringify(entry)}, which is not a host name, an address or a network.`,
  );

function networkOf(entry: string): Network | undefined {
  if (ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry);
  if (ipaddr.IPv4.isValidFourPartDecimal(entry)) return [ipaddr.parse(entry), 32];
  return ipaddr.IPv6.isValid(entry) ? [ipaddr.parse(entry), 128] : undefined;
}

const isIn = (address: Address, network: Network): boolean =>
  address.kind() === network[0].kind() && address.match(network);

function rangeOf(address: Address): string | undefined {
  const range = address.range();
  if (range !== "unicast") return range;
  return address.kind() === "ipv4" || isIn(address, GLOBAL_IPV6) ? undefined : "reserved";
}
