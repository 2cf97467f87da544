/** The settings in force: `toolwright.yaml` with defaults filled in, variables expanded and command-line overrides applied. */

import type { Grant } from "../contract/handler.js";
import { isRecord, mergeMaps } from "../contract/json.js";
import type { Languages } from "../contract/program-language.js";
import type { Registry } from "../contract/registry.js";
import type { OpEntry, TopicEntry } from "../contract/settings/entries.js";
import {
  type FilledConfig,
  PROJECT_SETTINGS,
  type WrittenConfig,
  withDefaults,
} from "../contract/settings/project-settings.js";
import type { Setting } from "../contract/settings/setting.js";
import { UsageError } from "../contract/usage-error.js";
import { type ApprovalRule, approvalRulesOf } from "./approval-settings.js";
import { type ConnectionParts, connectionPartsOf, type StateKey, stateKeysOf } from "./connection-settings.js";
import { type WebhookSettings, webhookOf } from "./notice-settings.js";
import { type BindingOf, bindingsOf } from "./op-bindings.js";
import { type RunSettings, runSettingsOf } from "./run-settings.js";
import type { SignInReader } from "./sign-in-settings.js";
import { type StateSettings, stateSettingsOf, withUrl } from "./state-settings.js";
import {
  type HttpSettings,
  httpSettingsOf,
  type RateSettings,
  type SocketSettings,
  socketSettingsOf,
} from "./transport-settings.js";

/** Supported search providers. */
const WEB_PROVIDERS = ["brave"] as const;

/** Settings of the web client and of the web search. */
export interface WebSettings {
  readonly provider: (typeof WEB_PROVIDERS)[number];
  /** Private hosts and networks that may be reached. */
  readonly allowPrivate: readonly string[];
}

/** The OpenAI-compatible endpoint of the pack `llm`. */
export interface LlmSettings {
  /** Base address, such as `https://api.example.com/v1`; empty if not configured. */
  readonly url: string;
  /** Default model; empty if not configured. */
  readonly model: string;
}

/** Addresses of the documentation of packs. */
export interface Docs {
  /** Base address. */
  readonly base: string;
  /** Pack to its folder in the address, if it differs from the name. */
  readonly slugs: ReadonlyMap<string, string>;
}

/** Settings in force, with every default filled in. */
export interface Settings {
  /** By op. */
  readonly ops: ReadonlyMap<string, OpEntry>;
  /** Configured alias to op path. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Synonyms for searches in names and summaries. */
  readonly synonyms: ReadonlyMap<string, string>;
  readonly allowWrite: boolean;
  /** Whether a command makes calls and ends, in place of a server. */
  readonly isCommand?: boolean;
  /** Level of the local principal (`access.local`). */
  readonly local: Grant["level"];
  readonly state: StateSettings;
  /** Connections to servers and APIs, if any is configured. */
  readonly connections?: ConnectionParts | undefined;
  /** Keys that encrypt what is stored (`state_encryption`); the first encrypts. */
  readonly stateKeys?: readonly StateKey[];
  /** Default time limit of one call, in milliseconds. */
  readonly callTimeoutMs: number;
  /** Entries of a batch that run at the same time (`limits.parallel_calls`). */
  readonly parallelCalls: number;
  /** How long the answer to a write with an idempotency key is kept, in milliseconds (`ledger.keep_hours`). */
  readonly keepMs: number;
  /** Where the calls of ops of servers and HTTP APIs go; absent: nowhere else. */
  readonly bindingOf?: BindingOf | undefined;
  /** Which writes wait for the approval of a person (`approve`). */
  readonly approvals: readonly ApprovalRule[];
  /** Whether admins decide in the console about what their own key has asked for (`approvals.own`). */
  readonly ownApprovals?: boolean | undefined;
  readonly log: { readonly level: string; readonly file?: string };
  /** Absent: the defaults. */
  readonly web: WebSettings;
  readonly llm: LlmSettings;
  readonly docs: Docs;
  readonly run: RunSettings;
  readonly expose: ExposeSettings;
  /** Most bytes of an answer of `tool_help` (`expose.answer_bytes`). */
  readonly answerBytes: number;
  readonly http: HttpSettings;
  readonly socket: SocketSettings;
  /** Rate limit of a key (`access.rate`). */
  readonly rates: RateSettings;
  readonly stats: { readonly retentionDays: number };
  /** Whether TypeScript extension tools may run. */
  readonly trust: "none" | "local";
  /** Server instructions from `prompts.yaml`, shown to every client. */
  readonly instructions: string;
  /** Instructions of packs from `prompts.yaml`, by pack. */
  readonly packInstructions: ReadonlyMap<string, string>;
  /** Example calls from `prompts.yaml`, by op. */
  readonly toolExamples: ReadonlyMap<string, readonly string[]>;
  /** Names of enabled servers. */
  readonly servers: readonly string[];
  /** Folders for messages by topic; the first matching pattern wins. */
  readonly topics: readonly TopicEntry[];
  /** What is told of calls that wait for a person (`approvals.webhook`). */
  readonly webhook?: WebhookSettings | undefined;
}

