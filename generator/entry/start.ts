/**
 * Joins the halves for the command line and the programmatic API: what a build takes from the runtime, and what the
 * runtime takes from the generator. Each part is imported when it is needed.
 */

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { toolComparison } from "../../core/changes.js";
import type { Feature, Started } from "../../core/feature.js";
import { shippedModules } from "../../definitions/packs/_modules.js";
import { FEATURES } from "../../features/list.js";
import type { LiveServers } from "../../runtime/cli/live-servers.js";
import type { SnapshotStart } from "../../runtime/cli/snapshot.js";
import type { Overrides } from "../../runtime/config/settings.js";
import { STATE_DIRECTORY } from "../../runtime/config/state-directory.js";
import { GATEWAY_TOOLS, inLanguages, listedTool } from "../../runtime/contract/gateway-tools.js";
import { listOrEmpty } from "../../runtime/contract/json.js";
import { memoizeAsync } from "../../runtime/contract/memoize-async.js";
import { hintAtFlags } from "../../runtime/contract/own-command.js";
import { type DeclaredFeature, FEATURES_FILE } from "../../runtime/contract/plugin-feature.js";
import { namedLanguages } from "../../runtime/contract/program-language.js";
import { allLanguages } from "../../runtime/contract/python-language.js";
import { scrub } from "../../runtime/contract/scrub.js";
import { featureLabel } from "../../runtime/contract/settings/feature-settings.js";
import { err, paint, progress } from "../../runtime/contract/terminal.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import type { Start } from "../../runtime/gateway/open-project.js";
import type { BuildSetting } from "../cli/attempt.js";
import type { GivenSetting } from "../cli/given-project.js";
import type { GivenFlags } from "../cli/given-tools.js";
import type { Clients } from "../cli/init/answers.js";
import type { WatchedFeature } from "../cli/watch-served.js";
import type { Config } from "../config/config.js";
import type { Diagnostic } from "../core/diagnostic.js";
import type { DiagnosticCode } from "../core/rules.js";

/** What is known of a project before its configuration is read. */
export interface StartOptions extends Pick<Start, "out" | "err" | "paint"> {
  readonly root: string;
  readonly overrides: Overrides;
  /** The command line itself, which clients can start; absent in a program. */
  readonly launcher?: string;
  /** Reports the faults of a configuration that cannot be used. @throws UsageError */
  readonly refuse: (faults: readonly Diagnostic[]) => Promise<never>;
}

/** The fault in the template of a snippet; undefined if it has none. */
const templateFault = async (body: string): Promise<string | undefined> =>
  (await import("../../runtime/run/snippet-template.js")).templateFault(body);

/** Dependencies of a build of the project at this root. */
export function buildSetting(root: string): Omit<BuildSetting, "progress"> {
  const { version, folder } = ownPackage();
  return {
    root,
    version,
    gatewayTools: async (names) => {
      const languages = namedLanguages(names, allLanguages(FEATURES));
      return GATEWAY_TOOLS.map((one) => listedTool(inLanguages(one, languages)));
    },
    templateFault,
    features: FEATURES,
    shipped: () => readFileSync(join(folder, "shipped.json"), "utf8"),
    bundle: async (specifier, from) =>
      (await import("../../runtime/call/handlers.js")).bundleDefault(specifier, from, root),
    bundleModule: async (path) => (await import("../../runtime/call/handlers.js")).bundleModule(path, root),
    moduleProgram: async () =>
      (await import("../../runtime/run/engine/program.js")).programPath("module-child", "../../../generator/module"),
  };
}

/**
 * Reads the configuration of a project.
 *
 * @throws UsageError that `refuse` throws
 */
