/** Settings of sign-in with tokens of identity providers: `access.oauth`. */

import { isSafeUrl } from "../../runtime/config/issuer-url.js";
import type { HttpSettings } from "../../runtime/config/transport-settings.js";
import { durationMs } from "../../runtime/contract/duration.js";
import type { GrantPart } from "../../runtime/contract/handler.js";
import { onLine, pathText } from "../../runtime/contract/message-text.js";
import { type GrantPatternKind, isPattern } from "../../runtime/contract/unmatched-patterns.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import { principalFault } from "./principal-template.js";
import type { IssuerEntry, OauthEntry } from "./settings.js";

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

/** What the metadata of the resource says of the issuers (RFC 9728). */
export function resourceClaims({ issuers }: OauthSettings): {
  readonly authorization_servers: readonly string[];
  readonly scopes_supported?: readonly string[];
} {
  const scopes = [...new Set(issuers.flatMap((issuer) => issuer.scopes))];
  return {
    authorization_servers: issuers.map(({ issuer }) => issuer),
    ...(scopes.length > 0 ? { scopes_supported: scopes } : {}),
  };
}

/** The settings of sign-in among those of HTTP, which hold what this feature has read. */
export const oauthOf = ({ signIn }: Pick<HttpSettings, "signIn">): OauthSettings | undefined =>
  signIn?.own as OauthSettings | undefined;

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

type Path = readonly (string | number)[];
type PlaceOf = (...path: Path) => string;
/** Refuses the value at a path below an issuer. */
type RefuseAt = (...path: Path) => (what: string) => never;

/**
 * Maps `access.oauth` to the settings; undefined without issuers.
 *
 * @throws UsageError for what would make tokens insecure or useless
 */
export function oauthSettingsOf(
  { resource = "", issuers = [] }: OauthEntry,
  placeOf: PlaceOf,
): OauthSettings | undefined {
  const refuseAt =
    (...path: Path) =>
    (what: string): never => {
      const full = ["access", "oauth", ...path];
      throw new UsageError(`${placeOf(...full)} ${pathText(full)} ${what}`);
    };
  if ((issuers.length > 0 || resource !== "") && !isSafeUrl(resource))
    refuseAt("resource")(
      `must be the https URL of the endpoint, such as https://tools.example.com/mcp, not ${JSON.stringify(onLine(resource))}`,
    );
  if (issuers.length === 0) return undefined;
  const names = issuers.map(({ issuer }) => issuer);
  const twice = names.findIndex((one, i) => names.indexOf(one) !== i);
  if (twice !== -1)
    refuseAt("issuers", twice, "issuer")(`is ${onLine(names[twice] ?? "")} once more: keep one of them`);
  // That an issuer has a bar is its own fault.
  const sound = names.filter((one) => !one.includes(BAR));
  return {
    resource,
    issuers: issuers.map((one, i) => issuerOf(one, sound, (...path) => refuseAt("issuers", i, ...path))),
  };
}

/** What follows the issuer in ids of users by default. */
const BAR = "|";

/** Default and longest of durations: beyond it, tokens would outlive their end, a revocation, or the key that signed them. */
const DURATIONS = {
  clock_skew: ["30s", "5m"],
  "introspection.cache": ["30s", "1h"],
  "jwks.cache": ["5m", "24h"],
  "jwks.cooldown": ["30s", "1h"],
} as const;

function issuerOf(config: IssuerEntry, issuers: readonly string[], refuseAt: RefuseAt): Issuer {
  const { issuer, introspection, algorithms = ["ES256", "RS256"], principal = "{iss}|{sub}" } = config;
  checkIssuer({ ...config, algorithms, principal }, issuers, refuseAt);
  const ms = (text: string | undefined, name: keyof typeof DURATIONS): number => {
    const [usual, longest] = DURATIONS[name];
    const given = text ?? usual;
    const refuse = refuseAt(...name.split("."));
    const found = durationMs(given) ?? refuse(`takes a number and s, m, h or d, not ${JSON.stringify(onLine(given))}`);
    return found <= (durationMs(longest) ?? 0) ? found : refuse(`is at most ${longest}, not ${onLine(given)}`);
  };
  return {
    issuer,
    ...(introspection
      ? {
          introspection: {
            clientId: introspection.client_id,
            clientSecret: introspection.client_secret,
            cacheMs: ms(introspection.cache, "introspection.cache"),
          },
        }
      : {}),
    algorithms,
    skewMs: ms(config.clock_skew, "clock_skew"),
    jwks: {
      cacheMs: ms(config.jwks?.cache, "jwks.cache"),
      cooldownMs: ms(config.jwks?.cooldown, "jwks.cooldown"),
    },
    principal,
    scopes: config.scopes_supported ?? [],
    ...(config.login ? { login: loginOf(config.login, config, refuseAt) } : {}),
    rules: config.grants.map(({ when, level, projects, packs, ops }) => ({
      when,
      part: { level, projects: projects ?? "*", ...(packs ? { packs } : {}), ...(ops ? { ops } : {}) },
    })),
  };
}

