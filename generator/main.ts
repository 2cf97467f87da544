#!/usr/bin/env node
/**
 * The `toolwright` command: parses the command line and starts one half or the other.
 *
 * The only module that may import both; each is imported when a command needs it.
 */

import { readFileSync, statSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Command, CommanderError, Option } from "commander";
import { shippedModules } from "../definitions/packs/_modules.js";
import { HOME, homeFolder } from "../runtime/home.js";
import type { ExecFlags, HelpFlags, RunFlags } from "../runtime/main.js";
import type { SnapshotFlags } from "../runtime/mcp/snapshot-command.js";
import type { Start } from "../runtime/start.js";
import { isUsageError, UsageError } from "../runtime/usage-error.js";
import type { BreakingFlags } from "./breaking/command.js";
import type { Config } from "./config.js";
import type { BuildFlags, Setting } from "./generate.js";
import type { InitFlags } from "./init.js";
import type { LastRun } from "./last-run.js";
import { err, out, paint, progress } from "./terminal.js";

const PACKAGE = "toolwright";
const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "silent"];

interface CommonFlags {
  readonly root?: string;
  readonly logLevel?: string;
  readonly allowWrite?: boolean;
  readonly state?: string;
  readonly engine?: string;
}

interface Package {
  readonly folder: string;
  readonly version: string;
}

/** The package that this file is part of, as source, as bundle or as built. */
function ownPackage(): Package {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    try {
      const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      if (name === PACKAGE) return { folder, version };
    } catch {
      if (folder === dirname(folder)) throw new Error("the package's own package.json is missing");
    }
  }
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
  return { root, version, by: ownBuild(), home: HOME, gatewayTools, shipped, out, err, paint, progress, remember };
}

/** Reads the configuration for the runtime; its faults are printed and end the command with 2. */
const startOf = async (flags: CommonFlags): Promise<Start> => (await configured(flags)).start;

