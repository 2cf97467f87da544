/** Where the HTTP door listens, and under which names callers may ask for it. */

import { isIP, isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";
import type { KeyCheck } from "../access/admission.js";
import { messageOf } from "../contract/message-of.js";
import { onLine } from "../contract/on-line.js";
import { UsageError } from "../usage-error.js";
import type { HttpAccess } from "./http-settings.js";

/** An address as `--http` gives it. */
export interface HttpAddress {
  /** Absent: this machine only. */
  readonly host?: string;
  /** 0: any free one. */
  readonly port: number;
}

const MOST_PORT = 65_535;

/**
 * Reads `[HOST:]PORT`. `localhost` is the same as no host.
 *
 * @throws UsageError for anything else
 */
export function httpAddress(text: string): HttpAddress {
  const [, bracketed, name, digits = ""] = /^(?:\[([^[\]]+)\]:|([\w.-]+):)?(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  const isGood = digits !== "" && port <= MOST_PORT && (bracketed === undefined || isIPv6(bracketed));
  if (!isGood)
    throw new UsageError(
      `--http takes PORT or HOST:PORT, such as 8080, 127.0.0.1:8080 or [::1]:8080, not "${onLine(text)}"`,
    );
  const host = bracketed ?? name?.toLowerCase();
  return host === undefined || host === "localhost" ? { port } : { host, port };
}

/** Whether only this machine can connect. A name is not: what it stands for may change. */
export const isLoopback = ({ host }: HttpAddress): boolean =>
  host === undefined || (isIP(host) !== 0 && ipaddr.process(host).range() === "loopback");

/** The addresses to listen at, the first of which must be there. */
export const listeningAt = ({ host }: HttpAddress): readonly [string, ...string[]] =>
  host === undefined ? ["127.0.0.1", "::1"] : [host];

/** A host as it stands in an address. */
export const inUrl = (host: string): string => (isIPv6(host) ? `[${host}]` : host);

/** Hosts that the headers `Host` and `Origin` may name, against pages whose own name was made to point here. */
export const allowedHosts = ({ host }: HttpAddress): string[] => [
  ...new Set([
    "localhost",
    "127.0.0.1",
    "[::1]",
    ...(host === undefined ? [] : [new URL(`http://${inUrl(host)}`).hostname]),
  ]),
];

/**
 * Refuses an address at which nobody could be let in, or anybody would be.
 *
 * @throws UsageError with what to do instead
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
      `access.http is none, so nobody is asked for a key, and ${address.host} can be reached from others: ${local}, or set access.http to auto`,
    );
  const isLive = await keys.anyLive().catch((error: unknown) => {
    throw new UsageError(`the API keys cannot be read: ${messageOf(error)}`);
  });
  if (!isLive)
    throw new UsageError(
      `${address.host} can be reached from others, so callers need a key, and there is none: make one with "toolwright keys init", or ${local}`,
    );
}
