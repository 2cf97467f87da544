/**
 * Reads an exported function of the Source for typed functions: its types, its comments and its arguments. Arguments have two forms: one
 * object whose members are the arguments (`(args, ctx)`), or several parameters, which are the arguments themselves (`(query, count = 10)`).
 * An optional context comes last.
 */

import { ts } from "@ts-morph/common";
import { isSchema } from "../../runtime/contract/json-schema.js";
import type { JsonObject, JsonSchema, JsonValue } from "../../runtime/contract/registry.js";
import type { Place, Report } from "../core/diagnostic.js";
import { type Complain, type Doc, describedSchema, docOf, documentedKeywords, paramTexts } from "./function-docs.js";
import type { SourceFile } from "./source.js";
import { schemaOfType, schemasOfTypes, type TypeReader } from "./type-schema.js";
import type { TypedProject } from "./typed-project.js";

/** One exported function. */
export interface ExportedFunction {
  readonly name: string;
  readonly signature: ts.Signature;
  readonly doc: Doc;
  readonly file: SourceFile;
  readonly project: TypedProject;
  readonly place: Place;
  readonly report: Report;
}

/** Returns a function that reports unusable tags of a function. */
export const complaintsOf =
  ({ report, place, name }: ExportedFunction): Complain =>
  (tag, path, fact) =>
    report.add("tag-invalid", place, { tag, of: path === "" ? name : `${name} ${path}`, fact });

/** The type reader of a function. It reports types that JSON cannot represent; `what` names the part in the message. */
export function functionTypeReader(one: ExportedFunction, what: "argument" | "result"): TypeReader {
  const { project, report, place, name } = one;
  const { checker, isLibrary } = project;
  const complain = complaintsOf(one);
  return {
    checker,
    isLibrary,
    closed: what === "argument",
    documented: (symbol, path, schema) => documentedKeywords(docOf(symbol, checker), path, schema, complain),
    lost: (path, type, node) =>
      report.add("type-unsupported", node ? project.placeOf(node) : place, {
        of: `${name} ${what} ${path}`.trim(),
        type,
      }),
    dated: (path) => {
      if (what === "argument") report.add("date-argument", place, { tool: name, argument: path });
    },
  };
}

type Parameter = ts.ParameterDeclaration;

/** How a function takes its arguments. */
export type ArgumentForm =
  | { readonly kind: "object"; readonly parameter: Parameter | undefined }
  | { readonly kind: "positional"; readonly parameters: readonly Parameter[]; readonly names: readonly string[] };

const FORM = "(args: { … }, ctx: Context), or (name: Type, other = 1)";

/** The form of a function; undefined, with a diagnostic, if its arguments cannot be given by name. */
export function argumentForm(one: ExportedFunction): ArgumentForm | undefined {
  const { signature, name, report, place } = one;
  const refuse = (what: string): undefined => {
    report.add("function-form", place, { what: `${name} ${what}`, form: FORM });
    return undefined;
  };
  const all = (signature.declaration?.parameters ?? [])
    .filter((each) => ts.isParameter(each))
    .filter((each) => !isThis(each));
  const own = isContext(all.at(-1)) ? all.slice(0, -1) : all;
  if (own.some(isContext)) return refuse("has its context before another parameter");
  if (own.some((each) => each.dotDotDotToken)) return refuse("takes any number of parameters");
  const [first] = own;
  if (own.length < 2 && (!first || isArguments(first, one)))
    return all.length > own.length && !first
      ? { kind: "positional", parameters: [], names: [] }
      : { kind: "object", parameter: first };
  const names = own.flatMap((each) => (ts.isIdentifier(each.name) ? [each.name.text] : []));
  if (names.length < own.length) return refuse("takes parameters apart, which then have no name");
  return { kind: "positional", parameters: own, names };
}

/** Whether a parameter is `this: void`, which only the type checker uses. */
const isThis = ({ name }: Parameter): boolean => ts.isIdentifier(name) && name.text === "this";

