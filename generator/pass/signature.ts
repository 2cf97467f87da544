/** Makes the parameters of an op in signature order, and its signatures in Python and TypeScript. */

import { acceptedNames, OTHERS } from "../../runtime/contract/accepted-names.js";
import { byCodeUnit } from "../../runtime/contract/canonical.js";
import { isSchema } from "../../runtime/contract/json-schema.js";
import { type NormalProperty, type NormalSchema, normalizeSchema } from "../../runtime/contract/normal-schema.js";
import { PROVIDER_NAME } from "../../runtime/contract/provider-schema.js";
import { pythonLiteral, pythonType } from "../../runtime/contract/python-types.js";
import type { Parameter, Tool } from "../../runtime/contract/registry.js";
import { typeText } from "../../runtime/contract/type-text.js";
import type { Report } from "../core/diagnostic.js";
import type { OpDraft } from "../core/ir.js";
import { safeName } from "../core/names.js";
import { jsLiteral, propertyKey } from "../core/printer.js";

/** Nested types deeper than this are `unknown` in a signature. */
const MAX_TYPE_DEPTH = 4;

/**
 * Parameters in signature order: required ones first, then as declared; names safe, aliases collected.
 *
 * @param isListed whether the op is in a list of tools, whose arguments have names that model providers accept
 */
export function parametersOf(draft: OpDraft, isListed: boolean, report: Report): readonly Parameter[] {
  const properties = propertiesOf(draft);
  const { declared } = acceptedNames(draft.parameters);
  const listed = isSchema(draft.shape["properties"]) ? draft.shape["properties"] : {};
  const safe = safeNames(
    properties.map((one) => one.name),
    draft,
    report,
  );
  const provided = isListed ? providerNames(safe) : safe;
  return [...properties.filter((one) => one.required), ...properties.filter((one) => !one.required)].map((one) => {
    const { name, required, description, default: fallback } = one;
    const own = safe.get(name) ?? safeName(name);
    const alias = provided.get(name) ?? own;
    return {
      name: own,
      original: name,
      required,
      aliases: [...declaredAliases(declared.get(name)), ...renamesTo(draft, name), ...(alias === own ? [] : [alias])],
      type: typeText(Object.hasOwn(listed, name) ? listed[name] : declared.get(name), draft.parameters),
      ...(fallback === undefined ? {} : { default: fallback }),
      ...(description === undefined ? {} : { description }),
    };
  });
}

/**
 * The name of each argument in Python: a name that Python allows stays, and others give way to it. Two equal names are an error in a
 * local definition; in a foreign one, the later ones in code-unit order are numbered.
 */
function safeNames(names: readonly string[], draft: OpDraft, report: Report): ReadonlyMap<string, string> {
  const safe = new Map(names.filter((name) => safeName(name) === name).map((name) => [name, name]));
  const takers = new Map([...safe.keys()].map((name) => [name, [name]]));
  const taken = new Set([...names, ...names.map(safeName)]);
  for (const name of names.filter((one) => !safe.has(one)).sort(byCodeUnit)) {
    const wanted = safeName(name);
    const before = takers.get(wanted) ?? [];
    takers.set(wanted, [...before, name]);
    const own = before.length === 0 ? wanted : freeName(wanted, taken);
    safe.set(name, own);
    taken.add(own);
  }
  if (draft.origin === "local")
    for (const [name, same] of takers)
      if (same.length > 1) report.add("name-collision", draft.place, { op: draft.op, names: same, safe: name });
  const renamed = names.filter((name) => safe.get(name) !== name);
  const told = renamed.filter((name) => draft.origin !== "local" || takers.get(safeName(name))?.length === 1);
  if (told.length > 0)
    report.add("parameter-renamed", draft.place, { tool: draft.name, names: renamedText(told, safe) });
  return safe;
}

/** A further name for each argument whose names model providers refuse, for the tool lists that are made for them. */
function providerNames(safe: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const taken = new Set([...safe].flat());
  return new Map(
    [...safe].map(([name, own]) => {
      if (PROVIDER_NAME.test(name) || PROVIDER_NAME.test(own)) return [name, own];
      const wanted = own.replace(/[^a-zA-Z0-9_]/g, "_").slice(0, MAX_PROVIDER_NAME_LENGTH);
      const free = taken.has(wanted) ? freeName(wanted, taken) : wanted;
      taken.add(free);
      return [name, free];
    }),
  );
}

/** Shorter than what providers accept, so that a number has room. */
const MAX_PROVIDER_NAME_LENGTH = 56;

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  for (let count = 2; ; count++) if (!taken.has(`${wanted}_${count}`)) return `${wanted}_${count}`;
}

/** Most names that a message lists. */
const MAX_NAMED = 3;

const renamedText = (names: readonly string[], safe: ReadonlyMap<string, string>): string => {
  const shown = names.slice(0, MAX_NAMED).map((name) => `${name} is ${safe.get(name)}`);
  return [...shown, ...(names.length > MAX_NAMED ? [`${names.length - MAX_NAMED} more`] : [])].join(", ");
};

