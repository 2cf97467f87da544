/** Asks an issuer of access tokens: its metadata, its keys, whether a token is active, and tokens for a code. */

import type { JWTVerifyGetKey } from "jose";
import {
  askForm,
  askObject,
  type ClientCredentials,
  errorCodeSuffix,
  ISSUER_TIMEOUT_MS,
  IssuerAddress,
  issuerEndpoint,
  issuerMetadata,
  jsonIn,
  objectInAnswer,
  requestCause,
  withAddressInFailure,
} from "../../runtime/access/issuer-client.js";
import { isToolFailure, ToolFailure } from "../../runtime/contract/handler.js";
import { isObject } from "../../runtime/contract/json.js";
import { onLine } from "../../runtime/contract/message-text.js";
import { messageOf } from "../../runtime/contract/thrown.js";
import type { Issuer } from "./oauth-settings.js";
import { providerGate } from "./provider-gate.js";

/** What an issuer answers. All methods throw a ToolFailure UNAVAILABLE while it is out of reach. */
export interface IssuerClient {
  /** Finds the key of a token by its header; throws JWKSNoMatchingKey if the issuer has no such key. */
  readonly keys: JWTVerifyGetKey;
  /** The answer of introspection (RFC 7662), for which callers wait by {@link IssuerClient.shared}. */
  introspect(token: string): Promise<Readonly<Record<string, unknown>>>;
  /** What the issuer publishes about itself. */
  metadata(): Promise<Readonly<Record<string, unknown>>>;
  /** Waits for an answer that several callers share; only a moment where many wait already. */
  shared<T>(answer: Promise<T>): Promise<T>;
  /** The answer of the token endpoint (RFC 6749): tokens, or `error` if it refuses. */
  redeem(
    parameters: Readonly<Record<string, string>>,
    client: ClientCredentials,
  ): Promise<Readonly<Record<string, unknown>>>;
}

/** How long the metadata of an issuer is kept. */
const METADATA_MS = 3_600_000;

/** The outage of an issuer; its cause is for the log. */
function away(issuer: string, cause: unknown): never {
  if (isToolFailure(cause)) throw cause;
  const failure = new ToolFailure("UNAVAILABLE", "The identity provider cannot be reached. Try again later.");
  failure.cause = new Error(`${issuer}: ${requestCause(cause)}`);
  throw failure;
}

/** Asks nothing before the first token. */
export function issuerClient({ issuer, jwks, introspection }: Issuer): IssuerClient {
  const gate = providerGate();
  const orAway = <T>(answer: Promise<T>): Promise<T> => answer.catch((error: unknown) => away(issuer, error));
  const kept = memoized(METADATA_MS, async () => (await gate.ask(() => issuerMetadata(issuer))).metadata);
  const metadata = () => gate.wait(kept());
  const keySet = memoized(METADATA_MS, async () => {
    const { createRemoteJWKSet, customFetch } = await import("jose");
    const url = issuerEndpoint(await kept(), "jwks_uri", issuer);
    return createRemoteJWKSet(url, {
      cacheMaxAge: jwks.cacheMs,
      cooldownDuration: jwks.cooldownMs,
      timeoutDuration: ISSUER_TIMEOUT_MS,
      [customFetch]: (target: string, init: object) =>
        gate
          .ask(() => withAddressInFailure(target, keySetAt(new IssuerAddress(target, issuer), init)))
          .catch(asPlainError),
    });
  });
  return {
    async keys(header, token) {
      const { errors } = await import("jose");
      try {
        return await gate.wait(keySet().then((find) => find(header, token)));
      } catch (error) {
        if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
        if (error instanceof errors.JOSENotSupported) throw error;
        return away(issuer, error);
      }
    },
    introspect: (token) =>
      orAway(
        (async () => {
          if (!introspection) throw new Error("introspection is not configured");
          const url = issuerEndpoint(await kept(), "introspection_endpoint", issuer);
          return gate.ask(() => withAddressInFailure(url, introspectAt(url, introspection, token)));
        })(),
      ),
    shared: (answer) => orAway(gate.wait(answer)),
    metadata: () => orAway(metadata()),
    redeem: (parameters, client) =>
      orAway(
        (async () => {
          const url = issuerEndpoint(await metadata(), "token_endpoint", issuer);
          return gate.ask(() => withAddressInFailure(url, redeemAt(url, parameters, client)));
        })(),
      ),
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

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

/** Asks about a token (RFC 7662). @throws Error for an answer that does not say whether it is active */
export async function introspectAt(
  url: URL,
  { clientId, clientSecret }: Pick<NonNullable<Issuer["introspection"]>, "clientId" | "clientSecret">,
  token: string,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await askForm(url, { token, token_type_hint: "access_token" }, { clientId, clientSecret });
  const said = await objectInAnswer(answer);
  // Of another type, the answer is no answer of introspection, whatever its text is.
  const type = answer.headers.get("content-type") ?? "no type";
  if (!JSON_TYPE.test(type))
    throw new Error(`an answer of the type ${onLine(type.slice(0, 60))}, not application/json`);
  if (!Object.hasOwn(said, "active")) throw new Error(`an answer without active, status 200${errorCodeSuffix(said)}`);
  return said;
}

/** @throws Error for an answer that holds neither tokens nor the error of a refusal */
async function redeemAt(
  url: URL,
  parameters: Readonly<Record<string, string>>,
  client: ClientCredentials,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await askForm(url, parameters, client);
  if (answer.status !== 400 && answer.status !== 401) return objectInAnswer(answer);
  const refusal = await jsonIn(answer);
  if (isObject(refusal) && typeof refusal["error"] === "string") return { error: refusal["error"] };
  throw new Error(`status ${answer.status} without an error code`);
}

/** Keeps the message of an error that would else be replaced for its name. */
function asPlainError(error: unknown): never {
  throw new Error(messageOf(error));
}

/** The answer of an address of keys. @throws Error that says why it is no key set */
async function keySetAt(url: URL, init: object): Promise<Response> {
  const answer = await askObject(url, init);
  if (!Array.isArray(answer["keys"])) throw new Error("an answer without keys, status 200");
  return Response.json(answer);
}
