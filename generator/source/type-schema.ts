/**
 * Converts TypeScript types to JSON Schema through the type checker. Named types that recur are placed once in `$defs`; all others
 * are inlined. A type that JSON cannot represent accepts any value and is reported to `lost`, so that nothing is dropped silently.
 */

import { ts } from "@ts-morph/common";
import { byCodeUnit } from "../../runtime/contract/canonical.js";
import { closest } from "../../runtime/contract/closest.js";
import type { JsonObject, JsonValue } from "../../runtime/contract/registry.js";
import { NUMBER_PATTERN, templatePattern } from "./template-pattern.js";
import { unionOrder } from "./union-order.js";

/** Dependencies of the conversion. */
export interface TypeReader {
  readonly checker: ts.TypeChecker;
  readonly isLibrary: (declaration: ts.Declaration) => boolean;
  /** Keywords from the documentation of a member: description, default, limits. */
  readonly documented: (symbol: ts.Symbol, path: string, schema: JsonObject) => JsonObject;
  /** Called for a type that JSON cannot represent, with its path and name, and its node if that is at fault. */
  readonly lost: (path: string, type: string, node?: ts.TypeNode) => void;
  /** Called for a `Date`, which is text in JSON. */
  readonly dated: (path: string) => void;
  /** Whether objects accept only declared members. */
  readonly closed: boolean;
}

/** Deepest nesting; deeper types accept any value. Ends infinite types such as `F<T> = { next: F<T[]> }`. */
const MAX_TYPE_DEPTH = 24;

/** A type that is converted once; further uses are references to it. */
interface Entry {
  readonly name: string;
  schema: JsonObject;
  uses: number;
}

interface State extends TypeReader {
  readonly entries: Map<ts.Type, Entry>;
  /** Entries by the placeholder object that becomes a reference at the end. */
  readonly references: Map<object, Entry>;
  readonly open: Set<ts.Type>;
  readonly recursive: Set<Entry>;
}

/** The place of a type: `path` for messages, `node` for the written order of its members. */
interface Site {
  readonly path: string;
  readonly node: ts.TypeNode | undefined;
  readonly depth: number;
}

/** A type to convert, with its node and its path for messages. */
export interface TypeSite {
  readonly type: ts.Type;
  readonly node: ts.TypeNode | undefined;
  readonly path: string;
}

/** Schemas of several types, and their shared definitions. */
export interface TypeSchemas {
  readonly schemas: readonly JsonObject[];
  /** By name, sorted; empty if no type recurs. */
  readonly $defs: JsonObject;
}

/** The complete schema of a type, with its own `$defs`; never a reference itself. */
export function schemaOfType(site: TypeSite, reader: TypeReader): JsonObject {
  const { state, built } = buildAll([site], reader);
  const top = state.references.get(built[0] ?? {});
  const settled = settler(state);
  const { $defs } = settled.rest(top);
  const root = settled.value(top ? top.schema : built[0]) as JsonObject;
  return Object.keys($defs).length === 0 ? root : { ...root, $defs: $defs };
}

/** The schemas of several types. */
export function schemasOfTypes(sites: readonly TypeSite[], reader: TypeReader): TypeSchemas {
  const { state, built } = buildAll(sites, reader);
  const settled = settler(state);
  return { schemas: built.map((one) => settled.value(one) as JsonObject), ...settled.rest(undefined) };
}

function buildAll(sites: readonly TypeSite[], reader: TypeReader) {
  const state: State = { ...reader, entries: new Map(), references: new Map(), open: new Set(), recursive: new Set() };
  return { state, built: sites.map(({ type, node, path }) => schemaOf(state, type, { path, node, depth: 0 })) };
}

