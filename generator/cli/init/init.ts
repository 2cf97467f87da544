/** Implements `toolwright init`: writes a new project from servers of clients, from existing definitions, or from an example. */

import { existsSync, lstatSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onLine } from "../../../runtime/contract/message-text.js";
import type { ServerEntry, SourceEntry } from "../../../runtime/contract/settings/entries.js";
import type { CiSystem } from "../commands.js";
import { writeAtomicallySync } from "../files.js";
import type { CommandSetting } from "../generate.js";
import {
  askAnswers,
  type Clients,
  checkAccepted,
  defaultAnswers,
  type ImportedServers,
  type InitAnswers,
  InitRefusal,
  importedLines,
  type OfferedServer,
  reportOf,
  STARTER_SOURCE,
  serverGiven,
  type Terminal,
} from "./answers.js";
import type { CiFeature } from "./ci-part.js";
import { findLeftOut, findSources, SNAPSHOTS } from "./found.js";
import {
  attributesText,
  configText,
  ignoreText,
  packageText,
  STARTER,
  settingsOfFeatures,
  type WritingFeature,
} from "./project.js";

/** Dependencies of the command. */
export interface InitSetting extends Pick<CommandSetting, "root" | "out" | "err" | "paint"> {
  /** Default: none. */
  readonly features?: readonly (NonNullable<CommandSetting["features"]>[number] & WritingFeature & CiFeature)[];
  readonly clients: Clients;
  /** Terminal for questions; without it, nothing is asked. */
  readonly terminal?: Terminal;
  /** Creates the state directory, `.onetool/`. */
  readonly prepareHome: () => Promise<unknown>;
  /** Stores secrets; returns the path of their file. */
  readonly keepSecrets: (values: ReadonlyMap<string, string>) => Promise<string>;
  /** The commands that may run afterwards; each returns its exit code. */
  readonly snapshot: () => Promise<number>;
  readonly generate: () => Promise<number>;
  /** Prints the report of `--json`; everything else is for people. */
  readonly report?: (report: object) => void;
}

/** Flags of the command. */
export interface InitFlags {
  readonly yes?: boolean;
  /** Clients, files, or `all`. */
  readonly import?: readonly string[];
  readonly server?: readonly string[];
  /** Names of servers that are imported without the limits that cannot be kept. */
  readonly accept?: readonly string[];
  /** The CI system whose files are written too; in a project that exists, they alone are. */
  readonly ci?: CiSystem;
  readonly json?: boolean;
}

const CONFIG = "definitions/toolwright.yaml";
const STARTER_FILES = Object.entries(STARTER.files).map(([name, text]) => [`definitions/${name}`, text] as const);

/** Exit code 0; 1 if the user cancels or a server fails, 2 if `generate` fails. @throws InitRefusal before anything is written */
export async function init(setting: InitSetting, flags: InitFlags): Promise<number> {
  if (flags.ci === undefined) return initProject(setting, flags);
  const prepareCi = await setting.features?.find(({ ci }) => ci)?.ci?.();
  if (!prepareCi) throw new InitRefusal("--ci: there is no feature that writes what CI runs");
  const writeCi = await prepareCi(setting, flags.ci);
  if (!isThere(join(setting.root, CONFIG))) {
    const code = await initProject(setting, flags);
    if (!isThere(join(setting.root, CONFIG))) return code;
    return (await writeCi()) || code;
  }
  const code = await writeCi();
  if (flags.json) setting.report?.({ ok: true });
  return code;
}

async function initProject(setting: InitSetting, flags: InitFlags): Promise<number> {
  refuseExisting(setting.root, [CONFIG]);
  const answers = await answersOf(setting, flags);
  if (!answers) {
    setting.err("Nothing was written.\n");
    return 1;
  }
  const { imported, starter } = answers;
  const servers = Object.fromEntries(imported.servers.map(({ name, entry }) => [name, entry]));
  const sources = sourcesOf(answers);
  if (sources.length === 0) throw nothingToStartFrom(imported, findLeftOut(setting.root));
  const snapshots = Object.keys(servers).map((name) => `definitions/servers/${name}.json`);
  refuseExisting(setting.root, [...snapshots, ...(starter ? STARTER_FILES.map(([file]) => file) : [])]);
  try {
    await write(setting, { sources, servers, starter });
    await keep(setting, answers);
  } catch (error) {
    throw error instanceof Error && "code" in error
      ? new InitRefusal(`${setting.root} cannot be written: ${error.message}`)
      : error;
  }
  sayNotes(setting, imported);
  sayFound(setting, answers);
  const code = await proceed(setting, answers);
  const isLost = imported.skipped.some(({ lost }) => lost !== undefined);
  if (flags.json) setting.report?.({ ok: code === 0 && !isLost, ...reportOf(imported) });
  return code || (isLost ? 1 : 0);
}

async function answersOf(setting: InitSetting, flags: InitFlags): Promise<InitAnswers | undefined> {
  const { root, terminal } = setting;
  const clients: Clients = {
    ...setting.clients,
    importServer: (servers) => {
      checkAccepted(flags.accept, servers);
      return setting.clients.importServer(servers, flags.accept);
    },
  };
  const named = (flags.server ?? []).map(serverGiven);
  const twice = named.find((one, i) => named.findIndex((other) => other.name === one.name) < i);
  if (twice) throw new InitRefusal(`--server names ${twice.name} twice: give each a name of its own`);
  const imported = await Promise.all((flags.import ?? []).map((from) => clients.from(from)));
  const given: readonly OfferedServer[] = [...named, ...imported.flat()];
  if (terminal && !flags.yes) return askAnswers(root, given, clients, terminal);
  return defaultAnswers(root, given, clients, flags.yes === true);
}

