/** Asks authorization servers and identity providers: their metadata, documents, and forms. */

import { isLoopbackUrl } from "../config/issuer-url.js";
import { isToolFailure } from "../contract/handler.js";
import { isObject } from "../contract/json.js";
import { onLine } from "../contract/message-text.js";
import { repeatsMember } from "../contract/repeated-member.js";
import { codeOf, messageOf } from "../contract/thrown.js";
import { fetchBeside } from "../http-client/named-address.js";
import { networkRemedy } from "../http-client/proxy.js";
import { oauthErrorCode } from "./oauth-error.js";

/** How toolwright names itself to an issuer. */
export interface ClientCredentials {
  readonly clientId: string;
  /** Absent for a public client, which PKCE protects. */
  readonly clientSecret?: string;
}

/** How long an answer may take. */
export const ISSUER_TIMEOUT_MS = 5000;
const MAX_BYTES = 1024 * 1024;

/** How a client with a secret shows it: in a header, unless the metadata of the server takes it in the form only. */
export const secretMethod = (supported: unknown): "client_secret_basic" | "client_secret_post" =>
  Array.isArray(supported) && supported.includes("client_secret_post") && !supported.includes("client_secret_basic")
    ? "client_secret_post"
    : "client_secret_basic";

/**
 * Sends a form as a client; a public client is named in the form.
 *
 * @param supported `token_endpoint_auth_methods_supported` of the server
 */
export function askForm(
  url: URL,
  parameters: Readonly<Record<string, string>>,
  { clientId, clientSecret }: ClientCredentials,
  supported?: unknown,
): Promise<Response> {
  const basic = [clientId, clientSecret ?? ""].map(encodeURIComponent).join(":");
  const isInHeader = clientSecret !== undefined && secretMethod(supported) === "client_secret_basic";
  const own = { client_id: clientId, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) };
  return ask(url, {
    method: "POST",
    headers: {
      accept: "application/json",
      ...(isInHeader ? { authorization: `Basic ${Buffer.from(basic).toString("base64")}` } : {}),
      "content-type": "application/x-www-form-urlencoded",
    },
    body: new URLSearchParams({ ...parameters, ...(isInHeader ? {} : own) }).toString(),
  });
}

/** Sends JSON. */
export const askJson = (url: URL, body: object): Promise<Response> =>
  ask(url, {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json" },
    body: JSON.stringify(body),
  });

/** Asks for a document. @throws Error for an answer that is no object */
export const askObject = async (
  url: URL,
  init: object = { headers: { accept: "application/json" } },
): Promise<Readonly<Record<string, unknown>>> => objectInAnswer(await ask(url, init));

/**
 * Never follows a redirect, which could lead a secret or the trust in keys to another host.
 *
 * @throws Error that says what happened; its name is TimeoutError where there was no answer in time
 */
async function ask(url: URL, init: object): Promise<Response> {
  const answer = await answerOf(url, init).catch((error: unknown) => {
    throw Object.assign(new Error(factOf(error)), { name: isTimeout(error) ? "TimeoutError" : "Error" });
  });
  if (REDIRECTS.has(answer.status)) throw new Error(`redirects (status ${answer.status}), which is not followed`);
  return answer;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

async function answerOf(url: URL, init: object): Promise<Response> {
  const send = await fetchBeside(url instanceof IssuerAddress ? url.issuerHost : url.hostname, url);
  const answer = await send(url.href, { ...init, redirect: "manual", signal: AbortSignal.timeout(ISSUER_TIMEOUT_MS) });
  const text = await bounded(answer);
  return new Response(NO_BODY.has(answer.status) ? null : text, { status: answer.status, headers: answer.headers });
}

/** Statuses without a body in a `Response`. */
const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** Codes of `fetch` for a connection that ended before the answer. */
const CLOSED: ReadonlySet<unknown> = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);

/** What happened to a request, in words: `fetch` says only that it failed. */
function factOf(error: unknown): string {
  if (isTimeout(error)) return `has not answered within ${ISSUER_TIMEOUT_MS / 1000} s`;
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const remedy = networkRemedy(cause);
  const fact = CLOSED.has(codeOf(cause)) ? "closed the connection" : onLine(messageOf(cause));
  return remedy === undefined ? fact : `${fact}. To do: ${remedy}`;
}