/** Whether a parameter is the context: by its type, or by its name if the type is unknown. */
function isContext(parameter: Parameter | undefined): boolean {
  if (!parameter) return false;
  const { type, name } = parameter;
  if (type && ts.isTypeReferenceNode(type)) return /(^|\.)Context$/.test(type.typeName.getText());
  return !type && /^_?(ctx|context)$/.test(name.getText());
}

/** Whether a single parameter holds the arguments: an object with names, in its type or where it is taken apart. */
function isArguments(parameter: Parameter, one: ExportedFunction): boolean {
  if (isUnused(parameter, one)) return true;
  const { project } = one;
  const type = typeOf(parameter, project);
  const types = type.isUnion() ? type.types : [type];
  if (ts.isObjectBindingPattern(parameter.name))
    return types.every((one) => (one.flags & ts.TypeFlags.Any) !== 0 || isObject(one, project));
  return types.every((one) => isObject(one, project) && !isMap(one, project));
}

/** Whether a parameter only keeps the place of the arguments, as `_` in `(_: object, ctx)`: the function takes none. */
function isUnused(parameter: Parameter, { project }: ExportedFunction): boolean {
  const type = typeOf(parameter, project);
  const isAny = (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) !== 0;
  return ts.isIdentifier(parameter.name) && parameter.name.text.startsWith("_") && (isAny || isMap(type, project));
}

/** The type of a parameter without null and undefined; of a type parameter, what it extends. */
function typeOf(parameter: Parameter, { checker }: ExportedFunction["project"]): ts.Type {
  const type = checker.getTypeAtLocation(parameter);
  if ((type.flags & ts.TypeFlags.Unknown) !== 0) return type;
  const present = checker.getNonNullableType(type);
  return checker.getBaseConstraintOfType(present) ?? present;
}

/** Whether an object has members of any name, and none that its type names: such a parameter is one argument. */
function isMap(type: ts.Type, { checker }: ExportedFunction["project"]): boolean {
  if ((type.flags & ts.TypeFlags.NonPrimitive) !== 0) return true;
  return checker.getPropertiesOfType(type).length === 0 && checker.getIndexInfosOfType(type).length > 0;
}

function isObject(type: ts.Type, project: ExportedFunction["project"]): boolean {
  const { checker, isLibrary } = project;
  if (type.isIntersection()) return type.types.every((one) => isObject(one, project));
  if ((type.flags & (ts.TypeFlags.Object | ts.TypeFlags.NonPrimitive)) === 0) return false;
  if (checker.isArrayType(type) || checker.isTupleType(type) || type.getCallSignatures().length > 0) return false;
  return type.symbol?.name === "__type" || !(type.symbol?.declarations ?? []).some(isLibrary);
}

/** The input schema: closed, with the documentation of each argument. */
export function functionInput(one: ExportedFunction, form: ArgumentForm): JsonSchema {
  const schema = form.kind === "object" ? objectInput(one, form.parameter) : positionalInput(one, form.parameters);
  const holder = form.kind === "object" ? form.parameter?.name.getText() : undefined;
  let documented = schema;
  for (const [path, text] of paramTexts(one.doc)) {
    const parts = path.split(".");
    const held = holder !== undefined && (parts[0] === holder || parts[0] === "args");
    if (CONTEXT_NAMES.has(path) || (held && parts.length === 1)) continue;
    const next = describedSchema(documented, held ? parts.slice(1) : parts, text);
    if (!next) complaintsOf(one)("param", "", `${path} names no argument`);
    documented = next ?? documented;
  }
  return documented;
}

const CONTEXT_NAMES: ReadonlySet<string> = new Set(["ctx", "context", "_ctx", "_context"]);
const NO_ARGUMENTS: JsonSchema = { type: "object", properties: {}, additionalProperties: false };

