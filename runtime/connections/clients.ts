/**
 * The client as which toolwright is known to an authorization server: a configured one, the document that describes it
 * (client ID metadata document), or one that it registers (RFC 7591), which is stored.
 */

import {
  askJson,
  type ClientCredentials,
  issuerEndpoint,
  issuerMetadata,
  jsonIn,
  secretMethod,
  withAddressInFailure,
} from "../access/issuer-client.js";
import type { ConnectionSettings } from "../config/connection-settings.js";
import { fail } from "../contract/handler.js";
import { isObject } from "../contract/json.js";
import { rememberSecret } from "../contract/known-secrets.js";
import type { State } from "../state/open.js";
import { openedText } from "./key-check.js";
import { type ConnectionKey, deleteConnection, findConnection, rowIdentity, storeConnection } from "./rows.js";
import { lackingScopes, unionOfScopes } from "./scopes.js";
import type { Seal } from "./sealing.js";

/** Path of the document, below `public_url`. */
export const DOCUMENT_PATH = "/oauth/client.json";
/** Path to which authorization servers that name themselves in their answers (RFC 9207) send browsers, below `public_url`. */
export const CONNECTION_CALLBACK_PATH = "/connections/callback";
/** The same for another authorization server: of one connection alone, so that no answer of one is taken for another's. */
export const ownCallbackPath = (name: string): string => `${CONNECTION_CALLBACK_PATH}/${encodeURIComponent(name)}`;

/** Whether an authorization server says that it names itself in its answers. */
export const namesItself = (metadata: Readonly<Record<string, unknown>>): boolean =>
  metadata["authorization_response_iss_parameter_supported"] === true;

/**
 * Where an authorization server sends browsers for a connection. Answers of servers that do not name themselves are told
 * apart by where they arrive (RFC 9700, 4.4.2).
 */
export const redirectOf = (name: string, metadata: Readonly<Record<string, unknown>>, publicUrl: URL): URL =>
  new URL(namesItself(metadata) ? CONNECTION_CALLBACK_PATH : ownCallbackPath(name), publicUrl);

/** The document of a client with this redirect: each redirect has one of its own, so that none tells of the others. */
const documentPath = (redirect: URL): string =>
  DOCUMENT_PATH.replace("/client", `${redirect.pathname.slice(CONNECTION_CALLBACK_PATH.length)}/client`);
/** The document of the callback of one connection. */
export const OWN_DOCUMENT_PATH = "/oauth/:name{[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}}/client.json";

/**
 * What toolwright says about itself to authorization servers. A program on the machine of the person is a native client,
 * whose redirect goes to the loopback address over http.
 */
const about = (redirect: string) => ({
  client_name: "toolwright",
  application_type: /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)[:/]/.test(redirect) ? "native" : "web",
  redirect_uris: [redirect],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
});

/**
 * The client ID metadata document of a server.
 *
 * @param name the connection whose callback it names; absent: the callback that connections share. It says nothing of
 * which connections there are
 */
export function clientDocument(publicUrl: URL, name?: string): Readonly<Record<string, unknown>> {
  const redirect = new URL(name === undefined ? CONNECTION_CALLBACK_PATH : ownCallbackPath(name), publicUrl);
  const id = new URL(documentPath(redirect), publicUrl).href;
  return { client_id: id, ...about(redirect.href), token_endpoint_auth_method: "none" };
}

/** What finding a client needs. */
export interface ClientParts {
  readonly state: State;
  readonly seal: Seal;
  readonly now: number;
  readonly redirect: string;
}

/**
 * The client for a sign-in: by document where the server takes one, else registered.
 *
 * @throws ToolFailure UNAVAILABLE that says what the configuration lacks, and Error if the server gives no usable answer
 */
export async function discoveredClient(settings: ConnectionSettings, parts: ClientParts): Promise<ClientCredentials> {
  const { issuer, client } = settings;
  const { metadata } = await issuerMetadata(issuer);
  const document = documentUrl(client.metadata_url, new URL(parts.redirect));
  const takesDocuments = metadata["client_id_metadata_document_supported"] === true;
  if (document?.startsWith("https:") && takesDocuments) return { clientId: document };
  if (client.register !== true)
    return fail(
      "UNAVAILABLE",
      `No sign-in at ${settings.name} can begin, by the configuration of this server: ${
        takesDocuments
          ? "client.metadata_url is at no https URL. Set public_url to the https URL of this server, or client.register: true"
          : `${issuer} takes no client ID metadata document. Set client.id, or client.register: true`
      }.`,
      { server: settings.name },
    );
  return registered(settings, metadata, parts);
}