async function configured(flags: CommonFlags): Promise<{ readonly start: Start; readonly config: Config }> {
  const root = rootOf(flags);
  const [{ loadConfig }, { Report }, { openDisk }, { staleSources }] = await Promise.all([
    import("./config.js"),
    import("./diagnostic.js"),
    import("./files.js"),
    import("./last-run.js"),
  ]);
  const { read } = openDisk(root);
  const report = new Report();
  const config = loadConfig((file) => read(`definitions/${file}`), report);
  if (!config) {
    const { printDiagnostics } = await import("./generate.js");
    printDiagnostics(report.sorted(), err, paint);
    throw new UsageError(
      `definitions/toolwright.yaml under ${root} cannot be used: correct it, or name another folder with --root`,
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
  const prompts = read("definitions/prompts.yaml");
  const buildExtension: Start["buildExtension"] = async (file) =>
    (await import("./extension-tools.js")).buildExtension(file, config);
  const { version } = ownPackage();
  const lock = lockOf(config);
  const handed = { buildExtension, lock, shipped: shippedModules, stale, out, err, paint };
  const start = { root, version, config, overrides, prompts, ...handed };
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

type Action = (...given: never[]) => Promise<number>;

/** A subcommand with the flags that every one has, and examples under its help. */
function add(program: Command, usage: string, about: string, examples: readonly string[]): Command {
  return program
    .command(usage)
    .description(about)
    .option("--root <DIR>", "folder with definitions/ (default: working directory)")
    .addOption(new Option("--log-level <LEVEL>", "how much to log").choices(LOG_LEVELS))
    .addHelpText("after", `\nExamples:\n${examples.map((one) => `  $ toolwright ${one}`).join("\n")}\n`);
}

const ending =
  (action: Action) =>
  async (...given: unknown[]): Promise<void> => {
    process.exitCode = await action(...(given as never[]));
  };

function addGenerator(program: Command): void {
  add(program, "generate", "write generated/ from definitions/", [
    "generate",
    "generate --json",
    "generate --root ../shop --stats",
    "generate --watch",
  ])
    .option("--strict", "treat warnings as errors")
    .option("--stats", "show the time of each stage")
    .option("--watch", "generate again whenever a definition changes, until interrupted")
    .option("--json", "one JSON document, with --watch one a line")
    .action(
      ending(async (flags: CommonFlags & BuildFlags & { readonly watch?: boolean }) => {
        const setting = await settingOf(flags);
        if (!flags.watch) return (await import("./generate.js")).generate(setting, flags);
        return (await import("./watch.js")).watch(setting, flags, interrupted());
      }),
    );
  add(program, "check", "build in memory and compare with generated/; exit 1 on drift or over budget", [
    "check",
    "check --strict --json",
  ])
    .option("--strict", "treat warnings as errors")
    .option("--json", "one JSON document")
    .action(
      ending(async (flags: CommonFlags & BuildFlags) =>
        (await import("./generate.js")).check(await settingOf(flags), flags),
      ),
    );
  add(program, "explain <name>", "say how an op got its path, kind, policy and signature", [
    "explain list_onto_tasks",
    "explain onto.task.list --json",
  ])
    .option("--json", "one JSON document")
    .action(
      ending(async (name: string, flags: CommonFlags & BuildFlags) =>
        (await import("./generate.js")).explainCommand(await settingOf(flags), name, flags),
      ),
    );
}

function addBreaking(program: Command): void {
  const examples = [
    "breaking --against git:origin/main",
    "breaking --against git:v1.2.0 --profile wire --format github",
    "breaking --against ../release/generated/registry.json --fail-on warning",
  ];
  add(program, "breaking", "compare generated/ with a baseline, by meaning; exit 1 when callers would break", examples)
    .requiredOption("--against <BASELINE>", "git:REF, a registry.json, or a folder that holds one")
    .addOption(
      new Option("--format <FORMAT>", "how to print it").choices(["text", "json", "github", "sarif"]).default("text"),
    )
    .addOption(new Option("--fail-on <LEVEL>", "exit 1 from this level on").choices(["error", "warning", "info"]))
    .addOption(new Option("--profile <PROFILE>", "whose trouble counts").choices(["wire", "code", "all"]))
    .option("--today <DATE>", "day that sunsets are compared with (default: that of the later commit)")
    .action(
      ending(async (flags: CommonFlags & BreakingFlags) => {
        const { start, config } = await configured(flags);
        const [{ breaking }, { openDisk }] = await Promise.all([import("./breaking/command.js"), import("./files.js")]);
        return breaking({ ...start, config, read: openDisk(start.root).read }, flags);
      }),
    );
}

const runtime = () => import("../runtime/main.js");
const ALLOW_WRITE = ["--allow-write", "let ops of the kind write run"] as const;
const STATE = ["--state <URL>", "postgres:// URL (default: .onetool/state.db)"] as const;
const JSON_FLAG = ["--json", "one JSON document"] as const;

function addServe(program: Command): void {
  add(program, "serve", "serve the registry as an MCP server", ["serve --stdio", "serve --stdio --allow-write"])
    .option("--stdio", "over standard input and output (the default)")
    .option(...ALLOW_WRITE)
    .option(...STATE)
    .action(ending(async (flags: CommonFlags) => (await runtime()).serve(await startOf(flags))));
}

function addHelp(program: Command): void {
  const examples = ["help", "help onto.task", "help onto.task.create --full --schemas"];
  add(program, "help [path]", "show what tool_help answers; exit 1 when the path leads nowhere", examples)
    .option("--full", "descriptions, results, errors, more examples")
    .option("--schemas", "with the input schema")
    .option("--no-examples", "without examples")
    .option(...JSON_FLAG)
    .action(
      ending(async (path: string | undefined, flags: CommonFlags & HelpFlags) =>
        (await runtime()).help(await startOf(flags), path ?? "", flags),
      ),
    );
}

function addExec(program: Command): void {
  add(program, "exec <op>", "call one op; exit 1 when the envelope is not ok", [
    "exec onto.task.list --limit 5",
    `exec onto.task.create --allow-write --project-id proj_x --title "Call Anna"`,
    `exec onto.task.update --args '{"task_id":"task_x","title":"New"}' --dry-run --allow-write`,
  ])
    .option("--args <JSON>", "arguments as one JSON object; --NAME VALUE are added to it")
    .option("--dry-run", "say what would happen, change nothing")
    .option("--idempotency-key <KEY>", "the same key and arguments are done once")
    .option(...ALLOW_WRITE)
    .option(...STATE)
    .option("--json", "the envelope on one line")
    .allowUnknownOption()
    .allowExcessArguments()
    .action(
      ending(async (op: string, flags: CommonFlags & ExecFlags, command: Command) =>
        (await runtime()).exec(await startOf(flags), op, command.args.slice(1), flags),
      ),
    );
}

function addRun(program: Command): void {
  const examples = [
    'run -c "onto.task.list(limit=5)"',
    "run report.py --allow-write",
    "run - < report.py",
    "run report.py --check",
  ];
  add(
    program,
    "run [file]",
    "run Python over the ops, from FILE or - (standard input); exit 1 when it failed",
    examples,
  )
    .option("-c, --code <CODE>", "the code itself")
    .option("--check", "only check names, arguments and result keys; exit 1 when something is found")
    .addOption(new Option("--engine <ENGINE>", "which interpreter").choices(["auto", "monty", "cpython"]))
    .option(...ALLOW_WRITE)
    .option(...STATE)
    .option(...JSON_FLAG)
    .action(
      ending(async (file: string | undefined, flags: CommonFlags & RunFlags) =>
        (await runtime()).run(await startOf(flags), file, flags),
      ),
    );
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

function addSnapshot(program: Command): void {
  const about =
    "write definitions/servers/NAME.json from what upstream servers offer; exit 1 when one fails or differs";
  add(program, "snapshot [names...]", about, ["snapshot", "snapshot github files", "snapshot --check --json"])
    .option("--check", "write nothing; compare the servers with their snapshots")
    .option(...JSON_FLAG)
    .action(ending(async (names: readonly string[], flags: CommonFlags & SnapshotFlags) => snapshot(flags, names)));
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
  const hasTerminal = process.stdin.isTTY && process.stdout.isTTY;
  return command.init(
    {
      ...{ root, out, err, paint },
      clients: {
        find: () => findServers(root),
        from: (clientOrFile) => serversFrom(clientOrFile, root),
        adopt: (servers) => adopt(servers, known),
      },
      ...(hasTerminal ? { terminal: { input: process.stdin, output: process.stdout } } : {}),
      prepareHome: () => homeFolder(root),
      keepSecrets: (values) => keepSecrets(root, values),
      snapshot: () => snapshot({ ...flags, next: false }, []),
      generate: async () => (await import("./generate.js")).generate(await settingOf(flags), {}),
    },
    flags,
  );
}

const repeated = (one: string, before: readonly string[] = []): readonly string[] => [...before, one];

function addInit(program: Command): void {
  add(
    program,
    "init",
    "write a new project: definitions/toolwright.yaml, and what belongs to it; exit 1 when a server failed",
    [
      "init",
      "init --import cursor",
      'init --yes --server files="npx -y @modelcontextprotocol/server-filesystem ." --server docs=https://example.com/mcp',
    ],
  )
    .option("--yes", "ask nothing, take every default; keep imported secrets in .onetool/secrets.yaml")
    .option("--import <CLIENT|FILE>", "import the MCP servers of a client (claude-desktop, cursor, …) or of a file")
    .option("--server <NAME=URL|COMMAND>", "an MCP server; may be given again", repeated)
    .action(ending(init));
}

function addDoctor(program: Command): void {
  const about = "check Node, generated code, database and folders; exit 1 when something needs a person";
  add(program, "doctor", about, ["doctor", "doctor --json"])
    .option(...JSON_FLAG)
    .action(ending(async (flags: CommonFlags & BuildFlags) => (await runtime()).doctor(await startOf(flags), flags)));
}

function commandLine(): Command {
  const program = new Command(PACKAGE)
    .description(
      "Generates a typed registry from agent tool definitions, and serves it to agents through a few MCP tools.",
    )
    .version(ownPackage().version)
    .helpCommand(false)
    .exitOverride()
    .showHelpAfterError(`(see "${PACKAGE} --help")`)
    .addHelpText(
      "after",
      "\nExit codes: 0 done; 1 done, and the answer is no; 2 usage, configuration or definitions; 70 our own fault\n",
    );
  addGenerator(program);
  for (const addTo of [addBreaking, addInit, addSnapshot, addServe, addHelp, addExec, addRun, addDoctor])
    addTo(program);
  for (const command of program.commands) command.exitOverride();
  return program;
}

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

// A reader that has seen enough, such as head, is no fault.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

try {
  await commandLine().parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}
