/**
 * Makes the project that stands for the servers, APIs and files that a command line names: a folder of the user's cache with a
 * `toolwright.yaml`, built as any other. With `--save`, a project to keep.
 */

import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { LineCounter } from "yaml";
import type { CompareTools } from "../../runtime/contract/finding.js";
import { isRecord } from "../../runtime/contract/json.js";
import { onLine } from "../../runtime/contract/message-text.js";
import type { Registry, Tool } from "../../runtime/contract/registry.js";
import type { ServerEntry, SourceEntry } from "../../runtime/contract/settings/entries.js";
import { messageOf } from "../../runtime/contract/thrown.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import type { Diagnostic } from "../core/diagnostic.js";
import { parseYamlText } from "../core/yaml-text.js";
import { LOCK_FILE } from "../emit/emitter.js";
import { checkFileKind } from "./file-kind.js";
import { writeAtomicallySync } from "./files.js";
import type { CommandSetting } from "./generate.js";
import { diagnosticForCaller } from "./given-diagnostic.js";
import {
  checkReceivers,
  type GivenFlags,
  type GivenTool,
  givenHeaders,
  givenTimeout,
  givenTools,
  givenVariables,
  isAddress,
} from "./given-tools.js";
import { type Clients, serverNamed } from "./init/answers.js";
import { SNAPSHOTS } from "./init/found.js";
import { attributesText, configText, ignoreText, settingsOfFeatures, type WritingFeature } from "./init/project.js";
import { cachedFolder, makeAllPrivate } from "./tool-cache.js";
import { leavesToolsOut, toolFileEntry } from "./tool-file.js";

/** What the making of such a project takes from the process and the runtime. */
export interface GivenSetting extends Pick<Clients, "importServer"> {
  /** The working directory. */
  readonly folder: string;
  /** The folder of the user's cache. */
  readonly cache: string;
  /** Gives a variable to this process alone. */
  readonly setVariable: (name: string, value: string) => void;
  /** Stores secrets in a project; returns the path of their file. */
  readonly keepSecrets: (root: string, values: ReadonlyMap<string, string>) => Promise<string>;
  /** Reads the text at an address. @throws UsageError */
  readonly download: (address: string) => Promise<string>;
  /** Writes the snapshots of the servers of a project, and says which could not be read; whether all could. */
  readonly readServers: (root: string, names: readonly string[]) => Promise<boolean>;
  readonly settingOf: (root: string) => Promise<CommandSetting>;
  readonly compareTools: CompareTools;
  /** Default: none. */
  readonly features?: readonly WritingFeature[];
  readonly err: (text: string) => void;
}

/** The project, with the secrets that the flags hold, or the exit code of a command that cannot have it. */
type OpenedGiven = { readonly root: string; readonly secrets: Iterable<string> } | { readonly code: number };

interface Definitions {
  readonly servers: Readonly<Record<string, ServerEntry>>;
  readonly sources: readonly SourceEntry[];
  /** Absent for those of any project. */
  readonly limits: { readonly call_timeout_ms: number } | undefined;
}

/**
 * Makes the project of what flags name.
 *
 * @param isLocked whether it stays as it was first read, until `--accept`; otherwise it is read anew
 * @throws UsageError for flags that do not fit together, and a file or address that cannot be read
 */
export async function openGiven(flags: GivenFlags, setting: GivenSetting, isLocked: boolean): Promise<OpenedGiven> {
  const given = givenTools(flags);
  checkReceivers(flags, given);
  for (const one of given) checkCommand(one, setting.folder);
  const kept = flags.save === undefined ? undefined : newFolder(setting.folder, flags.save);
  const found = definitionsOf(flags, given, setting, kept);
  const opened = await made({ flags, given, found, kept, isLocked }, tellingOfModules(setting));
  return typeof opened === "number" ? { code: opened } : { root: opened, secrets: found.secrets.values() };
}

/** Builds tools that are given, and says of each module once that its code was run. */
function tellingOfModules(setting: GivenSetting): GivenSetting {
  const told = new Set<string>();
  const settingOf: GivenSetting["settingOf"] = async (root) => {
    const build = await setting.settingOf(root);
    const bundleModule: CommandSetting["bundleModule"] = async (path) => {
      const bundle = await build.bundleModule(path);
      if (!told.has(path))
        setting.err(
          `${onLine(relative(setting.folder, path))} was run to read its tools, in a process that may only read\n`,
        );
      told.add(path);
      return bundle;
    };
    return { ...build, bundleModule, isGiven: true };
  };
  return { ...setting, settingOf };
}

