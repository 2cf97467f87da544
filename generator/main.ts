#!/usr/bin/env node
/**
 * The `toolwright` command: what each command of `commands.ts` does with one half or the other.
 *
 * The only module that may import both; each is imported when a command needs it.
 */

import { readFileSync, statSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type Command, CommanderError } from "commander";
import { shippedModules } from "../definitions/packs/_modules.js";
import type { ConnectFlags } from "../runtime/connect.js";
import { HOME, homeFolder } from "../runtime/home.js";
import type {
  ClientFlags,
  ConfigFlags,
  DoorFlags,
  ExecFlags,
  HelpFlags,
  KeysFlags,
  RunFlags,
} from "../runtime/main.js";
import type { SnapshotFlags } from "../runtime/mcp/snapshot-command.js";
import type { Start } from "../runtime/start.js";
import { isUsageError, UsageError } from "../runtime/usage-error.js";
import type { BreakingFlags } from "./breaking/command.js";
import { type Actions, commandLine } from "./commands.js";
import type { Config } from "./config.js";
import type { DocsFlags } from "./docs/command.js";
import type { BuildFlags, Setting } from "./generate.js";
import type { InitFlags } from "./init.js";
import type { LastRun } from "./last-run.js";
import { ownPackage, PACKAGE } from "./own-package.js";
import { err, out, paint, person, progress } from "./terminal.js";

interface CommonFlags {
  readonly root?: string;
  readonly logLevel?: string;
  readonly allowWrite?: boolean;
  readonly state?: string;
  readonly engine?: string;
}

const rootOf = (flags: CommonFlags): string => resolve(flags.root ?? ".");

/** Which build of the generator this is: the version, and where and when this very file was made. */
const ownBuild = (): string =>
  `${ownPackage().version} ${import.meta.url} ${statSync(fileURLToPath(import.meta.url)).mtimeMs}`;

