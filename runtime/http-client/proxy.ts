/**
 * Proxies of the environment: `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, in lower case too, for every request that leaves. A plain
 * http request is forwarded, https goes through a tunnel. Requests to this machine go direct.
 */

import ipaddr from "ipaddr.js";
import type { Dispatcher, RequestInit } from "undici";
import { codeOf } from "../contract/thrown.js";

/** A proxy, and the variable that names it. */
export interface Proxy {
  readonly url: URL;
  readonly variable: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

type Setting = readonly [name: string, value: string | undefined];

/** The variable that is set, the lower-case one first, as in other programs; an empty one counts. */
const firstSet = (...found: readonly Setting[]): readonly [name: string, value: string] | undefined =>
  found.flatMap(([name, value]) => (value === undefined ? [] : [[name, value.trim()] as const]))[0];

const forHttp = (env: Environment): readonly Setting[] => [
  ["http_proxy", env["http_proxy"]],
  ["HTTP_PROXY", env["HTTP_PROXY"]],
];
const forHttps = (env: Environment): readonly Setting[] => [
  ["https_proxy", env["https_proxy"]],
  ["HTTPS_PROXY", env["HTTPS_PROXY"]],
  ...forHttp(env),
];

/**
 * The proxy for a URL; undefined where the request goes direct.
 *
 * @throws ProxyFault for a variable that names no proxy of these schemes
 */
export function proxyFor(url: URL, env: Environment = process.env): Proxy | undefined {
  const found = firstSet(...(url.protocol === "https:" ? forHttps(env) : forHttp(env)));
  if (!found || found[1] === "" || isDirect(url, env["no_proxy"] ?? env["NO_PROXY"] ?? "")) return undefined;
  const [variable, value] = found;
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const proxy = URL.canParse(text) ? new URL(text) : undefined;
  if (proxy && /^https?:$/.test(proxy.protocol)) return { url: proxy, variable };
  throw new ProxyFault(
    `${variable} is no address of a proxy of the schemes that are supported, http and https`,
    `correct ${variable}, as in http://proxy.example.com:3128, unset it, or name ${url.hostname} in NO_PROXY`,
  );
}

const bare = (host: string): string => host.toLowerCase().replace(/^\[|\]$|\.$/g, "");

/** Whether a host is this machine by its name or address. */
function isThisMachine(host: string): boolean {
  if (host === "localhost" || host.endsWith(".localhost")) return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === "loopback";
}

/** Whether NO_PROXY names a host: `*`, a name with all names below it, an address or a network, each with a port or without. */
function isDirect(url: URL, noProxy: string): boolean {
  const host = bare(url.hostname);
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return (
    isThisMachine(host) ||
    noProxy.split(/[\s,]+/).some((entry) => {
      if (entry === "*") return true;
      const [, name = entry, onlyPort = port] = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
      return entry !== "" && onlyPort === port && isNamed(host, bare(name).replace(/^\*?\./, ""));
    })
  );
}

function isNamed(host: string, name: string): boolean {
  if (host === name || host.endsWith(`.${name}`)) return name !== "";
  if (!ipaddr.isValid(host) || !ipaddr.isValidCIDR(name)) return false;
  const [address, network] = [ipaddr.process(host), ipaddr.parseCIDR(name)];
  return address.kind() === network[0].kind() && address.match(network);
}

/** Time limits of a request through a proxy, in milliseconds. */
export interface ProxyLimits {
  readonly headersTimeout?: number;
  readonly bodyTimeout?: number;
}

const MAX_AGENTS = 16;
const agents = new Map<string, Promise<Dispatcher>>();

/** The connections to a proxy, which requests share. */
export function proxyAgent({ url }: Proxy, limits: ProxyLimits = {}): Promise<Dispatcher> {
  const key = JSON.stringify([url.href, limits]);
  const known = agents.get(key);
  if (known) return known;
  const made = import("undici").then(({ Pool, ProxyAgent }) => {
    const { username, password } = url;
    const basic = Buffer.from([username, password].map(decodeURIComponent).join(":")).toString("base64");
    return new ProxyAgent({
      uri: url.origin,
      ...(username === "" ? {} : { token: `Basic ${basic}` }),
      ...limits,
      proxyTunnel: false,
      factory: (origin, options) => new Pool(origin, { ...options, ...limits }),
    });
  });
  if (agents.size >= MAX_AGENTS) agents.clear();
  agents.set(key, made);
  return made;
}

/** A failure of the proxy, not of the server. */
export class ProxyFault extends Error {
  override readonly name = "ProxyFault";
  readonly code = "ERR_PROXY";
  readonly remedy: string;
  constructor(message: string, remedy: string) {
    super(message);
    this.remedy = remedy;
  }
}

/** Codes of a connection that was not made: the one to the proxy, since the proxy makes the other. */
const NOT_CONNECTED: ReadonlySet<unknown> = new Set([
  ...["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT"],
]);

/** The status with which a proxy refuses, by what it means. */
function refusedWith(status: number, { url: proxy, variable }: Proxy, target: URL): ProxyFault {
  const what = `the proxy ${proxy.host} of ${variable}`;
  if (status === 407)
    return new ProxyFault(
      `${what} asks for a user name and a password (HTTP 407)`,
      `write them into ${variable}, as in http://NAME:PASSWORD@${proxy.host}`,
    );
  const isGateway = status >= 500;
  return new ProxyFault(
    `${what} ${isGateway ? "cannot reach" : "refuses"} ${target.host} (HTTP ${status})`,
    `${isGateway ? "check the address" : "let the proxy allow it"}, or name ${target.hostname} in NO_PROXY`,
  );
}

/** An error and what caused it, the error first. */
function* causes(error: unknown): Generator<Error> {
  for (let at = error, depth = 0; at instanceof Error && depth < MAX_CAUSES; at = at.cause, depth++) yield at;
}
const MAX_CAUSES = 5;

/** The fault of a proxy in an error of a request; undefined for any other error. */
function faultIn(error: unknown, proxy: Proxy, target: URL): ProxyFault | undefined {
  for (const cause of causes(error)) {
    const [, status] = /^Proxy (?:response \((\d{3})\)|Authentication Required)/.exec(cause.message) ?? ["", ""];
    if (status !== "") return refusedWith(Number(status ?? 407), proxy, target);
    const code = codeOf(cause);
    if (NOT_CONNECTED.has(code))
      return new ProxyFault(
        `the proxy ${proxy.url.host} of ${proxy.variable} cannot be reached (${String(code)})`,
        `correct ${proxy.variable}, or name ${target.hostname} in NO_PROXY`,
      );
  }
  return undefined;
}

/**
 * Runs a request through a proxy.
 *
 * @throws TypeError as `fetch`, with a {@link ProxyFault} as its cause where the proxy failed
 */
export async function throughProxy<T extends { readonly status: number; readonly body: unknown }>(
  proxy: Proxy,
  target: URL,
  send: () => Promise<T>,
): Promise<T> {
  const answer = await send().catch((error: unknown) => {
    const fault = faultIn(error, proxy, target);
    throw fault ? new TypeError("fetch failed", { cause: fault }) : error;
  });
  // No server but a proxy answers with this status.
  if (answer.status !== 407) return answer;
  await (answer.body as ReadableStream | null)?.cancel();
  throw new TypeError("fetch failed", { cause: refusedWith(407, proxy, target) });
}

/** undici does not accept the platform's `Request`, so it is split into its parts. */
export function requestParts(input: string | URL | globalThis.Request, init: RequestInit = {}): [string, RequestInit] {
  if (!(input instanceof Request)) return [String(input), init];
  const { method, headers, body, signal, redirect } = input;
  const parts = { method, headers: [...headers], signal, redirect, ...(body ? { body, duplex: "half" as const } : {}) };
  return [input.url, { ...parts, ...init } as RequestInit];
}

/** @throws TypeError as `fetch` for a variable that names no proxy */
function proxyOf(url: URL): Proxy | undefined {
  try {
    return proxyFor(url);
  } catch (cause) {
    throw new TypeError("fetch failed", { cause });
  }
}

/** The `fetch` of requests whose address is trusted: through the proxy of the environment where there is one. */
export const outwardFetch: typeof globalThis.fetch = async (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input);
  const proxy = proxyOf(url);
  if (!proxy) return fetch(input, init);
  const [{ fetch: send }, dispatcher] = await Promise.all([import("undici"), proxyAgent(proxy)]);
  const [, parts] = requestParts(input, init as unknown as RequestInit);
  const headers = [...new Headers(parts.headers as ConstructorParameters<typeof Headers>[0])];
  const options = { ...parts, headers, dispatcher } as RequestInit;
  const answer = await throughProxy(proxy, url, () => send(url, options));
  return answer as unknown as Response;
};

/** Codes of TLS for a certificate whose issuer is not known. */
const UNKNOWN_ISSUER: ReadonlySet<unknown> = new Set([
  ...["UNABLE_TO_GET_ISSUER_CERT", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
  ...["SELF_SIGNED_CERT_IN_CHAIN", "DEPTH_ZERO_SELF_SIGNED_CERT", "CERT_UNTRUSTED"],
]);

/** Codes of failures before anything was sent to the server. */
export const isNeverSent = (code: unknown): boolean => code === "ERR_PROXY" || UNKNOWN_ISSUER.has(code);

/** What to do about a failure of a proxy, or of a certificate; undefined for any other error. */
export function networkRemedy(error: unknown): string | undefined {
  for (const cause of causes(error)) {
    if (cause.name === "ProxyFault" && "remedy" in cause) return String(cause.remedy);
    if (UNKNOWN_ISSUER.has(codeOf(cause)))
      return "set NODE_EXTRA_CA_CERTS to a PEM file that holds the certificate of its authority (that of the proxy, where one reads what is sent), and start again";
  }
  return undefined;
}
