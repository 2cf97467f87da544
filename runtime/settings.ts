/** What the runtime takes from `toolwright.yaml`; the command line reads the file and hands the values over. */

import type { RateSettings } from "./access/rate.js";
import type { HttpSource } from "./backends/http/handler.js";
import type { Bound, Grant, HelpDocument, Registry, Validator } from "./codegen.js";
import { type Filled, withDefaults } from "./contract/config-defaults.js";
import { isRecord, mergeMaps } from "./contract/merge.js";
import type { Extensions } from "./extensions/extensions.js";
import { type HttpConfig, type HttpSettings, httpSettingsOf } from "./mcp/http-settings.js";
import { type Offers, offersOf } from "./mcp/offers.js";
import type { ServerEntry } from "./mcp/servers.js";
import { type RunConfig, type RunSettings, runSettingsOf } from "./run/run-settings.js";
import type { Snippet } from "./run/snippets.js";
import { type SocketConfig, type SocketSettings, socketSettingsOf } from "./socket/socket-settings.js";
import type { Upstreams } from "./upstream/upstreams.js";
import { UsageError } from "./usage-error.js";

/** Run-time settings of one op. */
export interface OpSettings {
  readonly deadline_ms?: number;
  /** Whether a call without `dry_run` is a dry run. */
  readonly dry_run?: boolean;
  /** Left out of help and directories; callable all the same. */
  readonly hidden?: boolean;
}

/** Search providers that this version knows. */
const WEB_PROVIDERS = ["brave"] as const;

/** Settings of the web client and of the web search. */
export interface WebSettings {
  readonly provider: (typeof WEB_PROVIDERS)[number];
  /** Hosts and networks that may be reached although they are private. */
  readonly allowPrivate: readonly string[];
}

/** The endpoint in OpenAI's form that `llm` names. */
export interface LlmSettings {
  /** Base address, such as `https://api.example.com/v1`; empty: none. */
  readonly url: string;
  /** Model of calls that name none; empty: none. */
  readonly model: string;
}

/** Where packs are documented. */
export interface Docs {
  /** What addresses begin with. */
  readonly base: string;
  /** Pack to its part of the address, where that is another. */
  readonly slugs: ReadonlyMap<string, string>;
}

/** Settings in force, with every default filled in. */
export interface Settings {
  /** By op. */
  readonly ops: ReadonlyMap<string, OpSettings>;
  /** Configured alias to op path. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Word to the word it stands for, in searches of names and summaries. */
  readonly synonyms: ReadonlyMap<string, string>;
  readonly allowWrite: boolean;
  /** Level of the local principal (`access.local`). */
  readonly local: Grant["level"];
  /** Where state lives: empty for `.onetool/state.db` under the root, or a `postgres://` URL. */
  readonly state: string;
  /** Deadline of one call, in milliseconds, unless the op sets its own. */
  readonly callTimeoutMs: number;
  /** Entries of a batch that run at once (`limits.parallel_calls`). */
  readonly parallelCalls: number;
  /** How long the answer to a keyed write can be replayed, in milliseconds (`ledger.keep_hours`). */
  readonly keepMs: number;
  readonly log: { readonly level: string; readonly file?: string };
  /** Absent: the defaults. */
  readonly web: WebSettings;
  readonly llm: LlmSettings;
  readonly docs: Docs;
  readonly run: RunSettings;
  readonly expose: ExposeSettings;
  /** Ops that are resources and prompts. */
  readonly offers: Offers;
  readonly http: HttpSettings;
  readonly socket: SocketSettings;
  /** How often a key may call (`access.rate`). */
  readonly rates: RateSettings;
  readonly stats: { readonly enabled: boolean; readonly retentionDays: number };
  /** Whether TypeScript extension tools may run. */
  readonly trust: "none" | "local";
  /** Server instructions from `prompts.yaml`, shown to every client. */
  readonly instructions: string;
  /** Instructions of packs from `prompts.yaml`, by pack. */
  readonly packInstructions: ReadonlyMap<string, string>;
  /** Calls that `prompts.yaml` shows of an op, by op. */
  readonly toolExamples: ReadonlyMap<string, readonly string[]>;
  /** Names of enabled servers. */
  readonly servers: readonly string[];
  /** Where messages of a topic go; the first pattern that matches wins. */
  readonly topics: readonly Topic[];
}

/** An entry of `topics`. */
export interface Topic {
  /** `*` stops at a colon, `**` does not. */
  readonly pattern: string;
  readonly file: string;
}

/** What `prompts.yaml` says. */
export type Prompts = Pick<Settings, "instructions" | "packInstructions" | "toolExamples">;