interface Making {
  readonly flags: GivenFlags;
  readonly given: readonly GivenTool[];
  readonly found: Found;
  /** The root of a project to keep. */
  readonly kept: string | undefined;
  readonly isLocked: boolean;
}

/** The root of the project, or an exit code. */
async function made({ flags, given, found, kept, isLocked }: Making, setting: GivenSetting): Promise<string | number> {
  const isKept = kept !== undefined;
  const root =
    kept ??
    cachedFolder(setting.cache, [
      ...[isLocked, found.servers, found.api, given.map((one) => placed(one, setting))],
      // Servers have it in their entries.
      ...(found.limits && Object.keys(found.servers).length === 0 ? [found.limits] : []),
    ]);
  if (isKept) await keepAll(root, found.secrets, setting);
  else for (const [name, value] of found.secrets) setting.setVariable(name, value);
  if (isLocked && !isKept && !flags.accept && isBuilt(root)) return stillLocked(root, setting);
  const apis = await Promise.all(given.filter(isRemoteApi).map((one) => remoteApi(one, found.api, root, setting)));
  const shown = (path: string): string => (isKept ? relative(join(root, "definitions"), path) : path);
  const local = given.filter((one) => !isRemoteApi(one)).map((one) => localSource(one, found.api, setting, shown));
  const { servers, limits } = found;
  writeConfig(root, { servers, limits, sources: [...apis, ...local.flat()] }, setting, isKept);
  const names = Object.keys(found.servers);
  if (!isBuilt(root)) void loadAhead();
  const isRead = names.length === 0 || (await setting.readServers(root, names));
  const opened = isRead ? await generated(root, setting, isKept) : 1;
  if (isKept)
    setting.err(
      typeof opened === "string"
        ? `wrote a project in ${root}: from now on, leave the flags out and name it with --root\n`
        : `${root} has the project as far as it goes: correct it, and run "toolwright snapshot" and "toolwright generate" there\n`,
    );
  return opened;
}

/** Loads what a first build takes while servers start. What cannot be loaded fails where it is used. */
const loadAhead = (): Promise<unknown> =>
  Promise.allSettled([
    import("./generate.js"),
    import("../pipeline.js"),
    import("../source/shipped.js"),
    import("gpt-tokenizer/encoding/o200k_base"),
  ]);

const REGISTRY = "generated/registry.json";

/** Whether a build has ended: its lock is written last. */
const isBuilt = (root: string): boolean => existsSync(join(root, "generated", LOCK_FILE));

const CONFIG = "definitions/toolwright.yaml";

/** What makes one project another beside its servers: files by their whole paths. */
const placed = ({ kind, name, target }: GivenTool, { folder }: GivenSetting) => [
  ...[kind, name],
  kind === "stdio" || kind === "url" ? "" : isAddress(target) ? target : resolve(folder, target),
];

interface Found extends Pick<Definitions, "servers" | "limits"> {
  readonly api: Api;
  /** Values by variable. */
  readonly secrets: ReadonlyMap<string, string>;
}

/**
 * The servers as entries of `servers`, and the headers of APIs, with what may be secret as variables.
 *
 * @param kept the root of a project to keep
 */
function definitionsOf(
  flags: GivenFlags,
  given: readonly GivenTool[],
  { folder, importServer }: GivenSetting,
  kept: string | undefined,
): Found {
  const headers = givenHeaders(flags);
  const { env, passed } = givenVariables(flags);
  const offered = given.flatMap(({ kind, name, target }) => {
    if (kind === "tools") return [];
    const at = kind === "openapi" ? "https://api.invalid" : target;
    const server = serverNamed(name, [at], `--${kind}`);
    const extra = kind === "stdio" ? { env, env_vars: passed } : { headers };
    return [{ ...server, value: { ...server.value, ...extra } }];
  });
  const { servers, secrets, skipped } = importServer(offered);
  for (const { name, reason } of skipped) throw new UsageError(`${onLine(name)} cannot be used: ${reason}`);
  const isApi = ({ name }: { readonly name: string }) =>
    given.some((one) => one.name === name && one.kind === "openapi");
  const cwd = kept === undefined ? folder : relative(kept, folder);
  const timeout = givenTimeout(flags);
  const completed = (entry: ServerEntry): ServerEntry => ({
    ...entry,
    ...(entry.command === undefined || cwd === "" ? {} : { cwd }),
    ...(timeout === undefined ? {} : { timeout }),
  });
  return {
    servers: Object.fromEntries(
      servers.filter((one) => !isApi(one)).map(({ name, entry }) => [name, completed(entry)]),
    ),
    limits: timeout === undefined ? undefined : { call_timeout_ms: callLimit(timeout * 1000, given) },
    api: { headers: servers.find(isApi)?.entry.headers ?? {}, server: flags.server },
    secrets,
  };
}

