/**
 * READ THIS FIRST. The stages of the generator: read → link → normalize → classify → extract → check → freeze → emit.
 *
 * Pure: it reads through `host` and returns files; `generate` writes them, `check` compares them with the disk. Every stage
 * takes the result of the previous one and has its own type (`ir.ts`), so that no stage can be skipped. Faults in definitions are
 * collected as diagnostics; if one is an error, nothing is emitted.
 */

import type { HelpDocument } from "../runtime/contract/help.js";
import { normalizeSchema } from "../runtime/contract/normal-schema.js";
import { FEATURES_FILE } from "../runtime/contract/plugin-feature.js";
import { namedLanguages } from "../runtime/contract/program-language.js";
import { allLanguages } from "../runtime/contract/python-language.js";
import type { Registry } from "../runtime/contract/registry.js";
import type { Config } from "./config/config.js";
import type { ConfigFeature } from "./config/schema.js";
import type { CompareTool } from "./core/breaking-rule.js";
import { loadCompiler } from "./core/compile.js";
import { type Diagnostic, Report } from "./core/diagnostic.js";
import type { Definition, Extracted, NamedDefinition, OpDraft } from "./core/ir.js";
import { createMemo, type Memo } from "./core/memo.js";
import { prettyJson } from "./core/printer.js";
import {
  collectFiles,
  type EmitContext,
  type Emitted,
  type Emitter,
  EmitterError,
  type VirtualFile,
} from "./emit/emitter.js";
import { EMITTERS } from "./emit/emitters.js";
import { checkDefinitions, checkOps } from "./pass/check.js";
import { classifyDefinitions } from "./pass/classify.js";
import {
  checkOpsOf,
  checkPrompts,
  type DeclaredOp,
  type OpCheckingFeature,
  packInstructions,
} from "./pass/declared.js";
import { checkExposure } from "./pass/expose.js";
import { extract } from "./pass/extract.js";
import { type CountTokens, freeze } from "./pass/freeze.js";
import { judgeDiagnostics } from "./pass/judged.js";
import { link } from "./pass/link.js";
import { normalize } from "./pass/normalize.js";
import { withPinnedValues } from "./pass/pinned-values.js";
import { reportMovedOps } from "./pass/shared-ops.js";
import { reportRenamedTools } from "./pass/typed-names.js";
import { loadPlugins, type PluginHost, type Plugins } from "./plugin/load.js";
import { reportUnnamedHandlers } from "./source/named-handlers.js";
import type { ShippedPacks } from "./source/shipped.js";
import { readSnippets, type SnippetHost } from "./source/snippets.js";
import type { Source, SourceFile } from "./source/source.js";
import { readSources, withDeclaredPacks } from "./source/sources.js";

/** What a feature does in a build. */
export interface GeneratePart {
  /** What reads kinds of `sources`, by the key that names the kind in an entry. */
  readonly sources?: Readonly<Record<string, Source>>;
  /** Their names are unique in the package. */
  readonly emitters?: readonly Emitter[];
  /** The ops after the stage `extract`, with what the feature adds to them. Not called for definitions that are given. */
  extracted?(ops: readonly Extracted[], host: Pick<BuildHost, "list" | "read">, report: Report): readonly Extracted[];
  /** What it finds between two builds of a tool, by the feature's `breakingRules`. */
  readonly compare?: CompareTool;
}

/** A feature that does something in a build. */
export interface GeneratingFeature extends ConfigFeature, OpCheckingFeature {
  /** Loads what it does there. */
  readonly generate?: () => Promise<GeneratePart>;
}

