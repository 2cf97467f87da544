/** Says where calls of a tool go and what goes along, in the short form of the registry. Secrets stay out: variables are named. */

import type { HttpArgument, HttpBody, HttpCall } from "../../runtime/contract/http-call.js";
import { isRecord } from "../../runtime/contract/json.js";
import type { ToolRequest } from "../../runtime/contract/registry.js";
import {
  hasReference,
  looksSecret,
  masked,
  maskedAddress,
  soundsSecret,
} from "../../runtime/contract/secret-detection.js";
import type { ServerEntry, SourceAuth, SourceEntry } from "../../runtime/contract/settings/entries.js";
import type { Config } from "../config/config.js";
import type { Definition } from "../core/ir.js";

type About = Pick<Definition, "http" | "api" | "origin" | "pack"> & { readonly source_pack?: string };

/** The request of a tool; undefined for one with a handler of this project, and of a server that the configuration does not have. */
export function toolRequest({ http, api, origin, pack, source_pack }: About, config: Config): ToolRequest | undefined {
  if (http) return { ...httpRequest(http, config), ...api };
  const server = config.servers?.[source_pack ?? pack];
  return origin === "proxy" && server ? serverRequest(server) : undefined;
}

function httpRequest(call: HttpCall, { sources }: Config): ToolRequest {
  const { method, path, anonymous, graphql, body } = call;
  const entry = sources.find((one) => (graphql ? one.graphql : one.openapi) === call.source);
  const base = addressIn(entry, call).replace(/\/+$/, "");
  const auth = anonymous ? [] : credentialsIn(entry?.auth);
  const args = argumentsOf(call);
  const held = graphql ? `${graphql.operation} ${graphql.field}` : body && bodyText(body);
  const accept = /^[^,;]*/.exec(call.accept)?.[0] ?? "";
  return {
    send: `${graphql ? "POST" : method} ${maskedAddress(base)}${path}`,
    ...(auth.length === 0 ? {} : { auth }),
    ...(Object.keys(args).length === 0 ? {} : { args }),
    ...(held === undefined ? {} : { body: held }),
    ...(graphql || accept === "application/json" ? {} : { accept }),
  };
}

/** The configured address, else the address in the description. */
const addressIn = (entry: SourceEntry | undefined, { graphql, server }: HttpCall): string =>
  (graphql ? entry?.url : entry?.server) ?? server ?? "";

const bodyText = ({ media, encoding, whole }: HttpBody): string =>
  [media, ...(encoding === "json" ? [] : [encoding]), ...(whole === undefined ? [] : ["whole"])].join(" ");

/** How each argument is sent, where it is not as usual. */
function argumentsOf({ path, arguments: all, body }: HttpCall): Readonly<Record<string, string>> {
  const usual = (name: string): string => (path.includes(`{${name}}`) ? "path" : body ? "body" : "query");
  const placed = all.map((one) => [one.argument, placedText(one)] as const);
  const held = Object.entries(body?.fields ?? {}).map(
    ([argument, field]) => [argument, fieldText(field, argument, body)] as const,
  );
  return Object.fromEntries([...placed, ...held].filter(([argument, text]) => text !== usual(argument)));
}

const placedText = ({ argument, name = argument, in: place, ...style }: HttpArgument): string =>
  [place, ...(name === argument ? [] : [name]), ...styleTexts(style)].join(" ");

type Style = Partial<Omit<HttpArgument, "argument" | "name" | "in">>;

const styleTexts = ({ style, explode, reserved, json }: Style): readonly string[] => [
  ...(style === undefined ? [] : [style]),
  ...(explode === undefined ? [] : [explode ? "exploded" : "joined"]),
  ...(reserved ? ["unescaped"] : []),
  ...(json ? ["json"] : []),
];

function fieldText(field: string, argument: string, body: HttpBody | undefined): string {
  const { files = [], styles = {}, parts = {} } = body ?? {};
  const style = Object.hasOwn(styles, field) ? styles[field] : undefined;
  const part = Object.hasOwn(parts, field) ? parts[field] : undefined;
  return [
    "body",
    ...(field === argument ? [] : [field]),
    ...(files.includes(field) ? ["file"] : []),
    ...(style ? styleTexts(style) : []),
    ...(part?.media ? [part.media.join(",")] : []),
    ...Object.keys(part?.headers ?? {}).map((name) => `header ${name.toLowerCase()}`),
  ].join(" ");
}

/** A setting with its value, which is masked unless it names variables or is no secret. */
function settingText(kind: string, name: string, value: string): string {
  const isPlain = !soundsSecret(name) && !looksSecret(value) && value.length <= MAX_VALUE;
  return `${kind} ${name}: ${isPlain && !hasReference(value) ? value : masked(value)}`;
}

const MAX_VALUE = 100;

const settings = (kind: string, values: Readonly<Record<string, string>> = {}): readonly string[] =>
  Object.entries(values).map(([name, value]) => settingText(kind, name, String(value)));

function credentialsIn(auth: SourceAuth = {}): readonly string[] {
  const { bearer, basic, headers, query } = auth;
  return [
    ...(bearer === undefined ? [] : [`bearer ${masked(bearer)}`]),
    ...(basic === undefined ? [] : [`basic ${masked(basic)}`]),
    ...settings("header", headers),
    ...settings("query", query),
    ...connectionIn(auth),
  ];
}

/** Tokens that are asked for: whose they are, and who issues them. */
function connectionIn(auth: object | undefined): readonly string[] {
  const { mode, issuer } = (isRecord(auth) ? auth : {}) as { readonly mode?: unknown; readonly issuer?: unknown };
  return mode === undefined
    ? []
    : [`token ${String(mode)}${issuer === undefined ? "" : ` of ${maskedAddress(String(issuer))}`}`];
}

function serverRequest(server: ServerEntry): ToolRequest {
  const { url, command = "", args = [], headers, env } = server;
  const auth = [
    ...settings("header", headers),
    ...settings("env", env),
    ...connectionIn((server as { readonly auth?: object }).auth),
  ];
  const send = url === undefined ? [command, ...withoutSecrets(args)].join(" ") : maskedAddress(url);
  return { send, ...(auth.length === 0 ? {} : { auth }) };
}

/** Arguments of a command, those masked that are secrets or follow the name of one. */
const withoutSecrets = (args: readonly string[]): readonly string[] =>
  args.map((one, i) => {
    const [, name = "", value] = /^(--?[\w-]+)=(.*)$/s.exec(one) ?? [];
    if (value !== undefined && soundsSecret(name)) return `${name}=${masked(value)}`;
    const isNamed = /^--?[\w-]+$/.test(args[i - 1] ?? "") && soundsSecret(args[i - 1] ?? "") && !one.startsWith("-");
    return isNamed || looksSecret(one) ? masked(one) : one;
  });