/** What clients are shown (`expose`, `budget.exposed`). */
export interface ExposeSettings {
  /** Whether the gateway tools are shown; else every listed op is a tool of its own. */
  readonly gateway: boolean;
  /** Patterns of ops that are tools of their own beside the gateway tools. */
  readonly hot: readonly string[];
  /** o200k tokens of all of it; undefined: no limit. */
  readonly budget: number | undefined;
}

/** A generated project as the runtime sees it: data at once, code when first needed. */
export interface Project {
  /** The folder that holds `definitions/` and `generated/`. */
  readonly root: string;
  readonly registry: Registry;
  /** What the help index says of an op. */
  helpOf(op: string): HelpDocument | undefined;
  readonly settings: Settings;
  /** Of the package that serves the project. */
  readonly version: string;
  /** Snippets by name. */
  snippets(): Promise<ReadonlyMap<string, Snippet>>;
  /** Validators of one pack, by op; imported on the pack's first call. */
  validators(pack: string): Promise<ReadonlyMap<string, Validator>>;
  /** Upstream servers, where any is configured. */
  readonly upstreams?: Upstreams;
  /** Extension tools, where the project has files of them; their ops are in the registry already. */
  readonly extensions?: Extensions;
  /** The handler of an op, its module imported on first use; undefined where no `handlers` file is configured. */
  handler(op: string): Promise<Bound<never, unknown> | undefined>;
}

/** An entry of `sources` as the runtime reads it. */
export interface RuntimeSource extends HttpSource {
  readonly pack?: string;
  readonly handlers?: string;
  readonly openapi?: string;
}

/** Where a value stands in the configuration. */
export type ConfigPath = readonly (string | number)[];

/** A spot in a file of the configuration; line and column count from 1. */
export interface ConfigPlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The part of `toolwright.yaml` that the runtime reads. */
export interface RuntimeConfig extends Omit<RunConfig, "limits"> {
  /** Where the value at a path stands, or the nearest that encloses it. */
  readonly place?: (...path: ConfigPath) => ConfigPlace;
  readonly sources: readonly RuntimeSource[];
  readonly ops?: Readonly<Record<string, OpSettings>>;
  readonly aliases?: Readonly<Record<string, string>>;
  readonly synonyms?: Readonly<Record<string, string>>;
  readonly access?: HttpConfig["access"] & {
    readonly allow_write?: boolean;
    readonly local?: Grant["level"];
    readonly rate?: { readonly burst?: number; readonly per_second?: number };
  };
  readonly state?: string;
  readonly limits?: RunConfig["limits"] &
    HttpConfig["limits"] &
    SocketConfig["limits"] & { readonly call_timeout_ms?: number; readonly parallel_calls?: number };
  readonly ledger?: { readonly keep_hours?: number };
  readonly log?: { readonly level?: string; readonly file?: string | null };
  readonly web?: { readonly provider?: string; readonly allow_private?: readonly string[] };
  readonly llm?: { readonly url?: string; readonly model?: string };
  readonly docs?: { readonly base?: string; readonly slugs?: Readonly<Record<string, string>> };
  readonly servers?: Readonly<Record<string, ServerEntry>>;
  readonly topics?: readonly Topic[];
  readonly trust?: Settings["trust"];
  readonly budget?: { readonly exposed?: number };
  readonly stats?: { readonly enabled?: boolean; readonly retention_days?: number };
}

/** What the command line overrides. */
export interface Overrides {
  readonly allowWrite?: boolean;
  readonly state?: string;
  readonly logLevel?: string;
  readonly engine?: string;
}

const HOUR_MS = 3_600_000;

/** A variable that nobody has set, and the text that names it. */
export interface Missing {
  readonly name: string;
  readonly path: ConfigPath;
}

/** Settings and the variables that they name but nobody has set. */
export interface Expanded {
  readonly settings: Settings;
  readonly missing: readonly Missing[];
}

/** Keys whose texts are expanded when the runtime starts: servers and sources follow rules of their own. */
export const EXPANDED: ReadonlySet<string> = new Set("docs expose llm log projects state topics web".split(" "));

/** The configuration with what the command line overrides laid over it. */
export const withOverrides = <C extends object>(config: C, { allowWrite, state, logLevel, engine }: Overrides): C =>
  mergeMaps(config as Readonly<Record<string, unknown>>, {
    ...(allowWrite === undefined ? {} : { access: { allow_write: allowWrite } }),
    ...(state === undefined ? {} : { state }),
    ...(logLevel === undefined ? {} : { log: { level: logLevel } }),
    ...(engine === undefined ? {} : { engine }),
  }) as C;

