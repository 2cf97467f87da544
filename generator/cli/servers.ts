/** Implements `toolwright add` and `toolwright remove`: MCP servers of a project, in `toolwright.yaml`, read and generated. */

import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { closest } from "../../runtime/contract/closest.js";
import { counted, onLine, visibleText } from "../../runtime/contract/message-text.js";
import type { Registry } from "../../runtime/contract/registry.js";
import type { ServerEntry, SourceEntry } from "../../runtime/contract/settings/entries.js";
import { CONFIG_DEFAULTS } from "../../runtime/contract/settings/project-settings.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import { CONFIG_FILE, type Config, loadConfig } from "../config/config.js";
import { Report, shortDiagnostic } from "../core/diagnostic.js";
import { type Disk, matchesGlob, openDisk, writeAtomicallySync } from "./files.js";
import type { CommandSetting } from "./generate.js";
import {
  type Clients,
  checkAccepted,
  type ImportedServers,
  importedLines,
  type OfferedServer,
  reportOf,
  serverNamed,
  type Terminal,
} from "./init/answers.js";
import { SNAPSHOTS } from "./init/found.js";
import { withoutServer, withServers } from "./servers-text.js";
import { snapshotSource } from "./snapshot-tools.js";

/** Dependencies of the commands. */
export interface ServersSetting extends Pick<CommandSetting, "root" | "out" | "err" | "paint" | "features"> {
  readonly config: Config;
  readonly clients: Pick<Clients, "from" | "importServer">;
  /** Terminal for the question; without it, nothing is asked. */
  readonly terminal?: Terminal;
  /** The change of a file for people, with the values of secrets masked. */
  readonly diff: (file: string, before: string, after: string) => Promise<string>;
  /** Stores secrets; returns the path of their file. */
  readonly keepSecrets: (values: ReadonlyMap<string, string>) => Promise<string>;
  /** The commands that run afterwards; each returns its exit code. */
  readonly snapshot: (names: readonly string[]) => Promise<number>;
  readonly generate: () => Promise<number>;
  /** Prints the report of `--json`; everything else is for people. */
  readonly report?: (report: object) => void;
}

/** Flags of `add`. */
export interface AddFlags {
  readonly from?: readonly string[];
  /** Names of servers that are added without the limits that cannot be kept. */
  readonly accept?: readonly string[];
  readonly json?: boolean;
  readonly yes?: boolean;
}

type Entries = Readonly<Record<string, ServerEntry>>;

/**
 * Adds servers. Exit code 0; 1 if the user declines, a server fails, or one is left out for a limit that cannot be kept; 2 if
 * `generate` fails.
 *
 * @throws UsageError before anything is written
 */
export async function add(
  setting: ServersSetting,
  name: string | undefined,
  words: readonly string[],
  flags: AddFlags,
): Promise<number> {
  const { clients, out } = setting;
  const offered = await offeredServers(setting, name, words, flags);
  checkAccepted(flags.accept, offered);
  const imported = clients.importServer(offered, flags.accept);
  const { fresh, known, unread } = sorted(imported, setting, flags.from === undefined);
  for (const text of known) out(`${text}\n`);
  const added = await addSorted(setting, imported, { fresh, unread }, flags);
  const code = added || (imported.skipped.some(({ lost }) => lost !== undefined) ? 1 : 0);
  const said = { ...imported, servers: imported.servers.filter((one) => Object.hasOwn(fresh, one.name)) };
  if (flags.json) setting.report?.({ ok: code === 0, ...reportOf(said) });
  return code;
}

async function addSorted(
  setting: ServersSetting,
  imported: ImportedServers,
  { fresh, unread }: Pick<Sorted, "fresh" | "unread">,
  flags: AddFlags,
): Promise<number> {
  const { config, out, err, paint } = setting;
  const names = Object.keys(fresh);
  if (names.length === 0) {
    if (unread.length > 0) return readAndGenerate(setting, unread);
    out("There is nothing to add.\n");
    return 0;
  }
  const unknown = Object.entries(fresh).filter(([, entry]) => !isKnownCommand(entry, config));
  if (unknown.length > 0 && !flags.yes && !(await consent(setting, unknown))) {
    err("Nothing was written.\n");
    return 1;
  }
  await keep(setting, imported, flags);
  const isRead = names.every((one) => snapshotSource(one, config) !== undefined);
  await write(
    setting,
    (text) => withServers(text, { servers: fresh, source: isRead ? undefined : SNAPSHOTS }),
    (now) => names.filter((one) => !Object.hasOwn(now, one)),
  );
  for (const [server, text] of importedLines(imported))
    if (Object.hasOwn(fresh, server)) out(`${paint("yellow", server)}: ${text}\n`);
  return readAndGenerate(setting, [...Object.entries(fresh), ...unread]);
}

