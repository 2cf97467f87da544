/** Names what a description holds and its ops do not: webhooks, callbacks, optional cookies, further answers, counted. */

import type { Report } from "../../../generator/core/diagnostic.js";
import type { SourceFile } from "../../../generator/source/source.js";
import { byCodeUnit } from "../../../runtime/contract/canonical.js";
import { isRecord } from "../../../runtime/contract/json.js";
import { reportApiFault } from "../diagnostics.js";
import type { OpenApiObject, OpenapiDocument } from "./openapi-document.js";
import type { OpenApiContext, Operation, Skipped } from "./openapi-operation.js";

/** Most names of one sort that the summary lists. */
const MAX_NAMED = 5;

/** Reports one summary of what is left out of all ops, if anything is. */
export function reportLeftOut(
  operations: readonly Operation[],
  { document }: OpenApiContext,
  skipped: ReadonlyMap<Skipped, readonly string[]>,
  { file }: SourceFile,
  report: Report,
): void {
  const parts = [
    counted("webhook", webhooksOf(document)),
    counted(
      "callback",
      operations.flatMap((one) => Object.keys(document.below(one.node, "callbacks")?.node ?? {})),
    ),
    counted(
      "cookie parameter",
      operations.flatMap((one) => cookiesOf(one, document)),
    ),
    counted("cookie credential", cookieSchemes(document)),
    ...[...skipped].sort(([a], [b]) => byCodeUnit(a, b)).map(([kind, names]) => counted(kind, names)),
  ].filter((one) => one !== "");
  if (parts.length > 0) reportApiFault(report, "api-left-out", document.placeOf(), { file, parts: parts.join("; ") });
}

/** `3 webhooks (a, b, c)`; empty for none. */
function counted(what: string, all: readonly string[]): string {
  const names = [...new Set(all)];
  const more = names.length > MAX_NAMED ? ", …" : "";
  const listed = names.slice(0, MAX_NAMED).map((name) => name.slice(0, 60));
  const plural = all.length === 1 ? what : `${what}s`.replace(/ys$/, "ies");
  return all.length === 0 ? "" : `${all.length} ${plural} (${listed.join(", ")}${more})`;
}

const webhooksOf = ({ root, below }: OpenapiDocument): readonly string[] =>
  ["webhooks", "x-webhooks"].flatMap((key) => Object.keys(below(root, key)?.node ?? {}));

/** Names of the cookies that an operation declares and does not need. References without a target are reported where parameters are read. */
function cookiesOf({ item, node }: Operation, { members, follow }: OpenapiDocument): readonly string[] {
  const declared = [...item, node].flatMap((part) => members(part, "parameters"));
  const cookies = declared.flatMap(({ value, file }) => {
    const { in: place, name, required } = follow(value, file)?.node ?? {};
    return place === "cookie" && required !== true ? [String(name)] : [];
  });
  return [...new Set(cookies)];
}

function cookieSchemes({ root, below }: OpenapiDocument): readonly string[] {
  const schemes = below(root, "components", "securitySchemes");
  return Object.keys(schemes?.node ?? {}).flatMap((name) => {
    const scheme = schemes && below(schemes, name)?.node;
    return isRecord(scheme) && scheme["type"] === "apiKey" && scheme["in"] === "cookie" ? [String(scheme["name"])] : [];
  });
}

/** What the converter of Swagger 2.0 notes about parts of an operation that it could not convert. */
export function conversionNotes(operation: OpenApiObject): readonly string[] {
  const notes = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, one] of Object.entries(value))
      if (key === NOTE) notes.add(String(one));
      else visit(one);
  };
  visit(operation);
  return [...notes];
}

/** The key under which the converter leaves its notes. */
export const NOTE = "x-toolwright-note";
