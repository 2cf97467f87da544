/** Reads a description anew, for what a request to its API should be. Shares no code with the product. */

import type { HttpCall } from "../../runtime/contract/http-call.js";
import type { JsonValue } from "../../runtime/contract/registry.js";

type Node = Readonly<Record<string, unknown>>;

/** A parameter as described. */
interface Parameter {
  readonly place: string;
  readonly name: string;
  /** Whether a list is written once for each of its values; undefined for a style that is not judged here. */
  readonly repeats: boolean | undefined;
}

/** An operation as described. */
export interface Described {
  readonly method: string;
  readonly path: string;
  readonly id: string | undefined;
  readonly parameters: readonly Parameter[];
  readonly body: { readonly properties: readonly string[] } | undefined;
}

/** A request that should arrive. */
export interface Expected {
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value);

/** The operations of a description in one file. */
export function describedIn(description: unknown): readonly Described[] {
  const root = isNode(description) ? description : {};
  const opened = (value: unknown): Node => {
    let at = value;
    for (let step = 0; step < 20 && isNode(at) && typeof at["$ref"] === "string"; step++)
      at = at["$ref"]
        .slice(2)
        .split("/")
        .reduce<unknown>((from, key) => {
          const name = decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~");
          return Array.isArray(from) ? from[Number(name)] : isNode(from) ? from[name] : undefined;
        }, root);
    return isNode(at) ? at : {};
  };
  const isSwagger = "swagger" in root;
  return Object.entries(isNode(root["paths"]) ? root["paths"] : {}).flatMap(([path, given]) => {
    const item = opened(given);
    return METHODS.filter((method) => isNode(item[method])).map((method): Described => {
      const operation = opened(item[method]);
      const own = new Map(
        [item, operation].flatMap(({ parameters }) =>
          (Array.isArray(parameters) ? parameters : []).map(opened).map((one) => [`${one["in"]} ${one["name"]}`, one]),
        ) as readonly (readonly [string, Node])[],
      );
      const all = [...own.values()];
      const inBody = all.filter((one) => one["in"] === "body" || one["in"] === "formData");
      const body = isSwagger ? (inBody.length > 0 ? { properties: [] } : undefined) : bodyIn(operation, opened);
      const parameters = all.filter((one) => !inBody.includes(one)).map((one) => parameterOf(one, isSwagger));
      const id = operation["operationId"];
      return { method: method.toUpperCase(), path, id: typeof id === "string" ? id : undefined, parameters, body };
    });
  });
}

function parameterOf(one: Node, isSwagger: boolean): Parameter {
  const { in: place, name, style, explode, content, collectionFormat } = one;
  const isForm = place === "query" && (style === undefined || style === "form") && content === undefined;
  const repeats = isSwagger ? collectionFormat === "multi" : isForm ? explode !== false : undefined;
  return { place: String(place), name: String(name), repeats };
}

function bodyIn(operation: Node, opened: (value: unknown) => Node): Described["body"] {
  const { content } = opened(operation["requestBody"]);
  if (!isNode(content) || Object.keys(content).length === 0) return undefined;
  const [json] = Object.entries(content).filter(([media]) => /json/.test(media));
  const { properties } = opened(opened(json?.[1])["schema"]);
  const names = Object.entries(isNode(properties) ? properties : {}).filter(
    ([, one]) => opened(one)["readOnly"] !== true,
  );
  return { properties: names.map(([name]) => name) };
}

const isPlain = (value: unknown): boolean => ["string", "number", "boolean"].includes(typeof value);

type Arguments = Readonly<Record<string, JsonValue>>;

/** The request of a call; undefined if an argument is written in a way that is not judged here. */
export function expectedOf(one: Described, call: HttpCall, args: Arguments): Expected | undefined {
  const [address = ""] = one.path.split("#", 1);
  const given = call.arguments.filter(({ argument }) => args[argument] !== undefined);
  const parts = given.map(({ argument, name = argument, in: place }) => {
    const value = args[argument] as JsonValue;
    return { name, place, texts: textsOf(one, place, name, value) };
  });
  const body = expectedBody(call, args);
  if (body === undefined || parts.some(({ texts }) => texts === undefined)) return undefined;
  const at = (wanted: string) => parts.filter(({ place }) => place === wanted);
  return {
    method: one.method,
    path: at("path").reduce((path, { name, texts }) => path.replace(`{${name}}`, String(texts?.[0])), address),
    query: at("query").flatMap(({ name, texts }) => (texts ?? []).map((text) => `${name}=${text}`)),
    headers: Object.fromEntries(at("header").map(({ name, texts }) => [name, String(texts?.[0])])),
    body,
  };
}

/** The texts that a value is sent as: one, or one for each value of a list. */
function textsOf(
  { parameters }: Described,
  place: string,
  name: string,
  value: JsonValue,
): readonly string[] | undefined {
  const repeats = parameters.find((one) => one.place === place && one.name === name)?.repeats === true;
  const values = Array.isArray(value) && place === "query" && repeats ? value : [value];
  return values.every((one) => isPlain(one) && fits(one, place)) ? values.map(String) : undefined;
}

/** The body as data, null without one; undefined if it is not judged. */
function expectedBody({ body }: HttpCall, args: Arguments): unknown {
  if (!body) return null;
  const { fields = {}, whole, encoding } = body;
  const given = Object.entries(fields).flatMap(([argument, field]) =>
    args[argument] === undefined ? [] : [[field, args[argument]] as const],
  );
  if (encoding === "json") return whole === undefined ? Object.fromEntries(given) : (args[whole] ?? null);
  const isJudged = encoding === "form" && whole === undefined && given.every(([, value]) => isPlain(value));
  return isJudged ? Object.fromEntries(given.map(([field, value]) => [field, String(value)])) : undefined;
}

/** Whether a text can stand in a place without a rule of its own. */
const fits = (value: unknown, place: string): boolean =>
  place === "query" || (place === "path" ? /^[\w-][\w .-]*$/.test(String(value)) : /^[\w-]+$/.test(String(value)));

/** The body of a request as data. */
export function bodyOf(body: Buffer, type: string): unknown {
  if (body.byteLength === 0) return null;
  if (type.includes("form-urlencoded")) return Object.fromEntries(new URLSearchParams(body.toString()));
  return JSON.parse(body.toString());
}
