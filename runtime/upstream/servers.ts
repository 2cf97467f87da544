/**
 * The `servers` of toolwright.yaml: turns the configuration of an upstream MCP server into one that is ready to
 * connect, with its variables expanded.
 */

import { isOfCaller } from "../config/connection-settings.js";
import { type SecretLookup, secretPlaces } from "../config/secret-sources.js";
import { expandVariables } from "../config/settings.js";
import { MAX_TIMER_MS } from "../contract/guard.js";
import type { Principal } from "../contract/handler.js";
import { isSecretName, scrub } from "../contract/scrub.js";
import type { ServerEntry } from "../contract/settings/entries.js";
import { ANSWER_BYTES } from "../contract/settings/servers.js";
import { messageOf } from "../contract/thrown.js";

/** How a server is reached. */
export type Endpoint =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      /** Relative to the project's folder. */
      readonly cwd?: string;
    }
  | { readonly kind: "http"; readonly url: URL; readonly headers: Readonly<Record<string, string>> };

/** A server that is ready to connect. */
export interface UpstreamServer {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly timeoutMs: number;
  /** Largest answer in bytes. */
  readonly answerBytes: number;
  /** Whether it takes tokens of its connection: the same ones for all callers, those of each, or exchanged for theirs. */
  readonly tokens?: "common" | "own" | "exchanged";
  /** The caller whose tokens it takes, and what tells its connection from those of others. */
  readonly caller?: { readonly principal: Principal; readonly key: string };
  /** Values of its variables by name; never printed, never written. */
  readonly secrets: ReadonlyMap<string, string>;
}

/** Why a server cannot be used as configured, and the remedy. */
export interface Unusable {
  readonly reason: string;
  readonly remedy: string;
}

const DEFAULT_TIMEOUT_MS = 30_000;

/** The caller's own key, which no upstream server may see. */
export const OWN_KEY = "OUBLIETTE_API_KEY";

/** Device names reserved by Windows. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
const SAFE_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_-])?$/;

/** Whether a server name is a valid file name on every system, for its snapshot. */
export const isServerName = (name: string): boolean => SAFE_NAME.test(name) && !DEVICE.test(name);

/** The rule for server names, for messages. */
export const SERVER_NAME_RULE = "letters, digits, dots, hyphens and underscores, beginning with a letter or digit";

/**
 * Expands the variables of one server. An unset variable affects only this server.
 *
 * @param lookup - value of a variable; may throw for a place that must not be read
 */
export function expandServer(name: string, entry: ServerEntry, lookup: SecretLookup): UpstreamServer | Unusable {
  if (!isServerName(name))
    return { reason: "its name makes no file name", remedy: `rename it under \`servers\`: ${SERVER_NAME_RULE}` };
  const missing: string[] = [];
  const secrets = new Map<string, string>();
  const expand = (text: string): string =>
    expandVariables(text, (variable) => lookedUp(variable, lookup, secrets), missing);
  try {
    const endpoint = endpointOf(name, entry, expand);
    if (missing.length > 0)
      return unset(
        [...new Set(missing)].filter((one) => one !== OWN_KEY),
        placesOf(lookup),
      );
    if ("reason" in endpoint) return endpoint;
    return {
      name,
      endpoint,
      timeoutMs: timeoutOf(entry),
      answerBytes: entry.answer_bytes ?? ANSWER_BYTES.preset,
      secrets,
      ...tokensOf(entry),
    };
  } catch (error) {
    return { reason: messageOf(error), remedy: `correct the secret ${placesOf(lookup)}` };
  }
}

function tokensOf({ auth }: ServerEntry): Pick<UpstreamServer, "tokens"> {
  if (auth?.mode === undefined) return {};
  if (!isOfCaller(auth.mode)) return { tokens: "common" };
  return { tokens: auth.mode === "token_exchange" ? "exchanged" : "own" };
}

function lookedUp(
  variable: string,
  lookup: (name: string) => string | undefined,
  secrets: Map<string, string>,
): string | undefined {
  const value = variable === OWN_KEY ? undefined : lookup(variable);
  if (value) secrets.set(variable, value);
  return value;
}

