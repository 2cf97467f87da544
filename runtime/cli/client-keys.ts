/**
 * What each key of a server in a client's file becomes here. A key that could limit what the user lets an agent do is kept, or
 * named as lost: `import-server.ts` leaves such a server out unless its name is accepted.
 */

import { isRecord } from "../contract/json.js";
import { onLine } from "../contract/message-text.js";
import { clip } from "../contract/scrub.js";
import type { ServerEntry } from "../contract/settings/entries.js";

/** What is kept of the keys of one server, and what is not. */
export interface KeptKeys {
  readonly entry: Pick<ServerEntry, "tools" | "timeout" | "enabled" | "cwd">;
  /** Differences that limit nothing. */
  readonly notes: readonly string[];
  /** Keys that may limit what an agent can do, and are not kept. */
  readonly lost: readonly LostKey[];
}

/** A key that is not kept. */
export interface LostKey {
  readonly key: string;
  /** Why, and what to do. */
  readonly why: string;
}

/** What one key becomes. */
interface Meaning {
  readonly only?: readonly string[];
  readonly except?: readonly string[];
  readonly entry?: KeptKeys["entry"];
  readonly note?: string;
  readonly lost?: string;
}

/** What a value becomes, in the file of a client. */
type Rule = (value: unknown, client: string | undefined) => Meaning;

const NOTHING: Meaning = {};
/** Read by `import-server.ts`, or of no meaning for what an agent can do. */
const none: Rule = () => NOTHING;
const lost =
  (why: string): Rule =>
  () => ({ lost: why });

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

const NO_LIST = "it is no list of names of tools: name them in servers.NAME.tools";
const allTools = (names: readonly string[]): boolean => names.includes("*");

/** An allow list. */
const only: Rule = (value) => {
  if (!isTextList(value)) return { lost: NO_LIST };
  return allTools(value) ? NOTHING : { only: value };
};
/** An allow list that means all tools where it is empty. */
const onlyIfAny: Rule = (value) => (Array.isArray(value) && value.length === 0 ? NOTHING : only(value, undefined));
/** A deny list. */
const except: Rule = (value) => {
  if (!isTextList(value)) return { lost: NO_LIST };
  if (allTools(value)) return { only: [] };
  return value.length === 0 ? NOTHING : { except: value };
};

const APPROVALS =
  "who asks before a call is the client that uses toolwright: let it ask, or let writes wait with `approve` in toolwright.yaml";

/** Tools that are called without a question: the client asks about all others. */
const unasked: Rule = (value) => {
  const isNone = value === false || (Array.isArray(value) && value.length === 0);
  const isAll = value === true || (isTextList(value) && allTools(value));
  return isNone || isAll ? NOTHING : { lost: APPROVALS };
};

/** Modes that ask nobody about a tool. */
const NEVER_ASKS: ReadonlySet<unknown> = new Set(["approve", "auto", "never"]);
const approvalMode: Rule = (value) => (NEVER_ASKS.has(value) ? NOTHING : { lost: APPROVALS });

/** A list of tools that are offered (GitHub Copilot), or a table of tools with their approval modes (Codex). */
const tools: Rule = (value) => {
  if (!isRecord(value)) return only(value, undefined);
  const others = Object.entries(value).flatMap(([name, one]) =>
    isRecord(one) ? Object.keys(one).flatMap((key) => (key === "approval_mode" ? [] : [`${name}.${key}`])) : [name],
  );
  if (others.length > 0) return { lost: `nothing is known that corresponds to ${others.join(", ")}` };
  const asks = Object.values(value).some((one) => isRecord(one) && !NEVER_ASKS.has(one["approval_mode"] ?? "auto"));
  return asks ? { lost: APPROVALS } : NOTHING;
};

const seconds: Rule = (value) =>
  typeof value === "number" && value > 0 ? { entry: { timeout: value } } : { note: "its time limit is not kept" };

/** The unit of `timeout` in the files of clients, as parts of a second, with the least value that the client takes. */
const TIMEOUT_UNITS: ReadonlyMap<string, { readonly perSecond: number; readonly least?: number }> = new Map([
  ["claude-code", { perSecond: 1000, least: 1000 }],
  ["gemini", { perSecond: 1000 }],
  ["opencode", { perSecond: 1000 }],
  ["cline", { perSecond: 1 }],
  ["roo", { perSecond: 1 }],
]);
/** Where the client is not known: what is seconds for certain, and what is milliseconds. */
const LONGEST_S = 3600;
const SHORTEST_MS = 1000;
const timeLimit: Rule = (value, client) => {
  const unit = client === undefined ? undefined : TIMEOUT_UNITS.get(client);
  if (typeof value !== "number" || value <= 0) return seconds(value, client);
  if (unit?.least !== undefined && value < unit.least)
    return { note: "its time limit is not kept, since its client takes none that is so short" };
  if (unit) return seconds(value / unit.perSecond, client);
  if (value >= SHORTEST_MS && value <= LONGEST_S)
    return {
      note: "its time limit is not kept: it may be seconds or milliseconds; set servers.NAME.timeout (seconds)",
    };
  return seconds(value > LONGEST_S ? value / 1000 : value, client);
};

const switched =
  (isOff: boolean): Rule =>
  (value) =>
    value === isOff
      ? { entry: { enabled: false } }
      : typeof value === "boolean"
        ? NOTHING
        : { lost: "it is no boolean" };

const OAUTH = "set servers.NAME.auth to the client, the issuer and the scope that you registered";