/** The URL of the client ID metadata document; undefined where none is configured, or public_url is missing. */
export const documentUrl = (configured: string | undefined, redirect: URL | undefined): string | undefined =>
  configured === "auto" ? redirect && new URL(documentPath(redirect), redirect).href : configured;

interface Registration {
  readonly client: ClientCredentials;
  readonly redirect: string;
  /** The scopes that it was registered for: servers refuse others. */
  readonly scope?: string | undefined;
  /** When the secret ends, in ms since the epoch. */
  readonly until?: number;
}

async function registered(
  { name, issuer, scope }: ConnectionSettings,
  metadata: Readonly<Record<string, unknown>>,
  { state, seal, now, redirect }: ClientParts,
): Promise<ClientCredentials> {
  const key: ConnectionKey = { kind: "client", principal: "", server: name, issuer };
  const row = await findConnection(state, key);
  const text = openedText(seal, key, row);
  const known = text === undefined ? undefined : (JSON.parse(text) as Registration);
  const isLive = known?.redirect === redirect && (known.until ?? Number.POSITIVE_INFINITY) > now;
  if (row && text !== undefined && known && isLive && lackingScopes(scope ?? "", known.scope).length === 0) {
    // So that an earlier key can be removed from the configuration.
    if (!seal.isCurrent(row)) await storeConnection(state, key, seal.close(text, rowIdentity(key)), now);
    return known.client;
  }
  const scopes = unionOfScopes(scope, isLive ? known?.scope : undefined);
  const methods = metadata["token_endpoint_auth_methods_supported"];
  const isPublic = !Array.isArray(methods) || methods.includes("none");
  const url = issuerEndpoint(metadata, "registration_endpoint", issuer);
  const made = await register(url, {
    ...about(redirect),
    ...(scopes === undefined ? {} : { scope: scopes }),
    token_endpoint_auth_method: isPublic ? "none" : secretMethod(methods),
  });
  const content = JSON.stringify({ ...made, redirect, scope: scopes } satisfies Registration);
  await storeConnection(state, key, seal.close(content, rowIdentity(key)), now);
  return made.client;
}

/** Whether a client is one that toolwright has registered by itself: no configured one, and no document. */
export const isRegisteredClient = ({ client }: ConnectionSettings, { clientId }: ClientCredentials): boolean =>
  client.id === undefined && client.register === true && !clientId.startsWith("https:");

/** Forgets a client that the authorization server no longer knows; a later registration stays. */
export async function forgetClient(
  { state, seal }: Pick<ClientParts, "state" | "seal">,
  { name, issuer }: ConnectionSettings,
  { clientId }: ClientCredentials,
): Promise<void> {
  const key: ConnectionKey = { kind: "client", principal: "", server: name, issuer };
  const row = await findConnection(state, key);
  const text = openedText(seal, key, row);
  if (!row || text === undefined || (JSON.parse(text) as Registration).client.clientId !== clientId) return;
  await deleteConnection(state, key, row.version);
}

async function register(url: URL, request: object): Promise<Omit<Registration, "redirect" | "scope">> {
  const answer = await withAddressInFailure(url, askJson(url, request));
  const body: unknown =
    answer.status === 201 || answer.status === 200 ? await withAddressInFailure(url, jsonIn(answer)) : undefined;
  const { client_id, client_secret, client_secret_expires_at: end } = isObject(body) ? body : {};
  if (typeof client_id !== "string" || client_id === "")
    throw new Error(`the authorization server does not register toolwright (HTTP ${answer.status})`);
  if (typeof client_secret !== "string") return { client: { clientId: client_id } };
  rememberSecret(client_secret);
  return {
    client: { clientId: client_id, clientSecret: client_secret },
    ...(typeof end === "number" && end > 0 ? { until: end * 1000 } : {}),
  };
}
