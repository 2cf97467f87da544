/** What a feature of a plugin is: the types of `toolwright/feature`, and what `generate` writes of it for the other commands. */

import type { Envelope } from "./envelope.js";
import type { Logger, Principal } from "./handler.js";
import type { JsonObject, Kind } from "./registry.js";
import type { Shape } from "./settings/setting.js";

/**
 * A key of `toolwright.yaml` that a feature declares.
 *
 * @example
 * const PER_HOUR: Setting = { key: "quota.per_hour", schema: { type: "integer", minimum: 1 }, preset: 1000, about: "Calls of one caller in an hour." };
 */
export interface PluginSetting {
  /**
   * Names with dots between them: below the name of the feature, such as `quota.per_hour`, or below a key of toolwright, where `*` stands
   * for every name of a map, as in `servers.*.quota`.
   */
  readonly key: string;
  /** What its value must look like, in the keywords of {@link Shape}. */
  readonly schema: Shape;
  /** The value of a project that does not set the key. */
  readonly preset?: unknown;
  /** One sentence about it. */
  readonly about: string;
}

/**
 * A call whose op is known and whose arguments are valid.
 *
 * @example
 * const isWrite = ({ kind, dryRun }: Call): boolean => kind === "write" && !dryRun;
 */
export interface PluginCall {
  readonly op: string;
  readonly kind: Kind;
  /** A copy, with defaults filled in. */
  readonly args: JsonObject;
  readonly principal: Principal;
  /** Whether nothing is changed: a dry run, or the preview of a program. */
  readonly dryRun: boolean;
  readonly traceId: string;
  /** Name of the client program, if it gives one. */
  readonly client?: string | undefined;
}

/**
 * Carries out a call that a feature was given: that object itself, so that nothing of it changes. It resolves with the answer, also if the
 * call failed.
 *
 * @example
 * const succeeds = async (dispatch: Dispatch, call: Call): Promise<boolean> => (await dispatch(call)).ok;
 */
export type PluginDispatch = (call: PluginCall) => Promise<Envelope>;

/**
 * What a feature does in a server.
 *
 * @example
 * const readOnly: FeatureServing = {
 *   around: (dispatch) => async (call) => (call.kind === "write" ? fail("PERMISSION_DENIED", "Nothing is written today.") : dispatch(call)),
 * };
 */
export interface PluginServing {
  /**
   * Does something around each call. It passes the call on, or refuses it with `fail`; the caller gets the answer of `dispatch`. A call with
   * arguments that are refused does not come here.
   */
  around?(dispatch: PluginDispatch): (call: PluginCall) => Promise<unknown>;
  /** Ends what it has begun, within 2 seconds: the server ends, or has read its configuration again. */
  close?(): Promise<void> | void;
}

/**
 * What a feature gets of a server.
 *
 * @example
 * const limitOf = ({ config }: ServeContext<{ quota: { per_hour: number } }>): number => config.quota.per_hour;
 */
export interface PluginContext<Config = unknown> {
  /** `toolwright.yaml` with the keys of the feature only, defaults filled in. */
  readonly config: Config;
  readonly log: Logger;
  /** Milliseconds since the epoch, by the clock that the servers of one state database share. */
  readonly clock: () => number;
}

/**
 * Starts a feature in a server; undefined if it has nothing to do with these settings.
 *
 * @example
 * const serve: ServePart<{ quota: { per_hour: number } }> = ({ config, log }) => {
 *   log.info("quota", { per_hour: config.quota.per_hour });
 *   return undefined;
 * };
 */
export type PluginServePart<Config = unknown> = (context: PluginContext<Config>) => PluginServing | undefined;

/**
 * What a command of a feature gets.
 *
 * @example
 * const show = async ({ config, out }: CommandContext<{ quota: { per_hour: number } }>): Promise<number> => {
 *   out(`${config.quota.per_hour} calls an hour\n`);
 *   return 0;
 * };
 */
export interface PluginCommandContext<Config = unknown> extends Pick<PluginContext<Config>, "config"> {
  /** Folder of the project. */
  readonly root: string;
  /** Prints to standard output. */
  readonly out: (text: string) => void;
}

/**
 * A command that a feature adds, below its own name: `toolwright quota show`.
 *
 * @example
 * const command: FeatureCommand = { operands: "[caller]", about: "show the calls of this hour", run: async ({ out }, caller) => (out(`${caller}\n`), 0) };
 */
export interface PluginCommand {
  /** `<name>`, `[name]` or `[names...]`, with blanks between them. */
  readonly operands?: string;
  readonly about: string;
  /** Runs it. Returns the exit code. */
  readonly run: (context: PluginCommandContext<never>, ...operands: readonly never[]) => Promise<number>;
}

/**
 * A feature that a project adds: the default export of a module that `plugins` names.
 *
 * @example
 * const quota: Feature = {
 *   name: "quota",
 *   settings: [{ key: "quota.per_hour", schema: { type: "integer", minimum: 1 }, preset: 1000, about: "Calls of one caller in an hour." }],
 *   serve: async () => (await import("./serve.js")).serve,
 * };
 */
export interface PluginFeature {
  /** Lower-case letters, digits and hyphens. Keys below this name are its own. */
  readonly name: string;
  readonly settings?: readonly PluginSetting[];
  /** Loads what it does in a server. */
  readonly serve?: () => Promise<PluginServePart<never>>;
  /** Commands by the word behind the name of the feature. */
  readonly commands?: Readonly<Record<string, PluginCommand>>;
}

/**
 * Declares a feature, with its type checked.
 *
 * @example
 * export default defineFeature({ name: "quota", serve: async () => (await import("./serve.js")).serve });
 */
export const defineFeature = <F extends PluginFeature>(feature: F): F => feature;

/** The file below `generated/` that says what features of plugins declare. Only there if there are some. */
export const FEATURES_FILE = "features.json";

/** What `generate` writes of one feature, so that commands know its keys without running its code. */
export interface DeclaredFeature extends Pick<PluginFeature, "name" | "settings"> {
  /** The entry of `plugins`. */
  readonly plugin: string;
  readonly serves: boolean;
  readonly commands?: Readonly<Record<string, Omit<PluginCommand, "run">>>;
}
