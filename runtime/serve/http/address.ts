/** Parses the HTTP listen address and decides which host names requests may use. */

import { isIP, isIPv6 } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";
import type { KeyCheck } from "../../access/admission.js";
import type { HttpAccess } from "../../config/transport-settings.js";
import { onLine } from "../../contract/message-text.js";
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
export const isLoopback = ({ host }: HttpAddress): boolean =>
  host === undefined || (isIP(host) !== 0 && ipaddr.process(host).range() === "loopback");

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
 * Hosts allowed in the `Host` and `Origin` headers, as protection against DNS rebinding. A server on every address is
 * called by each of them, and by the name of the machine.
 */
export const allowedHosts = (address: HttpAddress): string[] => [
  ...new Set([
    "localhost",
    "127.0.0.1",
    "[::1]",
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
 * Refuses an address reachable from other machines if no key is required, or if no live key exists.
 *
 * @throws UsageError with a remedy
 */
export async function refuseUnsafe(
  address: HttpAddress,
  access: HttpAccess,
  keys: Pick<KeyCheck, "anyLive">,
): Promise<void> {
  if (isLoopback(address)) return;
  const local = `use --http ${address.port} or --http 127.0.0.1:${address.port}`;
  if (access === "none")
    throw new UsageError(
      `access.http is none, so no key is required, and ${address.host} can be reached from others: ${local}, or set access.http to auto`,
    );
  const isLive = await keys.anyLive().catch((error: unknown) => {
    throw new UsageError(`the API keys cannot be read: ${messageOf(error)}`);
  });
  if (!isLive)
    throw new UsageError(
      `${address.host} can be reached from others, so callers need a key, and no live key exists: make one with "toolwright keys init", or ${local}`,
    );
}
