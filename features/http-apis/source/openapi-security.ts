/** Compares the credentials that a description requires with those that the configuration sets. */

import type { Place, Report } from "../../../generator/core/diagnostic.js";
import type { SourceFile } from "../../../generator/source/source.js";
import { byCodeUnit } from "../../../runtime/contract/canonical.js";
import { isRecord } from "../../../runtime/contract/json.js";
import { NO_SECURITY } from "../../../runtime/contract/registry.js";
import type { SourceEntry } from "../../../runtime/contract/settings/entries.js";
import { reportApiFault } from "../diagnostics.js";
import type { LocatedObject, OpenApiObject, OpenapiDocument } from "./openapi-document.js";

/** Headers and query parameters that carry credentials, as `header x-key`: those of the description and those of `auth`. */
export function credentialsOf(document: OpenapiDocument, { auth = {} }: SourceEntry): ReadonlySet<string> {
  const declared = schemesOf(document).flatMap(({ type, in: place, name }) =>
    type === "apiKey" ? [`${String(place)} ${String(name)}`] : [],
  );
  const configured = [
    ...Object.keys(auth.headers ?? {}).map((name) => `header ${name}`),
    ...Object.keys(auth.query ?? {}).map((name) => `query ${name}`),
  ];
  return new Set([...declared, ...configured].map((one) => one.toLowerCase()));
}

function schemesOf({ root, below }: OpenapiDocument): readonly OpenApiObject[] {
  const schemes = below(root, "components", "securitySchemes");
  return Object.keys(schemes?.node ?? {}).flatMap((name): readonly OpenApiObject[] => {
    const scheme = schemes && below(schemes, name);
    return scheme ? [scheme.node] : [];
  });
}

/**
 * What an operation demands of callers: each alternative as its schemes with their scopes, sorted; `none` if it may be left out. Empty if it
 * demands nothing.
 */
export function securityOf({ node }: LocatedObject, document: OpenapiDocument): readonly string[] {
  const { security = document.root.node["security"] } = node;
  const alternatives = (Array.isArray(security) ? security : []).filter(isRecord);
  const texts = alternatives.map((one) => {
    const schemes = Object.entries(one).map(([name, scopes]) => {
      const listed = Array.isArray(scopes) ? [...new Set(scopes.map(String))].sort(byCodeUnit) : [];
      return `${schemeText(name, document)}${listed.length === 0 ? "" : `: ${listed.join(" ")}`}`;
    });
    return schemes.length === 0 ? NO_SECURITY : schemes.sort(byCodeUnit).join(" + ");
  });
  return texts.every((one) => one === NO_SECURITY) ? [] : [...new Set(texts)].sort(byCodeUnit);
}

/** A scheme by what is sent: another name of the same key is no change for callers. */
function schemeText(name: string, document: OpenapiDocument): string {
  const {
    type,
    scheme,
    in: place,
    name: sent,
  } = document.below(document.root, "components", "securitySchemes", name)?.node ?? {};
  if (type === "apiKey") return `${String(place)} ${String(sent)}`;
  return type === "http" ? String(scheme).toLowerCase() : `${typeof type === "string" ? `${type} ` : ""}${name}`;
}

/** How to configure a security scheme under `auth`, for a message. */
function remedyOf({ type, scheme, in: place, name }: OpenApiObject): string {
  const variable = "${" + "NAME}";
  if (type === "apiKey") return `{ ${place === "query" ? "query" : "headers"}: { ${String(name)}: "${variable}" } }`;
  if (type === "http" && /^basic$/i.test(String(scheme))) return `{ basic: "user:${variable}" }`;
  return `{ bearer: "${variable}" }`;
}

/** Reports how to set credentials if the description requires some and the configuration has none. */
export function reportSecurity(document: OpenapiDocument, { entry, file, place }: SourceFile, report: Report): void {
  const [scheme] = schemesOf(document);
  if (scheme && entry.auth === undefined)
    reportApiFault(report, "auth-missing", place, { file, auth: remedyOf(scheme) });
  reportCredentials(credentialsOf(document, {}), entry, place, report);
}

/** Reports credentials of an entry that contradict each other or are literal; `declared` are those of the description. */
export function reportCredentials(
  declared: ReadonlySet<string>,
  entry: SourceEntry,
  place: Place,
  report: Report,
): void {
  const { bearer, basic } = entry.auth ?? {};
  if (bearer !== undefined && basic !== undefined)
    report.add("config-invalid", place, { path: "auth", expected: "bearer or basic", received: "both" });
  else
    for (const path of literalCredentials(declared, entry))
      reportApiFault(report, "credential-literal", place, { path });
}

const SECRET_NAME = /auth|key|token|secret|passw|cookie|session|signature/i;

/** Keys of `auth` with a literal credential. Headers and query parameters that are not credentials may have literal values. */
function literalCredentials(declared: ReadonlySet<string>, entry: SourceEntry): readonly string[] {
  const { bearer, basic, client, headers = {}, query = {} } = entry.auth ?? {};
  const named = ([place, values]: readonly [string, Readonly<Record<string, string>>]) =>
    Object.entries(values)
      .filter(([name]) => SECRET_NAME.test(name) || declared.has(`${place} ${name}`.toLowerCase()))
      .map(([name, value]) => [`auth.${place === "header" ? "headers" : place}.${name}`, value] as const);
  const all = [
    ["auth.bearer", bearer ?? ""] as const,
    ["auth.basic", basic ?? ""] as const,
    ["auth.client.secret", client?.secret ?? ""] as const,
    ...named(["header", headers]),
    ...named(["query", query]),
  ];
  return all.flatMap(([path, value]) => (value === "" || /\$\{[A-Za-z_]/.test(value) ? [] : [path]));
}