/** Contents of `prompts.yaml`. */
export type Prompts = Pick<Settings, "instructions" | "packInstructions" | "toolExamples">;

/** What clients see (`expose`, `budget.exposed`). */
export interface ExposeSettings {
  /** Whether the gateway tools are shown; if not, every listed op is a separate tool. */
  readonly gateway: boolean;
  /** Patterns of ops that are separate tools beside the gateway tools. */
  readonly hot: readonly string[];
  /** Limit of o200k tokens for everything that is shown; undefined: no limit. */
  readonly budget: number | undefined;
}

/** Path to a value in the configuration. */
export type ConfigPath = readonly (string | number)[];

/** A position in a configuration file; line and column count from 1. */
export interface ConfigPlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The part of `toolwright.yaml` that the runtime reads. */
export interface RuntimeConfig extends WrittenConfig {
  /** Position of the value at a path, or of the nearest enclosing value. */
  readonly place?: (...path: ConfigPath) => ConfigPlace;
}

/** Settings that the command line can override. */
export interface Overrides {
  readonly allowWrite?: boolean;
  readonly state?: string;
  readonly logLevel?: string;
  /** Set by commands that make calls and end: what they lack is added to them, not to a server. */
  readonly isCommand?: true;
}

const HOUR_MS = 3_600_000;

/** An unset variable, and the path of the text that names it. */
export interface UnsetVariable {
  readonly name: string;
  readonly path: ConfigPath;
}

/** Settings, and the unset variables that they name. */
export interface Expanded {
  readonly settings: Settings;
  readonly missing: readonly UnsetVariable[];
}

/** Keys whose texts are expanded at startup; servers and sources have rules of their own. */
const EXPANDED: ReadonlySet<string> = new Set(
  Object.entries(PROJECT_SETTINGS.properties).flatMap(([key, one]: [string, Setting]) => (one.isExpanded ? [key] : [])),
);

/** Applies the overrides of the command line to the configuration. */
export const withOverrides = <C extends object>(config: C, { allowWrite, state, logLevel }: Overrides): C =>
  mergeMaps(config as Readonly<Record<string, unknown>>, {
    ...(allowWrite === undefined ? {} : { access: { allow_write: allowWrite } }),
    ...(state === undefined ? {} : { state: withUrl((config as RuntimeConfig).state, state) }),
    ...(logLevel === undefined ? {} : { log: { level: logLevel } }),
  }) as C;

/**
 * Fills in defaults and expands `${VAR}` and `${VAR:-default}`.
 *
 * @param lookup value of a variable: from the environment, then the secrets
 * @param languages all that `run.languages` may name; default: Python
 * @param signIn - which a feature has
 * @throws UsageError for an unknown web provider or an invalid address
 */
export function settingsOf(
  config: RuntimeConfig,
  registry: Registry,
  prompts: Prompts,
  overrides: Overrides,
  lookup: (name: string) => string | undefined,
  languages?: Languages,
  signIn?: SignInReader,
): Expanded {
  const missing: UnsetVariable[] = [];
  const full = expandConfig(withDefaults(withOverrides(config, overrides)), lookup, missing);
  const { access, ledger, limits, log, stats } = full;
  const ops = opSettings(config, registry);
  const place = (...path: ConfigPath): string => settingPlace(config.place, ...path);
  const settings: Settings = {
    ops,
    aliases: new Map(Object.entries(full.aliases)),
    synonyms: new Map(Object.entries(full.synonyms)),
    allowWrite: access.allow_write,
    local: access.local,
    isCommand: overrides.isCommand === true,
    state: stateSettingsOf(full.state, lookup),
    callTimeoutMs: limits.call_timeout_ms,
    parallelCalls: limits.parallel_calls,
    keepMs: ledger.keep_hours * HOUR_MS,
    approvals: approvalRulesOf(config.approve ?? [], (index) => settingPlace(config.place, "approve", index)),
    bindingOf: bindingsOf(config),
    log: { level: log.level, ...(log.file ? { file: log.file } : {}) },
    web: webSettings(full),
    llm: llmSettings(full),
    docs: { base: full.docs.base, slugs: new Map(Object.entries(full.docs.slugs)) },
    run: runSettingsOf(full, config.output ?? {}, languages),
    expose: { gateway: full.expose.gateway, hot: full.expose.hot, budget: config.budget?.exposed },
    answerBytes: full.expose.answer_bytes,
    http: httpSettingsOf(full, place, signIn),
    connections: missing.length === 0 ? connectionPartsOf(config, full.state_encryption, place, signIn) : undefined,
    stateKeys: missing.length === 0 ? stateKeysOf(full.state_encryption, place) : [],
    socket: socketSettingsOf(full),
    rates: { burst: access.rate.burst, perSecond: access.rate.per_second },
    stats: { retentionDays: stats.retention_days },
    trust: full.trust,
    servers: serversOf(config),
    topics: full.topics,
    ownApprovals: config.approvals?.own,
    webhook: webhookOf(config.approvals, full.approvals, place("approvals", "webhook")),
    ...prompts,
  };
  return { settings, missing };
}