/** Replaces placeholders: inlines types that are used once, and refers to all others. */
function settler({ entries, references, recursive }: State) {
  const kept = (entry: Entry): boolean => recursive.has(entry) || entry.uses > 1;
  const value = (one: unknown): unknown => {
    if (typeof one !== "object" || one === null) return one;
    if (Array.isArray(one)) return one.map(value);
    const entry = references.get(one);
    if (!entry) return Object.fromEntries(Object.entries(one).map(([key, member]) => [key, value(member)]));
    const { $ref: _, ...beside } = one as JsonObject;
    return kept(entry)
      ? { $ref: `#/$defs/${entry.name}`, ...beside }
      : { ...(value(entry.schema) as object), ...beside };
  };
  const rest = (top: Entry | undefined): { readonly $defs: JsonObject } => {
    const named = [...entries.values()].filter((one) => kept(one) && (one !== top || recursive.has(one)));
    const sorted = named.sort((a, b) => byCodeUnit(a.name, b.name));
    return { $defs: Object.fromEntries(sorted.map((one) => [one.name, value(one.schema) as JsonObject])) };
  };
  return { value, rest };
}

function schemaOf(state: State, type: ts.Type, site: Site): JsonObject {
  if (site.depth > MAX_TYPE_DEPTH) return give(state, site, "a type that nests without end");
  if (!isNamed(state, type)) return plain(state, type, site);
  const known = state.entries.get(type);
  const entry = known ?? { name: freeName(state, type, site), schema: {}, uses: 0 };
  entry.uses += 1;
  if (known && state.open.has(type)) state.recursive.add(known);
  if (!known) {
    state.entries.set(type, entry);
    state.open.add(type);
    entry.schema = { ...describedBy(state, type), ...plain(state, type, site) };
    state.open.delete(type);
  }
  const reference: JsonObject = { $ref: "" };
  state.references.set(reference, entry);
  return reference;
}

/** Whether a type may recur: an object, or a named union that is more than a list of values. */
function isNamed(state: State, type: ts.Type): boolean {
  if (type.isUnion()) return type.aliasSymbol !== undefined && type.types.some((one) => !isScalar(one));
  return isPlainObject(state, type);
}

const SCALAR =
  ts.TypeFlags.StringLike |
  ts.TypeFlags.NumberLike |
  ts.TypeFlags.BooleanLike |
  ts.TypeFlags.Null |
  ts.TypeFlags.Undefined |
  ts.TypeFlags.Void;

const isScalar = (type: ts.Type): boolean => (type.flags & SCALAR) !== 0;

/** Whether a type is an object literal, interface, mapped type or intersection of them, which JSON can represent. */
function isPlainObject(state: State, type: ts.Type): boolean {
  if (type.isIntersection()) return type.types.every((one) => isPlainObject(state, one));
  if ((type.flags & ts.TypeFlags.Object) === 0 || isList(state, type)) return false;
  if (type.getCallSignatures().length + type.getConstructSignatures().length > 0) return false;
  const declared = ts.ObjectFlags.Class | ts.ObjectFlags.Interface;
  const flags = (type as ts.ObjectType).objectFlags;
  const target = flags & ts.ObjectFlags.Reference ? (type as ts.TypeReference).target.objectFlags : flags;
  if ((target & ts.ObjectFlags.Class) !== 0) return false;
  return (target & declared) === 0 || !(type.symbol.declarations ?? []).some(state.isLibrary);
}

const isList = ({ checker }: State, type: ts.Type): boolean => checker.isArrayType(type) || checker.isTupleType(type);

function freeName({ entries }: State, type: ts.Type, { path }: Site): string {
  const given = (type.aliasSymbol ?? type.symbol)?.name ?? "";
  const last =
    path
      .split(/[.[\]]+/)
      .filter((part) => part !== "")
      .at(-1) ?? "";
  const name = (given.startsWith("__") ? last : given).replace(/[^A-Za-z0-9_]/g, "_") || "Type";
  const taken = new Set([...entries.values()].map((one) => one.name));
  for (let count = 2, free = name; ; free = `${name}${count++}`) if (!taken.has(free)) return free;
}