/** Everything that a build reads from outside. */
export interface BuildHost extends PluginHost {
  /** Text of a file by its path relative to the root, or undefined. */
  readonly read: (file: string) => string | undefined;
  /** Whether a file is, or is below, a link that leads out of the project and of a folder beside. Default: there are no links. */
  readonly leadsOut?: (file: string, beside: string) => boolean;
  /** Text of a file that is only checked: no output depends on it. Default: `read`. */
  readonly inspect?: (file: string) => string | undefined;
  /** Whether ops are to be called, so that function tools without handlers are reported. Default: only their definitions count. */
  readonly needsHandlers?: boolean;
  /** Runs a module of tools; absent where no code of the project is run. */
  readonly readModule?: NonNullable<SourceFile["readModule"]>;
  /** Files that match a pattern below `definitions/` (`*` within one folder), relative to the root. */
  readonly list: (pattern: string) => readonly string[];
  /** The packs that come with the package; absent to use none. */
  readonly shipped?: () => ShippedPacks;
  readonly countTokens: CountTokens;
  /** The gateway tools as a client sees them, for the token budget. */
  readonly gatewayTools: readonly object[];
  /** Text of the `registry.json` of the last build. No output depends on it: an op that would move to another tool is an error. */
  readonly committed?: () => string | undefined;
  /** Why a snippet's template does not compile, if so; absent to skip the check. */
  readonly templateFault?: NonNullable<SnippetHost["templateFault"]>;
  /** Results of an earlier build, and those of this one; default: nothing is known. */
  readonly memo?: Memo;
  /** Default: none. */
  readonly features?: readonly GeneratingFeature[];
  /** Version of the package, for the lock. */
  readonly version: string;
  /** Called at the start of each stage. */
  readonly onStage?: (stage: Stage) => void;
}

/** The stages, in order. */
const STAGES = ["load", "read", "link", "normalize", "classify", "extract", "check", "freeze", "emit"] as const;

/** A stage that begins. */
export interface Stage {
  readonly name: string;
  /** Stages before this one, and all stages. */
  readonly done: number;
  readonly of: number;
  /** How many tools it takes; absent before they are read. */
  readonly tools?: number;
}

