/** Settings of sign-in with tokens of identity providers: `access.oauth`. */

import { durationMs } from "../contract/duration.js";
import type { GrantPart } from "../contract/handler.js";
import { onLine } from "../contract/message-text.js";
import type { Level } from "../contract/registry.js";
import { UsageError } from "../contract/usage-error.js";

/** The part of `toolwright.yaml` that names identity providers. */
export interface OauthConfig {
  readonly resource?: string;
  readonly issuers?: readonly IssuerConfig[];
}

/** An entry of `access.oauth.issuers`. */
export interface IssuerConfig {
  readonly issuer: string;
  readonly tokens?: "jwt" | "introspection";
  readonly introspection?: { readonly client_id: string; readonly client_secret: string; readonly cache?: string };
  readonly algorithms?: readonly string[];
  readonly clock_skew?: string;
  readonly jwks?: { readonly cache?: string; readonly cooldown?: string };
  readonly principal?: string;
  readonly scopes_supported?: readonly string[];
  readonly login?: LoginConfig;
  readonly grants: readonly GrantConfig[];
}

interface LoginConfig {
  readonly client_id: string;
  readonly client_secret?: string;
  readonly label?: string;
  readonly scopes?: readonly string[];
}

interface GrantConfig {
  readonly when: Readonly<Record<string, string>>;
  readonly level: Level;
  readonly projects?: readonly string[];
  readonly packs?: readonly string[];
  readonly ops?: readonly string[];
}

/** A grant of the tokens whose claims have the given values. */
export interface GrantRule {
  readonly when: Readonly<Record<string, string>>;
  readonly part: GrantPart;
}

/** An identity provider whose tokens are accepted. */
export interface Issuer {
  readonly issuer: string;
  /** Credentials for introspection; absent: tokens are JWTs. */
  readonly introspection?: { readonly clientId: string; readonly clientSecret: string; readonly cacheMs: number };
  readonly algorithms: readonly string[];
  readonly skewMs: number;
  readonly jwks: { readonly cacheMs: number; readonly cooldownMs: number };
  /** Template of the id of a user. */
  readonly principal: string;
  readonly scopes: readonly string[];
  readonly rules: readonly GrantRule[];
  /** The client as which people log in at the console; absent: they log in by key. */
  readonly login?: LoginClient;
}

/** A client that is registered with an identity provider. */
export interface LoginClient {
  readonly clientId: string;
  /** Absent for a public client, which PKCE protects. */
  readonly clientSecret?: string;
  /** What the button says after "Log in with". */
  readonly label: string;
  /** Scopes that are asked for, `openid` among them. */
  readonly scopes: readonly string[];
}

/** The protected resource, and the issuers of its tokens. */
export interface OauthSettings {
  readonly resource: string;
  readonly issuers: readonly Issuer[];
}

/** Algorithms that sign with a private key. A shared secret is not accepted: every server that checks tokens could make them. */
const ALGORITHMS: readonly string[] = [
  "ES256",
  "ES384",
  "ES512",
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "EdDSA",
  "Ed25519",
];

/** Longest label of a button. */
const MAX_LABEL_LENGTH = 60;

type PlaceOf = (...path: readonly (string | number)[]) => string;

/**
 * Maps `access.oauth` to the settings; undefined without issuers.
 *
 * @throws UsageError for what would make tokens insecure or useless
 */
export function oauthSettingsOf(
  { resource = "", issuers = [] }: OauthConfig,
  placeOf: PlaceOf,
): OauthSettings | undefined {
  if (issuers.length === 0) return undefined;
  const place = (...path: readonly (string | number)[]) => placeOf("access", "oauth", ...path);
  if (!isSafeUrl(resource))
    throw new UsageError(
      `${place("resource")} access.oauth.resource must be the https URL of the endpoint, such as https://tools.example.com/mcp, not ${JSON.stringify(onLine(resource))}`,
    );
  const names = issuers.map(({ issuer }) => issuer);
  const twice = names.find((one, i) => names.indexOf(one) !== i);
  if (twice !== undefined) throw new UsageError(`${place("issuers")} access.oauth.issuers has ${onLine(twice)} twice`);
  return {
    resource,
    issuers: issuers.map((one, i) => issuerOf(one, issuers.length > 1, (...path) => place("issuers", i, ...path))),
  };
}

