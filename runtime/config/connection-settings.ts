/**
 * Settings of connections: how toolwright gets tokens for upstream MCP servers (`servers.NAME.auth`) and for HTTP APIs
 * (`auth` of a source), and the keys that encrypt what it stores of them (`state_encryption`).
 */

import { onLine, pathText } from "../contract/message-text.js";
import type { SourceAuth, StateEncryptionEntry } from "../contract/settings/entries.js";
import type { ConnectionMode } from "../contract/settings/parts.js";
import type { WrittenConfig } from "../contract/settings/project-settings.js";
import { UsageError } from "../contract/usage-error.js";
import { isLoopbackUrl, isSafeUrl } from "./issuer-url.js";
import type { SignInReader } from "./sign-in-settings.js";

/** How tokens for one server or API are got. Texts may name variables, which are read when a token is needed. */
export interface ConnectionSettings {
  /** Name of the server, or pack of the API. */
  readonly name: string;
  readonly mode: ConnectionMode;
  /** The authorization server, as it writes itself in its metadata. */
  readonly issuer: string;
  readonly client: NonNullable<SourceAuth["client"]>;
  readonly scope: string | undefined;
  /** What the token is for (RFC 8707). */
  readonly resource: string | undefined;
  readonly audience: string | undefined;
  readonly authorizeParams: Readonly<Record<string, string>>;
}

/** Whether a person signs in, so that tokens are stored. */
export const needsSignIn = (mode: ConnectionMode): boolean => mode === "shared" || mode === "per_user";

/** Whether each caller has tokens of its own. */
export const isOfCaller = (mode: ConnectionMode): boolean => mode === "per_user" || mode === "token_exchange";

/** The part of the configuration that has connections. */
export type ConnectionsConfig = Pick<WrittenConfig, "access" | "public_url" | "servers" | "sources">;

type PlaceOf = (...path: readonly (string | number)[]) => string;

/** Says whether callers have tokens that can be exchanged. */
type TokenReader = Pick<SignInReader, "lackOfTokens">;

/**
 * The connections of a configuration, by name.
 *
 * @throws UsageError for one that cannot work, with its place
 */
function connectionSettingsOf(
  { servers = {}, sources, access = {} }: ConnectionsConfig,
  placeOf: PlaceOf,
  signIn: TokenReader | undefined,
): ReadonlyMap<string, ConnectionSettings> {
  const found = new Map<string, ConnectionSettings>();
  const lackOfTokens: SignInReader["lackOfTokens"] = (...asked) =>
    signIn ? signIn.lackOfTokens(...asked) : "no feature takes tokens of callers, so choose another mode";
  const add = (name: string, path: readonly (string | number)[], auth: SourceAuth, resource?: string): void => {
    const refuse = refusal(`${placeOf(...path)} ${pathText(path)}`);
    if (found.has(name)) refuse(`is a second connection of the name ${onLine(name)}: give the source another pack`);
    const settings = settingsOf(name, auth, resource, refuse);
    const lack = settings.mode === "token_exchange" ? lackOfTokens(settings.issuer, access) : undefined;
    if (lack !== undefined) refuse(`exchanges the tokens of callers at ${onLine(settings.issuer)}: ${lack}`);
    found.set(name, settings);
  };
  for (const [name, { url, auth, headers = {}, snapshot = {} }] of Object.entries(servers)) {
    if (auth?.mode === undefined) continue;
    const path = ["servers", name, "auth"];
    const refuse = refusal(`${placeOf(...path)} ${pathText(path)}`);
    if (url === undefined) refuse("is for servers over HTTP: a server that is a command gets its secrets in env");
    else if (isInClear(url)) refuse(`sends its token to ${onLine(new URL(url).origin)} in clear: write an https url`);
    if (Object.keys(headers).some((one) => one.toLowerCase() === "authorization"))
      refuse("and the header Authorization exclude each other: remove one of them");
    if (auth.mode === "token_exchange" && snapshot.every !== undefined)
      refuse("has the mode token_exchange, which takes the token of a caller: remove snapshot.every, which has none");
    add(name, path, auth, url);
  }
  for (const [i, { pack, openapi, graphql, server = "", auth }] of sources.entries()) {
    if (auth?.mode === undefined) continue;
    const path = ["sources", i, "auth"];
    const refuse = refusal(`${placeOf(...path)} ${pathText(path)}`);
    if (openapi === undefined && graphql === undefined) refuse("takes a mode where the source is openapi or graphql");
    if (pack === undefined) return refuse("takes a mode where the source has a pack, which names the connection");
    if (auth.bearer !== undefined || auth.basic !== undefined) refuse("has a mode, or bearer or basic, not both");
    if (isInClear(server))
      refuse(`sends its token to ${onLine(new URL(server).origin)} in clear: write an https server`);
    add(pack, path, auth);
  }
  return found;
}