const CALL_LIMIT_MS = { preset: 30_000, most: 600_000 } as const;

/** The limit of a call. That of a server has two of its own, for its start and for the call, whose failures say more. */
function callLimit(ms: number, given: readonly GivenTool[]): number {
  const isLocal = given.some(({ kind }) => kind === "tools" || kind === "openapi");
  const limit = isLocal ? ms : Math.max(CALL_LIMIT_MS.preset, 2 * ms);
  return Math.min(Math.ceil(limit), CALL_LIMIT_MS.most);
}

/** @throws UsageError for a folder with a project */
function newFolder(folder: string, save: string | true): string {
  const root = resolve(folder, save === true ? "." : save);
  if (existsSync(join(root, CONFIG)))
    throw new UsageError(
      `${root} has a project already: add servers to it with "toolwright add", or name another folder with --save DIR`,
    );
  return root;
}

async function keepAll(root: string, secrets: ReadonlyMap<string, string>, setting: GivenSetting): Promise<void> {
  mkdirSync(root, { recursive: true });
  if (secrets.size === 0) return;
  const file = await setting.keepSecrets(root, secrets);
  setting.err(`wrote ${file} (mode 0600): ${[...secrets.keys()].join(", ")}\n`);
}

const isRemoteApi = ({ kind, target }: GivenTool): boolean => kind === "openapi" && isAddress(target);

/** What requests to an API need, beside its description. */
interface Api {
  /** Headers, with variables in place of their values. */
  readonly headers: Readonly<Record<string, string>>;
  /** The base address that the caller names. */
  readonly server: string | undefined;
}

const apiEntry = ({ headers, server }: Api, found?: string): Pick<SourceEntry, "server" | "auth"> => {
  const base = server ?? found;
  return {
    ...(base === undefined ? {} : { server: base }),
    ...(Object.keys(headers).length === 0 ? {} : { auth: { headers } }),
  };
};

/** Downloads a description; its requests go to its own host unless it names another one. */
async function remoteApi(
  { name, target }: GivenTool,
  api: Api,
  root: string,
  setting: GivenSetting,
): Promise<SourceEntry> {
  const text = await setting.download(target);
  const file = `apis/${name}.${isJson(text) ? "json" : "yaml"}`;
  writeChanged(join(root, "definitions", file), text);
  return { openapi: file, pack: name, ...apiEntry(api, baseAddress(text, target)) };
}

/** The base address of an API whose description names none, or the host that it comes from. */
function baseAddress(text: string, address: string): string | undefined {
  const value = isJson(text) ? readJson(text) : parseYamlText(text, new LineCounter());
  const description = isJson(text) || !isRecord(value) ? value : value["value"];
  if (!isRecord(description)) return undefined; // The build says what is wrong.
  const { servers, basePath } = description;
  const [first]: readonly unknown[] = Array.isArray(servers) ? servers : [];
  const named = isRecord(first) ? first["url"] : basePath;
  const base = typeof named === "string" ? named : "/";
  if (/[{}]/.test(base) || !URL.canParse(base, address)) return undefined;
  const { origin, pathname } = new URL(base, address);
  return origin === new URL(address).origin ? `${origin}${pathname}`.replace(/\/+$/, "") : undefined;
}

const isJson = (text: string): boolean => text.trimStart().startsWith("{");

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The entry of `sources` for a file of the caller; servers have one entry together.
 *
 * @param shown a path as the project writes it
 */
function localSource(
  given: GivenTool,
  api: Api,
  { folder, err }: GivenSetting,
  shown: (path: string) => string,
): readonly SourceEntry[] {
  const { kind, name, target, isOperand } = given;
  if (kind === "stdio" || kind === "url") return [SNAPSHOTS];
  const path = resolve(folder, target);
  if (kind === "tools" && isAddress(target))
    throw new UsageError(
      `${isOperand ? "" : "--tools "}${onLine(target)} is an address: use --openapi for the description of an API, and --url for an MCP server`,
    );
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new UsageError(
      `there is no file ${onLine(target)} in ${folder}: correct the path${isOperand ? "" : ` after --${kind}`}`,
    );
  const file = shown(path).split(sep).join("/");
  const text = readText(path, target);
  checkFileKind(given, target, text);
  if (kind === "openapi") return [{ openapi: file, pack: name, ...apiEntry(api) }];
  const entry = toolFileEntry(file, text);
  if (leavesToolsOut(entry, text))
    err(
      `${onLine(target)} is read for its documented functions, and not run: put tools that are objects into a file without such functions\n`,
    );
  return [{ ...entry, pack: name }];
}