/** Expands the variables of the keys that are expanded at startup; unset ones are added to `missing`. */
export function expandConfig<C extends object>(
  config: C,
  lookup: (name: string) => string | undefined,
  missing: UnsetVariable[],
): C {
  const expand = (value: unknown, path: ConfigPath): unknown => {
    if (typeof value === "string") {
      const names: string[] = [];
      const text = expandVariables(value, lookup, names);
      missing.push(...names.map((name) => ({ name, path })));
      return text;
    }
    if (Array.isArray(value)) return value.map((one, i) => expand(one, [...path, i]));
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, expand(one, [...path, key])]));
  };
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => [key, EXPANDED.has(key) ? expand(value, [key]) : value]),
  ) as C;
}

/** The variables that are not set, of the keys that are expanded at startup. */
export function missingVariables(
  config: RuntimeConfig,
  overrides: Overrides,
  lookup: (name: string) => string | undefined,
): readonly UnsetVariable[] {
  const missing: UnsetVariable[] = [];
  expandConfig(withDefaults(withOverrides(config, overrides)), lookup, missing);
  return missing;
}

const serversOf = ({ servers = {} }: RuntimeConfig): readonly string[] =>
  Object.entries(servers).flatMap(([name, { enabled = true }]) => (enabled ? [name] : []));

/** Formats the position of a value as `file:line:column`. */
export function settingPlace(place: RuntimeConfig["place"], ...path: ConfigPath): string {
  if (!place) return "toolwright.yaml";
  const { file, line, column } = place(...path);
  return `${file}:${line}:${column}`;
}

function webSettings({ web, place }: FilledConfig & Pick<RuntimeConfig, "place">): WebSettings {
  const provider = WEB_PROVIDERS.find((known) => known === web.provider);
  if (provider === undefined)
    throw new UsageError(
      `${settingPlace(place, "web", "provider")} names the web.provider ${web.provider}; known here: ${WEB_PROVIDERS.join(", ")}`,
    );
  return { provider, allowPrivate: web.allow_private };
}

/** @throws UsageError unless the address is empty or an http(s) address without a user name */
function llmSettings({ llm, place }: FilledConfig & Pick<RuntimeConfig, "place">): LlmSettings {
  const [url, model] = [llm.url.trim(), llm.model.trim()];
  const { protocol = "", username = "", password = "" } = URL.canParse(url) ? new URL(url) : {};
  if (url === "" || (/^https?:$/.test(protocol) && username + password === "")) return { url, model };
  throw new UsageError(
    `${settingPlace(place, "llm", "url")} llm.url must be an http or https address without a user name, such as https://api.example.com/v1`,
  );
}

/** Settings of ops by op; the configuration names them by tool name, or by `<pack>/<tool>`. */
export function opSettings(config: RuntimeConfig, registry: Registry): ReadonlyMap<string, OpEntry> {
  const entries = new Map(Object.entries(config.ops ?? {}));
  if (entries.size === 0) return new Map();
  return new Map(
    registry.tools.flatMap((tool) => {
      const entry = entries.get(`${tool.group}/${tool.tool_name}`) ?? entries.get(tool.tool_name);
      return entry ? [[tool.op, entry] as const] : [];
    }),
  );
}

/**
 * Replaces `${VAR}` and `${VAR:-default}`; a variable without value and default is added to `missing` and becomes
 * empty.
 */
export function expandVariables(text: string, lookup: (name: string) => string | undefined, missing: string[]): string {
  return text.replace(
    /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g,
    (_, name: string, fallback: string | undefined) => {
      const value = lookup(name);
      if (value !== undefined && value !== "") return value;
      if (fallback === undefined && value === undefined) missing.push(name);
      return fallback ?? value ?? "";
    },
  );
}