/** Result of a build. `registry` is absent and `files` is empty if a diagnostic is an error. */
export interface Build {
  readonly registry?: Registry;
  readonly help?: ReadonlyMap<string, HelpDocument>;
  readonly files: readonly VirtualFile[];
  /** Classified definitions, for `explain`; present even if a later stage failed. */
  readonly drafts: readonly OpDraft[];
  readonly diagnostics: readonly Diagnostic[];
  /** Milliseconds per stage. */
  readonly timings: ReadonlyMap<string, number>;
  /** Tools that each stage gave; files in the case of `emit`. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Builds everything that `generated/` holds. */
export async function buildGenerated(config: Config, host: BuildHost, report: Report = new Report()): Promise<Build> {
  const plugins = await loadPlugins(config, host, report);
  return buildWith(plugins, config, host, report).finally(plugins.close);
}

async function buildWith(plugins: Plugins, config: Config, host: BuildHost, report: Report): Promise<Build> {
  const watch = stopwatch(host);
  const { context, ...made } = await registryOf(config, host, report, watch, { plugins, withHandlers: true });
  const { registry } = made;
  if (!registry || !context) return made;
  const added = (await generateParts(host)).flatMap((one) => one.emitters ?? []);
  const emitters = [...EMITTERS, ...added, ...plugins.emitters];
  const emitted = await watch.stage("emit", () =>
    Promise.all(
      emitters.map(async ({ name, emit }) => ({
        name,
        files: await attempt(name, () => emit(registry, { ...context, emitters })),
      })),
    ),
  );
  const files = collectFiles([...emitted, declaredFiles(plugins.features)], host.version, registry, report);
  watch.counts.set("emit", files.length);
  const diagnostics = report.sorted();
  // The configuration may make errors of warnings.
  if (diagnostics.some((one) => one.severity === "error")) return { ...failedWith(report, watch), drafts: made.drafts };
  return { ...made, files, diagnostics };
}

/** What features of plugins declare, for commands that do not run their code. */
const declaredFiles = (features: Plugins["features"]): Emitted => ({
  name: "features",
  files: features.length === 0 ? [] : [{ path: FEATURES_FILE, text: prettyJson({ features }, 120) }],
});

/** The stages of `nameOps`. */
const NAMING = ["read", "link", "classify", "check"] as const;

/** The ops of a project, with the diagnostics that are about names. */
export interface NamedOps {
  readonly drafts: readonly NamedDefinition[];
  readonly diagnostics: readonly Diagnostic[];
}

/** What `nameOps` reads from outside. */
export type NamingHost = Omit<BuildHost, "countTokens" | "gatewayTools" | "memo" | "templateFault" | "version">;

/**
 * Names the ops of a project as {@link buildGenerated} does. Schemas are not checked, and what calls answer is not read: a tool that the
 * build leaves out for its schema is among them.
 *
 * @example
 * const { drafts } = await nameOps(config, host, new Report());
 * drafts.map(({ name, op }) => [name, op]); // [["get_task", "onto.task.get"]]
 */
export async function nameOps(config: Config, host: NamingHost, report: Report): Promise<NamedOps> {
  const plugins = await loadPlugins(config, host, report);
  const { stage } = stopwatch(host, NAMING);
  const known = { definitions: NO_DEFINITIONS, drafts: NO_NAMED };
  try {
    const sources = addedSources(await generateParts(host), plugins);
    known.definitions = await stage("read", () => readSources(config, { ...host, onlyNames: true }, report, sources));
    const { definitions } = known;
    const settled = withDeclaredPacks(config, definitions);
    judgeDiagnostics(report, config, host.list, known);
    const all = report.failed ? undefined : definitions;
    const inputs = withPinnedValues(definitions, config, report).map(({ result: _, ...one }) => one);
    const linked = await stage("link", () =>
      link(inputs, report).map((one) => ({ ...one, input: normalizeSchema(one.parameters, one.parameters) })),
    );
    const drafts = await stage("classify", () => classifyDefinitions(linked, settled, report));
    known.drafts = drafts;
    await stage("check", () => {
      checkOps(drafts, all, settled, report);
      reportMovedOps(drafts, host.committed?.(), report);
    });
    return { drafts, diagnostics: report.sorted() };
  } finally {
    await plugins.close();
  }
}

const NO_DEFINITIONS: readonly Definition[] = [];
const NO_NAMED: readonly NamedDefinition[] = [];

/** Builds only the registry, for comparisons; no files are emitted. */
export async function buildRegistry(config: Config, host: BuildHost): Promise<Build> {
  const { context: _, ...made } = await registryOf(config, host, new Report(), stopwatch(host));
  return made;
}

/** Builds the registry of given definitions, and their validators by op; no files are emitted. */
export async function buildDefinitions(
  definitions: readonly Definition[],
  config: Config,
  host: BuildHost,
  report: Report,
): Promise<Build & Partial<Pick<EmitContext, "compiled">>> {
  const { context, ...made } = await registryOf(config, host, report, stopwatch(host), { definitions });
  return { ...made, ...(context ? { compiled: context.compiled } : {}) };
}

interface Given {
  readonly plugins?: Plugins;
  /** Used in place of those that the sources give. */
  readonly definitions?: readonly Definition[];
  /** Whether the files that `handlers` name are checked. */
  readonly withHandlers?: true;
}

/** What features do in a build. */
const generateParts = async ({ features = [] }: Pick<BuildHost, "features">): Promise<readonly GeneratePart[]> =>
  (await Promise.all(features.map(({ generate }) => generate?.()))).flatMap((part) => part ?? []);

/** What reads the kinds of sources that features and plugins add. */
const addedSources = (parts: readonly GeneratePart[], plugins: Plugins | undefined): ReadonlyMap<string, Source> =>
  new Map([...parts.flatMap(({ sources = {} }) => Object.entries(sources)), ...(plugins?.sources ?? [])]);

async function registryOf(
  config: Config,
  host: BuildHost,
  report: Report,
  watch: Stopwatch,
  { plugins, definitions: given, withHandlers }: Given = {},
): Promise<Build & { readonly context?: Omit<EmitContext, "emitters"> }> {
  const { stage, timings, counts } = watch;
  const { memo = createMemo(), features = [] } = host;
  const compiler = await stage("load", () => loadCompiler(memo));
  const parts = given ? [] : await generateParts(host);
  const sources = addedSources(parts, plugins);
  const definitions = given ?? (await stage("read", () => readSources(config, host, report, sources)));
  const settled = withDeclaredPacks(config, definitions);
  const known = { definitions, drafts: NO_DRAFTS };
  if (!given) judgeDiagnostics(report, config, host.list, known);
  const all = report.failed ? undefined : definitions;
  const snippets = await readSnippets(host, report, config.run?.languages, features);
  const linked = await stage("link", () => link(withPinnedValues(definitions, config, report), report));
  const normalized = await stage("normalize", () => normalize(linked, compiler, report));
  const drafts = await stage("classify", () => classifyDefinitions(normalized, settled, report));
  known.drafts = drafts;
  const extracted = await stage("extract", () =>
    parts.reduce((ops, part) => part.extracted?.(ops, host, report) ?? ops, extract(drafts, settled, report, features)),
  );
  await stage("check", async () => {
    checkDefinitions(extracted, all, settled, report);
    if (!given) reportMovedOps(extracted, host.committed?.(), report);
    const ops = extracted.length === all?.length ? extracted.map(namedOp) : undefined;
    checkPrompts(host.read, ops, report);
    if (ops && !given) await checkOpsOf(features, ops, settled, report);
    if (withHandlers) await checkHandlers(config, host, ops && extracted, report);
  });
  if (report.failed) return { ...failedWith(report, watch), drafts };
  const { countTokens, gatewayTools } = host;
  const { registry, help } = await stage("freeze", () => freeze(extracted, settled, countTokens));
  if (!given) checkExposure(registry.tools, settled, report);
  if (!given) {
    const places = new Map(extracted.map(({ op, place }) => [op, place]));
    reportRenamedTools(
      registry.tools,
      host.committed?.(),
      settled,
      { features, placeOf: (op) => places.get(op) },
      report,
    );
  }
  const compiled = new Map(extracted.map((one) => [one.op, one.compiled]));
  const http = new Map(extracted.flatMap((one) => (one.http ? [[one.op, one.http] as const] : [])));
  const instructions = packInstructions(host.read);
  const languages = namedLanguages(config.run?.languages ?? [], allLanguages(features));
  const read = { config: settled, languages, help, snippets, instructions, compiled, http };
  const context = { ...read, memo, countTokens, gatewayTools };
  return { registry, help, files: [], drafts, diagnostics: report.sorted(), timings, counts, context };
}

const NO_DRAFTS: readonly OpDraft[] = [];

const failedWith = (report: Report, { timings, counts }: Stopwatch) => ({
  ...{ files: [], diagnostics: report.sorted(), timings, counts },
});
/** Checks that function tools have handlers, and the files that `handlers` name; the parser is loaded only if there is one. */
async function checkHandlers(
  config: Config,
  host: BuildHost,
  ops: readonly Extracted[] | undefined,
  report: Report,
): Promise<void> {
  if (host.needsHandlers) reportUnnamedHandlers(config, host.list, ops, report);
  if (config.sources.every(({ handlers }) => handlers === undefined)) return;
  const { checkHandlerFiles } = await import("./source/handler-files.js");
  checkHandlerFiles(config, { read: host.inspect ?? host.read, list: host.list }, ops, report);
}

const namedOp = ({ op, pack, op_kind: kind, parameter_list }: Extracted): DeclaredOp => ({
  op,
  group: pack,
  kind,
  parameters: parameter_list,
});

/** @throws EmitterError naming the emitter */
async function attempt<T>(emitter: string, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    throw new EmitterError(emitter, cause);
  }
}

interface Stopwatch<StageName extends string = (typeof STAGES)[number]> {
  readonly stage: <T>(name: StageName, run: () => T | Promise<T>) => Promise<T>;
  readonly timings: ReadonlyMap<string, number>;
  readonly counts: Map<string, number>;
}

function stopwatch(host: Pick<BuildHost, "onStage">): Stopwatch;
function stopwatch<Name extends string>(host: Pick<BuildHost, "onStage">, stages: readonly Name[]): Stopwatch<Name>;
function stopwatch(host: Pick<BuildHost, "onStage">, stages: readonly string[] = STAGES): Stopwatch<string> {
  const timings = new Map<string, number>();
  const counts = new Map<string, number>();
  let tools: number | undefined;
  return {
    timings,
    counts,
    stage: async (name, run) => {
      const place = { name, done: stages.indexOf(name), of: stages.length };
      host.onStage?.(tools === undefined ? place : { ...place, tools });
      const start = performance.now();
      const result = await run();
      timings.set(name, performance.now() - start);
      tools = Array.isArray(result) && name !== "emit" ? result.length : tools;
      if (tools !== undefined) counts.set(name, tools);
      return result;
    },
  };
}
