/** The interfaces of plugins: modules of a project, or packages, that add kinds of sources and emitters. */

import type { Annotations, JsonSchema, Kind, Registry } from "../../runtime/contract/registry.js";
import type { Shape } from "../../runtime/contract/settings/setting.js";
import type { VirtualFile } from "../emit/emitter.js";

/**
 * Options as the configuration gives them: checked against the schema of the plugin.
 *
 * @example
 * const separatorOf = (options: PluginOptions): string => (options["separator"] === ";" ? ";" : ",");
 */
export type PluginOptions = Readonly<Record<string, unknown>>;

/**
 * The default export of a module that `plugins` in `toolwright.yaml` names.
 *
 * @example
 * export default {
 *   name: "op-list",
 *   emitters: [{ name: "op-list", emit: ({ tools }) => [{ path: "ops.txt", text: tools.map(({ op }) => `${op}\n`).join("") }] }],
 * } satisfies Plugin;
 */
export interface Plugin {
  /** Name for messages. */
  readonly name: string;
  /** Kinds of sources that it adds. */
  readonly sources?: readonly SourcePlugin[];
  /** Emitters that it adds. Each runs at every build. */
  readonly emitters?: readonly EmitterPlugin[];
}

/**
 * Adds a kind of source: a key of the entries of `sources`, whose value is a pattern of files below `definitions/`.
 *
 * @example
 * const lines: SourcePlugin = {
 *   kind: "lines",
 *   read: ({ files }) => ({
 *     definitions: files.flatMap(({ file, text }) =>
 *       text.trim().split("\n").map((name, i) => ({
 *         name,
 *         description: `Does ${name}.`,
 *         parameters: { type: "object", properties: {} },
 *         file,
 *         line: i + 1,
 *       })),
 *     ),
 *   }),
 * };
 */
export interface SourcePlugin {
  /** The key: a lower-case letter, then lower-case letters, digits and hyphens. */
  readonly kind: string;
  /** Schema of `options` of an entry. Without it, an entry has no options. */
  readonly options?: OptionsSchema;
  /**
   * Reads the tools of one entry. The same input must give the same output on every machine.
   *
   * An error that it throws, and a wrong result, are reported at the entry, and nothing is generated.
   */
  readonly read: (entry: SourceInput, host: SourceHost) => SourceOutput | Promise<SourceOutput>;
}

/**
 * Input of {@link SourcePlugin.read}: one entry of `sources`.
 *
 * @example
 * const isEmpty = ({ files }: SourceInput): boolean => files.every(({ text }) => text.trim() === "");
 */
export interface SourceInput {
  /** The files that match the pattern, sorted by path. */
  readonly files: readonly SourceText[];
  /** `options` of the entry; an empty object if it has none. */
  readonly options: PluginOptions;
}

/**
 * One file of an entry of `sources`.
 *
 * @example
 * const lineCount = ({ text }: SourceText): number => text.trimEnd().split("\n").length;
 */
export interface SourceText {
  /** Relative to the root of the project, with forward slashes: `definitions/tools.csv`. */
  readonly file: string;
  readonly text: string;
  /** Pack of its tools: `pack` of the entry, or the name of the file. */
  readonly pack: string;
}

/**
 * Access of a source to other files of the project.
 *
 * @example
 * async function titleOf(host: SourceHost): Promise<string> {
 *   return (await host.read("definitions/title.txt"))?.trim() ?? "Tools";
 * }
 */
export interface SourceHost {
  /** Text of a file by its path relative to the root of the project; undefined if it does not exist. */
  readonly read: (file: string) => Promise<string | undefined>;
}

/**
 * Result of {@link SourcePlugin.read}.
 *
 * @example
 * const nothing: SourceOutput = { definitions: [] };
 */
export interface SourceOutput {
  readonly definitions: readonly ToolDefinition[];
  readonly diagnostics?: readonly SourceDiagnostic[];
}

/**
 * One tool that a source read. It is a tool of this project: a module in `handlers` of the entry binds its handler.
 *
 * @example
 * const definition: ToolDefinition = {
 *   name: "get_order",
 *   description: "Gets one order by its number.",
 *   parameters: { type: "object", properties: { number: { type: "string" } }, required: ["number"] },
 *   kind: "read",
 *   file: "definitions/orders.csv",
 *   line: 1,
 * };
 */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments; its root is an object. */
  readonly parameters: JsonSchema;
  /** JSON Schema of the result. */
  readonly result?: JsonSchema;
  readonly annotations?: Partial<Annotations>;
  /** Default: as the name says, or `kind` of the entry. */
  readonly kind?: Kind;
  /** The op. Default: as the name says. */
  readonly op?: string;
  /** Default: the pack of the file. */
  readonly pack?: string;
  /** The file that defines it: one of the entry, or one that was read through the host. */
  readonly file: string;
  /** Line and column of the definition, from 1. */
  readonly line?: number;
  readonly column?: number;
}

/**
 * A fault that a source found, with its place and its remedy. An error stops the build.
 *
 * @example
 * const diagnostic: SourceDiagnostic = {
 *   severity: "error",
 *   message: "this line has no name",
 *   fix: "write name,description,arguments",
 *   file: "definitions/orders.csv",
 *   line: 3,
 * };
 */
export interface SourceDiagnostic {
  readonly severity: "error" | "warning" | "info";
  readonly message: string;
  /** What to do about it. */
  readonly fix: string;
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/**
 * Adds files to `generated/`.
 *
 * @example
 * const list: EmitterPlugin = {
 *   name: "op-list",
 *   options: { type: "object", properties: { title: { type: "string" } } },
 *   emit: ({ tools }, { title = "Ops" }) => [
 *     { path: "lists/ops.md", text: `# ${title}\n\n${tools.map(({ op }) => `* ${op}\n`).join("")}` },
 *   ],
 * };
 */
export interface EmitterPlugin {
  /** Key of its options under `emitters`: a lower-case letter, then lower-case letters, digits and hyphens. */
  readonly name: string;
  /** Schema of its options. Without it, it has none. */
  readonly options?: OptionsSchema;
  /**
   * Turns the registry into files. The same input must give the same output on every machine.
   *
   * An error that it throws, a path outside of `generated/`, and a path of another emitter are reported, and nothing is generated.
   */
  readonly emit: (
    registry: Registry,
    options: PluginOptions,
  ) => readonly VirtualFile[] | Promise<readonly VirtualFile[]>;
}

/**
 * Schema of options: the subset of JSON Schema that these keywords are. A key that `properties` does not name is refused,
 * unless `additionalProperties` is a schema.
 *
 * @example
 * const options: OptionsSchema = {
 *   type: "object",
 *   properties: { separator: { type: "string", enum: [",", ";"] }, header: { type: "boolean" } },
 *   required: ["separator"],
 * };
 */
export type OptionsSchema = Shape;