function sourcesOf({ imported, sources, starter }: InitAnswers): readonly SourceEntry[] {
  const others = sources.filter((one) => one.mcp === undefined);
  const hasSnapshots = imported.servers.length > 0 || others.length < sources.length;
  return [...(hasSnapshots ? [SNAPSHOTS] : []), ...others, ...(starter ? [STARTER_SOURCE] : [])];
}

/** Whether a path exists, even as a dangling link. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path) !== undefined;
  } catch {
    return false;
  }
}

/** Refuses to replace existing files. */
function refuseExisting(root: string, files: readonly string[]): void {
  const there = files.filter((one) => isThere(join(root, one)));
  if (there.length === 0) return;
  const remedy = there.includes(CONFIG)
    ? "this is a project already; edit it, or name another folder with --root"
    : "move it away, or choose another name";
  throw new InitRefusal(`${there.join(", ")} exists and is not replaced; nothing was written: ${remedy}`);
}

function nothingToStartFrom({ skipped }: ImportedServers, leftOut: readonly string[]): InitRefusal {
  const lines = [...skipped.map((one) => `${one.name} is left out, since ${one.reason}`), ...leftOut.map(onLine)];
  const why = lines.map((one) => `; ${one}`).join("");
  return new InitRefusal(
    `there is nothing to start from${why}: name a server with --server NAME=URL or --server NAME=COMMAND, import those of a client with --import, or put function tools into definitions/; or start from an example with --yes`,
  );
}

interface Content {
  readonly sources: readonly SourceEntry[];
  readonly servers: Readonly<Record<string, ServerEntry>>;
  readonly starter: boolean;
}

async function write({ root, out, paint, prepareHome, features }: InitSetting, content: Content): Promise<void> {
  const read = (file: string): string | undefined =>
    existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : undefined;
  const manifest = read("package.json");
  const scripts = manifest === undefined ? undefined : await packageText(manifest);
  const attributes = attributesText(read(".gitattributes"));
  const ignored = ignoreText(read(".gitignore"));
  const files: readonly (readonly [file: string, text: string])[] = [
    ...(content.starter ? STARTER_FILES : []),
    [CONFIG, configText({ ...content, settings: settingsOfFeatures(features, "init") }, features)],
    ...(attributes === undefined ? [] : [[".gitattributes", attributes] as const]),
    ...(ignored === undefined ? [] : [[".gitignore", ignored] as const]),
    ...(scripts === undefined ? [] : [["package.json", scripts] as const]),
  ];
  mkdirSync(join(root, "definitions", "servers"), { recursive: true });
  for (const [file, text] of files) {
    const path = join(root, file);
    mkdirSync(dirname(path), { recursive: true });
    writeAtomicallySync(path, text);
    out(`${paint("green", "wrote")} ${file}\n`);
  }
  await prepareHome();
}

/** Stores the secrets with the user's consent; otherwise only names them. */
async function keep(
  { out, paint, keepSecrets }: InitSetting,
  { imported, keepSecrets: consent }: InitAnswers,
): Promise<void> {
  if (imported.secrets.size === 0) return;
  const names = [...imported.secrets.keys()].join(", ");
  if (consent) out(`${paint("green", "wrote")} ${await keepSecrets(imported.secrets)} (mode 0600): ${names}\n`);
  else
    out(
      `${paint("yellow", "not kept")}: the values of ${names}; set them in the environment, or in .onetool/secrets.yaml\n`,
    );
}

function sayNotes({ out, paint }: InitSetting, { servers, skipped }: ImportedServers): void {
  for (const [name, text] of importedLines({ servers })) out(`${paint("yellow", name)}: ${text}\n`);
  for (const { name, from, reason } of skipped)
    out(`${paint("yellow", "left out")} ${onLine(name)} (${from}): ${reason}\n`);
}

/** Says what was left out in `definitions/`, and which addresses of GraphQL APIs are missing. */
function sayFound({ root, out, paint }: InitSetting, { sources }: InitAnswers): void {
  for (const line of findLeftOut(root, sources)) out(`${paint("yellow", "left out")} ${onLine(line)}\n`);
  for (const { graphql, url = "" } of sources.filter((one) => one.graphql !== undefined))
    out(
      `${paint("yellow", onLine(graphql ?? ""))}: set ${onLine(url.slice(2, -1))} to the address of the API, or write the address into ${CONFIG}\n`,
    );
}

const NEXT = `Next: "toolwright connect" lists the MCP clients to connect; "toolwright serve --watch" follows what you edit
`;

/** Runs the following commands. A server that fails is reported and does not undo the rest. */
async function proceed(setting: InitSetting, answers: InitAnswers): Promise<number> {
  const { run, imported } = answers;
  const { out } = setting;
  const hasServers = imported.servers.some(({ entry }) => entry.enabled !== false);
  if (!run) {
    out(`Next: ${hasServers ? '"toolwright snapshot", then ' : ""}"toolwright generate"\n`);
    return 0;
  }
  const failed = hasServers && (await setting.snapshot()) !== 0;
  if (failed) out('A server failed: correct it, and run "toolwright snapshot".\n');
  const hasSnapshots = findSources(setting.root).some((one) => one.kind === "mcp");
  if (!hasSnapshots && sourcesOf(answers).includes(SNAPSHOTS)) {
    out('There are no tools of servers yet: "toolwright generate" follows when "toolwright snapshot" has read one.\n');
    return failed ? 1 : 0;
  }
  const code = (await setting.generate()) || (failed ? 1 : 0);
  if (code === 0) out(NEXT);
  return code;
}
