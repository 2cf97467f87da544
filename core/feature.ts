/**
 * A feature: one capability of toolwright, in a folder of its own. It is data, and functions that are loaded when they are
 * needed. Nothing registers itself: `features/list.ts` names the features, and only the entries read it.
 */

import type { Changes } from "../generator/cli/changes.js";
import type { ExplainOp } from "../generator/cli/explain.js";
import type { CommandSetting as BuildCommand } from "../generator/cli/generate.js";
import type { CiFeature } from "../generator/cli/init/ci-part.js";
import type { WritingFeature } from "../generator/cli/init/project.js";
import type { AddedUsage } from "../generator/cli/usage.js";
import type { Config } from "../generator/config/config.js";
import type { GeneratingFeature } from "../generator/pipeline.js";
import type { ReadUsage } from "../runtime/contract/statistics.js";
import type { Start, StartedFeature } from "../runtime/gateway/open-project.js";
import type { AddedLanguage } from "../runtime/run/languages/table.js";

/** A project with its configuration. */
export interface Started {
  readonly start: Start;
  readonly config: Config;
}

/** What a command gets of the project that its flags name. */
export interface CommandContext {
  readonly setting: BuildCommand;
  /** Reads the configuration. @throws UsageError if it cannot be used */
  readonly start: () => Promise<Start>;
  /** The same, with the places of its values. */
  readonly configured: () => Promise<Started>;
  /** The features of the package: one may read what the others declare, as `breaking` reads their rules. */
  readonly features: readonly Feature[];
  /** The folder of the package, with the files that it ships. */
  readonly packageFolder: string;
}

/** A command that a feature adds. */
export interface FeatureCommand extends AddedUsage {
  /** Runs it with its operands and flags. Returns the exit code. */
  run(context: CommandContext, ...given: readonly never[]): Promise<number>;
}

/** What a feature adds to the command line. */
export interface CommandPart {
  /** By name, such as `learn` or `keys create`. */
  readonly commands?: Readonly<Record<string, FeatureCommand>>;
  /** What `explain` says of ops beside what the core says. */
  explain?(context: CommandContext): Promise<ExplainOp>;
}

/**
 * One capability. A member is there because a feature uses it.
 *
 * @example
 * export const FEATURE: Feature = {
 *   name: "quota",
 *   serve: async () => (await import("./serve.js")).countCalls,
 * };
 * @example
 * // A transport beside stdio and HTTP, which `serve --socket` opens.
 * export const SOCKET: Feature = {
 *   name: "socket",
 *   socket: async () => (await import("./part.js")).SOCKET_PART,
 * };
 * @example
 * // In serve.ts: what a feature answers in MCP, loaded at the first request. Each is answered by the configuration in force.
 * export const serveRoots: ServePart = ({ own }) => ({
 *   mcp: {
 *     capabilities: { completions: {} },
 *     methods: ["completion/complete"],
 *     load: async () => (await import("./answers.js")).answersWith(own),
 *   },
 * });
 */
export interface Feature extends GeneratingFeature, StartedFeature, WritingFeature, CiFeature {
  /** The name of its folder. */
  readonly name: string;
  /** Languages of programs. What is said of them is data; their code is imported when a program needs it. */
  readonly languages?: readonly AddedLanguage[];
  /** Loads what it adds to the command line. */
  readonly commands?: () => Promise<CommandPart>;
  /**
   * Loads how it compares builds. One feature does.
   *
   * @param features - all, whose `breakingRules` and `GeneratePart.compare` count
   */
  readonly changes?: (features: readonly Feature[]) => Promise<Changes>;
  /** Loads how it reads which ops were called. One feature does. */
  readonly usage?: () => Promise<ReadUsage>;
}
