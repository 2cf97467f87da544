/** Reads the parameters and the body of an operation as one closed input, and where each argument goes in the request. */

import { closest } from "../../../runtime/contract/closest.js";
import type { HttpArgument, HttpBody } from "../../../runtime/contract/http-call.js";
import type { JsonObject, JsonSchema, JsonValue } from "../../../runtime/contract/registry.js";
import { bodyOf, NO_NAME, WHOLE } from "./openapi-body.js";
import type { LocatedObject, OpenApiObject } from "./openapi-document.js";
import type { OpenApiContext, Operation, OperationField } from "./openapi-operation.js";

/** The input of an operation, and how its request is made. */
export interface OperationCall {
  readonly parameters: JsonSchema;
  readonly arguments: readonly HttpArgument[];
  readonly body?: HttpBody;
}

/** Reads the input of an operation. */
export function operationCall(operation: Operation, reading: OpenApiContext): OperationCall {
  const fields = parametersOf(operation, reading);
  const body = bodyOf(operation, reading);
  const all = [...fields, ...(body?.fields ?? [])];
  const names = argumentNames(all);
  const nameOf = (field: OperationField): string => names.get(field) ?? field.name;
  const properties = all.map((field) => [nameOf(field), field.schema as JsonObject] as const);
  const required = all.filter((one) => one.required).map(nameOf);
  const $defs = reading.schemas.definitions(properties);
  return {
    parameters: reading.schemas.forRequest({
      type: "object",
      properties: Object.fromEntries(properties),
      ...(required.length > 0 ? { required } : {}),
      additionalProperties: false,
      ...($defs ? { $defs } : {}),
    }),
    arguments: fields.map((field) => argumentOf(field, nameOf(field))),
    ...(body ? { body: body.make(nameOf) } : {}),
  };
}

function argumentOf({ name, in: place, style }: OperationField, argument: string): HttpArgument {
  return { argument, ...(argument === name ? {} : { name }), in: place as HttpArgument["in"], ...style };
}

/** Names of arguments. A name that occurs in two places is prefixed with its place; the whole body stays `body`. */
function argumentNames(fields: readonly OperationField[]): ReadonlyMap<OperationField, string> {
  const count = new Map<string, number>();
  for (const { name } of fields) count.set(name, (count.get(name) ?? 0) + 1);
  const names = new Map<OperationField, string>();
  const taken = new Set<string>();
  for (const field of fields) {
    const shared = (count.get(field.name) ?? 0) > 1 && !(field.in === "body" && field.name === WHOLE);
    let name = shared ? `${field.in}_${field.name}` : field.name;
    while (taken.has(name) || (shared && count.has(name))) name = `${name}_`;
    taken.add(name);
    names.set(field, name);
  }
  return names;
}

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** Headers that the request sets itself. */
const HTTP_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "connection",
  "content-length",
  "content-type",
  "cookie",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent",
]);

/** Parameters of the path item, overridden by those of the operation, each with the schema of its value. */
function parametersOf({ item, node, path }: Operation, reading: OpenApiContext): readonly OperationField[] {
  const found = new Map([...item, node].flatMap((part) => [...declared(part, reading)]));
  const fields = [...found.values()].flatMap((one) => fieldOf(one, reading));
  return [...undeclaredFields(path, fields, reading), ...fields];
}

/** Parameters by place and name. */
function declared(part: LocatedObject, { document, leftOut }: OpenApiContext): ReadonlyMap<string, LocatedObject> {
  const found = new Map<string, LocatedObject>();
  for (const { value, file } of document.members(part, "parameters")) {
    const parameter = document.follow(value, file);
    const { in: place, name } = parameter?.node ?? {};
    const key = `${String(place)} ${String(name)}`;
    if (found.has(key)) leftOut(`the first ${key}`, "it is declared twice, and the last counts");
    if (parameter && typeof name === "string") found.set(key, parameter);
    else if (parameter) leftOut("without a name", "no caller could set it");
  }
  return found;
}

/** Path parameters that are used in the path but not declared; the address needs them. */
function undeclaredFields(
  path: string,
  fields: readonly OperationField[],
  { undeclared }: OpenApiContext,
): readonly OperationField[] {
  const names = new Set([...path.matchAll(/\{([^}/]+)\}/g)].map(([, name = ""]) => name));
  const declared = new Set(fields.flatMap((one) => (one.in === "path" ? [one.name] : [])));
  const spare = [...declared].filter((name) => !names.has(name));
  return [...names]
    .filter((name) => !declared.has(name))
    .map((name) => {
      undeclared(name, closest(name, spare));
      return { in: "path", name, schema: { type: "string" }, required: true };
    });
}

function fieldOf(parameter: LocatedObject, reading: OpenApiContext): readonly OperationField[] {
  const { node } = parameter;
  const { in: place, name, required, description, example } = node;
  const reason = reasonToLeaveOut(String(place), String(name), required === true, reading.credentials);
  if (reason !== undefined) {
    reading.leftOut(`${String(place)} ${String(name)}`, reason);
    return [];
  }
  const [media] = Object.keys(reading.document.below(parameter, "content")?.node ?? {});
  const holder = media === undefined ? undefined : reading.document.below(parameter, "content", media);
  const { node: described, file } = holder ?? parameter;
  const converted = reading.schemas.convert(described["schema"], file);
  return [
    {
      in: place as OperationField["in"],
      name: String(name),
      schema: {
        ...converted,
        ...(typeof description === "string" && description !== "" ? { description } : {}),
        ...(example === undefined ? {} : { examples: [example as JsonValue] }),
        ...(node["deprecated"] === true ? { deprecated: true } : {}),
      },
      required: required === true || place === "path",
      style: styleOf(node, media !== undefined && /json/i.test(media)),
    },
  ];
}

function reasonToLeaveOut(
  place: string,
  name: string,
  required: boolean,
  credentials: ReadonlySet<string>,
): string | undefined {
  const folded = name.toLowerCase();
  if (name === NO_NAME) return "no validator knows that name";
  if (place === "cookie" && !required) return "a cookie that is not required is not sent";
  if (place === "cookie" && !HEADER_NAME.test(name)) return "no cookie can be called so";
  if (!["path", "query", "header", "cookie"].includes(place)) return "its place is not path, query, header or cookie";
  if (place === "header" && !HEADER_NAME.test(name)) return "no header can be called so";
  if (place === "header" && HTTP_HEADERS.has(folded)) return "the request sets it itself";
  if (place === "header" && folded === "authorization") return "`auth` sets it";
  return credentials.has(`${place} ${folded}`) ? "`auth` sets it" : undefined;
}

const STYLES: ReadonlySet<unknown> = new Set([
  "simple",
  "label",
  "matrix",
  "form",
  "spaceDelimited",
  "pipeDelimited",
  "deepObject",
]);

/** Style settings that differ from the default of the place. */
function styleOf(
  { in: place, style, explode, allowReserved }: OpenApiObject,
  json: boolean,
): NonNullable<OperationField["style"]> {
  const usual = place === "query" || place === "cookie" ? "form" : "simple";
  const given = (STYLES.has(style) ? style : usual) as NonNullable<HttpArgument["style"]>;
  return {
    ...(given === usual ? {} : { style: given }),
    ...(typeof explode === "boolean" && explode !== (given === "form") ? { explode } : {}),
    ...(allowReserved === true ? { reserved: true as const } : {}),
    ...(json ? { json: true as const } : {}),
  };
}