/** Whether a question ended because its time was up. */
export const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === "TimeoutError";

/** Puts the address of a question, without its query, before the message of its failure. */
export const withAddressInFailure = <T>(url: URL | string, answer: Promise<T>): Promise<T> =>
  answer.catch((error: unknown) => {
    if (isToolFailure(error)) throw error;
    const { origin, pathname } = new URL(url);
    const name = isTimeout(error) ? "TimeoutError" : "Error";
    throw Object.assign(new Error(`${origin}${pathname}: ${requestCause(error)}`), { name });
  });

/** An address from the metadata of an issuer. The operator chose the issuer's own host, and no other. */
export class IssuerAddress extends URL {
  readonly issuerHost: string;
  constructor(address: string, issuer: string) {
    super(address);
    this.issuerHost = new URL(issuer).hostname;
  }
}

async function bounded({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error(`an answer of more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** The JSON of an answer. @throws Error that does not quote the answer, which may hold a token */
export async function jsonIn(answer: Response): Promise<unknown> {
  try {
    return await answer.json();
  } catch {
    throw new Error(`no JSON, status ${answer.status}`);
  }
}

/** The error code of an answer (RFC 6749), if it has one that may be shown. */
export const errorCodeSuffix = (value: unknown): string => {
  const code = oauthErrorCode(isObject(value) ? value["error"] : undefined);
  return code === undefined ? "" : `, ${code}`;
};

/** The object of an answer. @throws Error that says what the answer is otherwise */
export async function objectInAnswer(answer: Response): Promise<Readonly<Record<string, unknown>>> {
  const again = answer.clone();
  const value = await jsonIn(answer).catch(() => undefined);
  if (answer.status !== 200) throw new Error(`status ${answer.status}${errorCodeSuffix(value)}`);
  if (!isObject(value)) throw new Error("no JSON object, status 200");
  if (repeatsMember(await again.text(), value)) throw new Error("JSON with a member twice, status 200");
  return value;
}

/** What an issuer publishes about itself, and what it says the time is, in ms since the epoch. */
export interface IssuerMetadata {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly date: number;
}

/**
 * The metadata by RFC 8414, else by OpenID Connect Discovery; it must be of this very issuer.
 *
 * @throws Error that says what each address answers
 */
export async function issuerMetadata(issuer: string): Promise<IssuerMetadata> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const places = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
  const faults: string[] = [];
  let name = "Error";
  for (const place of places) {
    try {
      const answer = await ask(new URL(place), {});
      const metadata = await objectInAnswer(answer);
      if (metadata["issuer"] === issuer) return { metadata, date: Date.parse(answer.headers.get("date") ?? "") };
      faults.push(`${place}: of the issuer ${onLine(JSON.stringify(metadata["issuer"]) ?? "undefined")}`);
    } catch (error) {
      faults.push(`${place}: ${requestCause(error)}`);
      if (isTimeout(error)) name = "TimeoutError";
    }
  }
  throw Object.assign(new Error(`no metadata (${faults.join("; ")})`), { name });
}

/** The reason of a failed request, which `fetch` wraps. */
export const requestCause = (error: unknown): string =>
  onLine(messageOf(error instanceof Error && error.cause !== undefined ? error.cause : error));

/** An address in the metadata. @throws Error if it is missing, or less safe than the issuer's own */
export function issuerEndpoint(metadata: Readonly<Record<string, unknown>>, name: string, issuer: string): URL {
  const value = metadata[name];
  const url = typeof value === "string" && URL.canParse(value) ? new IssuerAddress(value, issuer) : undefined;
  if (!url) throw new Error(`its metadata names no ${name}`);
  // Such a URL has no origin that could be named.
  if (!/^https?:$/.test(url.protocol))
    throw new Error(`its ${name} is a URL of the scheme ${onLine(url.protocol)}, which is not https:`);
  // As safe as the issuer: https, or http on this machine if the issuer is there too.
  const isSafe = url.protocol === "https:" || (isLoopbackUrl(url) && isLoopbackUrl(new URL(issuer)));
  if (!isSafe) throw new Error(`its ${name} is ${onLine(url.origin)}, which is not https: tokens would go in clear`);
  return url;
}