async function offeredServers(
  { clients }: ServersSetting,
  name: string | undefined,
  words: readonly string[],
  { from }: AddFlags,
): Promise<readonly OfferedServer[]> {
  if (from === undefined) {
    if (name !== undefined && words.length > 0) return [serverNamed(name, words, "the command line")];
    throw new UsageError(
      "name a server with its URL or command, as in: toolwright add docs https://example.com/mcp; or a client with --from",
    );
  }
  if (words.length > 0)
    throw new UsageError(`${words.join(" ")} and --from: give a URL or a command, or the client that has the server`);
  const offered = (await Promise.all(from.map((one) => clients.from(one)))).flat();
  const found = name === undefined ? offered : offered.filter((one) => one.name === name);
  if (found.length > 0) return found;
  const all = offered.map((one) => one.name);
  throw new UsageError(`${from.join(", ")} has no server ${name}; it has ${all.join(", ")}`);
}

interface Sorted {
  readonly fresh: Entries;
  /** What is left out, a line each. */
  readonly known: readonly string[];
  /** Servers that are there already, and could not be read yet. */
  readonly unread: readonly (readonly [name: string, entry: ServerEntry])[];
}

/** Whether the tools of a server are known, as far as they are wanted. */
const isRead = (setting: ServersSetting, name: string, { enabled }: ServerEntry): boolean =>
  enabled === false || existsSync(snapshotOf(setting, name));

/** @throws UsageError if a server that was named is there already */
function sorted({ servers, skipped }: ImportedServers, setting: ServersSetting, isNamed: boolean): Sorted {
  const { servers: there = {} } = setting.config;
  const unread: (readonly [string, ServerEntry])[] = [];
  const known = skipped.map((one) => `left out ${onLine(one.name)}: ${one.reason}`);
  const fresh: Record<string, ServerEntry> = {};
  for (const { name, entry } of servers) {
    const before = Object.hasOwn(there, name) ? there[name] : undefined;
    if (before === undefined) fresh[name] = entry;
    else if (isDeepStrictEqual({ ...before, type: entry.type }, entry)) {
      const here = isRead(setting, name, entry) ? [] : [[name, entry] as const];
      unread.push(...here);
      known.push(`${name} is there already${here.length > 0 ? ", and was not read yet" : ""}`);
    } else if (isNamed)
      throw new UsageError(
        `there is another server ${name} in toolwright.yaml: choose another name, or run "toolwright remove ${name}" first`,
      );
    else known.push(`left out ${name}: another server of the name is in toolwright.yaml`);
  }
  return { fresh, known, unread };
}

/** Whether no process is started, or one that the project starts already. */
const isKnownCommand = ({ command, args = [] }: ServerEntry, { servers = {} }: Config): boolean =>
  command === undefined ||
  Object.values(servers).some((one) => one.command === command && isDeepStrictEqual(one.args ?? [], args));

/** Asks before a command is started. @throws UsageError without a terminal */
async function consent(
  { terminal, out }: ServersSetting,
  servers: readonly (readonly [string, ServerEntry])[],
): Promise<boolean> {
  const lines = servers.map(
    ([name, { command, args = [] }]) => `  ${name}: ${visibleText([command, ...args].join(" "))}`,
  );
  if (terminal === undefined)
    throw new UsageError(
      `to read its tools, a command is started that this project does not start yet:\n${lines.join("\n")}\nadd --yes if you trust it`,
    );
  out(`To read their tools, these commands are started on this machine:\n${lines.join("\n")}\n`);
  const { confirm } = await import("@clack/prompts");
  return (await confirm({ ...terminal, message: "Start them?", initialValue: false })) === true;
}

/** Stores the secrets if the user agrees; otherwise only names them. */
async function keep(
  { config, terminal, out, paint, keepSecrets }: ServersSetting,
  { secrets }: ImportedServers,
  { yes }: AddFlags,
): Promise<void> {
  if (secrets.size === 0) return;
  const names = [...secrets.keys()].join(", ");
  const { from = CONFIG_DEFAULTS.secrets.from } = config.secrets ?? {};
  if (!from.includes("file")) {
    const places = from.map((one) => JSON.stringify(onLine(one))).join(", ") || "nowhere";
    out(`${paint("yellow", "not kept")}: the values of ${names}; put them where secrets.from looks: ${places}\n`);
    return;
  }
  const message = `Keep the values of ${visibleText(names)} in .onetool/secrets.yaml, for you only?`;
  const isKept =
    yes || (terminal && (await (await import("@clack/prompts")).confirm({ ...terminal, message })) === true);
  if (isKept) out(`${paint("green", "wrote")} ${await keepSecrets(secrets)} (mode 0600): ${names}\n`);
  else
    out(
      `${paint("yellow", "not kept")}: the values of ${names}; set them in the environment, or in .onetool/secrets.yaml\n`,
    );
}

/**
 * Edits `toolwright.yaml`, and shows the change.
 *
 * @param faultsIn what is wrong with the servers of the result
 * @throws UsageError if the result would not be a configuration, or has such a fault
 */
