/**
 * Imports a server of a client's configuration as an entry of `servers`. Possible secrets are moved to variables, since
 * `definitions/` is committed; values of `env` that cannot be secret stay readable.
 */

import { isRecord } from "../contract/json.js";
import { hasReference, looksSecret, soundsSecret } from "../contract/secret-detection.js";
import type { ServerEntry } from "../contract/settings/entries.js";
import { isServerName } from "../upstream/servers.js";
import { type KeptKeys, keptKeys, type LostKey, variablesIn } from "./client-keys.js";
import type { ForeignServer } from "./client-servers.js";
import { isToolwright } from "./clients.js";

/** Result of importing servers. */
export interface Adopted {
  readonly servers: readonly ImportedServer[];
  /** Extracted values by variable. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly skipped: readonly SkippedServer[];
}

/** A server that is not imported. */
export interface SkippedServer {
  readonly name: string;
  readonly from: string;
  readonly reason: string;
  /** The limits for which it is left out: it is imported without them where its name is accepted. */
  readonly lost?: readonly LostKey[];
}

/** One imported entry of `servers`. */
export interface ImportedServer {
  readonly name: string;
  readonly entry: ServerEntry;
  readonly from: string;
  /** Settings that could not be imported. */
  readonly notes: readonly string[];
  /** Limits of the client that it is imported without, since its name was accepted. */
  readonly lost: readonly LostKey[];
}

/** Assigns a variable to a value: the wanted name, or one with the server's name if that is taken by another value. */
type Claim = (wanted: string, value: string) => string;

/**
 * Imports servers in order. Of two with the same name and settings the first is kept; otherwise the second gets another
 * name.
 *
 * @param known - existing value of a variable, in the environment or among the secrets
 * @param accepted - names of servers that are imported without the limits that cannot be kept
 */
export function importServer(
  found: readonly ForeignServer[],
  known: (variable: string) => string | undefined,
  accepted: readonly string[] = [],
): Adopted {
  const secrets = new Map<string, string>();
  const servers = new Map<string, ImportedServer & { readonly meaning: string }>();
  const skipped: SkippedServer[] = [];
  for (const one of found) {
    const meaning = JSON.stringify(one.value, (_, part) => (typeof part === "bigint" ? String(part) : part));
    const wanted = safeServerName(one.name);
    const reason = refusal(one);
    const { lost } = keptOf(one, wanted);
    const isAccepted = accepted.includes(one.name) || accepted.includes(wanted);
    if (reason !== undefined) skipped.push({ name: one.name, from: one.from, reason });
    else if (lost.length > 0 && !isAccepted)
      skipped.push({ name: one.name, from: one.from, reason: lostText(one.name, lost), lost });
    else if (servers.get(wanted)?.meaning !== meaning) {
      const name = freeName(wanted, (taken) => servers.has(taken));
      const claim = claimFor(name, secrets, known);
      servers.set(name, { name, from: one.from, meaning, ...entryOf(one, name, claim), lost });
    }
  }
  return { servers: [...servers.values()], secrets, skipped };
}

/** What is kept of a server, with the limits that the rest of its file sets. */
function keptOf({ value, client, limits }: ForeignServer, name: string): KeptKeys {
  const kept = keptKeys(value, name, client);
  const except = [...new Set([...(kept.entry.tools?.except ?? []), ...(limits?.except ?? [])])];
  const tools = except.length > 0 ? { ...kept.entry.tools, except } : kept.entry.tools;
  return {
    ...kept,
    entry: { ...kept.entry, ...(tools ? { tools } : {}) },
    lost: [...kept.lost, ...(limits?.lost ?? [])],
  };
}

/** Why a server is left out for its limits, and what imports it all the same. */
const lostText = (name: string, lost: readonly LostKey[]): string =>
  `${lost.map(({ key, why }) => `its ${key} cannot be kept (${why})`).join("; ")}. To add it without: --accept ${/^[\w.-]+$/.test(name) ? name : JSON.stringify(name)}`;

/** A name that is a valid file name; other characters become hyphens. */
function safeServerName(name: string): string {
  const cleaned = name
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9_-]+$/g, "")
    .slice(0, 60);
  return isServerName(cleaned) ? cleaned : `server-${cleaned}`.replace(/-+$/, "");
}

function freeName(wanted: string, isTaken: (name: string) => boolean): string {
  for (let i = 1; ; i++) {
    const name = i === 1 ? wanted : `${wanted}-${i}`;
    if (!isTaken(name)) return name;
  }
}

const variableName = (...words: readonly string[]): string => {
  const name = words
    .join("_")
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .toUpperCase();
  return /^[A-Z_]/.test(name) ? name : `_${name}`;
};