/** @throws UsageError at what would make tokens of this issuer insecure or useless */
function checkIssuer(
  {
    issuer,
    tokens = "jwt",
    introspection,
    algorithms,
    principal,
    grants,
  }: IssuerEntry & Required<Pick<IssuerEntry, "algorithms" | "principal">>,
  issuers: readonly string[],
  refuseAt: RefuseAt,
): void {
  const url = refuseAt("issuer");
  if (!isSafeUrl(issuer))
    url(`must be an https URL as the provider writes it in tokens, not ${JSON.stringify(onLine(issuer))}`);
  // Ids of users are the issuer, a bar and the user, and must not be read in two ways.
  if (issuer.includes(BAR)) url(`must hold no ${BAR}`);
  const weak = algorithms.findIndex((one) => !ALGORITHMS.includes(one));
  if (weak !== -1)
    refuseAt(
      "algorithms",
      weak,
    )(`takes ${ALGORITHMS.join(", ")}, not ${JSON.stringify(onLine(algorithms[weak] ?? ""))}`);
  if (algorithms.length === 0) refuseAt("algorithms")(`is empty: name one of ${ALGORITHMS.join(", ")}`);
  if (tokens === "introspection" && !introspection)
    refuseAt("introspection")("is missing: set client_id and client_secret, since tokens is introspection");
  if (tokens !== "introspection" && introspection)
    refuseAt("introspection")("is set, and tokens is not introspection: set tokens: introspection, or remove it");
  const fault = principalFault(principal, issuers);
  if (fault !== undefined) refuseAt("principal")(`${fault}, not ${JSON.stringify(onLine(principal))}`);
  const empty = grants.findIndex(({ when }) => Object.keys(when).length === 0);
  if (empty !== -1) refuseAt("grants", empty, "when")("is empty, so that every token would match: name a claim");
  for (const [i, { packs = [], ops = [] }] of grants.entries()) {
    refusePattern("pack", packs, (at) => refuseAt("grants", i, "packs", at));
    refusePattern("op", ops, (at) => refuseAt("grants", i, "ops", at));
  }
}

const PATTERN_RULES: Readonly<Record<GrantPatternKind, string>> = {
  pack: 'packs have no dots: write such as "git*"',
  op: 'ops are such as "git.list": write such as "git.*"',
};

/** @throws UsageError at the first pattern that can match nothing, whatever packs there are */
function refusePattern(
  kind: GrantPatternKind,
  patterns: readonly string[],
  at: (index: number) => (what: string) => never,
) {
  const bad = patterns.findIndex((one) => !isPattern(kind, one));
  if (bad !== -1)
    at(bad)(`is ${JSON.stringify(onLine(patterns[bad] ?? ""))}, which can match nothing: ${PATTERN_RULES[kind]}`);
}

function loginOf(
  { client_id: clientId, client_secret: clientSecret, label, scopes }: NonNullable<IssuerEntry["login"]>,
  { issuer, scopes_supported = [] }: IssuerEntry,
  refuseAt: RefuseAt,
): LoginClient {
  const shown = label ?? new URL(issuer).host;
  if (shown.length > MAX_LABEL_LENGTH) refuseAt("login", "label")(`has more than ${MAX_LABEL_LENGTH} characters`);
  const asked = scopes ?? scopes_supported;
  const bad = asked.findIndex((one) => !/^[!#-[\]-~]+$/.test(one));
  const list = scopes ? ["login", "scopes"] : ["scopes_supported"];
  if (bad !== -1) refuseAt(...list, bad)(`is ${JSON.stringify(onLine(asked[bad] ?? ""))}, which is no scope`);
  return {
    clientId,
    ...(clientSecret === undefined ? {} : { clientSecret }),
    label: onLine(shown),
    scopes: [...new Set(["openid", ...asked])],
  };
}
