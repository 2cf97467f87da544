/** Builds a project on the disk: what `generate`, `check`, `explain` and the programmatic API have in common. */

import { listOrEmpty } from "../../runtime/contract/json.js";
import { counted } from "../../runtime/contract/message-text.js";
import { declaringFeature, featureLabel } from "../../runtime/contract/settings/feature-settings.js";
import type { Config, ConfigFiles } from "../config/config.js";
import { type Diagnostic, Report } from "../core/diagnostic.js";
import { countsStrictly } from "../core/levels.js";
import { createMemo } from "../core/memo.js";
import type { Build, GeneratingFeature, NamedOps, NamingHost, Stage } from "../pipeline.js";
import type { OpenedPlugins, PluginHost } from "../plugin/load.js";
import { type Disk, openDisk } from "./files.js";
import { type ModuleSetting, moduleReader } from "./find-module.js";
import { type Bundler, findPlugin } from "./find-plugin.js";

/** Dependencies of a build: the root, and contributions of the runtime. */
export interface BuildSetting extends ModuleSetting {
  readonly version: string;
  /** Definitions of the gateway tools with these languages of `run`, for the token budget. */
  readonly gatewayTools: (languages: readonly string[]) => Promise<readonly object[]>;
  /** Why a snippet's template does not compile, if so. */
  readonly templateFault: (body: string) => Promise<string | undefined>;
  /** Text of `shipped.json`: the packs that come with the package. */
  readonly shipped: () => string;
  /** Whether tools are given without a project: then they may be definitions alone. */
  readonly isGiven?: true;
  /** Bundles the module of a plugin. */
  readonly bundle: Bundler;
  /** What features do in a build; default: nothing. */
  readonly features?: readonly GeneratingFeature[];
  /** Shows the current stage on a terminal; does nothing otherwise. */
  readonly progress: (stage: string | undefined) => void;
}

/** A build, and what it was made from. `build` is absent if the configuration has an error. */
export interface BuildAttempt<Built = Build> {
  readonly disk: Disk;
  readonly config?: Config;
  readonly build?: Built;
  readonly diagnostics: readonly Diagnostic[];
  readonly failed: boolean;
  /** Those of the setting and of plugins. */
  readonly features: readonly GeneratingFeature[];
}

/** Longest text without a word boundary that is counted in one piece: the tokenizer takes quadratic time on such texts. */
const MAX_RUN = 1000;
/** A long run of spaces, of letters and digits, or of other characters, which the tokenizer does not split. */
const RUN = new RegExp(`\\s{${MAX_RUN}}|[\\p{L}\\p{M}\\p{N}]{${MAX_RUN}}|[^\\s\\p{L}\\p{M}\\p{N}]{${MAX_RUN}}`, "gu");

/** Counts tokens of a text with its long runs split. Most texts have no such runs and are counted whole. */
function inPieces(text: string, count: (piece: string) => number): number {
  if (text.length < MAX_RUN) return count(text);
  let at = 0;
  let sum = 0;
  for (const { 0: run, index } of text.matchAll(RUN)) {
    sum += count(text.slice(at, index)) + count(run);
    at = index + run.length;
  }
  return sum + count(text.slice(at));
}

/** Width of the bar, in characters. */
const BAR_WIDTH = 18;

/** Shows each stage as a bar, with the number of tools and the time since the start. */
function bar(progress: BuildSetting["progress"]): (stage: Stage) => void {
  const start = performance.now();
  return ({ name, done, of, tools }) => {
    const filled = Math.round((done / of) * BAR_WIDTH);
    const count = tools === undefined ? "" : `  ${counted(tools, "tool")}`;
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    progress(`${"█".repeat(filled)}${"░".repeat(BAR_WIDTH - filled)} ${done + 1}/${of} ${name}${count}  ${seconds} s`);
  };
}

/** Reads texts with the line ends of Unix: a checkout on Windows gives the same build. */
const withPlainEnds =
  (read: (file: string) => string | undefined): ((file: string) => string | undefined) =>
  (file) =>
    read(file)?.replaceAll("\r\n", "\n");

/** Reads a project from the disk and names its ops: no schema is checked, no registry is made, and nothing is written. */
export async function attemptNames(setting: BuildSetting): Promise<BuildAttempt<NamedOps>> {
  const { disk, report, config, features, host } = await open(setting);
  if (!config) return { disk, features, diagnostics: report.sorted(), failed: true };
  const { nameOps } = await import("../pipeline.js");
  const named = await nameOps(config, { ...(await host()), features }, report);
  return attempted(disk, config, named, { ...setting, features }, false);
}