export async function startProject(options: StartOptions): Promise<Started> {
  const { root, overrides, launcher, refuse, out, err, paint } = options;
  const [first, { sourcesBehind }, features] = await Promise.all([
    readConfig(root),
    import("../cli/sources-behind.js"),
    projectFeatures(root),
  ]);
  const { config } = first;
  if (!config) return refuse(first.faults);
  const stale = (): readonly string[] => sourcesBehind(root, STATE_DIRECTORY, features);
  const withConfig = (now: Config, { read, yaml, prompts, promptValues }: ReadConfig): FromConfig => ({
    config: now,
    prompts,
    promptValues,
    faults: async (registry) => {
      const { declaredFaults } = await import("../cli/declared-faults.js");
      const found = await declaredFaults(registry, now, { read, templateFault, readYaml: yaml.read }, features);
      void yaml.keep();
      return found;
    },
    lock: lockOf(now),
  });
  const again = async (): Promise<Start> => {
    const next = await readConfig(root);
    const { shortDiagnostic } = await import("../core/diagnostic.js");
    if (!next.config) throw new UsageError(next.faults.map(shortDiagnostic).join("\n"));
    return { ...start, ...withConfig(next.config, next) };
  };
  const console = launcher === undefined ? {} : { console: consoleParts(root, launcher) };
  const given = {
    root,
    version: ownPackage().version,
    overrides,
    shipped: shippedModules,
    features,
    ...console,
    stale,
    again,
  };
  const start: Start = { ...given, ...withConfig(config, first), out, err, paint };
  return { start, config };
}

/** What the console takes from the command line. */
function consoleParts(root: string, launcher: string): NonNullable<Start["console"]> {
  const editor = memoizeAsync(() => editorOf(root, launcher));
  return { launcher, editor: () => editor("") };
}

/** The editor of the console; snapshots and `generated/` are made by processes of the command line. */
async function editorOf(root: string, launcher: string) {
  const [
    { createConfigEditor },
    { generateApart, snapshotApart },
    { importServer },
    { shownAddress },
    { variablesOf },
    { checkHost },
  ] = await Promise.all([
    import("../cli/config-editor.js"),
    import("../cli/watch-served.js"),
    import("../../runtime/cli/import-server.js"),
    import("../../runtime/upstream/servers.js"),
    import("../../runtime/gateway/open-project.js"),
    import("../../runtime/http-client/guard.js"),
  ]);
  const { shownDiff } = await import("../../runtime/cli/diff.js");
  return createConfigEditor({
    root,
    features: await projectFeatures(root),
    importServer: (servers, { secrets }) => importServer(servers, variablesOf(root, secrets)),
    checkAddress: (url, config) =>
      checkHost(url, { allowPrivate: (config as Start["config"]).web?.allow_private ?? [] }),
    addressOf: shownAddress,
    diff: (file, before, after) => shownDiff({ file, before, after, hidden: [] }, (_, text) => text),
    snapshot: (name) => snapshotApart(launcher, root, name),
    generate: () => generateApart(launcher, root),
  });
}

/**
 * What `init`, `add` and the flags that name servers take from the runtime.
 *
 * @param root of the project whose variables count beside those of the environment
 */
export async function importsOf(root: string, secrets?: Config["secrets"]) {
  const [{ findServers, serversFrom }, { isToolwright }, { importServer }, { keepSecrets }, { variablesOf }] =
    await Promise.all([
      import("../../runtime/cli/client-servers.js"),
      import("../../runtime/cli/clients.js"),
      import("../../runtime/cli/import-server.js"),
      import("../../runtime/config/secrets.js"),
      import("../../runtime/gateway/open-project.js"),
    ]);
  const known = variablesOf(root, secrets);
  const report = (fault: string): void => err(`${paint("yellow", "passed over")} ${fault}\n`);
  const clients: Clients = {
    find: async () =>
      (await findServers(root, undefined, report)).map((one) => ({ ...one, isOwn: isToolwright(one.value, one.name) })),
    from: (clientOrFile) => serversFrom(clientOrFile, root, undefined, report),
    importServer: (servers, accepted) => importServer(servers, known, accepted),
  };
  return { clients, keepSecrets };
}

