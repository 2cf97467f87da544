/** What `run` takes from `toolwright.yaml`, with every default filled in and every ceiling kept (`run.md` 12). */

import { homedir } from "node:os";
import { resolve } from "node:path";
import { opGlob } from "../contract/op-glob.js";
import { INDEX_TOKENS } from "../contract/signature-index.js";
import type { Limits } from "./engine/engine.js";
import type { EngineSetting } from "./engine/router.js";
import type { OutputSettings } from "./results.js";

/** The part of `toolwright.yaml` that `run` reads. */
export interface RunConfig {
  readonly expose?: { readonly run?: boolean; readonly signatures?: number };
  readonly engine?: string;
  readonly projects?: Readonly<Record<string, string>>;
  readonly limits?: Readonly<Partial<Record<keyof typeof LIMITS, number>>>;
  readonly output?: Readonly<Partial<Record<string, number>>>;
  readonly sanitize?: { readonly default?: boolean; readonly ops?: Readonly<Record<string, boolean>> };
  readonly servers?: Readonly<Record<string, { readonly sanitize?: boolean }>>;
}

/** Settings of `run` in force. */
export interface RunSettings {
  /** Whether clients see the tool. */
  readonly exposed: boolean;
  /** Tokens that the index of signatures in its description may cost. */
  readonly signatures: number;
  readonly engine: EngineSetting;
  readonly limits: Limits;
  /** Bytes of one piece of code. */
  readonly codeBytes: number;
  /** Runs at once, and runs that wait for their turn. */
  readonly runs: number;
  readonly queue: number;
  readonly output: OutputSettings;
  /** Whether what comes from an op is sanitised. */
  sanitizes(op: string): boolean;
  /** `proj.<name>`: name to path as it is configured. */
  readonly projects: ReadonlyMap<string, string>;
}

/** Default and ceiling of each limit. */
const LIMITS = {
  cpu_ms: [10_000, 300_000],
  wall_ms: [55_000, 3_600_000],
  memory_mb: [256, 2048],
  recursion: [500, 1000],
  host_calls: [1000, 100_000],
  print_bytes: [1_000_000, 100_000_000],
  result_bytes: [20_000_000, 100_000_000],
  result_depth: [64, 200],
  code_bytes: [262_144, 4_194_304],
  runs: [8, 64],
  queue: [32, 1000],
} as const satisfies Readonly<Record<string, readonly [preset: number, ceiling: number]>>;

const MEGABYTE = 1_000_000;
const ENGINES: readonly EngineSetting[] = ["auto", "monty", "cpython"];

/** Fills in defaults; a value over its ceiling is the ceiling. `engine` is what the command line says. */
export function runSettingsOf(config: RunConfig, engine?: string): RunSettings {
  const { output = {} } = config;
  const limit = (name: keyof typeof LIMITS): number => {
    const [preset, ceiling] = LIMITS[name];
    return Math.min(config.limits?.[name] ?? preset, ceiling);
  };
  return {
    exposed: config.expose?.run ?? true,
    signatures: config.expose?.signatures ?? INDEX_TOKENS,
    engine: ENGINES.find((one) => one === (engine ?? config.engine)) ?? "auto",
    limits: {
      cpuMs: limit("cpu_ms"),
      wallMs: limit("wall_ms"),
      memoryBytes: limit("memory_mb") * MEGABYTE,
      recursion: limit("recursion"),
      hostCalls: limit("host_calls"),
      printBytes: limit("print_bytes"),
      resultBytes: limit("result_bytes"),
      resultDepth: limit("result_depth"),
    },
    codeBytes: limit("code_bytes"),
    runs: Math.max(1, limit("runs")),
    queue: limit("queue"),
    output: {
      maxInlineSize: output["max_inline_size"] ?? 50_000,
      previewLines: output["preview_lines"] ?? 10,
      previewBytes: output["preview_bytes"] ?? 2000,
      resultTtl: output["result_ttl"] ?? 3600,
    },
    sanitizes: sanitizing(config),
    projects: new Map(Object.entries(config.projects ?? {})),
  };
}

/** `sanitize.ops` has patterns, of which the longest wins; then the server that the op comes from decides, then the default. */
function sanitizing({ sanitize = {}, servers = {} }: RunConfig): (op: string) => boolean {
  const patterns = Object.entries(sanitize.ops ?? {})
    .sort(([a], [b]) => b.length - a.length)
    .map(([pattern, isOn]) => ({ matches: opGlob(pattern), isOn }));
  const packs = new Map(
    Object.entries(servers).flatMap(([name, { sanitize: isOn }]) =>
      isOn === undefined ? [] : [[name.replace(/\W/g, "_"), isOn] as const],
    ),
  );
  return (op) =>
    patterns.find(({ matches }) => matches(op))?.isOn ?? packs.get(op.split(".")[0] ?? "") ?? sanitize.default ?? false;
}

/** The projects with their paths made absolute; `~` is the home of the user. */
export function projectPaths(root: string, projects: RunSettings["projects"]): ReadonlyMap<string, string> {
  const absolute = (path: string): string =>
    resolve(
      root,
      path.replace(/^~(?=\/|$)/, () => homedir()),
    );
  return new Map([...projects].map(([name, path]) => [name, absolute(path)]));
}