/**
 * Reads a project from the disk and builds it; nothing is written.
 *
 * @param memo results of an earlier build
 */
export async function attempt(setting: BuildSetting, strict: boolean, memo = createMemo()): Promise<BuildAttempt> {
  const { disk, report, config, features, host } = await open(setting);
  if (!config) return { disk, features, diagnostics: report.sorted(), failed: true };
  const [{ buildGenerated }, { countTokens }, gatewayTools, given] = await Promise.all([
    import("../pipeline.js"),
    import("gpt-tokenizer/encoding/o200k_base"),
    setting.gatewayTools(config.run?.languages ?? []),
    host(),
  ]);
  const { version, templateFault } = setting;
  // Definitions contain foreign text, in which a control token is plain text, not an error.
  const countNow = (text: string): number => inPieces(text, (piece) => countTokens(piece, { allowedSpecial: "all" }));
  const count = (text: string): number =>
    memo.find<number>("tokens", text) ?? memo.keep("tokens", text, countNow(text));
  const needsHandlers = setting.isGiven !== true;
  const whole = { ...given, needsHandlers, templateFault, version, features, memo, countTokens: count, gatewayTools };
  return attempted(disk, config, await buildGenerated(config, whole, report), { ...setting, features }, strict);
}

/** The configuration of a project, and what a build of it reads. */
async function open(setting: BuildSetting): Promise<{
  readonly disk: Disk;
  readonly report: Report;
  readonly config: Config | undefined;
  readonly features: readonly GeneratingFeature[];
  readonly host: () => Promise<NamingHost>;
}> {
  const disk = openDisk(setting.root);
  const report = new Report();
  const { checkConfig, readConfigFiles } = await import("../config/config.js");
  const files = readConfigFiles(withPlainEnds(disk.readDefinition), report);
  const plugin = (specifier: string) => findPlugin(specifier, disk, setting);
  const opened = await opening(files, plugin, report);
  const features = [...(setting.features ?? []), ...(opened?.features ?? []).map(declaringFeature)];
  let config: Config | undefined;
  try {
    if (opened) await refuseCommandsOf(opened);
    // Keys of a plugin that failed are not known.
    config = opened?.isComplete === false ? undefined : checkConfig(files, report, features);
  } finally {
    if (!config) await opened?.close();
  }
  const { leadsOut, list, committed } = disk;
  const [read, inspect] = [withPlainEnds(disk.read), withPlainEnds(disk.inspect)];
  const given = { read, leadsOut, inspect, list, committed, opened, readModule: moduleReader(disk, setting) };
  const host = async (): Promise<NamingHost> => {
    const { shippedPacks } = await import("../source/shipped.js");
    return { ...given, shipped: () => shippedPacks(setting.shipped()), onStage: bar(setting.progress) };
  };
  return { disk, report, config, features, host };
}

/** @throws UsageError for a command of a feature that exists */
async function refuseCommandsOf({ features }: OpenedPlugins): Promise<void> {
  const { refuseCommands } = await import("./commands.js");
  refuseCommands(
    features.flatMap((one) =>
      Object.keys(one.commands ?? {}).map((word) => ({
        name: `${one.name} ${word}`,
        by: featureLabel(declaringFeature(one)),
      })),
    ),
  );
}

/** Starts the plugins of a configuration that is not checked yet; undefined without one. */
async function opening(
  { values: { plugins }, place }: ConfigFiles,
  plugin: NonNullable<PluginHost["plugin"]>,
  report: Report,
): Promise<OpenedPlugins | undefined> {
  const specifiers = listOrEmpty(plugins).filter((one) => typeof one === "string");
  if (specifiers.length === 0) return undefined;
  return (await import("../plugin/load.js")).openPlugins(specifiers, place, { plugin }, report);
}

function attempted<Built extends Pick<Build, "diagnostics">>(
  disk: Disk,
  config: Config,
  build: Built,
  { progress, features = [] }: BuildSetting,
  strict: boolean,
): BuildAttempt<Built> {
  progress(undefined);
  const { diagnostics } = build;
  const failed = diagnostics.some((one) => one.severity === "error" || (strict && countsStrictly(one)));
  return { disk, config, build, diagnostics, failed, features };
}
