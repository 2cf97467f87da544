/**
 * The programmatic API of the package: `import { build, generate } from "toolwright"`, and the types of plugins.
 *
 * Importing this module loads no compiler, no validator and no server: a function imports what it needs when it is called.
 * Generated code and handlers import `toolwright/codegen`.
 */

import { join, resolve } from "node:path";
import type { Registry } from "../runtime/contract/registry.js";
import type { Diagnostic } from "./core/diagnostic.js";
import type { VirtualFile } from "./emit/emitter.js";

export type {
  Annotations,
  JsonObject,
  JsonSchema,
  JsonValue,
  Kind,
  Registry,
  Tool,
} from "../runtime/contract/registry.js";
export type { Diagnostic, Place } from "./core/diagnostic.js";
export type { VirtualFile } from "./emit/emitter.js";
export type {
  EmitterPlugin,
  OptionsSchema,
  Plugin,
  PluginOptions,
  SourceDiagnostic,
  SourceHost,
  SourceInput,
  SourceOutput,
  SourcePlugin,
  SourceText,
  ToolDefinition,
} from "./plugin/plugin.js";

/**
 * Options of {@link build} and {@link generate}.
 *
 * @example
 * const options: BuildOptions = { root: "packages/tools", strict: true };
 */
export interface BuildOptions {
  /** Folder of the project, which contains `definitions/`. Default: the working directory. */
  readonly root?: string;
  /** Whether a warning fails the build, as an error does. */
  readonly strict?: boolean;
}

/**
 * Result of {@link build}.
 *
 * @example
 * const errors = ({ diagnostics }: BuildResult) => diagnostics.filter(({ severity }) => severity === "error");
 */
export interface BuildResult {
  /** Whether the definitions have no fault: no error, and with `strict` no warning. */
  readonly ok: boolean;
  /** All files of `generated/`, sorted by path. Empty if a diagnostic is an error. */
  readonly files: readonly VirtualFile[];
  /** Faults of the definitions, sorted by place. */
  readonly diagnostics: readonly Diagnostic[];
  /** Absent if a diagnostic is an error. */
  readonly registry?: Registry;
}

/**
 * Result of {@link generate}. Paths are relative to `generated/`.
 *
 * @example
 * const isClean = ({ ok, written, deleted }: GenerateResult) => ok && written.length + deleted.length === 0;
 */
export interface GenerateResult extends BuildResult {
  /** Files that were new or different. */
  readonly written: readonly string[];
  /** Files that were generated before and are no longer. */
  readonly deleted: readonly string[];
  /** Number of files that were the same already. */
  readonly unchanged: number;
}

/**
 * Builds a project in memory: reads `definitions/`, writes nothing below `generated/`.
 *
 * @returns files, diagnostics and registry; a fault of the definitions is a diagnostic, not an error that is thrown
 * @example
 * const { ok, registry, diagnostics } = await build({ root: "." });
 * if (!ok) for (const { file, line, message, fix } of diagnostics) console.error(`${file}:${line} ${message}; ${fix}`);
 * for (const { op, kind } of registry?.tools ?? []) console.log(op, kind);
 */
export async function build({ root = ".", strict = false }: BuildOptions = {}): Promise<BuildResult> {
  const [{ attempt }, { buildSetting }] = await Promise.all([import("./cli/attempt.js"), import("./joined.js")]);
  const setting = { ...buildSetting(resolve(root)), progress: () => {} };
  const { build: built, diagnostics, failed } = await attempt(setting, strict);
  const { registry, files = [] } = built ?? {};
  return { ok: !failed, files, diagnostics, ...(registry ? { registry } : {}) };
}

/**
 * Builds a project and writes `generated/`, as `toolwright generate` does. If the build fails, nothing is written.
 *
 * @returns what {@link build} returns, and what changed on the disk
 * @throws Error naming the path of `generated/` that cannot be written
 * @example
 * const { ok, written, deleted } = await generate({ root: ".", strict: true });
 * if (ok) console.log(`${written.length} written, ${deleted.length} deleted`);
 */
export async function generate(options: BuildOptions = {}): Promise<GenerateResult> {
  const result = await build(options);
  if (!result.ok) return { ...result, written: [], deleted: [], unchanged: 0 };
  const { writeFiles } = await import("./cli/files.js");
  return { ...result, ...writeFiles(join(resolve(options.root ?? "."), "generated"), result.files) };
}