function claimFor(
  server: string,
  secrets: Map<string, string>,
  known: (variable: string) => string | undefined,
): Claim {
  return (wanted, value) => {
    const free = (name: string): boolean => (secrets.get(name) ?? known(name) ?? value) === value;
    const own = variableName(server, wanted);
    const name = free(wanted)
      ? wanted
      : freeName(own, (taken) => !free(taken.replaceAll("-", "_"))).replaceAll("-", "_");
    secrets.set(name, value);
    return `\${${name}}`;
  };
}

const textIn = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

/** The command with its arguments, which some clients write as one list. */
const commandIn = ({ command, args }: ForeignServer["value"]): readonly [string | undefined, ...string[]] =>
  Array.isArray(command)
    ? [textIn(command[0]), ...listIn(command.slice(1)), ...listIn(args)]
    : [textIn(command), ...listIn(args)];

const urlIn = ({ url, serverUrl, httpUrl, uri }: ForeignServer["value"]): string | undefined =>
  textIn(url) ?? textIn(serverUrl) ?? textIn(httpUrl) ?? textIn(uri);

/** Why a server is not imported; `undefined` if it is. */
function refusal({ name, value, limits }: ForeignServer): string | undefined {
  const [command] = commandIn(value);
  if (limits?.excluded !== undefined) return `${limits.excluded} of its client leaves it out`;
  if (name === "toolwright" || isToolwright(value, name)) return "it is toolwright itself";
  if (command === undefined && urlIn(value) === undefined) return "it has neither a command nor a url";
  if (command === undefined && /^sse$/i.test(String(value["type"] ?? value["transport"] ?? "")))
    return "it speaks the older SSE transport, which this version does not";
  if (command === undefined && /^(?:wss?|websocket)$/i.test(String(value["type"] ?? value["transport"] ?? "")))
    return "it speaks over WebSocket, which this version does not";
  return undefined;
}

const listIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

const textsIn = (value: unknown): readonly (readonly [string, string])[] =>
  isRecord(value)
    ? Object.entries(value).flatMap(([key, one]) => (isPlain(one) ? [[key, String(one)] as const] : []))
    : [];

const isPlain = (value: unknown): boolean => ["string", "number", "boolean"].includes(typeof value);

function entryOf(server: ForeignServer, name: string, claim: Claim): Pick<ImportedServer, "entry" | "notes"> {
  const { value } = server;
  const [command, ...args] = commandIn(value);
  const how = command === undefined ? remote(value, name, claim) : local([command, ...args], value, name, claim);
  const { entry, notes } = keptOf(server, name);
  const { cwd, ...rest } = entry;
  const isHere = cwd === undefined || command === undefined || ourReferences(cwd) === ".";
  return { entry: { ...how, ...(isHere ? {} : { cwd: ourReferences(cwd) }), ...rest }, notes };
}

function local(
  [command, ...words]: readonly [string, ...string[]],
  value: ForeignServer["value"],
  name: string,
  claim: Claim,
): ServerEntry {
  const passedOn = [...(variablesIn(value["env_vars"]) ?? []), ...(variablesIn(value["env_keys"]) ?? [])];
  const env = [
    ...passedOn.map((key) => [key, `\${${key}}`] as const),
    ...textsIn(value["env"] ?? value["environment"]).map(([key, one]) => [key, variable(one, key, claim)] as const),
  ];
  const args = argsWithoutSecrets(words.map(ourReferences), name, claim);
  return {
    type: "stdio",
    command: ourReferences(command),
    ...(args.length > 0 ? { args } : {}),
    ...(env.length > 0 ? { env: Object.fromEntries(env) } : {}),
  };
}

function remote(value: ForeignServer["value"], name: string, claim: Claim): ServerEntry {
  const bearer = textIn(value["bearer_token_env_var"]);
  const { url, authorization } = urlWithoutSecrets(ourReferences(urlIn(value) ?? ""), name, claim);
  const headers = [
    ...textsIn(value["headers"] ?? value["http_headers"]).map(
      ([key, one]) => [key, header(one, variableName(name, key), claim)] as const,
    ),
    ...textsIn(value["env_http_headers"]).map(([key, one]) => [key, `\${${one}}`] as const),
    ...(bearer === undefined ? [] : [["Authorization", `Bearer \${${bearer}}`] as const]),
    ...(authorization === undefined ? [] : [["Authorization", authorization] as const]),
  ];
  return { type: "http", url, ...(headers.length > 0 ? { headers: Object.fromEntries(headers) } : {}) };
}

