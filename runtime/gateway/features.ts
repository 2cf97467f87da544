/** What features do in the gateway of a project: they stand around its calls and its help, and offer words by which ops are ranked. */

import type { Dispatch } from "../call/call.js";
import type { CallHook } from "../call/call-hook.js";
import type { Help } from "../catalog/help.js";
import { expandConfig, type Settings } from "../config/settings.js";
import type { Logger, Principal } from "../contract/handler.js";
import type { Values } from "../contract/json.js";
import type { OwnWords } from "../contract/learned-words.js";
import type { Recorder } from "../contract/recorder.js";
import type { Registry } from "../contract/registry.js";
import type { Lease, Resource } from "../contract/resource-pool.js";
import { type DeclaringFeature, filledWith, ownConfig } from "../contract/settings/feature-settings.js";
import type { WrittenConfig } from "../contract/settings/project-settings.js";
import type { OpFigures } from "../contract/statistics.js";
import type { Statistics } from "../packs/host.js";
import { type AddedLanguage, CORE_LANGUAGES, type LanguageRows } from "../run/languages/table.js";
import type { State } from "../state/open.js";
import type { RetainParts, Retention } from "../state/retention.js";
import { generatedTools } from "./added-ops.js";
import type { ConsoleAnswer, NamesById } from "./console-data.js";
import type { McpPart } from "./mcp-part.js";
import type { OpenedProject } from "./project.js";

/** The path to a handler, and help. */
export interface AnsweringPath {
  readonly dispatch: Dispatch;
  readonly help: Help;
}

/** What a feature does in one gateway. */
export interface FeatureServing {
  /** The same path with what the feature does around it; outside of the recording of calls. */
  around?(path: AnsweringPath): AnsweringPath;
  /** Words of a caller by which ops are ranked for it alone. The first feature that has them counts. */
  ownWords?(principal: Principal): OwnWords;
  /** What records calls and runs: features behind it in the list, programs and transports use it. The first one counts. */
  readonly recorder?: Recorder;
  /** Figures of ops in the statistics: it counts them with the recorder, under this word and the op. */
  readonly opFigures?: OpFigures;
  /** What `ot.stats` answers with. The first feature that has them counts. */
  readonly statistics?: Statistics;
  /** Data for pages of the console, by its name behind `/api/`. */
  readonly console?: Readonly<Record<string, ConsoleAnswer>>;
  /** The names of callers for the console, by their ids. The first feature that has them counts. */
  readonly callerNames?: (ids: Iterable<string>) => Promise<NamesById>;
  /** What it answers in MCP, beside the requests about tools. The first feature that has it counts. */
  readonly mcp?: McpPart;
  /** What a feature of a plugin does around a call that passed every check of its arguments. */
  readonly hook?: CallHook | undefined;
  /** Called when the gateway is closed. Never rejects. */
  close?(): Promise<void>;
}

/** What a feature gets of a gateway. */
export interface ServeContext {
  /** As it is written: the keys of the feature are in it. */
  readonly config: WrittenConfig;
  /** The keys that the feature declares, in the form of the file, with their defaults; texts of a shipped one are expanded. */
  readonly own: Values;
  readonly settings: Settings;
  /** The generated ops, without those that features add. */
  readonly generated: Pick<Registry, "tools">;
  /** The folder of the project. */
  readonly root: string;
  /** The command line, which clients can start; absent in a program. */
  readonly launcher: string | undefined;
  readonly state: () => Promise<State>;
  readonly log: Logger;
  /** Milliseconds since the epoch, by the clock that the servers share. */
  readonly clock: () => number;
  /** Deletes rows that are older than the statistics are kept. @param of - what the rows are, which names the job */
  readonly retention: (of: string, tables: RetainParts["tables"]) => Retention;
  /** The recorder of a feature that stands before this one in the list; absent if nothing is recorded. */
  readonly recorder: Recorder | undefined;
  /** The figures of ops that features count, once all have started. */
  readonly opFigures: () => OpFigures;
  /**
   * Makes a value that the gateways of a process share while the settings of the state and of the retention are unchanged.
   *
   * @param key unique within the feature
   */
  readonly shared: <T>(key: string, make: () => Resource<T>) => T;
}

/** Starts a feature in a gateway; undefined if it has nothing to do with these settings. */
export type ServePart = (context: ServeContext) => FeatureServing | undefined;

/** A feature that does something in a gateway. */
export interface ServingFeature extends DeclaringFeature {
  readonly languages?: readonly AddedLanguage[];
  /** Loads what it does there. */
  readonly serve?: () => Promise<ServePart>;
}

