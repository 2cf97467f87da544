/** Asks identity providers: their metadata, their keys, and whether a token is active. */

import type { JWTVerifyGetKey } from "jose";
import type { Issuer, LoginClient } from "../config/oauth-settings.js";
import { ToolFailure } from "../contract/handler.js";
import { isObject } from "../contract/json.js";
import { onLine } from "../contract/message-text.js";
import { messageOf } from "../contract/thrown.js";

/** What an issuer answers. Both methods throw a ToolFailure UNAVAILABLE while it is out of reach. */
export interface IssuerClient {
  /** Finds the key of a token by its header; throws JWKSNoMatchingKey if the issuer has no such key. */
  readonly keys: JWTVerifyGetKey;
  /** The answer of introspection (RFC 7662). */
  introspect(token: string): Promise<Readonly<Record<string, unknown>>>;
  /** What the issuer publishes about itself. */
  metadata(): Promise<Readonly<Record<string, unknown>>>;
  /** The answer of the token endpoint (RFC 6749): tokens, or `error` if it refuses. */
  redeem(
    parameters: Readonly<Record<string, string>>,
    client: ClientCredentials,
  ): Promise<Readonly<Record<string, unknown>>>;
}

/** How toolwright names itself to an issuer. */
export type ClientCredentials = Pick<LoginClient, "clientId" | "clientSecret">;

const TIMEOUT_MS = 5000;
const MAX_BYTES = 1024 * 1024;

/** How long the metadata of an issuer is kept. */
const METADATA_MS = 3_600_000;

/** The outage of an issuer; its cause is for the log. */
function away(issuer: string, cause: unknown): never {
  const failure = new ToolFailure("UNAVAILABLE", "The identity provider cannot be reached. Try again later.");
  failure.cause = new Error(`${issuer}: ${causeOf(cause)}`);
  throw failure;
}

/** Asks nothing before the first token. */
export function issuerClient({ issuer, jwks, introspection }: Issuer): IssuerClient {
  const metadata = memoized(METADATA_MS, async () => (await issuerMetadata(issuer)).metadata);
  const keySet = memoized(METADATA_MS, async () => {
    const { createRemoteJWKSet, customFetch } = await import("jose");
    const url = issuerEndpoint(await metadata(), "jwks_uri", issuer);
    return createRemoteJWKSet(url, {
      cacheMaxAge: jwks.cacheMs,
      cooldownDuration: jwks.cooldownMs,
      timeoutDuration: TIMEOUT_MS,
      [customFetch]: async (target: string, init: object) => await ask(target, init),
    });
  });
  return {
    async keys(header, token) {
      const { errors } = await import("jose");
      try {
        return await (await keySet())(header, token);
      } catch (error) {
        if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
        if (error instanceof errors.JOSENotSupported) throw error;
        return away(issuer, error);
      }
    },
    async introspect(token) {
      try {
        if (!introspection) throw new Error("introspection is not configured");
        const url = issuerEndpoint(await metadata(), "introspection_endpoint", issuer);
        return await introspectAt(url, introspection, token);
      } catch (error) {
        return away(issuer, error);
      }
    },
    metadata: () => metadata().catch((error: unknown) => away(issuer, error)),
    async redeem(parameters, client) {
      try {
        return await redeemAt(issuerEndpoint(await metadata(), "token_endpoint", issuer), parameters, client);
      } catch (error) {
        return away(issuer, error);
      }
    },
  };
}

/** Keeps a result for a time, and asks again after a failure; callers at the same time wait for one question. */
function memoized<T>(keepMs: number, make: () => Promise<T>): () => Promise<T> {
  let made: { readonly at: number; readonly result: Promise<T> } | undefined;
  return () => {
    if (made && performance.now() - made.at < keepMs) return made.result;
    const result = make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    made = { at: performance.now(), result };
    return result;
  };
}

/** Asks about a token (RFC 7662). @throws Error for an answer that is no object */
export async function introspectAt(
  url: URL,
  { clientId, clientSecret }: Pick<NonNullable<Issuer["introspection"]>, "clientId" | "clientSecret">,
  token: string,
): Promise<Readonly<Record<string, unknown>>> {
  return objectIn(await askForm(url, { token, token_type_hint: "access_token" }, { clientId, clientSecret }));
}

/** @throws Error for an answer that holds neither tokens nor the error of a refusal */
async function redeemAt(
  url: URL,
  parameters: Readonly<Record<string, string>>,
  client: ClientCredentials,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await askForm(url, parameters, client);
  if (answer.status !== 400 && answer.status !== 401) return objectIn(answer);
  const refusal: unknown = await answer.json();
  if (isObject(refusal) && typeof refusal["error"] === "string") return { error: refusal["error"] };
  throw new Error(`status ${answer.status} without an error code`);
}

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
  return ask(url.href, {
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
  ask(url.href, {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json" },
    body: JSON.stringify(body),
  });

/** Asks for a document. @throws Error for an answer that is no object */
export const askObject = async (url: URL): Promise<Readonly<Record<string, unknown>>> =>
  objectIn(await ask(url.href, { headers: { accept: "application/json" } }));

/** Never follows a redirect, which could lead a secret or the trust in keys to another host. */
async function ask(url: string, init: object): Promise<Response> {
  const answer = await fetch(url, { ...init, redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) });
  return new Response(await bounded(answer), { status: answer.status, headers: answer.headers });
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

async function objectIn(answer: Response): Promise<Readonly<Record<string, unknown>>> {
  const value: unknown = answer.status === 200 ? await answer.json() : undefined;
  return isObject(value) ? value : Promise.reject(new Error(`no JSON object, status ${answer.status}`));
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
  for (const place of places) {
    try {
      const answer = await ask(place, {});
      const metadata = await objectIn(answer);
      if (metadata["issuer"] === issuer) return { metadata, date: Date.parse(answer.headers.get("date") ?? "") };
      faults.push(`${place}: of the issuer ${onLine(JSON.stringify(metadata["issuer"]) ?? "undefined")}`);
    } catch (error) {
      faults.push(`${place}: ${causeOf(error)}`);
    }
  }
  throw new Error(`no metadata (${faults.join("; ")})`);
}

/** The reason of a failed request, which `fetch` wraps. */
const causeOf = (error: unknown): string =>
  onLine(messageOf(error instanceof Error && error.cause !== undefined ? error.cause : error));

/** An address in the metadata. @throws Error if it is missing, or less safe than the issuer's own */
export function issuerEndpoint(metadata: Readonly<Record<string, unknown>>, name: string, issuer: string): URL {
  const value = metadata[name];
  const url = typeof value === "string" && URL.canParse(value) ? new URL(value) : undefined;
  // As safe as the issuer: https, or http on this machine if the issuer is there too.
  if (!url || (url.protocol !== "https:" && url.protocol !== new URL(issuer).protocol))
    throw new Error(`its metadata names no ${name}`);
  return url;
}
