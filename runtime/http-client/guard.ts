/**
 * The web client of all packs: a `fetch` that reaches public addresses only.
 *
 * Addresses are checked after resolution, when a connection is made, and the connection goes to a checked address: so
 * DNS rebinding has no effect, and redirects are checked like any other connection. Behind a proxy of the environment it is the proxy
 * that resolves names: what is private for this machine, by its address or as the system resolves its name, is refused all the same;
 * a name that only the proxy can resolve is left to the rules of the proxy.
 */

import type { LookupAddress } from "node:dns";
import { lookup as resolveName } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, buildConnector, type RequestInit, type Response, fetch as send } from "undici";
import type { Fetch } from "../contract/handler.js";
import { messageOf } from "../contract/thrown.js";
import { failUnavailable, refuseUrl } from "./client.js";
import { type AddressGuard, addressGuard } from "./private-address.js";
import { networkRemedy, proxyAgent, proxyFor, requestParts, throughProxy } from "./proxy.js";

/** Resolves a host name to addresses. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** Options of {@link guardedFetch}. */
export interface GuardOptions {
  /** Private hosts and networks that may be reached (`web.allow_private`). */
  readonly allowPrivate: readonly string[];
  /** Default: the system's resolver. */
  readonly resolve?: Resolve;
  /**
   * Milliseconds to wait for headers, and between two parts of a body; 0: no limit but the request's signal. Default:
   * 30 s.
   */
  readonly silenceMs?: number;
}

const MAX_REDIRECTS = 5;
const CONNECT_MS = 10_000;
const SILENCE_MS = 30_000;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const SCHEMES: ReadonlySet<string> = new Set(["http:", "https:"]);
/** Headers that are sent to another origin after a redirect; keys and cookies are not among them. */
const HARMLESS: ReadonlySet<string> = new Set(["accept", "accept-language", "user-agent", "cache-control"]);

/** No connection was made, because every address of the host is refused. */
class AddressRefusedError extends Error {
  override readonly name = "AddressRefusedError";
  readonly range: string;
  constructor(hostname: string, range: string) {
    super(`${hostname} is refused: ${range}`);
    this.range = range;
  }
}

/**
 * Makes a `fetch` that refuses private addresses, credentials in addresses, and schemes other than http and https.
 *
 * It follows up to 5 redirects of GET and HEAD; a redirect of another method is returned unchanged. It throws
 * ToolFailures: VALIDATION_ERROR on `url` for a refused address, UNAVAILABLE for a host that cannot be reached.
 *
 * @throws ToolFailure UNAVAILABLE if `allowPrivate` has an invalid entry
 */
export function guardedFetch(given: GuardOptions): Fetch {
  const { allowPrivate, resolve = systemResolve, silenceMs = SILENCE_MS } = given;
  const guard = addressGuard(allowPrivate);
  const direct = guardedAgent(guard, resolve, silenceMs);
  const limits = { headersTimeout: silenceMs, bodyTimeout: silenceMs };
  const guarded = async (input: string | URL | globalThis.Request, init?: RequestInit): Promise<Response> => {
    const [address, options] = requestParts(input, init);
    return follow(address, options, async (url, hop) => {
      const proxy = proxyOf(url);
      if (!proxy) return request(url, () => send(url, { ...hop, dispatcher: direct, redirect: "manual" }), hop);
      await checkBehindProxy(url, guard, resolve);
      const dispatcher = await proxyAgent(proxy, limits);
      const sending = () => send(url, { ...hop, dispatcher, redirect: "manual" });
      return request(url, () => throughProxy(proxy, url, sending), hop);
    });
  };
  // undici and the platform have separate type declarations of the same classes.
  return guarded as unknown as Fetch;
}

/**
 * Checks the host of an address before anything is sent to it. The connection checks again: a name may lead elsewhere by then.
 *
 * @throws ToolFailure as {@link guardedFetch}
 */
export async function checkHost(url: URL, { allowPrivate, resolve = systemResolve }: GuardOptions): Promise<void> {
  const guard = addressGuard(allowPrivate);
  if (proxyOf(url)) return checkBehindProxy(url, guard, resolve);
  try {
    await checkedAddresses(guard, ...resolvedBy(url, resolve));
  } catch (error) {
    refuseOrGiveUp(url, error);
  }
}

/** @throws ToolFailure UNAVAILABLE for a variable that names no proxy */
function proxyOf(url: URL): ReturnType<typeof proxyFor> {
  try {
    return proxyFor(url);
  } catch (error) {
    return refuseOrGiveUp(url, error);
  }
}

/** The host of an address without brackets, and what resolves it: a literal address is its own. */
function resolvedBy({ hostname }: URL, resolve: Resolve): [resolve: Resolve, host: string] {
  const host = hostname.replace(/^\[|\]$/g, "");
  return [isIP(host) === 0 ? resolve : async () => [host], host];
}

/** How long a name is resolved here before it is left to the proxy: behind one, names often have no answer. */
const RESOLVE_MS = 2_000;

