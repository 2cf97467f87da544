/** The command `config check-token`: explains what an access token may do here, or which check refuses it. */

import { text } from "node:stream/consumers";
import { looksLikeKey } from "../../runtime/access/key-text.js";
import { secretPlaces } from "../../runtime/config/secret-sources.js";
import { expandConfig, settingPlace, type UnsetVariable } from "../../runtime/config/settings.js";
import type { Grant } from "../../runtime/contract/handler.js";
import { isToolFailure } from "../../runtime/contract/handler.js";
import { onLine } from "../../runtime/contract/message-text.js";
import { clip } from "../../runtime/contract/scrub.js";
import { withDefaults } from "../../runtime/contract/settings/project-settings.js";
import { messageOf } from "../../runtime/contract/thrown.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import { type Start, variablesOf } from "../../runtime/gateway/open-project.js";
import { allowPrivateOf } from "../../runtime/http-client/named-address.js";
import { type OauthSettings, oauthSettingsOf } from "./oauth-settings.js";
import { oauthEntry } from "./settings.js";
import { MAX_TOKEN_LENGTH, NOT_OF_ACCESS_TOKENS, tokenCheck } from "./token-check.js";

/** What a header can hold as a bearer token (RFC 6750, 2.1). */
const TOKEN = /^[\w.~+/-]+=*$/;

/** What the command needs. */
export type CheckTokenStart = Pick<Start, "root" | "config" | "out" | "err" | "paint">;

/**
 * Reads a token from standard input. Exit code 0, or 1 if it is refused or its issuer is out of reach.
 *
 * @throws UsageError without issuers, and for invalid settings
 */
export async function checkToken(
  start: CheckTokenStart,
  flags: { readonly json?: boolean },
  input: NodeJS.ReadableStream & { readonly isTTY?: boolean } = process.stdin,
): Promise<number> {
  const settings = oauthSettingsIn(start);
  if (!settings) throw new UsageError("toolwright.yaml: access.oauth names no issuers, so no token is accepted");
  if (input.isTTY) start.err("paste the token, then Enter and Ctrl-D\n");
  const token = (await text(input)).trim().replace(/^(?:authorization:\s*)?bearer(?:\s+|$)/i, "");
  const answer = await answerOf(settings, token);
  if (flags.json) start.out(`${JSON.stringify(answer)}\n`);
  else if (answer.accepted) start.out(acceptedText(answer));
  else start.err(`${start.paint("red", "refused")} ${onLine(`${answer.check}: ${answer.why}`)}\n`);
  return answer.accepted ? 0 : 1;
}

/**
 * The settings of sign-in of a project, which need not be generated; undefined without issuers.
 *
 * @throws UsageError for a variable that is not set, and for invalid settings
 */
function oauthSettingsIn({ root, config }: Pick<Start, "root" | "config">): OauthSettings | undefined {
  allowPrivateOf(root, config.web?.allow_private ?? []);
  const missing: UnsetVariable[] = [];
  const { access } = expandConfig({ access: withDefaults(config).access }, variablesOf(root, config.secrets), missing);
  const names = [...new Set(missing.filter(({ path }) => path[1] === "oauth").map(({ name }) => name))];
  if (names.length === 0) return oauthSettingsOf(oauthEntry(access), (...path) => settingPlace(config.place, ...path));
  throw new UsageError(
    `toolwright.yaml: access.oauth names ${names.join(", ")}, which is not set; set it ${secretPlaces(config.secrets)}`,
  );
}

interface Accepted {
  readonly accepted: true;
  readonly principal: string;
  readonly until: string;
  readonly grant: Grant;
}

type Answer = Accepted | { readonly accepted: false; readonly check: string; readonly why: string };

async function answerOf(settings: OauthSettings, token: string): Promise<Answer> {
  const refuse = (check: string): Answer => ({ accepted: false, check, why: whyOf(check, settings, token) });
  try {
    if (token === "") return refuse("empty");
    // No provider is shown a key of this server, or a text that a header cannot hold, which may have one in it.
    if (looksLikeKey(token)) return refuse("api_key");
    if (!TOKEN.test(token)) return refuse("form");
    const verdict = await tokenCheck(settings)(token);
    if (verdict.kind === "refused") return refuse(verdict.check);
    if (verdict.kind === "ungranted") return refuse("grants");
    const { id, grant, until = 0 } = verdict.principal;
    return { accepted: true, principal: id, until: new Date(until).toISOString(), grant };
  } catch (error) {
    if (!isToolFailure(error)) throw error;
    return { accepted: false, check: "unavailable", why: messageOf(error.cause ?? error) };
  }
}

