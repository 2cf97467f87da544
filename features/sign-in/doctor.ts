/** Checks of `toolwright doctor` on sign-in: each issuer with its keys and its clock, and the audience of tokens. */

import { askObject, issuerEndpoint, issuerMetadata, withAddressInFailure } from "../../runtime/access/issuer-client.js";
import type { HttpSettings } from "../../runtime/config/transport-settings.js";
import { isObject } from "../../runtime/contract/json.js";
import { counted, onLine } from "../../runtime/contract/message-text.js";
import { messageOf } from "../../runtime/contract/thrown.js";
import type { CheckFinding, DoctorPart } from "../../runtime/gateway/doctor-part.js";
import { callbackUrl } from "./issuer-login.js";
import { type Issuer, oauthOf } from "./oauth-settings.js";
import { introspectAt } from "./token-issuer.js";

/** Checks the issuers of a project. */
export const checkIssuers: DoctorPart = ({ settings: { http } }) => signInFindings(http);

/** Nothing without issuers. */
export async function signInFindings(
  http: Pick<HttpSettings, "signIn" | "publicUrl">,
): Promise<readonly CheckFinding[]> {
  const [oauth, { publicUrl }] = [oauthOf(http), http];
  if (!oauth) return [];
  const { resource, issuers } = oauth;
  const callback = callbackUrl(resource, publicUrl).href;
  const isOneOfMany = issuers.filter(({ login }) => login).length > 1;
  const found = await Promise.all(issuers.map((one) => issuerFindings(one, { callback, isOneOfMany })));
  return [
    { what: "sign-in", ok: true, found: onLine(`tokens must have the audience ${resource}`) },
    ...audienceFaults(resource, publicUrl),
    ...found.flat(),
  ];
}

const fault = (found: string, remedy: string): CheckFinding => ({
  what: "sign-in",
  ok: false,
  found: onLine(found),
  remedy,
});

function audienceFaults(resource: string, publicUrl: URL | undefined): readonly CheckFinding[] {
  const { origin, pathname } = new URL(resource);
  if (publicUrl && publicUrl.origin !== origin)
    return [
      fault(
        `clients reach the server at ${publicUrl.origin} (public_url), and access.oauth.resource begins with ${origin}`,
        "write the URL that clients use into both",
      ),
    ];
  if (pathname.endsWith("/mcp")) return [];
  return [fault(`access.oauth.resource is ${resource}, and MCP is at /mcp`, "name the endpoint, with /mcp at its end")];
}

/** Key types of algorithms. */
const KEY_TYPES: readonly (readonly [algorithms: RegExp, keyType: string])[] = [
  [/^ES/, "EC"],
  [/^[RP]S/, "RSA"],
  [/^Ed/, "OKP"],
];

async function issuerFindings(issuer: Issuer, place: LoginPlace): Promise<readonly CheckFinding[]> {
  const name = issuer.issuer;
  const remedy = "write the issuer as it writes itself in the claim iss, and let this machine reach it";
  let found: Awaited<ReturnType<typeof issuerMetadata>>;
  try {
    found = await issuerMetadata(name);
  } catch (error) {
    return [fault(`${name}: ${messageOf(error)}`, remedy)];
  }
  try {
    const { metadata, date } = found;
    const said = issuer.introspection
      ? await introspectionOf(issuer, issuer.introspection, metadata)
      : await keysOf(issuer, metadata);
    return [said, ...loginFindings(issuer, metadata, place), ...clockFaults(issuer, date - Date.now())];
  } catch (error) {
    return [
      fault(`${name}: ${messageOf(error)}`, "correct this endpoint at the provider, or in what it publishes about it"),
    ];
  }
}