function objectInput(one: ExportedFunction, parameter: Parameter | undefined): JsonSchema {
  if (!parameter || isUnused(parameter, one)) return NO_ARGUMENTS;
  const type = typeOf(parameter, one.project);
  if (type.isUnion()) {
    const what = `${one.name} takes a union of objects`;
    one.report.add("function-form", one.place, {
      what,
      form: "one object, its members optional where they may be absent",
    });
    return NO_ARGUMENTS;
  }
  const site = { type, node: parameter.type, path: "" };
  const { description: _, ...schema } = schemaOfType(site, functionTypeReader(one, "argument"));
  return ts.isObjectBindingPattern(parameter.name) ? withBindings(schema, parameter.name) : schema;
}

/** Adds the names that only a binding pattern has, as in `({ query }: Record<string, string>)`, and its defaults. */
function withBindings(given: JsonSchema, pattern: ts.ObjectBindingPattern): JsonSchema {
  const schema = given["properties"] === undefined ? withNames(given, pattern) : given;
  const properties = isSchema(schema["properties"]) ? schema["properties"] : {};
  const defaults = new Map(
    pattern.elements.map(({ name, propertyName, initializer }) => {
      return [(propertyName ?? name).getText(), initializer && literal(initializer)] as const;
    }),
  );
  const members = Object.entries(properties).map(([name, member]) => {
    const fallback = defaults.get(name);
    const plain = isSchema(member) && fallback !== undefined && member["default"] === undefined;
    return [name, plain ? { ...member, default: fallback } : member] as const;
  });
  return { ...schema, properties: Object.fromEntries(members) };
}

function withNames(schema: JsonSchema, { elements }: ts.ObjectBindingPattern): JsonSchema {
  const { additionalProperties: values } = schema;
  const named = elements.filter(({ dotDotDotToken }) => !dotDotDotToken);
  const names = named.map(({ name, propertyName }) => (propertyName ?? name).getText());
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, isSchema(values) ? values : {}])),
    ...schema,
    additionalProperties: values ?? named.length < elements.length,
  };
}

function positionalInput(one: ExportedFunction, parameters: readonly Parameter[]): JsonSchema {
  const { checker } = one.project;
  const sites = parameters.map((each) => {
    return { type: checker.getTypeAtLocation(each), node: each.type, path: each.name.getText() };
  });
  const reader = functionTypeReader(one, "argument");
  const { schemas, $defs } = schemasOfTypes(sites, reader);
  const members = parameters.map(({ name, initializer }, i) => {
    const fallback = initializer && literal(initializer);
    const schema = { ...schemas[i], ...(fallback === undefined ? {} : { default: fallback }) };
    const symbol = checker.getSymbolAtLocation(name);
    return [name.getText(), { ...schema, ...(symbol && reader.documented(symbol, name.getText(), schema)) }] as const;
  });
  const required = parameters.filter((each) => !checker.isOptionalParameter(each)).map(({ name }) => name.getText());
  return {
    type: "object",
    properties: Object.fromEntries(members),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
    ...(Object.keys($defs).length > 0 ? { $defs: $defs as JsonObject } : {}),
  };
}

/** Value of a literal; undefined for an expression that would have to be run. */
function literal(node: ts.Expression): JsonValue | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.MinusToken) {
    const value = literal(node.operand);
    return typeof value === "number" ? -value : undefined;
  }
  if (ts.isArrayLiteralExpression(node)) {
    const items = node.elements.map(literal);
    return items.every((one) => one !== undefined) ? items : undefined;
  }
  return CONSTANTS.get(node.kind);
}

const CONSTANTS: ReadonlyMap<ts.SyntaxKind, JsonValue> = new Map<ts.SyntaxKind, JsonValue>([
  [ts.SyntaxKind.TrueKeyword, true],
  [ts.SyntaxKind.FalseKeyword, false],
  [ts.SyntaxKind.NullKeyword, null],
]);
