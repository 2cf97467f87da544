/** The diagnostics of descriptions of HTTP APIs. */

import type { Place, Report } from "../../generator/core/diagnostic.js";
import { type Rule, rule } from "../../generator/core/rule.js";

/** Rules of the files that `openapi` and `graphql` of `sources` name. */
export const API_RULES = {
  "openapi-version": rule(
    "error",
    (p: { fact: string }) => `this description ${p.fact}`,
    () => "give one in Swagger 2.0 or in OpenAPI 3.0, 3.1 or 3.2",
  ),
  "enum-type-clash": rule(
    "warning",
    (p: { value: string; types: string; read?: string }) =>
      `the value ${p.value} has another type than this schema, ${p.types}${p.read === undefined ? ", so nobody can give it" : `: it is read as ${p.read}`}`,
    () => "write it with the type of the schema, texts in quotes, or correct `type`",
  ),
  "members-shut-out": rule(
    "info",
    (p: { names: readonly string[] }) =>
      `\`additionalProperties: false\` in one part of this \`allOf\` shuts out members of another (${p.names.slice(0, 5).join(", ")}${p.names.length > 5 ? ", …" : ""}), so the parts are read as open`,
    () => "close the whole with `unevaluatedProperties: false` in place of a part",
  ),
  "openapi-reference": rule(
    "error",
    (p: { ref: string; isOutside?: boolean }) =>
      `$ref ${p.ref} ${p.isOutside ? "leads out of this project, whose files alone are read, or to a hidden file" : "leads nowhere inside this project"}`,
    () => "correct it, or copy its target into the description; nothing is downloaded",
  ),
  "openapi-endless": rule(
    "warning",
    (p: { ref: string }) => `$ref ${p.ref} leads back to itself, or over more than 16 references`,
    () => "operations that need it are left out; let it lead to what it describes",
  ),
  "no-operations": rule(
    "error",
    (p: { file: string; form: string }) => `${p.file} describes no operation`,
    (p) => `${p.form}, or take the file out of \`sources\`; \`allow_empty: true\` of the source allows it`,
  ),
  "operation-collision": rule(
    "warning",
    (p: { name: string; operations: readonly string[]; instead?: string }) =>
      `${p.operations.join(" and ")} are both called ${p.name}; the second is ${p.instead ?? "left out"}`,
    () => "give one of them another operationId",
  ),
  "operation-empty": rule(
    "warning",
    (p: { operation: string }) =>
      `the description says nothing about ${p.operation}: no parameter, body, result or text`,
    () => "add to the description what is missing, or take the operation out",
  ),
  "swagger-converted": rule(
    "warning",
    (p: { operation: string; reason: string }) => `${p.operation} is not sound Swagger 2.0: ${p.reason}`,
    () => "correct the description, or compare the op with what the API takes",
  ),
  "api-left-out": rule(
    "info",
    (p: { file: string; parts: string }) => `${p.file} describes more than its ops give: ${p.parts}`,
    () => "nothing to do, unless one of them is wanted",
  ),
  "operation-left-out": rule(
    "info",
    (p: { operation: string; reason: string }) => `${p.operation} is no op: ${p.reason}`,
    () => "nothing to do, unless that operation is wanted",
  ),
  "parameter-left-out": rule(
    "info",
    (p: { tool: string; parameter: string; reason: string }) =>
      `${p.tool} has no argument for ${p.parameter}: ${p.reason}`,
    () => "nothing to do, unless the API cannot do without it",
  ),
  "graphql-invalid": rule(
    "error",
    (p: { reason: string }) => `this is no GraphQL schema: ${p.reason}`,
    () => "give SDL, or the JSON of an introspection query",
  ),
  "selection-invalid": rule(
    "error",
    (p: { tool: string; reason: string }) => `the selection set of ${p.tool} is invalid: ${p.reason}`,
    () => "correct it under `selections` of its source",
  ),
  "selection-unmatched": rule(
    "error",
    (p: { name: string; file: string }) => `selections.${p.name} is for no query or mutation of ${p.file}`,
    () => "correct the name, or remove the entry",
  ),
  "selection-cut": rule(
    "warning",
    (p: { tool: string }) => `${p.tool} asks for some fields only, since there are too many`,
    () => "name the fields under `selections` of its source, or set a lower `depth`",
  ),
  "path-parameter-undeclared": rule(
    "warning",
    (p: { tool: string; parameter: string; nearest: string | undefined }) =>
      `no path parameter of ${p.tool} declares {${p.parameter}}, so it is taken for a text`,
    (p) => `${p.nearest === undefined ? "" : `did you mean {${p.nearest}}? `}declare it under \`parameters\``,
  ),
  "server-missing": rule(
    "warning",
    (p: { file: string; found: string }) => `${p.file} names no whole address to call (found ${p.found})`,
    () => "add `server: https://…` to its source",
  ),
  "auth-missing": rule(
    "info",
    (p: { file: string; auth: string }) => `${p.file} wants to know its caller, and its source sets no credentials`,
    (p) => `add to its source:  auth: ${p.auth}`,
  ),
  "credential-literal": rule(
    "warning",
    (p: { path: string }) => `${p.path} holds a credential itself, which every reader of this file can use`,
    (p) => `keep it in a variable, and write:  ${p.path}: "\${NAME}"`,
  ),
} as const;

type ApiRules = typeof API_RULES;

/** Reports a fault of a description. @param params - of the texts of its rule */
export function reportApiFault<C extends keyof ApiRules>(
  report: Report,
  code: C,
  place: Place,
  params: Parameters<ApiRules[C]["message"]>[0],
): void {
  report.addOf(code, API_RULES[code] as unknown as Rule<typeof params>, place, params);
}