/** Dependencies of {@link SnapshotStart} that are those of the process. */
export const snapshotStart = async ({ start, config }: Started): Promise<SnapshotStart> => {
  const { snapshotSource } = await import("../cli/snapshot-tools.js");
  return {
    ...{ ...start, progress },
    isSource: (name) => snapshotSource(name, config) !== undefined,
    interactive: process.stdin.isTTY && process.stderr.isTTY,
  };
};

/** How the command line opens a project, by its root. */
export interface OpenByRoot extends Pick<GivenSetting, "settingOf"> {
  readonly configured: (root: string) => Promise<Started>;
}

/** What the project of what flags name takes from the process and the runtime; `readServers` is the caller's. */
async function givenParts(settingOf: GivenSetting["settingOf"]): Promise<Omit<GivenSetting, "readServers">> {
  const folder = process.cwd();
  const [{ toolCache }, { clients, keepSecrets }] = await Promise.all([
    import("../cli/tool-cache.js"),
    importsOf(folder),
  ]);
  return {
    ...{
      folder,
      cache: toolCache(process.env),
      importServer: clients.importServer,
      keepSecrets,
      settingOf,
      features: FEATURES,
      compareTools: toolComparison(FEATURES),
      err,
    },
    setVariable: (name, value) => {
      process.env[name] = value;
    },
    download: async (address) => (await import("../../runtime/cli/download.js")).downloadText(address),
  };
}

/**
 * Does work with the project that stands for the servers, APIs and files that flags name, and with their open connections.
 *
 * @param isLocked whether the project stays as it was first read, and connections are opened anew
 * @param work takes the project, and the flags as words of a command line, without secrets
 */
export async function withGiven(
  flags: GivenFlags,
  { settingOf, configured }: OpenByRoot,
  isLocked: boolean,
  work: (start: Start, words: readonly string[]) => Promise<number>,
): Promise<number> {
  const [{ openGiven }, { givenTools, givenWords }, parts] = await Promise.all([
    import("../cli/given-project.js"),
    import("../cli/given-tools.js"),
    givenParts(settingOf),
  ]);
  let live: LiveServers | undefined;
  const kindOf = (server: string) => givenTools(flags).find(({ name }) => name === server)?.kind;
  // A project that is kept is corrected as any other.
  if (flags.save === undefined) hintAtFlags((server) => `--${kindOf(server)}`);
  const readServers: GivenSetting["readServers"] = async (root, names) => {
    const { readLiveServers } = await import("../../runtime/cli/live-servers.js");
    live = await readLiveServers(await snapshotStart(await configured(root)), names);
    return live.ok;
  };
  try {
    const opened = await openGiven(flags, { ...parts, readServers }, isLocked);
    if ("code" in opened) return opened.code;
    const { start } = await configured(opened.root);
    if (flags.save !== undefined) {
      const { refusedApis } = await import("../../runtime/cli/doctor.js");
      for (const { found, remedy } of await refusedApis(start))
        start.err(`${start.paint("yellow", "warning")} ${found}; ${remedy}\n`);
    }
    const words = givenWords(flags).map((word) => scrub(word, opened.secrets));
    if (!isLocked) return await work({ ...start, pool: live?.pool }, words);
    await live?.close();
    (await import("../cli/tool-cache.js")).noteUseDaily(opened.root);
    return await work(start, words);
  } finally {
    hintAtFlags(undefined);
    await live?.close();
  }
}

/** What is made from a configuration, once more for each reload. */
type FromConfig = Pick<Start, "config" | "prompts" | "promptValues" | "faults" | "lock">;
type ReadConfig = Awaited<ReturnType<typeof readConfig>>;

/**
 * The features of a project: those of the package, and those of its plugins as the last `generate` found them. No code of a plugin runs.
 *
 * @throws UsageError if what `generate` wrote cannot be read
 */