async function write(
  { root, out, paint, diff, features }: ServersSetting,
  edit: (text: string) => Promise<string>,
  faultsIn: (servers: Entries) => readonly string[],
): Promise<void> {
  const { readDefinition } = openDisk(root);
  const before = readDefinition(CONFIG_FILE) ?? "";
  const after = await edit(before);
  const report = new Report();
  const config = loadConfig(
    (file) => (file === CONFIG_FILE ? after : readDefinition(file)),
    report,
    features && { features },
  );
  const faults = [...report.sorted().map(shortDiagnostic), ...(config ? faultsIn(config.servers ?? {}) : [])];
  if (!config || faults.length > 0)
    throw new UsageError(
      `definitions/${CONFIG_FILE} cannot be edited (${faults.join("; ")}): edit \`servers\` yourself`,
    );
  if (after === before) return;
  writeAtomicallySync(join(root, "definitions", CONFIG_FILE), after);
  out(
    `${await diff(`definitions/${CONFIG_FILE}`, before, after)}${paint("green", "wrote")} definitions/${CONFIG_FILE}\n`,
  );
}

async function readAndGenerate(
  setting: ServersSetting,
  servers: readonly (readonly [string, ServerEntry])[],
): Promise<number> {
  const names = servers.filter(([, entry]) => entry.enabled !== false).map(([name]) => name);
  const failed = names.length > 0 && (await setting.snapshot(names)) !== 0;
  if (failed)
    setting.out(
      `A server failed: correct it, and run "toolwright snapshot ${names.join(" ")}", or take it out with "toolwright remove NAME".\n`,
    );
  if (names.every((name) => !existsSync(snapshotOf(setting, name)))) return failed ? 1 : 0;
  return (await generateAndCompare(setting)) || (failed ? 1 : 0);
}

const snapshotOf = ({ root }: ServersSetting, name: string): string =>
  join(root, "definitions", "servers", `${name}.json`);

/** Generates, and says which ops are new and which are gone. */
async function generateAndCompare({ root, out, paint, generate }: ServersSetting): Promise<number> {
  const before = opsIn(root);
  const code = await generate();
  if (code !== 0) return code;
  const after = opsIn(root);
  for (const [mark, style, ops] of [
    ["+", "green", [...after].filter((op) => !before.has(op))],
    ["-", "red", [...before].filter((op) => !after.has(op))],
  ] as const)
    if (ops.length > 0) {
      const more = ops.length > MAX_NAMED ? `, … (${ops.length - MAX_NAMED} more)` : "";
      out(`${paint(style, mark)} ${counted(ops.length, "op")}: ${ops.slice(0, MAX_NAMED).join(", ")}${more}\n`);
    }
  return code;
}

/** Most ops that are named in one line. */
const MAX_NAMED = 20;

function opsIn(root: string): ReadonlySet<string> {
  try {
    const { tools } = JSON.parse(readFileSync(join(root, "generated", "registry.json"), "utf8")) as Registry;
    return new Set(tools.map(({ op }) => op));
  } catch {
    return new Set();
  }
}

/** Whether a source reads the snapshot of a server, and no other file. */
export const readsOnly =
  (name: string, { list }: Pick<Disk, "list">) =>
  ({ mcp }: SourceEntry): boolean =>
    mcp !== undefined &&
    matchesGlob(mcp, `servers/${name}.json`) &&
    list(mcp).every((file) => file === `definitions/servers/${name}.json`);

/** Takes a server out, with its snapshot. Exit code 0, or 2 if `generate` fails. @throws UsageError for an unknown name */
export async function remove(setting: ServersSetting, name: string): Promise<number> {
  const { root, config, out, paint } = setting;
  const { servers = {} } = config;
  const entry = Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (entry === undefined) {
    const all = Object.keys(servers);
    const near = closest(name, all);
    throw new UsageError(
      `no server ${JSON.stringify(name)} in toolwright.yaml; ${near === undefined ? "" : `did you mean ${near}? `}${all.length === 0 ? "there are none" : `known: ${all.join(", ")}`}`,
    );
  }
  await write(
    setting,
    (text) => withoutServer(text, name, readsOnly(name, openDisk(root))),
    (now) => (Object.hasOwn(now, name) ? [`${name} stands in an included file`] : []),
  );
  if (existsSync(snapshotOf(setting, name))) {
    rmSync(snapshotOf(setting, name));
    out(`${paint("green", "deleted")} definitions/servers/${name}.json\n`);
  }
  const secrets = [...new Set(JSON.stringify(entry).match(/(?<=\$\{)[A-Za-z_][A-Za-z0-9_]*/g) ?? [])];
  if (secrets.length > 0)
    out(`The values of ${secrets.join(", ")} stay in .onetool/secrets.yaml, if they are there.\n`);
  const code = await generateAndCompare(setting);
  if (code !== 0)
    out(
      'The server is taken out, and the rest does not generate yet: correct the above, and run "toolwright generate".\n',
    );
  return code;
}