async function settingOf(flags: CommonFlags): Promise<Setting> {
  const root = rootOf(flags);
  const gatewayTools = async () => (await import("../runtime/mcp/tools.js")).GATEWAY_TOOLS;
  const remember = async (run: LastRun): Promise<void> => {
    const { LAST_RUN } = await import("./last-run.js");
    const file = join(await homeFolder(root), LAST_RUN);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${JSON.stringify(run)}\n`);
  };
  const { version, folder } = ownPackage();
  const shipped = (): string => readFileSync(join(folder, "shipped.json"), "utf8");
  const other = { gatewayTools, templateFault, shipped, remember };
  return { root, version, by: ownBuild(), home: HOME, ...other, out, err, paint, progress };
}

const templateFault = async (body: string): Promise<string | undefined> =>
  (await import("../runtime/run/snippet-template.js")).templateFault(body);

/** Reads the configuration for the runtime; its faults are printed and end the command with 2. */
const startOf = async (flags: CommonFlags): Promise<Start> => (await configured(flags)).start;

async function readConfig(root: string) {
  const [{ loadConfig }, { Report }, { openDisk }] = await Promise.all([
    import("./config.js"),
    import("./diagnostic.js"),
    import("./files.js"),
  ]);
  const { read, readDefinition } = openDisk(root);
  const report = new Report();
  const config = loadConfig(readDefinition, report);
  return { config, read, faults: report.sorted(), prompts: read("definitions/prompts.yaml") };
}

async function configured(flags: CommonFlags): Promise<{ readonly start: Start; readonly config: Config }> {
  const root = rootOf(flags);
  const [{ config, read, faults, prompts }, { staleSources }] = await Promise.all([
    readConfig(root),
    import("./last-run.js"),
  ]);
  if (!config) {
    const { printDiagnostics } = await import("./generate.js");
    printDiagnostics(faults, err, paint);
    throw new UsageError(
      `definitions/toolwright.yaml under ${root} cannot be used: do as it says above, or name another folder with --root`,
    );
  }
  const { allowWrite, state, logLevel, engine } = flags;
  const overrides = {
    ...(allowWrite ? { allowWrite } : {}),
    ...(state === undefined ? {} : { state }),
    ...(logLevel ? { logLevel } : {}),
    ...(engine === undefined ? {} : { engine }),
  };
  const stale = (): readonly string[] => staleSources(root, HOME);
  const withConfig = (now: Config): Pick<Start, "config" | "buildExtension" | "faults" | "lock"> => ({
    config: now,
    buildExtension: async (file) => (await import("./extension-tools.js")).buildExtension(file, now),
    faults: async (registry) =>
      (await import("./declared-faults.js")).declaredFaults(registry, now, { read, templateFault }),
    lock: lockOf(now),
  });
  const again = async (): Promise<Start> => {
    const next = await readConfig(root);
    const { shortDiagnostic } = await import("./diagnostic.js");
    if (!next.config) throw new UsageError(next.faults.map(shortDiagnostic).join("\n"));
    return { ...start, ...withConfig(next.config), prompts: next.prompts };
  };
  const given = { root, version: ownPackage().version, overrides, shipped: shippedModules, stale, again };
  const start: Start = { ...given, ...withConfig(config), prompts, out, err, paint };
  return { start, config };
}

/** What the runtime needs to tell what changed on a live server; loaded when something has. */
const lockOf = (config: Config): Start["lock"] => ({
  toolsFromSnapshot: async (name, text) => (await import("./snapshot-tools.js")).toolsFromSnapshot(name, text, config),
  compareTools: async (before, after) => (await import("./breaking/compare.js")).compareTools(before, after),
});

/** Aborted by the first SIGINT or SIGTERM; a second one ends the process at once. */
function interrupted(): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => controller.abort());
  return controller.signal;
}

async function snapshot(flags: CommonFlags & SnapshotFlags, names: readonly string[]): Promise<number> {
  const { start, config } = await configured(flags);
  const [command, { sourceOf }] = await Promise.all([
    import("../runtime/mcp/snapshot-command.js"),
    import("./snapshot-tools.js"),
  ]);
  const given = {
    progress,
    isSource: (name: string) => sourceOf(name, config) !== undefined,
    interactive: process.stdin.isTTY && process.stderr.isTTY,
  };
  return command.snapshot({ ...start, ...given }, names, flags);
}

async function init(flags: CommonFlags & InitFlags): Promise<number> {
  const root = rootOf(flags);
  const [command, { findServers, serversFrom }, { adopt }, { keepSecrets }, { variablesOf }] = await Promise.all([
    import("./init.js"),
    import("../runtime/client-servers.js"),
    import("../runtime/adopt.js"),
    import("../runtime/secrets.js"),
    import("../runtime/start.js"),
  ]);
  const known = variablesOf(root);
  return command.init(
    {
      ...{ root, out, err, paint },
      clients: {
        find: () => findServers(root),
        from: (clientOrFile) => serversFrom(clientOrFile, root),
        adopt: (servers) => adopt(servers, known),
      },
      ...person(),
      prepareHome: () => homeFolder(root),
      keepSecrets: (values) => keepSecrets(root, values),
      snapshot: () => snapshot({ ...flags, next: false }, []),
      generate: async () => (await import("./generate.js")).generate(await settingOf(flags), {}),
    },
    flags,
  );
}

const runtime = () => import("../runtime/main.js");

async function keys(
  command: Parameters<Awaited<ReturnType<typeof runtime>>["keys"]>[1],
  flags: CommonFlags & KeysFlags,
  keyId?: string,
): Promise<number> {
  return (await runtime()).keys(await startOf(flags), command, flags, keyId);
}

/** What each command of `commands.ts` does. */
const ACTIONS: Actions = {
  generate: async (flags: CommonFlags & BuildFlags & { readonly watch?: boolean }) => {
    const setting = await settingOf(flags);
    if (!flags.watch) return (await import("./generate.js")).generate(setting, flags);
    return (await import("./watch.js")).watch(setting, flags, interrupted());
  },
  check: async (flags: CommonFlags & BuildFlags) =>
    (await import("./generate.js")).check(await settingOf(flags), flags),
  explain: async (name: string, flags: CommonFlags & BuildFlags) =>
    (await import("./generate.js")).explainCommand(await settingOf(flags), name, flags),
  breaking: async (flags: CommonFlags & BreakingFlags) => {
    const { start, config } = await configured(flags);
    const [{ breaking }, { openDisk }] = await Promise.all([import("./breaking/command.js"), import("./files.js")]);
    return breaking({ ...start, config, read: openDisk(start.root).read }, flags);
  },
  init,
  snapshot: async (names: readonly string[], flags: CommonFlags & SnapshotFlags) => snapshot(flags, names),
  serve: async (flags: CommonFlags & DoorFlags) => (await runtime()).serve(await startOf(flags), flags),
  client: async (flags: CommonFlags & ClientFlags) => {
    const given = { root: rootOf(flags), version: ownPackage().version, env: process.env };
    return (await runtime()).client({ ...given, project: () => startOf(flags) }, flags);
  },
  help: async (path: string | undefined, flags: CommonFlags & HelpFlags) =>
    (await runtime()).help(await startOf(flags), path ?? "", flags),
  exec: async (op: string, flags: CommonFlags & ExecFlags, command: Command) =>
    (await runtime()).exec(await startOf(flags), op, command.args.slice(1), flags),
  run: async (file: string | undefined, flags: CommonFlags & RunFlags) =>
    (await runtime()).run(await startOf(flags), file, flags),
  connect: async (client: string | undefined, flags: CommonFlags & ConnectFlags) => {
    const { connect } = await import("../runtime/connect.js");
    const launcher = resolve(process.argv[1] ?? "");
    return connect({ root: rootOf(flags), launcher, out, err, paint, ...person() }, client, flags);
  },
  "keys init": (flags: CommonFlags & KeysFlags) => keys("init", flags),
  "keys create": (flags: CommonFlags & KeysFlags) => keys("create", flags),
  "keys revoke": (keyId: string, flags: CommonFlags & KeysFlags) => keys("revoke", flags, keyId),
  "keys rotate": (keyId: string, flags: CommonFlags & KeysFlags) => keys("rotate", flags, keyId),
  "keys list": (flags: CommonFlags & KeysFlags) => keys("list", flags),
  "keys check": (flags: CommonFlags & KeysFlags) => keys("check", flags),
  config: async (flags: CommonFlags & ConfigFlags) => (await runtime()).config(await startOf(flags), flags),
  "docs build": async (flags: CommonFlags & DocsFlags) => {
    const { start, config } = await configured(flags);
    const [{ buildDocs }, { openDisk }] = await Promise.all([import("./docs/command.js"), import("./files.js")]);
    return buildDocs({ ...start, config, read: openDisk(start.root).read, own: ownPackage().folder, progress }, flags);
  },
  doctor: async (flags: CommonFlags & BuildFlags) => (await runtime()).doctor(await startOf(flags), flags),
};

/** Exit code of what ended a command: 0 help and version, 2 a person's fault, 70 ours. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (isUsageError(error) || (error instanceof Error && error.name === "StateError")) {
    err(`${paint("red", "error")} ${error.message}\n`);
    return 2;
  }
  err(
    `${paint("red", "internal error")} ${error instanceof Error ? error.stack : String(error)}\nThis is a fault of toolwright itself. Please report it with the lines above.\n`,
  );
  return 70;
}

// Standard output is for answers, which programs read. Packages that print there, as some do for VERBOSE=1, print beside it.
globalThis.console = new console.Console(process.stderr, process.stderr);

// A reader that has seen enough, such as head, is no fault.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

try {
  await commandLine(PACKAGE, ownPackage().version, ACTIONS).parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}
