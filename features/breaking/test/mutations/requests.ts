/**
 * Seeded changes of an API description and of the configuration of its source. The truth is what the client of the runtime would send, which
 * `breaking` does not use: the same call is made from what both descriptions generate.
 */

import type { HttpCall } from "../../../../runtime/contract/http-call.js";
import type { JsonObject, Registry } from "../../../../runtime/contract/registry.js";
import { buildProject, openapi } from "../../../../test/support/generator-host.js";
import type { Json } from "../../../../test/support/project.js";
import { randomOf } from "../../../../test/support/random.js";
import { sendableRequest } from "../../../http-apis/request.js";
import type { Truth } from "./pairs.js";

type Random = () => number;

const pick = <T>(items: readonly T[], random: Random): T => items[Math.floor(random() * items.length)] as T;

/** A description with one operation, and the entry of its source. */
interface Api {
  server: string;
  path: string;
  method: string;
  parameters: Json[];
  media: string;
  fields: Record<string, Json>;
  encoding: Record<string, Json>;
  auth: Json;
  operation: Json;
  /** `server` of the entry. */
  configured?: string;
}

/** Two registries, and whether the same call is sent otherwise: elsewhere, or to the same host. */
export interface RequestPair {
  readonly name: string;
  readonly before: Registry;
  readonly after: Registry;
  readonly truth: Truth;
  readonly isElsewhere: boolean;
  readonly sent: readonly [string, string];
}

const LIST: Json = { type: "array", items: { type: "string" } };
const OBJECT: Json = { type: "object", properties: { x: { type: "string" } } };
const SERVERS = [
  "https://api.example.com/v1",
  "https://api.example.com/v2",
  "https://api.example.net/v1",
  "http://api.example.com/v1",
  "https://api.example.com:8443/v1",
];
const AUTH: readonly Json[] = [
  { bearer: "${TOKEN}" },
  { basic: "${USER}:${PASSWORD}" },
  { headers: { "X-Key": "${KEY}" } },
  { query: { key: "${KEY}" } },
  {},
];
const MEDIA = ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"];

function madeApi(random: Random): Api {
  return {
    server: pick(SERVERS, random),
    path: "/things/{id}",
    method: pick(["get", "post", "put", "patch", "delete"], random),
    parameters: [
      { name: "id", in: "path", required: true, schema: { type: "string" } },
      { name: "tags", in: pick(["query", "header"], random), schema: LIST },
      {
        name: "filter",
        in: "query",
        schema: OBJECT,
        ...(random() < 0.3 ? { style: "deepObject", explode: true } : {}),
      },
    ],
    media: pick(MEDIA, random),
    fields: { title: { type: "string" }, labels: LIST, meta: OBJECT },
    encoding: {},
    auth: pick(AUTH, random),
    operation: {},
  };
}

const listed = (api: Api): Json => api.parameters.find((one) => one["name"] === "tags") ?? {};

/** What may happen to an API. */
const CHANGES: Readonly<Record<string, (api: Api, random: Random) => void>> = {
  server: (api, random) => {
    api.server = pick(SERVERS, random);
  },
  configured: (api, random) => {
    api.configured = pick(SERVERS, random);
  },
  slash: (api) => {
    api.server = `${api.server}/`;
  },
  path: (api) => {
    api.path = "/objects/{id}";
  },
  pathAfter: (api) => {
    api.path = "/things/{id}/whole";
  },
  method: (api, random) => {
    api.method = pick(["get", "post", "put", "patch", "delete"], random);
  },
  explode: (api) => {
    listed(api).explode = listed(api).explode === undefined ? false : undefined;
  },
  style: (api, random) => {
    if (listed(api).in === "query") listed(api).style = pick(["form", "pipeDelimited", "spaceDelimited"], random);
  },
  place: (api, random) => {
    listed(api).in = pick(["query", "header"], random);
  },
  reserved: (api) => {
    listed(api).allowReserved = true;
  },
  media: (api, random) => {
    api.media = pick(MEDIA, random);
  },
  field: (api, random) => {
    api.encoding = { meta: { style: pick(["form", "deepObject"], random), explode: random() < 0.5 } };
  },
  part: (api) => {
    api.encoding = { title: { contentType: "text/markdown" } };
  },
  intoBody: (api) => {
    api.parameters = api.parameters.filter((one) => one["name"] !== "tags");
    api.fields = { ...api.fields, tags: LIST };
  },
  auth: (api, random) => {
    api.auth = pick(AUTH, random);
  },
  anonymous: (api) => {
    api.operation = { ...api.operation, security: [] };
  },
  described: (api) => {
    api.operation = { ...api.operation, description: "Said otherwise." };
  },
  parameterAdded: (api) => {
    api.parameters = [...api.parameters, { name: "page", in: "query", schema: { type: "integer" } }];
  },
  fieldAdded: (api) => {
    api.fields = { ...api.fields, note: { type: "string" } };
  },
  reordered: (api) => {
    api.parameters = api.parameters.toReversed();
  },
};