/** Sign-in settings: without a client, a scope or an address, it is the sign-in that toolwright does by itself. */
const oauth: Rule = (value) => {
  if (value === true || value === "oauth") return NOTHING;
  if (value === false) return { lost: "toolwright signs in where a server asks for it" };
  if (!isRecord(value)) return { lost: OAUTH };
  const kept = Object.entries(value).filter(([key, one]) => !(OAUTH_DEFAULTS.has(key) || (key === "enabled" && one)));
  return kept.length === 0 ? NOTHING : { lost: `${OAUTH} (${kept.map(([key]) => key).join(", ")})` };
};
/** Keys that say where a client listens for the answer of a sign-in. */
const OAUTH_DEFAULTS: ReadonlySet<string> = new Set(["callbackPort", "callback_port", "redirectUri", "redirectPort"]);

/** Names of variables that a client passes on, or a table that says where they come from. */
const passedOn: Rule = (value) =>
  variablesIn(value) === undefined
    ? { lost: "it names variables in a form that is not known: set servers.NAME.env" }
    : NOTHING;

/** The variables that a client passes on to a server; undefined if one has another source than the environment. */
export function variablesIn(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const names = value.map((one) =>
    isRecord(one) && [undefined, "local"].includes(one["source"] as undefined) ? one["name"] : one,
  );
  return isTextList(names) && names.every((one) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(one)) ? names : undefined;
}

const table = (rule: Rule, names: string): readonly (readonly [string, Rule])[] =>
  names.split(" ").map((name) => [name, rule] as const);

/** The keys of clients, of files and of help pages, with what each becomes. */
const KEYS: ReadonlyMap<string, Rule> = new Map([
  ...table(none, "type transport transportType command args env environment url serverUrl httpUrl uri headers"),
  ...table(none, "http_headers env_http_headers bearer_token_env_var"),
  ...table(none, "name title description displayName display_name icon icons gallery version comment source bundled"),
  ...table(none, "startup_timeout_sec startup_timeout_ms startupTimeout initTimeout required alwaysLoad priority"),
  ...table(none, "supports_parallel_tool_calls watchPaths restart retries reconnect dev debug trust extensionName"),
  ...table(passedOn, "env_vars env_keys"),
  ...table(only, "enabled_tools enabledTools includeTools allowed_tools allowedTools"),
  ...table(onlyIfAny, "available_tools"),
  ...table(except, "disabled_tools disabledTools excludeTools blockedTools excluded_tools"),
  ...table(tools, "tools"),
  ...table(unasked, "alwaysAllow autoApprove autoApproveTools always_allow"),
  ...table(approvalMode, "default_tools_approval_mode approval_mode approvalMode require_approval"),
  ...table(seconds, "tool_timeout_sec"),
  ...table(timeLimit, "timeout"),
  ...table(switched(true), "disabled"),
  ...table(switched(false), "enabled"),
  ...table((value) => (typeof value === "string" ? { entry: { cwd: value } } : { lost: "it is no path" }), "cwd"),
  ...table(oauth, "oauth auth"),
  ...table(lost("its variables are not read: set them in servers.NAME.env"), "envFile env_file"),
  ...table(lost("headers are not made by a program: set servers.NAME.headers"), "headersHelper headers_helper"),
  ...table(lost(OAUTH), "oauth_resource scopes authProviderType targetAudience targetServiceAccount"),
  ...table(lost("a server gets no roots"), "roots"),
  ...table(lost("a server runs without a sandbox: let its command start one"), "sandbox sandboxEnabled permissions"),
]);

const MAX_KEY = 60;
/** Keys that are comments. */
const COMMENT = /^(?:_|\$|\/\/|#)/;

function meaningOf(key: string, value: unknown, client: string | undefined): Meaning {
  const rule = KEYS.get(key);
  if (rule) return rule(value, client);
  return COMMENT.test(key) ? NOTHING : { lost: "nothing is known that corresponds to it, and it may be a limit" };
}

/**
 * What the keys of a server in a client's file become.
 *
 * @param client - the client, if it is known: it decides the unit of time limits
 */
export function keptKeys(value: Readonly<Record<string, unknown>>, name: string, client?: string): KeptKeys {
  const found = Object.entries(value)
    .filter(([, one]) => one !== undefined && one !== null)
    .map(([key, one]) => ({ key: clip(onLine(key), MAX_KEY), meaning: meaningOf(key, one, client) }));
  const lists = found.flatMap(({ meaning }) => (meaning.only ? [meaning.only] : []));
  const denied = [...new Set(found.flatMap(({ meaning }) => meaning.except ?? []))];
  const allowed = lists[0]?.filter(
    (one, at, all) => all.indexOf(one) === at && lists.every((list) => list.includes(one)),
  );
  const offered = {
    ...(allowed ? { only: allowed } : {}),
    ...(denied.length > 0 ? { except: denied } : {}),
  };
  const named = (text: string): string => text.replaceAll("servers.NAME", `servers.${name}`);
  return {
    entry: {
      ...Object.assign({}, ...found.map(({ meaning }) => meaning.entry)),
      ...(Object.keys(offered).length > 0 ? { tools: offered } : {}),
    },
    notes: found.flatMap(({ key, meaning }) => (meaning.note === undefined ? [] : [`${key}: ${named(meaning.note)}`])),
    lost: found.flatMap(({ key, meaning }) => (meaning.lost === undefined ? [] : [{ key, why: named(meaning.lost) }])),
  };
}
