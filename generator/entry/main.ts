/**
 * The `toolwright` command: implements each command of `commands.ts` with the generator or the runtime.
 *
 * Imports both halves, as `start.ts` and `index.ts` do; each is imported when a command needs it.
 */

import { existsSync, statSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { explainedByFeatures, featureCommands } from "../../core/commands.js";
import type { CommandContext, Started } from "../../core/feature.js";
import { FEATURES } from "../../features/list.js";
import type { ConnectionsCommand, ConnectionsFlags } from "../../runtime/cli/connections.js";
import type { JobsCommand, JobsFlags } from "../../runtime/cli/jobs.js";
import type {
  ConfigFlags,
  ExecFlags,
  HelpFlags,
  KeysFlags,
  ListFlags,
  RunFlags,
  TransportFlags,
} from "../../runtime/cli/main.js";
import type { RunsCommand, RunsFlags } from "../../runtime/cli/runs.js";
import type { SnapshotFlags } from "../../runtime/cli/snapshot.js";
import { STATE_DIRECTORY, stateDirectory } from "../../runtime/config/state-directory.js";
import { onLine } from "../../runtime/contract/message-text.js";
import { launcherPath } from "../../runtime/contract/own-command.js";
import { RUN_ENGINE_IGNORED } from "../../runtime/contract/settings/runs.js";
import { consoleOnError, err, out, paint, person, progress, say } from "../../runtime/contract/terminal.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import type { Start } from "../../runtime/gateway/open-project.js";
import { endCommand } from "../cli/command-end.js";
import { commandLine, rootFlag } from "../cli/command-line.js";
import { type Actions, COMMANDS } from "../cli/commands.js";
import { endWithoutOutput, exitCodeOf } from "../cli/exit-code.js";
import type { BuildFlags, CommandSetting } from "../cli/generate.js";
import { checkGiven, type GivenFlags, namesTools } from "../cli/given-tools.js";
import type { InitFlags } from "../cli/init/init.js";
import type { LastRun } from "../cli/last-run.js";
import type { NamesFlags } from "../cli/names.js";
import type { AddFlags, ServersSetting } from "../cli/servers.js";
import type { CommandUsage } from "../cli/usage.js";
import type { Diagnostic } from "../core/diagnostic.js";
import {
  buildSetting,
  importsOf,
  loadedFeatures,
  type OpenByRoot,
  ownPackage,
  PACKAGE,
  projectFeatures,
  snapshotStart,
  startProject,
  withGiven,
} from "./start.js";

interface CommonFlags {
  readonly root?: string;
  readonly logLevel?: string;
  readonly allowWrite?: boolean;
  readonly state?: string;
  readonly engine?: string;
}

const rootOf = (flags: CommonFlags): string => resolve(flags.root ?? ".");

/** Identifies this build of the generator: the version, and the path and modification time of this file. */
const ownBuild = (): string =>
  `${ownPackage().version} ${import.meta.url} ${statSync(fileURLToPath(import.meta.url)).mtimeMs}`;

async function settingOf(flags: CommonFlags): Promise<CommandSetting> {
  const root = rootOf(flags);
  const remember = async (run: LastRun): Promise<void> => {
    const { LAST_RUN } = await import("../cli/last-run.js");
    const file = join(await stateDirectory(root), LAST_RUN);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${JSON.stringify(run)}\n`);
  };
  const given = { ...buildSetting(root), by: ownBuild(), home: STATE_DIRECTORY, remember };
  return { ...given, out: say, err, paint, progress };
}

/** Reads the configuration for the runtime; its faults are printed and end the command with 2. */
const startOf = async (flags: CommonFlags): Promise<Start> => (await configured(flags)).start;

function configured(flags: CommonFlags): Promise<Started> {
  const root = rootOf(flags);
  const { allowWrite, state, logLevel, engine } = flags;
  const overrides = { ...(allowWrite && { allowWrite }), ...(state && { state }), ...(logLevel && { logLevel }) };
  if (engine !== undefined) err(`${paint("yellow", "warning")} ${RUN_ENGINE_IGNORED}\n`);
  const refuse = async (faults: readonly Diagnostic[]): Promise<never> => {
    const [only, ...others] = faults;
    if (only?.code === "project-missing" && others.length === 0)
      throw new UsageError([...(await misspeltFlags()), noProject(only)].join("\n"));
    const { printDiagnostics } = await import("../cli/generate.js");
    printDiagnostics(faults, err, paint);
    throw new UsageError(
      `definitions/toolwright.yaml under ${root} cannot be used: do as it says above, or name another folder with --root`,
    );
  };
  return startProject({ root, overrides, launcher: launcherPath(), refuse, out: printer(), err, paint });
}

/** Misspelt flags of a command that takes unknown ones as arguments of an op or a server. */
async function misspeltFlags(): Promise<readonly string[]> {
  const [name = "", ...words] = process.argv.slice(2);
  const { loose, flags = [] }: Partial<CommandUsage> = Object.hasOwn(COMMANDS, name)
    ? COMMANDS[name as keyof typeof COMMANDS]
    : {};
  if (!loose) return [];
  const { nearFlag } = await import("../../runtime/cli/near-flag.js");
  const known = ["--root", "--log-level", ...flags.flatMap(({ long }) => long ?? [])];
  const end = words.indexOf("--");
  return words.slice(0, end < 0 ? undefined : end).flatMap((word) => {
    const near = nearFlag(word, known);
    return near === undefined
      ? []
      : [`${onLine(word.split("=")[0] ?? "")} is no flag of ${name}: did you mean ${near}?`];
  });
}

/** Whether the command of this process takes tools without a project. */
const takesTools = (): boolean =>
  Object.entries<CommandUsage>(COMMANDS).some(
    ([name, { flags = [] }]) => name === process.argv[2] && flags.some(({ long }) => long === "--tools"),
  );

/** Says that there is no project, and what to do instead. */
const noProject = ({ message, fix }: Diagnostic): string =>
  `${message}; ${fix}${takesTools() ? "; or name tools without one with --stdio, --url, --openapi or --tools" : ""}`;

/** Commands whose output is results of calls, or is read by programs. */
const RESULTS: ReadonlySet<string> = new Set("call client config exec features help list run serve".split(" "));
const printer = (): typeof out => (RESULTS.has(process.argv[2] ?? "") ? out : say);

/** Aborted by the first SIGINT or SIGTERM; a second one ends the process at once. */
function interrupted(): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => controller.abort());
  return controller.signal;
}

async function snapshot(
  flags: CommonFlags & SnapshotFlags,
  names: readonly string[],
  print: (text: string) => void = say,
): Promise<number> {
  const [command, start] = await Promise.all([
    import("../../runtime/cli/snapshot.js"),
    configured(flags).then(snapshotStart),
  ]);
  return command.snapshot({ ...start, out: print }, names, flags);
}

/** What `init`, `add` and `remove` take from the runtime. */
async function serversSetting(
  root: string,
  { json }: { readonly json?: boolean },
  secrets?: Started["config"]["secrets"],
) {
  const { clients, keepSecrets } = await importsOf(root, secrets);
  const keep = (values: ReadonlyMap<string, string>) => keepSecrets(root, values);
  const report = (value: object): void => out(`${JSON.stringify(value)}\n`);
  return {
    root,
    features: await projectFeatures(root),
    out: json ? err : say,
    err,
    paint,
    clients,
    ...person(),
    keepSecrets: keep,
    report,
  };
}

const generateNow = async (flags: CommonFlags, print: (text: string) => void): Promise<number> =>
  (await import("../cli/generate.js")).writeGenerated({ ...(await settingOf(flags)), out: print }, { onlyNew: true });

async function init(flags: CommonFlags & InitFlags): Promise<number> {
  const root = rootOf(flags);
  const [command, setting] = await Promise.all([import("../cli/init/init.js"), serversSetting(root, flags)]);
  const { json: _, ...others } = flags;
  return command.init(
    {
      ...setting,
      prepareHome: () => stateDirectory(root),
      snapshot: () => snapshot({ ...others, next: false }, [], setting.out),
      generate: () => generateNow(flags, setting.out),
    },
    flags,
  );
}

/** Dependencies of `add` and `remove`. */
async function projectServers(flags: CommonFlags & Pick<AddFlags, "json">): Promise<ServersSetting> {
  const root = rootOf(flags);
  const { config } = await configured(flags);
  const [setting, { shownDiff }] = await Promise.all([
    serversSetting(root, flags, config.secrets),
    import("../../runtime/cli/diff.js"),
  ]);
  const { json: _, ...others } = flags;
  return {
    ...setting,
    config,
    diff: (file, before, after) => shownDiff({ file, before, after, hidden: [] }, paint),
    snapshot: (names) => snapshot({ ...others, next: false }, names, setting.out),
    generate: () => generateNow(flags, setting.out),
  };
}

/**
 * Does work with the project at --root, or with the one that stands for what the flags name.
 *
 * @param isLocked whether that one stays as it was first read
 */
async function withTools(
  flags: CommonFlags & GivenFlags,
  work: (start: Start, words: readonly string[]) => Promise<number>,
  isLocked = false,
): Promise<number> {
  checkGiven(flags);
  if (!namesTools(flags)) return work(await startOf(flags), []);
  const at = (root: string): CommonFlags => ({ ...flags, root });
  const open: OpenByRoot = { settingOf: (root) => settingOf(at(root)), configured: (root) => configured(at(root)) };
  return withGiven(flags, open, isLocked, work);
}

type ServeFlags = CommonFlags & GivenFlags & Omit<TransportFlags, "stdio"> & { readonly watch?: boolean };
/** Serves a project, or what flags and files name; with `--watch`, a project is generated first and after each change. */
async function serve(files: readonly string[], given: ServeFlags): Promise<number> {
  const [commands = [], tools = []] = [given.stdio, given.tools];
  const flags = {
    ...given,
    stdio: commands.filter((one) => one !== "-"),
    tools: [...files, ...tools],
    operands: files.length,
  };
  const transport = { ...flags, stdio: commands.includes("-") };
  if (!flags.watch)
    return withTools(
      flags,
      async (start) => (await runtime()).serveRegistry(start, transport),
      flags.save === undefined,
    );
  if (namesTools(flags)) throw new UsageError("--watch follows the definitions of a project: make one with --save");
  const { generateApart, watchServed } = await import("../cli/watch-served.js");
  const root = rootOf(flags);
  const generate = () => generateApart(launcherPath(), root);
  const first = await generate();
  if (!first.ok) err(`${first.faults.join("\n")}\n`);
  const start = await startOf(flags);
  const features = () => loadedFeatures(start);
  return (await runtime()).serveRegistry(start, transport, (server, signal) =>
    watchServed({ root, home: STATE_DIRECTORY, generate, features }, server, signal),
  );
}

/** `call` and `exec`, which differ in the flags that they take. */
const call = (op: string, flags: CommonFlags & ExecFlags & GivenFlags, command: Command): Promise<number> =>
  withTools(flags, async (start, words) => {
    const own = [...(flags.allowWrite ? ["--allow-write"] : []), ...(flags.state ? ["--state", flags.state] : [])];
    const known = command.options.map(({ long, required, optional }) => ({
      name: long ?? "",
      takesValue: required || optional,
    }));
    const given = { tail: [...words, ...own, ...rootWords(flags)], flags: known };
    return (await runtime()).exec(start, op, command.args.slice(1), flags, given);
  });

const rootWords = ({ root }: CommonFlags): readonly string[] => (root === undefined ? [] : ["--root", root]);

/** The command that words name, as in `keys create`. */
const commandNamed = (program: Command | null, words: readonly string[]): Command | undefined =>
  words.reduce<Command | undefined>(
    (command, word) => command?.commands.find((one) => one.name() === word),
    program ?? undefined,
  );

/** Explains a command, or what has this path in the registry, or both. */
async function help(
  words: readonly string[],
  flags: CommonFlags & HelpFlags & GivenFlags,
  { parent }: Command,
): Promise<number> {
  const path = words.join(" ");
  const found = words.length === 0 || namesTools(flags) ? undefined : commandNamed(parent, words);
  if (!found) return withTools(flags, async (start) => (await runtime()).printHelp(start, path, flags));
  const about = { type: "command", path, help: found.helpInformation() };
  const asJson = (): void => (flags.json ? out(`${JSON.stringify(about)}\n`) : undefined);
  if (!flags.json) found.outputHelp();
  if (existsSync(join(rootOf(flags), "generated", "registry.json")))
    return (await runtime()).printHelp(await startOf(flags), path, flags, asJson);
  asJson();
  return 0;
}

const runtime = () => import("../../runtime/cli/main.js");

async function keys(
  command: Parameters<Awaited<ReturnType<typeof runtime>>["keys"]>[1],
  flags: CommonFlags & KeysFlags,
  keyId?: string,
): Promise<number> {
  return (await runtime()).keys(await startOf(flags), command, flags, keyId);
}

const jobs = async (command: JobsCommand, flags: CommonFlags & JobsFlags, id?: string): Promise<number> =>
  (await import("../../runtime/cli/jobs.js")).jobsCommand(await startOf(flags), command, flags, id);

const connections = async (command: ConnectionsCommand, flags: CommonFlags & ConnectionsFlags, name?: string) =>
  (await import("../../runtime/cli/connections.js")).connectionsCommand(await startOf(flags), command, flags, name);
const runs = async (
  command: RunsCommand,
  flags: CommonFlags & RunsFlags,
  id?: string,
  places?: readonly string[],
): Promise<number> =>
  (await import("../../runtime/cli/runs.js")).runsCommand(await startOf(flags), command, flags, id, places);

const commandContext = async (flags: CommonFlags): Promise<CommandContext> => ({
  setting: await settingOf(flags),
  start: () => startOf(flags),
  configured: () => configured(flags),
  features: FEATURES,
  packageFolder: ownPackage().folder,
});

/** Implementation of each command of `commands.ts`. */
const ACTIONS: Actions = {
  generate: async (flags: CommonFlags & BuildFlags & { readonly watch?: boolean }) => {
    const setting = await settingOf(flags);
    if (!flags.watch) return (await import("../cli/generate.js")).writeGenerated(setting, flags);
    return (await import("../cli/watch.js")).watch(setting, flags, interrupted());
  },
  check: async (flags: CommonFlags & BuildFlags) =>
    (await import("../cli/generate.js")).checkGenerated(await settingOf(flags), flags),
  explain: async (name: string, flags: CommonFlags & BuildFlags) =>
    (await import("../cli/generate.js")).explainCommand(await settingOf(flags), name, flags, async () =>
      explainedByFeatures(FEATURES, await commandContext(flags)),
    ),
  names: async (flags: CommonFlags & NamesFlags) =>
    (await import("../cli/names.js")).names(await settingOf(flags), flags),
  enums: async (tools: readonly string[], flags: CommonFlags & NamesFlags) =>
    (await import("../cli/enums.js")).enums(await settingOf(flags), tools, flags),
  init,
  add: async (name: string | undefined, words: readonly string[], flags: CommonFlags & AddFlags) =>
    (await import("../cli/servers.js")).add(await projectServers(flags), name, words, flags),
  remove: async (name: string, flags: CommonFlags) =>
    (await import("../cli/servers.js")).remove(await projectServers(flags), name),
  snapshot: async (names: readonly string[], flags: CommonFlags & SnapshotFlags) => snapshot(flags, names),
  serve,
  help,
  list: (path: string | undefined, flags: CommonFlags & ListFlags & GivenFlags) =>
    withTools(flags, async (start) => (await runtime()).printList(start, path ?? "", flags)),
  call,
  exec: call,
  run: (file: string | undefined, flags: CommonFlags & RunFlags & GivenFlags) =>
    withTools(flags, async (start) => (await runtime()).run(start, file, flags)),
  "keys init": (flags: CommonFlags & KeysFlags) => keys("init", flags),
  "keys create": (flags: CommonFlags & KeysFlags) => keys("create", flags),
  "keys revoke": (keyId: string, flags: CommonFlags & KeysFlags) => keys("revoke", flags, keyId),
  "keys rotate": (keyId: string, flags: CommonFlags & KeysFlags) => keys("rotate", flags, keyId),
  "keys list": (flags: CommonFlags & KeysFlags) => keys("list", flags),
  "keys check": (flags: CommonFlags & KeysFlags) => keys("check", flags),
  "connections list": (flags: CommonFlags & ConnectionsFlags) => connections("list", flags),
  "connections revoke": (name: string, flags: CommonFlags & ConnectionsFlags) => connections("revoke", flags, name),
  "connections login": (name: string, flags: CommonFlags) => connections("login", flags, name),
  "connections renew": (name: string, flags: CommonFlags & ConnectionsFlags) => connections("renew", flags, name),
  "jobs list": (flags: CommonFlags & JobsFlags) => jobs("list", flags),
  "jobs retry": (id: string, flags: CommonFlags & JobsFlags) => jobs("retry", flags, id),
  "jobs drop": (id: string, flags: CommonFlags & JobsFlags) => jobs("drop", flags, id),
  "runs list": (flags: CommonFlags & RunsFlags) => runs("list", flags),
  "runs show": (id: string, flags: CommonFlags & RunsFlags) => runs("show", flags, id),
  "runs approve": (id: string, calls: readonly string[], flags: CommonFlags & RunsFlags) =>
    runs("approve", flags, id, calls),
  "runs reject": (id: string, calls: readonly string[], flags: CommonFlags & RunsFlags) =>
    runs("reject", flags, id, calls),
  "runs resolve": (id: string, call: string, outcome: string, flags: CommonFlags & RunsFlags) =>
    runs("resolve", flags, id, [call, outcome]),
  "runs stop": (id: string, flags: CommonFlags & RunsFlags) => runs("stop", flags, id),
  "runs drop": (id: string, flags: CommonFlags & RunsFlags) => runs("drop", flags, id),
  "runs resume": async (id: string, flags: CommonFlags & RunsFlags) =>
    (await runtime()).resume(await startOf(flags), id, flags),
  config: async (flags: CommonFlags & ConfigFlags) => (await runtime()).config(await startOf(flags), flags),
  "secrets check": async (flags: CommonFlags & { readonly json?: boolean }) => {
    const { checkSecrets } = await import("../../runtime/cli/config.js");
    return checkSecrets(await startOf(flags), flags);
  },
  completion: async (shell: string, words: readonly string[], _: CommonFlags, { parent }: Command) => {
    const [{ completion }, { CLIENTS }] = await Promise.all([
      import("../cli/completion.js"),
      import("../../runtime/cli/clients.js"),
    ]);
    const clients = CLIENTS.map(({ id }) => id);
    return completion({ program: parent as Command, launcher: launcherPath(), clients, out }, shell, words);
  },
  features: async (flags: CommonFlags & { readonly json?: boolean }) => {
    const start = await startOf(flags);
    const [{ listFeatures }, features] = await Promise.all([
      import("../../core/listed-features.js"),
      projectFeatures(start.root),
    ]);
    return listFeatures(features, start, flags);
  },
  doctor: async (flags: CommonFlags & BuildFlags) => (await runtime()).doctor(await startOf(flags), flags),
};

/** Whether a word may be a command of a plugin, or lists all commands. */
const isOfProject = (first = "--help"): boolean =>
  ["--help", "-h", "completion", "help"].includes(first) ||
  !Object.keys(COMMANDS).some((name) => name.split(" ")[0] === first);

/** Runs the command that the arguments of the process name, sets its exit code, and ends the process once its output is written. */
export async function runCommand(): Promise<void> {
  // Packages that print to standard output, as some do for VERBOSE=1, print to standard error.
  consoleOnError();
  process.stdout.on("error", endWithoutOutput);
  // There is nowhere left to say it.
  process.stderr.on("error", () => undefined);
  try {
    const [, , first] = process.argv;
    const features = isOfProject(first) ? await projectFeatures(rootOf(rootFlag(process.argv.slice(2)))) : FEATURES;
    const added = first === "serve" ? [] : await featureCommands(features, commandContext);
    await commandLine(PACKAGE, ownPackage().version, ACTIONS, added, first).parseAsync();
  } catch (error) {
    process.exitCode = exitCodeOf(error);
  }
  await endCommand();
}