function describedBy({ checker }: State, type: ts.Type): JsonObject {
  const symbol = type.aliasSymbol ?? type.symbol;
  const description = symbol ? ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim() : "";
  return description === "" ? {} : { description };
}

function give(state: State, { path }: Site, type: string): JsonObject {
  state.lost(path, type);
  return {};
}

/** The conversion of each kind of type; the first match counts. */
const KINDS: readonly (readonly [ts.TypeFlags, (state: State, type: never, site: Site) => JsonObject])[] = [
  [ts.TypeFlags.Any | ts.TypeFlags.Unknown, anything],
  [ts.TypeFlags.Never, () => ({ not: {} })],
  [ts.TypeFlags.Null, () => ({ type: "null" })],
  [ts.TypeFlags.StringLiteral, (_, type: ts.StringLiteralType) => ({ type: "string", const: type.value })],
  [ts.TypeFlags.NumberLiteral, (_, type: ts.NumberLiteralType) => ({ type: "number", const: type.value })],
  [
    ts.TypeFlags.BooleanLiteral,
    ({ checker }, type: ts.Type) => ({ type: "boolean", const: checker.typeToString(type) === "true" }),
  ],
  [ts.TypeFlags.Boolean, () => ({ type: "boolean" })],
  [ts.TypeFlags.Union, unionSchema],
  [
    ts.TypeFlags.TemplateLiteral,
    (_, type: ts.TemplateLiteralType) => ({ type: "string", pattern: templatePattern(type) }),
  ],
  [ts.TypeFlags.StringLike, () => ({ type: "string" })],
  [ts.TypeFlags.NumberLike, () => ({ type: "number" })],
  [ts.TypeFlags.NonPrimitive, () => ({ type: "object" })],
  [ts.TypeFlags.Intersection, intersectionSchema],
  [ts.TypeFlags.TypeParameter, extendedSchema],
  [ts.TypeFlags.Object, objectSchema],
];

function plain(state: State, type: ts.Type, site: Site): JsonObject {
  const read = KINDS.find(([flags]) => (type.flags & flags) !== 0)?.[1];
  return read ? read(state, type as never, site) : give(state, site, state.checker.typeToString(type));
}

/** A type parameter accepts what it extends. */
function extendedSchema(state: State, type: ts.TypeParameter, site: Site): JsonObject {
  const base = state.checker.getBaseConstraintOfType(type);
  return base && base !== type ? schemaOf(state, base, { ...site, depth: site.depth + 1 }) : {};
}

/** `any` and `unknown` accept any value; an unresolved name is reported. */
function anything(state: State, type: ts.Type, site: Site): JsonObject {
  if (!isUnresolved(type)) return {};
  const { node, path } = site;
  if (!node) return give(state, site, "a type that cannot be found");
  const name = node.getText();
  const inScope = state.checker.getSymbolsInScope(node, ts.SymbolFlags.Type).map((one) => one.name);
  // `String` and its like are never meant.
  const named = inScope.filter((one) => !PRIMITIVES.includes(one.toLowerCase()));
  const nearest = closest(name, [...PRIMITIVES, ...named]);
  const maybe = nearest === undefined ? "" : ` (did you mean ${nearest}?)`;
  state.lost(path, `${name}, which cannot be found${maybe}`, node);
  return {};
}

const PRIMITIVES: readonly string[] = ["boolean", "null", "number", "object", "string", "undefined", "unknown"];

/** Whether a type is an unresolved name. */
export const isUnresolved = (type: ts.Type): boolean =>
  "intrinsicName" in type && type.intrinsicName === "error" && (type.flags & ts.TypeFlags.Any) !== 0;