/** @throws ToolFailure VALIDATION_ERROR for an address that is private for this machine */
async function checkBehindProxy(url: URL, guard: AddressGuard, resolve: Resolve): Promise<void> {
  const late = sleep(RESOLVE_MS, undefined, { ref: false });
  const checked = checkedAddresses(guard, ...resolvedBy(url, resolve));
  const fault = await Promise.race([
    checked.then(
      () => undefined,
      (error: unknown) => error,
    ),
    late,
  ]);
  if (fault instanceof AddressRefusedError) refuseOrGiveUp(url, fault);
}

const systemResolve: Resolve = async (hostname) =>
  (await resolveName(hostname, { all: true })).map(({ address }) => address);

function guardedAgent(guard: AddressGuard, resolve: Resolve, silenceMs: number): Agent {
  const connect = buildConnector({ lookup: checkedLookup(guard, resolve), timeout: CONNECT_MS });
  return new Agent({
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
    connect(options, callback) {
      // A literal address is never looked up, so it is checked here.
      const range = isIP(options.hostname) === 0 ? undefined : guard.refusal(options.hostname);
      if (range === undefined) connect(options, callback);
      else callback(new AddressRefusedError(options.hostname, range), null);
    },
  });
}

/** A lookup for sockets that returns checked addresses only, so that the connection goes to a checked address. */
export function checkedLookup(guard: AddressGuard, resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    checkedAddresses(guard, resolve, hostname).then(
      ([first, ...others]) =>
        options.all ? callback(null, [first, ...others]) : callback(null, first.address, first.family),
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}

/** The allowed addresses of a host; throws if there are none. */
async function checkedAddresses(
  guard: AddressGuard,
  resolve: Resolve,
  hostname: string,
): Promise<[LookupAddress, ...LookupAddress[]]> {
  const addresses = await resolve(hostname);
  const passed = guard.names(hostname) ? addresses : addresses.filter((one) => guard.refusal(one) === undefined);
  const [first, ...others] = passed.map((address) => ({ address, family: isIP(address) }));
  if (first) return [first, ...others];
  const range = guard.refusal(addresses[0] ?? "");
  throw addresses.length > 0 && range !== undefined
    ? new AddressRefusedError(hostname, range)
    : Object.assign(new Error(`${hostname} has no address`), { code: "ENOTFOUND" });
}

type Hop = (url: URL, init: RequestInit) => Promise<Response>;

async function follow(start: string, init: RequestInit, hop: Hop): Promise<Response> {
  const { redirect = "follow", method = "GET" } = init;
  const follows = redirect !== "manual" && /^(?:get|head)$/i.test(method);
  let url = checkedUrl(start);
  let options = init;
  for (let redirects = 0; ; redirects++) {
    const response = await hop(url, options);
    const location = REDIRECTS.has(response.status) ? response.headers.get("location") : null;
    if (location === null || !follows) return response;
    await response.body?.cancel();
    if (redirect === "error") return failUnavailable(url.host, "redirects, which is not accepted here");
    if (redirects === MAX_REDIRECTS) return failUnavailable(url.host, `redirects more than ${MAX_REDIRECTS} times`);
    const next = checkedUrl(location, url);
    options = next.origin === url.origin ? options : { ...options, headers: harmless(options) };
    url = next;
  }
}

function harmless({ headers }: RequestInit): [string, string][] {
  return [...new Headers(headers as ConstructorParameters<typeof Headers>[0])].filter(([name]) => HARMLESS.has(name));
}

/** Checks everything about an address that needs no resolution. */
function checkedUrl(text: string, base?: URL): URL {
  const url = URL.canParse(text, base?.href) ? new URL(text, base) : undefined;
  const from = base ? `${base.host} redirects to an address that` : "url";
  if (!url) return refuseUrl("format", `${from} is no address`, "an http or https address", text);
  if (!SCHEMES.has(url.protocol))
    return refuseUrl("scheme", `${from} is neither http nor https`, "an http or https address", text);
  if (url.username !== "" || url.password !== "")
    return refuseUrl("credentials", `${from} holds a user name or password`, "an address without them", url.origin);
  return url;
}

async function request(
  url: URL,
  sending: () => Promise<Response>,
  init: Pick<RequestInit, "signal">,
): Promise<Response> {
  try {
    return await sending();
  } catch (error) {
    if (init.signal?.aborted || !(error instanceof Error) || error.cause === undefined) throw error;
    return refuseOrGiveUp(url, error.cause);
  }
}

function refuseOrGiveUp(url: URL, cause: unknown): never {
  if (cause instanceof AddressRefusedError) {
    const remedy = `name the host under web.allow_private in toolwright.yaml to allow it`;
    const message = `url leads to ${url.hostname}, whose address is not public (${cause.range}); ${remedy}`;
    return refuseUrl("private_address", message, "a public address", url.href);
  }
  const code = cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
  const remedy = networkRemedy(cause);
  if (remedy !== undefined)
    return failUnavailable(url.host, `cannot be reached: ${messageOf(cause)}. To do: ${remedy}`, { reason: code });
  const what = BROKEN.has(code) ? "broke the connection before it had answered" : "cannot be reached";
  const said = `${what}${code === undefined ? "" : ` (${code})`}`;
  return failUnavailable(url.host, `${said}. To do: check that ${url.origin} is up`, code ? { reason: code } : {});
}

/** Codes of a connection that was made and ended early. */
const BROKEN: ReadonlySet<unknown> = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE", "HPE_INVALID_EOF_STATE"]);