/** Features that are loaded, and the configuration that they read. */
export interface LoadedFeatures {
  readonly config: WrittenConfig;
  readonly parts: readonly { readonly name: string; readonly own: Values; readonly serve: ServePart }[];
  /** All languages of programs. */
  readonly languages: LanguageRows;
}

/** A project whose features are not loaded. */
interface Featured {
  readonly features?: readonly ServingFeature[];
  readonly config: WrittenConfig;
  /** Value of a variable that keys name; default: they are not expanded. */
  readonly lookup?: (name: string) => string | undefined;
}

/** Whether a feature is of the package, or of a plugin that the configuration names: what `generate` wrote may be older. */
export const isFeatureOf = (
  { origin }: Pick<ServingFeature, "origin">,
  { plugins = [] }: Pick<WrittenConfig, "plugins">,
): boolean => origin === undefined || plugins.includes(origin);

/** Whether a feature is served: one of a plugin runs with the rights of the server, which `trust: local` permits. */
export const isServed = (one: ServingFeature, config: Pick<WrittenConfig, "plugins" | "trust">): boolean =>
  one.serve !== undefined && isFeatureOf(one, config) && (one.origin === undefined || config.trust === "local");

/** Loads what the features of a project do in its gateway. @throws UsageError if one of a plugin cannot be loaded */
export async function loadFeatures({ features = [], config, lookup }: Featured): Promise<LoadedFeatures> {
  const filled = filledWith(features, config);
  const expanded = lookup ? expandConfig(filled, lookup, []) : filled;
  // Plugins get no secrets, which variables may be.
  const ownOf = (one: ServingFeature) => ownConfig(one, one.origin === undefined ? expanded : filled);
  const parts = await Promise.all(
    features
      .filter((one) => isServed(one, config))
      .map(async (one) => ({ name: one.name, own: ownOf(one), serve: await one.serve?.() })),
  );
  return {
    config,
    parts: parts.flatMap(({ serve, ...part }) => (serve ? [{ ...part, serve }] : [])),
    languages: [...CORE_LANGUAGES, ...features.flatMap(({ languages = [] }) => languages)],
  };
}

/** Starts features in a gateway, in their order. */
export function startFeatures(
  { config, parts }: LoadedFeatures,
  context: Pick<ServeContext, "root" | "launcher" | "state" | "log" | "clock" | "retention">,
  project: Pick<OpenedProject, "settings" | "registry" | "added">,
  hold: Lease,
): readonly FeatureServing[] {
  const { settings } = project;
  const generated = { tools: generatedTools(project) };
  const place = `${settings.stats.retentionDays} ${JSON.stringify(settings.state)}`;
  const servings: FeatureServing[] = [];
  for (const { name, own, serve } of parts) {
    const serving = serve({
      ...context,
      ...{ config, own, settings, generated, recorder: recorderOf(servings), opFigures: () => opFiguresOf(servings) },
      shared: (key, make) => hold.take(`${name} ${key} ${place}`, make),
    });
    if (serving) servings.push(serving);
  }
  return servings;
}

/** The path with what features do around it, the first one innermost. */
export const withFeatures = (path: AnsweringPath, servings: readonly FeatureServing[]): AnsweringPath =>
  servings.reduce((inner, serving) => serving.around?.(inner) ?? inner, path);

/** What records calls, if a feature does. */
export const recorderOf = (servings: readonly FeatureServing[]): Recorder | undefined =>
  servings.find(({ recorder }) => recorder)?.recorder;

/** The statistics that a feature offers. */
export const statisticsOf = (servings: readonly FeatureServing[]): Statistics | undefined =>
  servings.find(({ statistics }) => statistics)?.statistics;

/** What a feature answers in MCP. */
export const mcpOf = (servings: readonly FeatureServing[]): McpPart | undefined => servings.find(({ mcp }) => mcp)?.mcp;

/** The data that features have for pages of the console. */
export const consoleAnswersOf = (servings: readonly FeatureServing[]): Readonly<Record<string, ConsoleAnswer>> =>
  Object.assign({}, ...servings.map(({ console }) => console));

/** The names of callers that a feature has. */
export const callerNamesOf = (servings: readonly FeatureServing[]): FeatureServing["callerNames"] =>
  servings.find(({ callerNames }) => callerNames)?.callerNames;

/** The figures of ops that features count. */
const opFiguresOf = (servings: readonly FeatureServing[]): OpFigures =>
  Object.assign({}, ...servings.map(({ opFigures }) => opFigures));

/** The words of callers that a feature offers. */
export const ownWordsOf = (servings: readonly FeatureServing[]): FeatureServing["ownWords"] =>
  servings.find(({ ownWords }) => ownWords)?.ownWords;