function unionSchema(state: State, type: ts.UnionType, site: Site): JsonObject {
  const members = unionOrder(type, site.node, state.checker).filter(
    (one) => (one.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void)) === 0,
  );
  const [only] = members;
  if (only && members.length === 1) return schemaOf(state, only, site);
  const literals = members.filter((one): one is ts.StringLiteralType | ts.NumberLiteralType => isValue(one));
  const values = literals.map((one) => one.value);
  const isBoolean = members.filter((one) => (one.flags & ts.TypeFlags.BooleanLiteral) !== 0).length === 2;
  const rest = members.filter(
    (one) => !isValue(one) && !(isBoolean && (one.flags & ts.TypeFlags.BooleanLiteral) !== 0),
  );
  const parts = [
    ...(values.length > 0 ? [valuesSchema(values)] : []),
    ...(isBoolean ? [{ type: "boolean" }] : []),
    ...rest.map((one) => schemaOf(state, one, { ...site, node: undefined, depth: site.depth + 1 })),
  ];
  return joined(parts);
}

const isValue = (type: ts.Type): boolean => type.isStringLiteral() || type.isNumberLiteral();

function valuesSchema(values: readonly (string | number)[]): JsonObject {
  const types = [...new Set(values.map((one) => typeof one))];
  const [first] = values;
  const type = types.length === 1 ? (types[0] ?? "") : types;
  return first !== undefined && values.length === 1 ? { type, const: first } : { type, enum: values };
}

/** Joins alternatives: plain types become one `type` list; a list of values and null become one list. */
function joined(parts: readonly JsonObject[]): JsonObject {
  const isNull = (one: JsonObject): boolean => one["type"] === "null";
  const [first] = parts;
  if (first && parts.length === 1) return first;
  const values = parts.find((one) => one["enum"] !== undefined || one["const"] !== undefined);
  if (values && parts.length === 2 && parts.some(isNull)) {
    const listed = [values["enum"] ?? values["const"] ?? null].flat() as JsonValue[];
    return { type: [values["type"] ?? "string", "null"].flat() as JsonValue[], enum: [...listed, null] };
  }
  const bare = parts.every((one) => Object.keys(one).join() === "type" && typeof one["type"] === "string");
  return bare ? { type: parts.map((one) => String(one["type"])) } : { anyOf: parts };
}

/** An intersection; a brand such as `string & { __brand: "id" }` becomes its string or number. */
function intersectionSchema(state: State, type: ts.IntersectionType, site: Site): JsonObject {
  const scalar = type.types.find(isScalar);
  if (scalar) return schemaOf(state, scalar, { ...site, depth: site.depth + 1 });
  return isPlainObject(state, type)
    ? membersSchema(state, type, site)
    : give(state, site, state.checker.typeToString(type));
}

function objectSchema(state: State, type: ts.ObjectType, site: Site): JsonObject {
  const { checker } = state;
  if (checker.isTupleType(type)) return tupleSchema(state, type as ts.TupleTypeReference, site);
  if (checker.isArrayType(type)) {
    const [item] = checker.getTypeArguments(type as ts.TypeReference);
    return { type: "array", items: item ? schemaOf(state, item, itemSite(site)) : {} };
  }
  if (type.symbol?.name === "Date" && (type.symbol.declarations ?? []).some(state.isLibrary)) {
    state.dated(site.path);
    return { type: "string", format: "date-time" };
  }
  return isPlainObject(state, type) ? membersSchema(state, type, site) : give(state, site, checker.typeToString(type));
}

function itemSite({ path, node, depth }: Site): Site {
  const below = node && ts.isTypeOperatorNode(node) ? node.type : node;
  const item = below && ts.isArrayTypeNode(below) ? below.elementType : undefined;
  const argument = below && ts.isTypeReferenceNode(below) ? below.typeArguments?.[0] : undefined;
  const inside = item && ts.isParenthesizedTypeNode(item) ? item.type : item;
  return { path: `${path}[]`, node: inside ?? argument, depth: depth + 1 };
}