/** An https URL without user, query and fragment; http on loopback alone. */
export function isSafeUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || url.username + url.password + url.search + url.hash !== "") return false;
  return (
    url.protocol === "https:" ||
    (url.protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname))
  );
}

function issuerOf(config: IssuerConfig, isOneOfMany: boolean, place: PlaceOf): Issuer {
  const { issuer, tokens = "jwt", introspection, algorithms = ["ES256", "RS256"], principal = "{iss}|{sub}" } = config;
  const refuse = (key: string, what: string): never => {
    throw new UsageError(`${place(key)} access.oauth.issuers: ${key} ${what}`);
  };
  if (!isSafeUrl(issuer))
    refuse("issuer", `must be an https URL as the provider writes it in tokens, not ${JSON.stringify(onLine(issuer))}`);
  // Ids of users are the issuer, a bar and the user, and must not be read in two ways.
  if (issuer.includes("|")) refuse("issuer", "must hold no |");
  const weak = algorithms.find((one) => !ALGORITHMS.includes(one));
  if (weak !== undefined || algorithms.length === 0)
    refuse("algorithms", `takes ${ALGORITHMS.join(", ")}, not ${JSON.stringify(onLine(weak ?? ""))}`);
  if ((tokens === "introspection") !== (introspection !== undefined))
    refuse("introspection", "holds client_id and client_secret where tokens is introspection, and only there");
  if (!/\{[\w:.-]+\}/.test(principal)) refuse("principal", 'names a claim in braces, such as "{iss}|{sub}"');
  if (isOneOfMany && !principal.includes("{iss}"))
    refuse("principal", "holds {iss} where there are several issuers, since two of them may use one name");
  if (config.grants.some(({ when }) => Object.keys(when).length === 0))
    refuse("grants", "need at least one claim in each when");
  const ms = (text: string, key: string): number =>
    durationMs(text) ?? refuse(key, `takes a number and s, m, h or d, not ${JSON.stringify(onLine(text))}`);
  return {
    issuer,
    ...(introspection
      ? {
          introspection: {
            clientId: introspection.client_id,
            clientSecret: introspection.client_secret,
            cacheMs: ms(introspection.cache ?? "30s", "introspection"),
          },
        }
      : {}),
    algorithms,
    skewMs: ms(config.clock_skew ?? "30s", "clock_skew"),
    jwks: { cacheMs: ms(config.jwks?.cache ?? "5m", "jwks"), cooldownMs: ms(config.jwks?.cooldown ?? "30s", "jwks") },
    principal,
    scopes: config.scopes_supported ?? [],
    ...(config.login ? { login: loginOf(config.login, config, refuse) } : {}),
    rules: config.grants.map(({ when, level, projects, packs, ops }) => ({
      when,
      part: { level, projects: projects ?? "*", ...(packs ? { packs } : {}), ...(ops ? { ops } : {}) },
    })),
  };
}

function loginOf(
  { client_id: clientId, client_secret: clientSecret, label, scopes }: LoginConfig,
  { issuer, scopes_supported = [] }: IssuerConfig,
  refuse: (key: string, what: string) => never,
): LoginClient {
  const shown = label ?? new URL(issuer).host;
  if (shown.length > MAX_LABEL_LENGTH) refuse("login", `has a label of more than ${MAX_LABEL_LENGTH} characters`);
  const asked = scopes ?? scopes_supported;
  const bad = asked.find((one) => !/^[!#-[\]-~]+$/.test(one));
  if (bad !== undefined) refuse("login", `asks for ${JSON.stringify(onLine(bad))}, which is no scope`);
  return {
    clientId,
    ...(clientSecret === undefined ? {} : { clientSecret }),
    label: onLine(shown),
    scopes: [...new Set(["openid", ...asked])],
  };
}
