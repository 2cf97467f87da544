/** Default of every optional key of `toolwright.yaml`, the upper limits of `limits`, and the packs that `use` may name. */

import { mergeMaps } from "./json.js";
import { INDEX_TOKENS } from "./signature-index.js";

/** The packs that the package ships, which `use` may name. */
export const SHIPPED_PACKS = ["ot", "proj", "brave", "web", "llm", "oubliette"] as const;

/** Default and upper limit of each key of `limits`. */
export const LIMITS = {
  cpu_ms: [10_000, 300_000],
  wall_ms: [55_000, 3_600_000],
  call_timeout_ms: [30_000, 600_000],
  memory_mb: [256, 2048],
  recursion: [500, 1000],
  host_calls: [1000, 100_000],
  parallel_calls: [8, 64],
  print_bytes: [1_000_000, 100_000_000],
  result_bytes: [20_000_000, 100_000_000],
  result_depth: [64, 200],
  code_bytes: [262_144, 4_194_304],
  runs: [8, 64],
  queue: [32, 1000],
  instances: [0, 64],
  instance_runs: [1000, 1_000_000],
} as const satisfies Readonly<Record<string, readonly [preset: number, ceiling: number]>>;

/** Default and upper limit of each key of `limits.http`. */
export const HTTP_LIMITS = {
  body_bytes: [4_194_304, 67_108_864],
  in_flight: [256, 4096],
  connections: [1024, 65_536],
  header_ms: [10_000, 120_000],
  body_ms: [30_000, 600_000],
  keep_alive_ms: [75_000, 3_600_000],
  requests_per_connection: [1000, 1_000_000],
} as const satisfies Readonly<Record<string, readonly [preset: number, ceiling: number]>>;

/** Default and upper limit of each key of `limits.socket`. */
export const SOCKET_LIMITS = {
  line_bytes: [4_194_304, 67_108_864],
  response_bytes: [16_777_216, 134_217_728],
  connections: [256, 65_536],
  strangers: [32, 65_536],
  in_flight: [64, 4096],
  bad_keys: [10, 1000],
  first_line_ms: [10_000, 120_000],
  idle_ms: [600_000, 86_400_000],
  stalled_ms: [30_000, 600_000],
  timeout_ms: [60_000, 3_600_000],
} as const satisfies Readonly<Record<string, readonly [preset: number, ceiling: number]>>;

/** Bytes of results that `tool_exec` and `tool_batch` print, where `output.max_inline_size` does not say it. */
export const CALL_RESULT_BYTES = 24_000;

/** Default and upper limit of `servers.<name>.answer_bytes`. A large answer is parsed in one piece, and nobody else is answered meanwhile. */
export const ANSWER_BYTES: readonly [preset: number, ceiling: number] = [4_194_304, 67_108_864];

const presets = <K extends string>(
  table: Readonly<Record<K, readonly [number, number]>>,
): Readonly<Record<K, number>> =>
  Object.fromEntries(
    Object.entries<readonly [number, number]>(table).map(([name, [preset]]) => [name, preset]),
  ) as Readonly<Record<K, number>>;

/**
 * How a connection gets its tokens: those of toolwright itself, those that were signed in for all callers or by each of them,
 * or exchanged for the token with which the caller came.
 */
export const CONNECTION_MODES = ["client_credentials", "shared", "per_user", "token_exchange"] as const;

/** One of {@link CONNECTION_MODES}. */
export type ConnectionMode = (typeof CONNECTION_MODES)[number];

const NOTHING: Readonly<Record<string, unknown>> = {};
const NONE: readonly unknown[] = [];

/** The defaults, by key. Lists and maps of names are empty by default. */
export const CONFIG_DEFAULTS = {
  plugins: NONE,
  use: ["ot", "proj"] satisfies readonly (typeof SHIPPED_PACKS)[number][] as readonly string[],
  packs: NOTHING,
  emitters: NOTHING,
  vocabulary: { verbs: NOTHING },
  ops: NOTHING,
  policies: NOTHING,
  synonyms: NOTHING,
  breaking: { profile: "all", fail_on: "error", level: NOTHING, ignore: NOTHING },
  diagnostics: NOTHING,
  reserved: NONE,
  surfaces: NONE,
  servers: NOTHING,
  expose: {
    gateway: true,
    hot: NONE,
    signatures: INDEX_TOKENS,
    answer_bytes: 6000,
    run_preview: "never" as "always" | "writes" | "never",
    resources: NOTHING,
    prompts: NOTHING,
  },
  aliases: NOTHING,
  projects: NOTHING,
  topics: NONE,
  access: { allow_write: false, local: "write", http: "auto", rate: { burst: 20, per_second: 10 }, oauth: {} },
  secrets: { from: ["env", "file"] as readonly string[], names: NONE as readonly string[] },
  state_encryption: { keys: NONE as readonly { readonly id: string; readonly from: string }[] },
  public_url: "",
  http: {
    allowed_hosts: NONE as readonly string[],
    trusted_proxies: NONE as readonly string[],
    drain: { delay_ms: 0, grace_ms: 5000 },
    tls: { cert: "", key: "" },
  },
  metrics: "off" as "off" | "keys" | "open",
  state: "$" + "{TOOLWRIGHT_STATE:-}",
  output: { max_inline_size: 50_000, result_ttl: 3600, preview_lines: 10, preview_bytes: 2000 },
  stats: { enabled: true, retention_days: 90 },
  sanitize: { default: false, ops: NOTHING },
  trust: "none",
  learn: { types: "on" as "on" | "off", words: "off" as "on" | "off" },
  limits: {
    ...presets(LIMITS),
    http: presets(HTTP_LIMITS),
    socket: presets(SOCKET_LIMITS),
  },
  ledger: { keep_hours: 24 },
  web: { provider: "brave", allow_private: NONE },
  llm: { url: "", model: "" },
  docs: {
    base: "",
    guides: "definitions/guides",
    slugs: NOTHING as Readonly<Record<string, string>>,
    title: "Tool reference",
  },
  log: { level: "info", file: null as string | null },
};

/** What is said of `engine` and `--engine`, which are still accepted. */
export const RUN_ENGINE_IGNORED = "RUN_ENGINE_IGNORED: engine has no effect: Python runs on CPython";

/** A configuration in which every key that has a default is present. */
export type Filled<C, D = typeof CONFIG_DEFAULTS> = unknown extends D
  ? C
  : C extends readonly unknown[] | string | number | boolean | null
    ? C
    : { readonly [K in keyof C as K extends keyof D ? never : K]: C[K] } & {
        readonly [K in keyof C as K extends keyof D ? K : never]-?: Filled<
          Exclude<C[K], undefined>,
          K extends keyof D ? D[K] : never
        >;
      };

/** Fills in every default. */
export const withDefaults = <C extends object>(config: C): Filled<C> =>
  mergeMaps(CONFIG_DEFAULTS, config as Readonly<Record<string, unknown>>) as unknown as Filled<C>;