function tupleSchema(state: State, type: ts.TupleTypeReference, site: Site): JsonObject {
  const { elementFlags, minLength } = type.target;
  const schemas = state.checker
    .getTypeArguments(type)
    .map((one, i) => schemaOf(state, one, { path: `${site.path}[${i}]`, node: undefined, depth: site.depth + 1 }));
  const open = elementFlags.findIndex((one) => (one & ts.ElementFlags.Variable) !== 0);
  const fixed = open < 0 ? schemas : schemas.slice(0, open);
  const rest = open < 0 ? undefined : joined(schemas.slice(open));
  return {
    type: "array",
    items: fixed,
    minItems: minLength,
    ...(rest ? { additionalItems: rest } : { maxItems: fixed.length }),
  };
}

function membersSchema(state: State, type: ts.Type, { path, depth }: Site): JsonObject {
  const { checker } = state;
  const required: string[] = [];
  const properties = checker.getPropertiesOfType(type).map((symbol) => {
    const { name } = symbol;
    const at = path === "" ? name : `${path}.${name}`;
    const declaration = symbol.valueDeclaration;
    const node = declaration && ts.isPropertySignature(declaration) ? declaration.type : undefined;
    const type = checker.getTypeOfSymbol(symbol);
    const site = { path: at, node, depth: depth + 1 };
    const optional = (symbol.flags & ts.SymbolFlags.Optional) !== 0;
    const schema = memberSchema(state, type, site, optional);
    if (!optional) required.push(name);
    return [name, withDocumentation(state, schema, symbol, at)] as const;
  });
  const others = indexed(state, type, { path: `${path}.*`, node: undefined, depth: depth + 1 });
  return {
    type: "object",
    ...(properties.length > 0 || Object.keys(others).length === 0 || others["additionalProperties"] === false
      ? { properties: Object.fromEntries(properties) }
      : {}),
    ...(required.length > 0 ? { required } : {}),
    ...others,
  };
}

/** The schema of a member. `k?: never` forbids it; a required member without a possible value is reported. */
function memberSchema(state: State, type: ts.Type, site: Site, optional: boolean): JsonObject {
  if (optional && (type.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Never)) !== 0) return { not: {} };
  return !optional && (type.flags & ts.TypeFlags.Never) !== 0
    ? give(state, site, "never")
    : schemaOf(state, type, site);
}

/** Keywords for index signatures: `patternProperties` for names of one form, `additionalProperties` for all names. */
function indexed(state: State, type: ts.Type, site: Site): JsonObject {
  const infos = state.checker.getIndexInfosOfType(type);
  const any = infos.find((one) => (one.keyType.flags & ts.TypeFlags.String) !== 0);
  const others = any && schemaOf(state, any.type, site);
  const patterns = infos.flatMap((one): readonly (readonly [string, JsonObject])[] => {
    const pattern = keyPattern(one.keyType);
    if (one !== any && pattern === undefined) state.lost(site.path, state.checker.typeToString(one.keyType));
    return pattern === undefined ? [] : [[pattern, schemaOf(state, one.type, site)]];
  });
  return {
    ...(patterns.length > 0 ? { patternProperties: Object.fromEntries(patterns) } : {}),
    ...(others ? { additionalProperties: others } : state.closed ? { additionalProperties: false } : {}),
  };
}

/** The pattern of an index signature's names; undefined for names of any form, and for symbols. */
function keyPattern(key: ts.Type): string | undefined {
  if ((key.flags & ts.TypeFlags.TemplateLiteral) !== 0) return templatePattern(key as ts.TemplateLiteralType);
  return (key.flags & ts.TypeFlags.Number) !== 0 ? `^${NUMBER_PATTERN}$` : undefined;
}

/** Adds the documentation of a member. For a reference, the new object becomes its placeholder, so that the keywords stay beside it. */
function withDocumentation(state: State, schema: JsonObject, symbol: ts.Symbol, path: string): JsonObject {
  const entry = state.references.get(schema);
  const documented = state.documented(symbol, path, entry ? entry.schema : schema);
  const merged = { ...schema, ...documented };
  if (entry) state.references.set(merged, entry);
  return merged;
}