export async function projectFeatures(root: string): Promise<readonly Feature[]> {
  const declared = declaredFeatures(root);
  if (declared.length === 0) return FEATURES;
  const { pluginFeature } = await import("../../runtime/gateway/plugin-features.js");
  const load = async (plugin: string): Promise<unknown> =>
    (await import("../../runtime/call/handlers.js")).importDefault(plugin, join(root, "definitions"), root);
  const commandsOf = (one: DeclaredFeature) => ({
    commands: async () => (await import("../../core/plugin-commands.js")).pluginCommands(one, load),
  });
  return [
    ...FEATURES,
    ...declared.map((one) => ({ ...pluginFeature(one, load), ...(one.commands ? commandsOf(one) : {}) })),
  ];
}

/** The features of plugins that a server of the project loads, but for those whose code cannot be bundled. */
export async function loadedFeatures({ root, features = [], config }: Start): Promise<readonly WatchedFeature[]> {
  const [{ isServed }, { bundleDefault }] = await Promise.all([
    import("../../runtime/gateway/features.js"),
    import("../../runtime/call/handlers.js"),
  ]);
  const read = async ({ name, origin = "" }: Feature): Promise<WatchedFeature> => {
    const { inputs } = await bundleDefault(origin, join(root, "definitions"), root);
    return { label: featureLabel({ name, origin }), files: inputs };
  };
  const loaded = features.filter((one) => one.origin !== undefined && isServed(one, config));
  const found = await Promise.allSettled(loaded.map(read));
  return found.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
}

function declaredFeatures(root: string): readonly DeclaredFeature[] {
  const file = join(root, "generated", FEATURES_FILE);
  if (!existsSync(file)) return [];
  try {
    return listOrEmpty(JSON.parse(readFileSync(file, "utf8")).features) as readonly DeclaredFeature[];
  } catch {
    throw new UsageError(`generated/${FEATURES_FILE} is no JSON: run "toolwright generate"`);
  }
}

async function readConfig(root: string) {
  const [{ checkConfig, readConfigFiles }, { Report }, { openDisk }, { openKeptYaml }] = await Promise.all([
    import("../config/config.js"),
    import("../core/diagnostic.js"),
    import("../cli/files.js"),
    import("../cli/kept-yaml.js"),
  ]);
  const { read, readDefinition } = openDisk(root);
  const yaml = openKeptYaml(join(root, STATE_DIRECTORY), `${ownPackage().version} ${import.meta.url}`);
  const report = new Report();
  const files = readConfigFiles(readDefinition, report, yaml.read);
  const config = checkConfig(files, report, await projectFeatures(root));
  const prompts = read(PROMPTS_FILE);
  // Its faults are reported when names of ops are checked.
  const promptValues = prompts === undefined ? undefined : yaml.read(PROMPTS_FILE, prompts, new Report())?.values;
  const isDeclared = listOrEmpty(files.values["plugins"]).length > 0;
  const faults = report.sorted().map((one) => (isDeclared && one.code === UNKNOWN_KEY ? perhapsOfPlugin(one) : one));
  return { config, read, yaml, faults, prompts, promptValues };
}

const UNKNOWN_KEY: DiagnosticCode = "config-unknown-key";
const perhapsOfPlugin = (one: Diagnostic): Diagnostic => ({
  ...one,
  fix: `${one.fix}; if a plugin declares it, run "toolwright generate"`,
});

const PROMPTS_FILE = "definitions/prompts.yaml";

/** What the runtime needs to report changes on a live server; loaded after a change. */
const lockOf = (config: Config): Start["lock"] => ({
  toolsFromSnapshot: async (name, text) =>
    (await import("../cli/snapshot-tools.js")).toolsFromSnapshot(name, text, config),
  compareTools: toolComparison(FEATURES),
});

/** Name of the package and of its command. */
export const PACKAGE = "toolwright";

interface Package {
  readonly folder: string;
  readonly version: string;
}

/** The package of this file, which may be a source, a bundle or a built module. */
export function ownPackage(): Package {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    try {
      const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      if (name === PACKAGE) return { folder, version };
    } catch {
      if (folder === dirname(folder)) throw new Error("the package's own package.json is missing");
    }
  }
}