/**
 * Fills in defaults and expands `${VAR}` and `${VAR:-default}`.
 *
 * @param lookup value of a variable: from the environment, then the secrets
 * @throws UsageError for a web provider that is not known, and for addresses that are none
 */
export function settingsOf(
  config: RuntimeConfig,
  registry: Registry,
  prompts: Prompts,
  overrides: Overrides,
  lookup: (name: string) => string | undefined,
): Expanded {
  const missing: Missing[] = [];
  const full = expandConfig(withDefaults(withOverrides(config, overrides)), lookup, missing);
  const { access, ledger, limits, log, stats } = full;
  const settings: Settings = {
    ops: opSettings(config, registry),
    aliases: new Map(Object.entries(full.aliases)),
    synonyms: new Map(Object.entries(full.synonyms)),
    allowWrite: access.allow_write,
    local: access.local,
    state: stateUrl(full.state),
    callTimeoutMs: limits.call_timeout_ms,
    parallelCalls: limits.parallel_calls,
    keepMs: ledger.keep_hours * HOUR_MS,
    log: { level: log.level, ...(log.file ? { file: log.file } : {}) },
    web: webSettings(full),
    llm: llmSettings(full),
    docs: { base: full.docs.base, slugs: new Map(Object.entries(full.docs.slugs)) },
    run: runSettingsOf(full),
    expose: { gateway: full.expose.gateway, hot: full.expose.hot, budget: config.budget?.exposed },
    offers: offersOf(full.expose),
    http: httpSettingsOf(full),
    socket: socketSettingsOf(full),
    rates: { burst: access.rate.burst, perSecond: access.rate.per_second },
    stats: { enabled: stats.enabled, retentionDays: stats.retention_days },
    trust: full.trust,
    servers: serversOf(config),
    topics: full.topics,
    ...prompts,
  };
  return { settings, missing };
}

function expandConfig<C extends object>(
  config: C,
  lookup: (name: string) => string | undefined,
  missing: Missing[],
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

const serversOf = ({ servers = {} }: RuntimeConfig): readonly string[] =>
  Object.entries(servers).flatMap(([name, { enabled = true }]) => (enabled ? [name] : []));

/** Where a value stands, as `file:line:column`. */
export function placeOf(place: RuntimeConfig["place"], ...path: ConfigPath): string {
  if (!place) return "toolwright.yaml";
  const { file, line, column } = place(...path);
  return `${file}:${line}:${column}`;
}

function webSettings({ web, place }: Filled<RuntimeConfig>): WebSettings {
  const provider = WEB_PROVIDERS.find((known) => known === web.provider);
  if (provider === undefined)
    throw new UsageError(
      `${placeOf(place, "web", "provider")} names the web.provider ${web.provider}; known here: ${WEB_PROVIDERS.join(", ")}`,
    );
  return { provider, allowPrivate: web.allow_private };
}

/** @throws UsageError for what is neither empty nor an address without a user name */
function llmSettings({ llm, place }: Filled<RuntimeConfig>): LlmSettings {
  const [url, model] = [llm.url.trim(), llm.model.trim()];
  const { protocol = "", username = "", password = "" } = URL.canParse(url) ? new URL(url) : {};
  if (url === "" || (/^https?:$/.test(protocol) && username + password === "")) return { url, model };
  throw new UsageError(
    `${placeOf(place, "llm", "url")} llm.url must be an http or https address without a user name, such as https://api.example.com/v1`,
  );
}

/** Whether a `state` is one. */
export const isState = (url: string): boolean => url === "" || /^postgres(ql)?:\/\//.test(url);

/** `state` as it counts. @throws UsageError for what is neither empty nor the URL of a PostgreSQL database */
export function stateUrl(url: string): string {
  if (isState(url)) return url;
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0] ?? "something else";
  throw new UsageError(`state must be a postgres:// URL, or empty for .onetool/state.db, and begins with ${scheme}`);
}

/** `ops` is by tool name, or `<pack>/<tool>`; at run time it is by op. */
function opSettings(config: RuntimeConfig, registry: Registry): ReadonlyMap<string, OpSettings> {
  const entries = new Map(Object.entries(config.ops ?? {}));
  return new Map(
    registry.tools.flatMap((tool) => {
      const entry = entries.get(`${tool.group}/${tool.tool_name}`) ?? entries.get(tool.tool_name);
      return entry ? [[tool.op, entry] as const] : [];
    }),
  );
}

/** Replaces `${VAR}` and `${VAR:-default}`; a variable without value and default is added to `missing` and reads as empty. */
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