/** Whether others can read what is sent to a URL; false for one with variables, which is checked when it is used. */
export function isInClear(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && url.protocol === "http:" && !isLoopbackUrl(url);
}

type Refuse = (what: string) => never;

const refusal =
  (place: string): Refuse =>
  (what) => {
    throw new UsageError(`${place} ${what}`);
  };

function settingsOf(name: string, auth: SourceAuth, url: string | undefined, refuse: Refuse): ConnectionSettings {
  const { mode = "shared", issuer = "", client = {}, scope, resource = url, authorize_params = {} } = auth;
  if (!isSafeUrl(issuer))
    refuse(`needs issuer: the https URL of the authorization server, not ${JSON.stringify(onLine(issuer))}`);
  const { id, secret, metadata_url: document, register } = client;
  if (id === undefined && (!needsSignIn(mode) || (document === undefined && register !== true)))
    refuse(
      "needs client.id, as the authorization server knows toolwright; where people sign in, client.metadata_url: auto or client.register: true does as well",
    );
  if (mode === "client_credentials" && secret === undefined)
    refuse("needs client.secret, such as ${NAME}, for the mode client_credentials");
  if (document !== undefined && document !== "auto" && !isSafeUrl(document))
    refuse("takes auto or an https URL as client.metadata_url");
  const own = Object.keys(authorize_params).find((one) => OWN_PARAMETERS.has(one));
  if (own !== undefined) refuse(`sets ${own} itself: remove it from authorize_params`);
  if (auth.audience !== undefined && mode !== "token_exchange")
    refuse("takes audience with the mode token_exchange only");
  const { audience } = auth;
  return { name, mode, issuer, client, scope, resource, audience, authorizeParams: authorize_params };
}

/** Parameters on which the safety of a sign-in rests. */
const OWN_PARAMETERS: ReadonlySet<string> = new Set(
  "response_type response_mode client_id redirect_uri state code_challenge code_challenge_method request request_uri".split(
    " ",
  ),
);

/** A key that encrypts rows. */
export interface StateKey {
  readonly id: string;
  readonly key: Buffer;
}

/** The connections of a project, and the keys that encrypt what is stored of them. */
export interface ConnectionParts {
  readonly settings: ReadonlyMap<string, ConnectionSettings>;
  readonly keys: readonly StateKey[];
}

/**
 * The connections and keys of a configuration; undefined without connections.
 *
 * @param encryption with its variables expanded
 * @param signIn - which a feature has
 * @throws UsageError for connections that cannot work, and for those that would be stored without a key
 */
export function connectionPartsOf(
  config: ConnectionsConfig,
  encryption: StateEncryptionEntry,
  placeOf: PlaceOf,
  signIn?: TokenReader,
): ConnectionParts | undefined {
  const connections = connectionSettingsOf(config, placeOf, signIn);
  if (connections.size === 0) return undefined;
  const stateKeys = stateKeysOf(encryption, placeOf);
  const stored = [...connections.values()].find(({ mode }) => needsSignIn(mode));
  if (stored && stateKeys.length === 0)
    throw new UsageError(
      `${placeOf("state_encryption")} state_encryption.keys is missing: tokens of ${onLine(stored.name)} are stored encrypted. Add { id: k1, from: "\${NAME}" }, and set NAME to what "openssl rand -base64 32" prints`,
    );
  const signedIn = [...connections.values()].find(
    ({ mode, client }) => mode === "per_user" || (mode === "shared" && client.id === undefined),
  );
  if (signedIn && !config.public_url)
    throw new UsageError(
      `${placeOf("public_url")} public_url is missing: people sign in at ${onLine(signedIn.name)} through it. Write the URL at which browsers reach this server`,
    );
  return { settings: connections, keys: stateKeys };
}

const KEY_BYTES = 32;

/**
 * The keys that encrypt rows, from expanded texts: the first encrypts, all decrypt.
 *
 * @throws UsageError that names a key of the wrong form, never its value
 */
export function stateKeysOf({ keys = [] }: StateEncryptionEntry, placeOf: PlaceOf): readonly StateKey[] {
  return keys.map(({ id, from }, i) => {
    const refuse = refusal(`${placeOf("state_encryption", "keys", i)} state_encryption.keys[${i}]`);
    if (keys.findIndex((one) => one.id === id) !== i)
      refuse(`has ${onLine(id)} twice: each key needs an id of its own`);
    const key = /^[0-9a-f]{64}$/i.test(from) ? Buffer.from(from, "hex") : Buffer.from(from, "base64");
    if (key.length !== KEY_BYTES || !/^[\w+/=-]+$/.test(from))
      refuse(`${onLine(id)} is not ${KEY_BYTES} bytes in base64 or hex: make one with "openssl rand -base64 32"`);
    return { id, key };
  });
}