function acceptedText({ principal, until, grant }: Accepted): string {
  const list = (texts: readonly string[] | "*" | undefined): string =>
    texts === undefined || texts === "*" ? "all" : texts.join(", ");
  const lines = (grant.parts ?? [grant]).map(
    ({ level, projects, packs, ops }) =>
      `  ${level}: projects ${list(projects)}; packs ${list(packs)}; ops ${list(ops)}`,
  );
  return [`accepted as ${principal} until ${until}`, ...lines].map((line) => `${onLine(line)}\n`).join("");
}

/** What a token says about itself, unverified. */
interface Shown {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly settings: OauthSettings;
}

const json = (value: unknown): string => JSON.stringify(value) ?? "missing";
const issuersOf = ({ issuers }: OauthSettings): string => issuers.map(({ issuer }) => issuer).join(", ");
const here = (): string => `the clock of this machine says ${new Date().toISOString()}`;
const time = (value: unknown): string =>
  typeof value === "number" && Math.abs(value) < 1e11 ? new Date(value * 1000).toISOString() : json(value);
const of = ({ claims, settings }: Shown) => settings.issuers.find(({ issuer }) => issuer === claims["iss"]);

/** Explanations by check. */
const REASONS: Readonly<Record<string, (shown: Shown) => string>> = {
  length: () => `it has more than ${MAX_TOKEN_LENGTH} characters`,
  api_key: () =>
    "it is an API key of toolwright, not a token, and was sent to no provider: toolwright keys list shows what keys may do",
  form: () => "it is not a well-formed JWT, and there is not exactly one issuer that is asked about other tokens",
  members: () => "its header or its claims have a member twice, of which readers may take the one or the other",
  issuer: ({ claims, settings }) => `iss is ${json(claims["iss"])}; configured are ${issuersOf(settings)}`,
  iss: ({ settings }) => `the issuer's answer names another issuer; configured are ${issuersOf(settings)}`,
  aud: ({ claims, settings }) => `aud is ${json(claims["aud"])}, and access.oauth.resource is ${settings.resource}`,
  exp: ({ claims }) => `exp is ${json(claims["exp"])}: a token must say when it expires, and not have expired`,
  expired: ({ claims }) => `exp is ${time(claims["exp"])}, and ${here()}`,
  nbf: ({ claims }) => `nbf is ${time(claims["nbf"])}, and ${here()}`,
  iat: ({ claims }) => `iat is ${time(claims["iat"])}, and ${here()}`,
  key: ({ header }) => `the issuer publishes no key with kid ${json(header["kid"])} for alg ${json(header["alg"])}`,
  signature: ({ header }) => `the signature is not of the issuer's key ${json(header["kid"])}`,
  algorithm: (shown) =>
    `alg is ${json(shown.header["alg"])}; algorithms are ${of(shown)?.algorithms.join(", ") ?? "unknown"}`,
  type: ({ header }) => `typ of the header is ${json(header["typ"])}, not at+jwt or JWT`,
  id_token: ({ claims }) => `it is an ID, refresh or logout token${markOf(claims)}: send the access token`,
  cnf: () => "it is bound to a key of the client (DPoP or mTLS), which is not supported",
  token_type: () => "its issuer says by token_type that it is no bearer token: send the access token",
  empty: () => "standard input is empty: give the token, such as toolwright config check-token < token",
  inactive: () => "its issuer says that it is not active",
  principal: (shown) =>
    `principal is ${json(of(shown)?.principal)}: each claim that it names must be a text, without control characters, halves of characters and the sign that ends it, and not too long; the token has ${claimsOf(shown)}`,
  grants: (shown) => {
    const names = [...new Set(of(shown)?.rules.flatMap(({ when }) => Object.keys(when)) ?? [])];
    const found = names.map((name) => `${name}: ${json(shown.claims[name])}`).join(", ");
    return `no entry of grants matches${found === "" ? "" : `; the token has ${found}`}`;
  },
};

/** Longest value of a claim that is shown, in characters. */
const MAX_SHOWN = 100;

/** The claims that make the id of a user, with what the token has. */
const claimsOf = (shown: Shown): string =>
  [...(of(shown)?.principal ?? "").matchAll(/\{([\w:.-]+)\}/g)]
    .map(
      ([, name = ""]) =>
        `${name}: ${clip(json(Object.hasOwn(shown.claims, name) ? shown.claims[name] : undefined), MAX_SHOWN)}`,
    )
    .join(", ");

/** The claim that shows that a token is no access token, for the explanation; empty if none does. */
function markOf(claims: Shown["claims"]): string {
  const name = NOT_OF_ACCESS_TOKENS.find((one) => Object.hasOwn(claims, one));
  if (name !== undefined) return `, since it has the claim ${name}`;
  return claims["typ"] === undefined ? "" : `, since its claim typ is ${json(claims["typ"])}`;
}

function whyOf(check: string, settings: OauthSettings, token: string): string {
  const [header, claims] = token.split(".").map(objectIn);
  return REASONS[check]?.({ header: header ?? {}, claims: claims ?? {}, settings }) ?? "the check failed";
}

function objectIn(part: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString());
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