const ASKS_FOR_OWN_KEY: Unusable = {
  reason: `it asks for ${OWN_KEY}, which no upstream server is given`,
  remedy: "give it a key of its own",
};

const placesOf = ({ places = secretPlaces() }: SecretLookup): string => places;

function unset(names: readonly string[], places: string): Unusable {
  if (names.length === 0) return ASKS_FOR_OWN_KEY;
  const list = names.join(", ");
  return {
    reason: `${list} ${names.length === 1 ? "is" : "are"} not set`,
    remedy: `set ${list} ${places}`,
  };
}

const timeoutOf = ({ timeout = 0 }: ServerEntry): number =>
  timeout > 0 ? Math.min(Math.ceil(timeout * 1000), MAX_TIMER_MS) : DEFAULT_TIMEOUT_MS;

function endpointOf(name: string, entry: ServerEntry, expand: (text: string) => string): Endpoint | Unusable {
  const { type = entry.url === undefined ? "stdio" : "http", command, url, args = [], env = {}, headers = {} } = entry;
  const all = (values: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, expand(value)]));
  if (type === "stdio") {
    if (!command)
      return { reason: "it has no command", remedy: `set servers.${name}.command, or url for one over HTTP` };
    if (Object.hasOwn(env, OWN_KEY)) return ASKS_FOR_OWN_KEY;
    const folder = entry.cwd === undefined ? {} : { cwd: expand(entry.cwd) };
    return { kind: "stdio", command: expand(command), args: args.map(expand), env: all(env), ...folder };
  }
  if (!url) return { reason: "it has no url", remedy: `set servers.${name}.url, or command for one over stdio` };
  const target = expand(url);
  const given = all(headers);
  const parsed = URL.canParse(target) ? new URL(target) : undefined;
  if (!parsed || !/^https?:$/.test(parsed.protocol))
    return { reason: "its url is no http or https address", remedy: `correct servers.${name}.url` };
  if (parsed.username || parsed.password)
    return {
      reason: "its url holds a user name or a password",
      remedy: "send them in a header: Authorization, with Basic and a variable that holds both in base64",
    };
  const wrong = Object.entries(given).find(([key, value]) => !isHeader(key, value));
  if (wrong)
    return { reason: `the header ${JSON.stringify(wrong[0])} cannot be sent`, remedy: "correct its name or value" };
  return { kind: "http", url: parsed, headers: given };
}

function isHeader(name: string, value: string): boolean {
  try {
    new Headers([[name, value]]);
    return true;
  } catch {
    return false;
  }
}

const HIDDEN = "***";

/** Whether an argument of this name holds a secret: `--api-key`, `TOKEN`, `-auth`. */
const isSecret = (flag: string): boolean => {
  const name = flag.replace(/^-+/, "").replaceAll("-", "_");
  return isSecretName(name) || /(?:^|_)(?:token|key|auth|pat)$/i.test(name);
};

/** The URL without user, query and fragment, or the command with its arguments; values of secret flags are masked. */
export function shownAddress({ url, command, args = [] }: ServerEntry): string {
  if (url !== undefined) return scrub(withoutSecrets(url));
  const shown = args.map((one, at) => shownArgument(one, args[at - 1]));
  return [command ?? "", ...shown].join(" ").trim();
}

/** A text of the configuration rather than a URL, since it may hold variables. */
const withoutSecrets = (url: string): string =>
  url.replace(/^([a-z][a-z\d+.-]*:\/\/)[^/?#]*@/i, `$1${HIDDEN}@`).replace(/[?#].*$/s, `?${HIDDEN}`);

function shownArgument(text: string, before: string | undefined): string {
  if (before?.startsWith("-") && !before.includes("=") && isSecret(before)) return HIDDEN;
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(text)) return scrub(withoutSecrets(text));
  const [, name = "", value = ""] = /^(-{0,2}[\w.-]+=)(.*)$/s.exec(text) ?? [];
  if (name === "") return scrub(text);
  return name + (isSecret(name.slice(0, -1)) ? HIDDEN : shownArgument(value, undefined));
}
