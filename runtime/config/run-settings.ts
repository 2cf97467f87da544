/** Settings of `run`, with defaults filled in and upper limits enforced. */

import { opGlob } from "../contract/op-glob.js";
import { type Languages, namedLanguages } from "../contract/program-language.js";
import { PYTHON_LANGUAGE } from "../contract/python-language.js";
import {
  type FilledConfig,
  PROJECT_SETTINGS,
  type WrittenConfig,
  withDefaults,
} from "../contract/settings/project-settings.js";
import { CALL_RESULT_BYTES } from "../contract/settings/runs.js";
import { pathFrom } from "./state-directory.js";

/** Settings of `run` in force. */
export interface RunSettings {
  /** Whether clients see the tool. */
  readonly exposed: boolean;
  /** Tokens that the index of signatures in its description may cost. */
  readonly signatures: number;
  /** Which programs wait with their plans; clients may ask for previews unless it is `never`. */
  readonly preview: PreviewSetting;
  /** Languages of programs, at least one; the first is meant where code could be in either. */
  readonly languages: Languages;
  /** All languages, also those that programs of this project cannot be in. */
  readonly allLanguages: Languages;
  readonly limits: Limits;
  /** Most bytes of one piece of code. */
  readonly codeBytes: number;
  /** Runs that execute at the same time, and runs that wait in the queue. */
  readonly runs: number;
  readonly queue: number;
  /** Python processes at the same time, and runs after which one is replaced. */
  readonly instances: number;
  readonly instanceRuns: number;
  readonly output: OutputSettings;
  /** Bytes of results that `tool_exec` and `tool_batch` print; what is longer is stored; 0: nothing is stored. */
  readonly callBytes: number;
  /** Whether results of an op are sanitised. */
  sanitizes(op: string): boolean;
  /** `proj.<name>`: name to configured path. */
  readonly projects: ReadonlyMap<string, string>;
}

const MEGABYTE = 1_000_000;
/** The limits that are numbers. */
type Limited = Omit<FilledConfig["limits"], "http" | "socket">;

/**
 * Fills in defaults; a value over its upper limit becomes the limit.
 *
 * @param given `output` as it was written, where the configuration has its defaults already
 * @param languages - all that `run.languages` may name; default: Python
 */
export function runSettingsOf(
  config: Partial<WrittenConfig>,
  given: WrittenConfig["output"] = config.output,
  languages: Languages = [PYTHON_LANGUAGE],
): RunSettings {
  const full = withDefaults(config);
  const { expose, limits, output } = full;
  const ceilings = PROJECT_SETTINGS.properties.limits.properties;
  const limit = (name: keyof Limited): number => Math.min(limits[name], ceilings[name].maximum ?? Infinity);
  return {
    // Without the other gateway tools, `run` is shown only if `expose.run` says so.
    exposed: expose.run ?? expose.gateway,
    signatures: expose.signatures,
    preview: expose.run_preview,
    languages: namedLanguages(full.run.languages, languages),
    allLanguages: languages,
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
    runs: limit("runs"),
    queue: limit("queue"),
    instances: limit("instances") || limit("runs"),
    instanceRuns: limit("instance_runs"),
    output: {
      maxInlineSize: output.max_inline_size,
      previewLines: output.preview_lines,
      previewBytes: output.preview_bytes,
      resultTtl: output.result_ttl,
    },
    callBytes: given?.max_inline_size ?? CALL_RESULT_BYTES,
    sanitizes: sanitizing(full),
    projects: new Map(Object.entries(full.projects)),
  };
}

/**
 * Of the matching patterns in `sanitize.ops` the longest wins; then the server of the op decides, then the default.
 */
function sanitizing({ sanitize, servers }: Pick<FilledConfig, "sanitize" | "servers">): (op: string) => boolean {
  const patterns = Object.entries(sanitize.ops)
    .sort(([a], [b]) => b.length - a.length)
    .map(([pattern, isOn]) => ({ matches: opGlob(pattern), isOn }));
  const packs = new Map(
    Object.entries(servers).flatMap(([name, { sanitize: isOn }]) =>
      isOn === undefined ? [] : [[name.replace(/\W/g, "_"), isOn] as const],
    ),
  );
  return (op) =>
    patterns.find(({ matches }) => matches(op))?.isOn ?? packs.get(op.split(".")[0] ?? "") ?? sanitize.default;
}

/** The projects with absolute paths; `~` is the user's home directory. */
export const projectPaths = (root: string, projects: RunSettings["projects"]): ReadonlyMap<string, string> =>
  new Map([...projects].map(([name, path]) => [name, pathFrom(root, path)]));

/** Limits of one run. Times in milliseconds, sizes in bytes. */
export interface Limits {
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly memoryBytes: number;
  readonly recursion: number;
  readonly hostCalls: number;
  readonly printBytes: number;
  readonly resultBytes: number;
  readonly resultDepth: number;
}

/** `expose.run_preview`. */
export type PreviewSetting = FilledConfig["expose"]["run_preview"];

/** `output` of the configuration. Sizes in bytes, times in seconds. */
export interface OutputSettings {
  /** Longer text is stored; 0: no text is stored. */
  readonly maxInlineSize: number;
  readonly previewLines: number;
  readonly previewBytes: number;
  /** 0: never. */
  readonly resultTtl: number;
}