/** Converts clients' variable references to `${NAME}`. */
const ourReferences = (text: string): string =>
  text
    .replace(/\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => `\${${name}}`)
    .replace(/\$\{input:([^}]+)\}/g, (_, id: string) => `\${${variableName(id)}}`)
    .replace(/\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => `\${${name}}`)
    .replace(/^\$([A-Z_][A-Z0-9_]*)$/, (_, name: string) => `\${${name}}`)
    .replaceAll("$" + "{workspaceFolder}", ".")
    .replaceAll("$" + "{userHome}", "$" + "{HOME}");

/** Parts of a variable's name that say that its value is secret, also inside of a word: PGPASSWORD, AUTHTOKEN. */
const SECRET_PART =
  /key|token|secret|pass|pwd|auth|cred|bearer|cookie|session|private|signature|webhook|dsn|licen[cs]e/i;
/** Random letters and digits: a key without a name that says so. */
const RANDOM = /^(?=.*\d)(?=.*[A-Za-z])(?!\/)[A-Za-z0-9+/=]{12,}$/;

/** Whether a variable may be secret, by its name and its value. In doubt it is: a value that is not goes into a committed file. */
const isSecretVariable = (key: string, value: string): boolean =>
  SECRET_PART.test(key) ||
  soundsSecret(key) ||
  looksSecret(value) ||
  RANDOM.test(value) ||
  value.includes("${") ||
  hasSecret(value);

/** The value of one environment variable: as it is, or a variable if it may be secret. */
function variable(given: string, key: string, claim: Claim): string {
  const text = ourReferences(given);
  if (text === "" || hasReference(text) || !isSecretVariable(key, text)) return text;
  return claim(/^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? key : variableName(key), text);
}

/** A header value; schemes such as `Bearer` stay readable. */
function header(given: string, name: string, claim: Claim): string {
  const text = ourReferences(given);
  if (text === "" || hasReference(text)) return text;
  const [, scheme = "", rest = text] = /^((?:Bearer|Basic|Token)\s+)(.+)$/i.exec(text) ?? [];
  return scheme + claim(name, rest);
}

/** Arguments of a command, with a variable for each one that looks secret or follows a flag with a secret's name. */
export function argsWithoutSecrets(args: readonly string[], name: string, claim: Claim): readonly string[] {
  return args.map((arg, i) => {
    const before = args[i - 1] ?? "";
    const [, flag = "", inside = ""] = /^(--?[A-Za-z][^=]*=)(.+)$/s.exec(arg) ?? [];
    if (hasReference(arg)) return arg;
    if (flag !== "" && (soundsSecret(flag) || looksSecret(inside)))
      return flag + claim(variableName(name, flag), inside);
    const isValue = /^--?[A-Za-z]/.test(before) && !before.includes("=") && !arg.startsWith("-");
    if (isValue && soundsSecret(before)) return claim(variableName(name, before), arg);
    return looksSecret(arg) ? claim(variableName(name, "ARG", String(i + 1)), arg) : arg;
  });
}

/** Decodes one percent-encoded octet; octets beyond ASCII stay as they are. */
function decoded(octet: string): string {
  const code = Number.parseInt(octet.slice(1), 16);
  return code < 0x80 ? String.fromCharCode(code) : octet;
}

/** Whether a URL may contain a key: in its user, path or query. */
export function hasSecret(url: string): boolean {
  let claimed = false;
  const { authorization } = urlWithoutSecrets(url, "", () => {
    claimed = true;
    return "";
  });
  return claimed || authorization !== undefined;
}

/** A URL with the secrets in its user, path and query replaced by variables. */
function urlWithoutSecrets(url: string, name: string, claim: Claim): { url: string; authorization?: string } {
  const [whole, scheme = "", user = "", rest = ""] = /^(https?:\/\/)(?:([^/@?#]*)@)?(.*)$/is.exec(url) ?? [];
  if (whole === undefined) return { url };
  const [, host = "", path = "", query = ""] = /^([^/?#]*)([^?#]*)(.*)$/s.exec(rest) ?? [];
  const cleanPath = path.replace(/[^/]+/g, (part) =>
    looksSecret(part) && !hasReference(part) ? claim(variableName(name, "PATH"), part) : part,
  );
  const cleanQuery = query.replace(/([?&])([^=&#]+)=([^&#]+)/g, (_, mark: string, key: string, one: string) => {
    const isSecret = !hasReference(one) && (soundsSecret(key) || looksSecret(one));
    return `${mark}${key}=${isSecret ? claim(variableName(name, key), one) : one}`;
  });
  const clean = scheme + host + cleanPath + cleanQuery;
  if (user === "") return { url: clean };
  const credentials = Buffer.from(user.replace(/%[0-9a-f]{2}/gi, decoded)).toString("base64");
  return { url: clean, authorization: `Basic ${claim(variableName(name, "AUTHORIZATION"), credentials)}` };
}
