/** Parses the HTTP listen address and decides which host names requests may use. */

import { isIP, isIPv6 } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";
import type { KeyCheck } from "../../access/admission.js";
import type { HttpSettings } from "../../config/transport-settings.js";
import { onLine } from "../../contract/message-text.js";
import { hint } from "../../contract/own-command.js";
import { messageOf } from "../../contract/thrown.js";
import { UsageError } from "../../contract/usage-error.js";

/** An address as given to `--http`. */
export interface HttpAddress {
  /** Absent: loopback only. */
  readonly host?: string;
  /** 0: any free port. */
  readonly port: number;
}

const MAX_PORT = 65_535;

/**
 * Reads `[HOST:]PORT`. `localhost` is the same as no host.
 *
 * @throws UsageError for anything else
 */
export function httpAddress(text: string): HttpAddress {
  const [, bracketed, name, digits = ""] = /^(?:\[([^[\]]+)\]:|([\w.-]+):)?(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  const isGood = digits !== "" && port <= MAX_PORT && (bracketed === undefined || isIPv6(bracketed));
  if (!isGood)
    throw new UsageError(
      `--http takes PORT or HOST:PORT, such as 8080, 127.0.0.1:8080 or [::1]:8080, not "${onLine(text)}"`,
    );
  const host = bracketed ?? name?.toLowerCase();
  return host === undefined || host === "localhost" ? { port } : { host, port };
}

/** Whether only this machine can connect. False for a host name, since its address may change. */
export const isLoopbackHost = ({ host }: HttpAddress): boolean =>
  host === undefined || (isIP(host) !== 0 && ipaddr.process(host).range() === "loopback");

/**
 * Whether others than this machine can reach a server: by its address, or through a proxy, which the configuration
 * tells by a public URL that is not of this machine, or by proxies that it trusts.
 */
export const isReachable = (
  address: HttpAddress,
  { publicUrl, trustedProxies }: Pick<HttpSettings, "publicUrl" | "trustedProxies">,
): boolean =>
  !isLoopbackHost(address) ||
  trustedProxies.length > 0 ||
  (publicUrl !== undefined && !LOOPBACK_HOSTS.includes(publicUrl.hostname));

/** The names of the loopback addresses, as in URLs. */
const LOOPBACK_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** Addresses to listen on. The first one is required; the others may be missing on this machine. */
export const listeningAt = ({ host }: HttpAddress): readonly [string, ...string[]] =>
  host === undefined ? ["127.0.0.1", "::1"] : [host];

/** A host as written in a URL. */
export const inUrl = (host: string): string => (isIPv6(host) ? `[${host}]` : host);

const hostnameOf = (host: string): string => new URL(`http://${inUrl(host)}`).hostname;

/** Whether a server on this address listens on every address of the machine. */
const isEveryAddress = ({ host }: HttpAddress): boolean =>
  host !== undefined && isIP(host) !== 0 && ipaddr.process(host).range() === "unspecified";

/** Addresses of this machine that others can reach, those of version 4 first, then its name. */
function ownHosts(): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
  const reachable = all.filter(({ internal, scopeid }) => !internal && !scopeid).map(({ address }) => address);
  return [...reachable.filter((one) => !isIPv6(one)), ...reachable.filter(isIPv6), hostname().toLowerCase()].filter(
    (one) => URL.canParse(`http://${inUrl(one)}`),
  );
}

/**
 * Hosts allowed in the `Host` and `Origin` headers, beside those of the configuration, as protection against DNS
 * rebinding: a page of another site that makes its name lead to this server is refused by that name. A server on every
 * address is called by each of them, and by the name of the machine: addresses are no names that a site could have, and
 * the machine's own name leads elsewhere only for who controls the network. Off this machine every call needs a key.
 */
export const allowedHosts = (address: HttpAddress): readonly string[] => [
  ...new Set([
    ...LOOPBACK_HOSTS,
    ...(address.host === undefined ? [] : [hostnameOf(address.host)]),
    ...(isEveryAddress(address) ? ownHosts().map(hostnameOf) : []),
  ]),
];

/** The URL that clients are told: that of the machine if the server listens on every address. */
export function advisedUrl(address: HttpAddress, url: string): string {
  const [own] = isEveryAddress(address) ? ownHosts() : [];
  if (own === undefined) return url;
  const advised = new URL(url);
  advised.hostname = inUrl(own);
  return advised.href;
}

/**
 * Refuses to serve where other machines can reach the server if no key is required, or if no live key exists.
 *
 * @throws UsageError with a remedy
 */
export async function refuseUnsafe(
  address: HttpAddress,
  settings: Pick<HttpSettings, "access" | "publicUrl" | "trustedProxies" | "signIn">,
  keys: Pick<KeyCheck, "anyLive">,
): Promise<void> {
  if (!isReachable(address, settings)) return;
  const [what, local] = isLoopbackHost(address)
    ? ["this server (public_url, http.trusted_proxies)", "remove public_url and http.trusted_proxies"]
    : [address.host, `use --http ${address.port} or --http 127.0.0.1:${address.port}`];
  if (settings.access === "none")
    throw new UsageError(
      `access.http is none, so no key is required, and ${what} can be reached from others: ${local}, or set access.http to auto`,
    );
  if (settings.signIn) return;
  const isLive = await keys.anyLive().catch((error: unknown) => {
    throw new UsageError(`the API keys cannot be read: ${messageOf(error)}`);
  });
  if (!isLive)
    throw new UsageError(
      `${what} can be reached from others, so callers need a key, and no live key exists: ${hint('make one with "toolwright keys init", or ', "")}${local}`,
    );
}