/** @throws UsageError for a file in place of a command, which no system could start */
function checkCommand(given: GivenTool, folder: string): void {
  const path = resolve(folder, given.target);
  const found = given.kind === "stdio" ? statSync(path, { throwIfNoEntry: false }) : undefined;
  const isProgram = ((found?.mode ?? 0) & 0o111) !== 0;
  if (found?.isFile() && !isProgram) checkFileKind(given, given.target, readText(path, given.target));
}

function readText(path: string, shown: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`${onLine(shown)} cannot be read: ${messageOf(error)}`);
  }
}

function writeConfig(
  root: string,
  { servers, sources, limits }: Definitions,
  { features }: Pick<GivenSetting, "features">,
  isKept: boolean,
): void {
  const own = sources.filter((one) => one !== SNAPSHOTS);
  const all = own.length < sources.length ? [SNAPSHOTS, ...own] : own;
  const settings = {
    ...(isKept ? settingsOfFeatures(features, "init") : { use: [], ...settingsOfFeatures(features, "flags") }),
    ...(limits ? { limits } : {}),
  };
  mkdirSync(join(root, "definitions", "servers"), { recursive: true });
  writeChanged(join(root, CONFIG), configText({ servers, sources: all, settings }, features));
  if (!isKept) return;
  for (const [name, textOf] of [
    [".gitattributes", attributesText],
    [".gitignore", ignoreText],
  ] as const) {
    const path = join(root, name);
    const text = textOf(existing(path));
    if (text !== undefined) writeChanged(path, text);
  }
}

const existing = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, "utf8") : undefined);

function writeChanged(path: string, text: string): void {
  if (existing(path) === text) return;
  mkdirSync(dirname(path), { recursive: true });
  writeAtomicallySync(path, text);
}

/** What `generate --json` says. */
interface Report {
  readonly diagnostics: readonly Diagnostic[];
  readonly written?: readonly string[];
  readonly deleted?: readonly string[];
}

/** Whether only the authors of a server or an API can do something about a warning, and it stops nothing. */
const isOfOthers = ({ code, file }: Diagnostic): boolean => code === "description-too-long" && !file.startsWith("../");

/** Builds the project; warnings are printed when something has changed. */
async function generated(
  root: string,
  { settingOf, err, folder }: GivenSetting,
  isKept: boolean,
): Promise<string | number> {
  const [{ writeGenerated, printDiagnostics }, setting] = await Promise.all([import("./generate.js"), settingOf(root)]);
  let said = "";
  const collect = (text: string): void => {
    said += text;
  };
  const code = await writeGenerated({ ...setting, out: collect }, { json: true });
  const { diagnostics, written = [], deleted = [] }: Report = JSON.parse(said);
  const hasChanged = written.length + deleted.length > 0;
  const isShown = (one: Diagnostic): boolean =>
    one.severity === "error" || (one.severity === "warning" && hasChanged && (isKept || !isOfOthers(one)));
  const shown = diagnostics.filter(isShown);
  const path = (file: string): string => (file.startsWith("../") ? relative(folder, resolve(root, file)) : file);
  printDiagnostics(isKept ? shown : shown.map((one) => diagnosticForCaller(one, path)), err, setting.paint);
  if (code !== 0) return code;
  if (hasChanged && !isKept) makeAllPrivate(root);
  return root;
}

/** The project as it was first read. A file of the caller may have changed, as long as calls mean the same. */
async function stillLocked(root: string, setting: GivenSetting): Promise<string | number> {
  const build = await setting.settingOf(root);
  const { staleSources } = await import("./last-run.js");
  const stale = staleSources(root, build.home);
  if (stale.length === 0) return root;
  const { attempt } = await import("./attempt.js");
  const { build: now } = await attempt(build, false);
  const before: Registry = JSON.parse(readFileSync(join(root, REGISTRY), "utf8"));
  const after: readonly Tool[] | undefined = now?.registry?.tools;
  const compared = after ? await setting.compareTools(before.tools, after) : [];
  const changes = compared.filter(({ level }) => level === "error");
  if (changes.length === 0) return generated(root, setting, false);
  for (const { op, message } of changes) setting.err(`${onLine(`${op}: ${message}`)}\n`);
  const files = stale.map((path) => relative(setting.folder, resolve(root, path)));
  setting.err(
    `${build.paint("red", "error")} ${onLine(files.join(", "))} means something else than what was first served: add --accept to serve it as it is now\n`,
  );
  return 1;
}