const declaredAliases = (schema: unknown): readonly string[] => {
  const aliases = isSchema(schema) ? schema["x-aliases"] : undefined;
  return Array.isArray(aliases) ? aliases.filter((one): one is string => typeof one === "string") : [];
};

const renamesTo = (draft: OpDraft, name: string): readonly string[] =>
  Object.entries(draft.renames).flatMap(([alias, real]) => (real === name ? [alias] : []));

/** The signatures of a draft. */
export const signaturesOf = (draft: OpDraft, parameters: readonly Parameter[]): Tool["signature"] => ({
  python: pythonSignature(draft, parameters),
  typescript: typescriptSignature(draft, parameters),
});

/** `onto.task.list(project_id: str = '...', limit: int = 20)`; an optional parameter without default is `'...'`. */
function pythonSignature(draft: OpDraft, parameters: readonly Parameter[]): string {
  const types = new Map(propertiesOf(draft).map((one) => [one.name, one.schema]));
  const list = parameters.map((one) => {
    const type = pythonType(types.get(one.original) ?? { kind: "unknown" });
    if (one.required) return `${one.name}: ${type}`;
    return `${one.name}: ${type} = ${one.default === undefined ? "'...'" : pythonLiteral(one.default)}`;
  });
  const others = acceptedNames(draft.parameters).open ? [OTHERS] : [];
  const result = draft.output ? ` -> ${pythonType(draft.output)}` : "";
  return `${draft.op}(${[...list, ...others].join(", ")})${result}`;
}

/** `onto.task.list(args: { project_id?: string; limit?: number }): Promise<unknown>` */
function typescriptSignature(draft: OpDraft, parameters: readonly Parameter[]): string {
  const optional = parameters.every((one) => !one.required);
  const { input } = draft;
  const args =
    input.kind === "object" ? readableType({ ...input, properties: propertiesOf(draft) }) : "Record<string, unknown>";
  const result = draft.output ? readableType(draft.output) : "unknown";
  return `${draft.op}(args${optional ? "?" : ""}: ${args}): Promise<${result}>`;
}

/** The arguments of an op: those in the list of its schema, then those that only other parts of it declare. */
function propertiesOf({ input, parameters }: OpDraft): readonly NormalProperty[] {
  const listed = input.kind === "object" ? input.properties : [];
  const names = new Set(listed.map(({ name }) => name));
  const others = [...acceptedNames(parameters).declared].filter(([name]) => !names.has(name));
  return [
    ...listed,
    ...others.map(([name, schema]): NormalProperty => {
      const { description } = schema;
      const about = typeof description === "string" ? { description } : {};
      return { name, required: false, schema: normalizeSchema(schema, parameters), ...about };
    }),
  ];
}

/** `string`, `"a" | "b"`, `{ kind: string; id?: string }[]`; a type that cannot be expressed is `unknown`. */
export function typescriptType(schema: NormalSchema, depth = 0): string {
  if (depth > MAX_TYPE_DEPTH) return "unknown";
  const below = (one: NormalSchema): string => typescriptType(one, depth + 1);
  const grouped = (one: NormalSchema): string =>
    isUnion(one) && below(one).includes(" | ") ? `(${below(one)})` : below(one);
  switch (schema.kind) {
    case "unknown":
    case "ref":
      return "unknown";
    case "literal":
      return schema.values.map(jsLiteral).join(" | ") || "never";
    case "array":
      return `${grouped(schema.items)}[]`;
    case "tuple":
      return `[${[...schema.items.map((one, at) => (at < schema.least ? below(one) : `${grouped(one)}?`)), ...(schema.rest ? [`...${grouped(schema.rest)}[]`] : [])].join(", ")}]`;
    case "object":
      return schema.values ? `Record<string, ${below(schema.values)}>` : objectType(schema, below);
    case "union": {
      const members = [...new Set(schema.members.map(below))];
      return members.includes("unknown") ? "unknown" : members.join(" | ");
    }
    case "integer":
      return "number";
    default:
      return schema.kind;
  }
}

/** Longest readable type, in characters; a longer one is written with fewer levels. */
const MAX_TYPE_LENGTH = 2000;

/** A type as {@link typescriptType} writes it, with as many levels as keep it short. */
export function readableType(schema: NormalSchema): string {
  let text = typescriptType(schema, MAX_TYPE_DEPTH);
  for (let depth = MAX_TYPE_DEPTH - 1; depth >= 0; depth--) {
    const deeper = typescriptType(schema, depth);
    if (deeper.length > MAX_TYPE_LENGTH) break;
    text = deeper;
  }
  return text;
}

const isUnion = (schema: NormalSchema): boolean => schema.kind === "union" || schema.kind === "literal";

function objectType(
  { properties, extra }: Extract<NormalSchema, { readonly kind: "object" }>,
  below: (one: NormalSchema) => string,
): string {
  if (properties.length === 0) return "Record<string, unknown>";
  const members = properties.map((one) => {
    return `${propertyKey(one.name)}${one.required ? "" : "?"}: ${below(one.schema)}`;
  });
  return `{ ${[...members, ...(extra ? ["[name: string]: unknown"] : [])].join("; ")} }`;
}