const isBodied = ({ method }: Api): boolean => method !== "get" && method !== "delete";

function projectOf(api: Api) {
  const { parameters, media, fields, encoding } = api;
  const body = { content: { [media]: { schema: { type: "object", properties: fields }, encoding } } };
  const one = {
    ...{ operationId: "getThing", summary: "Get it.", parameters, ...api.operation },
    ...(isBodied(api) ? { requestBody: body } : {}),
    responses: { 200: { description: "", content: { "application/json": { schema: { type: "object" } } } } },
  };
  const entry = {
    ...{ openapi: "api.json", pack: "p" },
    ...(Object.keys(api.auth).length > 0 ? { auth: api.auth } : {}),
    ...(api.configured === undefined ? {} : { server: api.configured }),
  };
  // The kind and the hints are fixed, so that only the request differs.
  const ops = { getThing: { kind: "write", destructive: false, idempotent: false } };
  return {
    "toolwright.yaml": JSON.stringify({ use: [], sources: [entry], ops }),
    "api.json": JSON.stringify(openapi({ [api.path]: { [api.method]: one } }, { servers: [{ url: api.server }] })),
  };
}

const ARGS: JsonObject = {
  ...{ id: "a b", tags: ["x/y", "z"], filter: { x: "1" }, title: "T", labels: ["l", "m"], meta: { x: "2" } },
};

/** What is sent for the one call, with the boundaries of forms made equal. */
async function sentBy(
  api: Api,
  files: readonly { readonly path: string; readonly text: string }[],
): Promise<readonly [origin: string, text: string]> {
  const calls = JSON.parse(files.find(({ path }) => path === "http/p.json")?.text ?? "{}") as Readonly<
    Record<string, HttpCall>
  >;
  const [call] = Object.values(calls);
  if (!call) throw new Error("there is no call");
  const { bearer, basic, headers = {}, query = {} } = call.anonymous ? ({} as Json) : api.auth;
  const credentials = {
    headers: { ...headers, ...(bearer || basic ? { authorization: `${bearer ?? basic}` } : {}) },
    query,
  };
  const base = (api.configured ?? call.server ?? "").replace(/\/+$/, "");
  const known = new Set([...call.arguments.map((one) => one.argument), ...Object.keys(call.body?.fields ?? {})]);
  const args = Object.fromEntries(Object.entries(ARGS).filter(([name]) => known.has(name)));
  const { url, method, headers: sent, body } = await sendableRequest(call, base, args, credentials);
  const content = typeof body === "string" ? body : Buffer.from(body ?? "").toString();
  const boundary = /boundary=(\S+)/.exec(sent["content-type"] ?? "")?.[1];
  const text = JSON.stringify([method, url.href, Object.entries(sent).sort(), content]);
  return [url.origin, boundary === undefined ? text : text.replaceAll(boundary.replaceAll('"', ""), "B")];
}

async function pairOf(random: Random): Promise<RequestPair | undefined> {
  const before = madeApi(random);
  const after = structuredClone(before);
  const names = Array.from({ length: random() < 0.7 ? 1 : 2 }, () => pick(Object.keys(CHANGES), random));
  for (const name of names) CHANGES[name]?.(after, random);
  const [old, now] = await Promise.all([before, after].map((one) => buildProject(projectOf(one))));
  if (!old?.registry || !now?.registry) return undefined;
  const [was, is] = [await sentBy(before, old.files), await sentBy(after, now.files)];
  return {
    ...{ name: names.join(", "), before: old.registry, after: now.registry, sent: [was[1], is[1]] },
    ...{ truth: was[1] === is[1] ? "compatible" : "breaking", isElsewhere: was[0] !== is[0] },
  };
}

/** A number of pairs of a seed, each with its truth. */
export async function requestPairsOf(seed: number, count: number): Promise<readonly RequestPair[]> {
  const pairs: RequestPair[] = [];
  for (let i = 0; pairs.length < count && i < count * 4; i++) {
    const pair = await pairOf(randomOf(seed * 100_003 + i));
    if (pair) pairs.push(pair);
  }
  return pairs;
}