async function keysOf(issuer: Issuer, metadata: Readonly<Record<string, unknown>>): Promise<CheckFinding> {
  const url = issuerEndpoint(metadata, "jwks_uri", issuer.issuer);
  const { keys } = await withAddressInFailure(url, askObject(url));
  const all = Array.isArray(keys) ? keys.filter(isObject) : [];
  const usable = all.filter((key) => issuer.algorithms.some((one) => verifies(key, one)));
  const list = issuer.algorithms.join(", ");
  if (usable.length > 0)
    return {
      what: "sign-in",
      ok: true,
      found: onLine(`${issuer.issuer}: ${counted(usable.length, "key")} for ${list}`),
    };
  if (all.length === 0)
    return fault(
      `${issuer.issuer}: ${onLine(url.href)} has no keys, so that no token can be checked`,
      "have the provider publish the keys with which it signs access tokens",
    );
  const algorithms = [...new Set(all.map((key) => String(key["alg"] ?? key["kty"])))].join(", ");
  return fault(
    `${issuer.issuer}: none of its keys is for ${list}; it has ${algorithms}`,
    "name the algorithms of its access tokens in algorithms",
  );
}

const verifies = (key: Readonly<Record<string, unknown>>, algorithm: string): boolean =>
  (key["use"] ?? "sig") === "sig" &&
  (key["alg"] === undefined
    ? KEY_TYPES.some(([algorithms, type]) => algorithms.test(algorithm) && key["kty"] === type)
    : key["alg"] === algorithm);

/** Where people come back to, and whether from several issuers. */
interface LoginPlace {
  readonly callback: string;
  readonly isOneOfMany: boolean;
}

/** Whether people can log in at the console, as far as the metadata says. */
function loginFindings(
  { issuer, login }: Issuer,
  metadata: Readonly<Record<string, unknown>>,
  { callback, isOneOfMany }: LoginPlace,
): readonly CheckFinding[] {
  if (!login) return [];
  for (const name of ["authorization_endpoint", "token_endpoint"]) issuerEndpoint(metadata, name, issuer);
  const methods = metadata["code_challenge_methods_supported"];
  if (Array.isArray(methods) && !methods.includes("S256"))
    return [
      fault(`${issuer}: its PKCE methods are ${methods.join(", ")}`, "let it accept S256, for the console's login"),
    ];
  if (isOneOfMany && metadata["authorization_response_iss_parameter_supported"] !== true)
    return [
      fault(
        `${issuer}: it does not say that its answers name it (RFC 9207), as the console's login needs with several issuers`,
        "let it send iss, and say authorization_response_iss_parameter_supported; or remove login of all issuers but one",
      ),
    ];
  const found = `${issuer}: the console's login is the client ${login.clientId}, with the redirect URI ${callback}`;
  return [{ what: "sign-in", ok: true, found: onLine(found) }];
}

/** Asks about a token that cannot be one, which shows whether the credentials are taken. */
async function introspectionOf(
  { issuer }: Issuer,
  client: NonNullable<Issuer["introspection"]>,
  metadata: Readonly<Record<string, unknown>>,
): Promise<CheckFinding> {
  const url = issuerEndpoint(metadata, "introspection_endpoint", issuer);
  try {
    await introspectAt(url, client, "doctor");
    return { what: "sign-in", ok: true, found: onLine(`${issuer}: answers introspection`) };
  } catch (error) {
    return fault(
      `${issuer}: introspection fails as the client ${client.clientId}: ${messageOf(error)}`,
      "correct client_id and client_secret, and let the client introspect tokens at the provider",
    );
  }
}

/** Precision of the header `Date`. */
const DATE_MS = 1000;

function clockFaults({ issuer, skewMs }: Issuer, differenceMs: number): readonly CheckFinding[] {
  if (Number.isNaN(differenceMs) || Math.abs(differenceMs) <= skewMs + DATE_MS) return [];
  const [seconds, way] = [Math.round(Math.abs(differenceMs) / 1000), differenceMs > 0 ? "ahead of" : "behind"];
  return [
    fault(
      `${issuer}: its clock is ${seconds} s ${way} this machine's, beyond clock_skew (${skewMs / 1000} s)`,
      "set this machine's clock, such as by NTP",
    ),
  ];
}
