/** Edits `toolwright.yaml` for the console: shows a change as a diff, writes it, and generates; after a fault, all files are as before. */

import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { ConfigChange, ConfigEditor, ConfigView, ConfigWritten } from "../../runtime/contract/config-change.js";
import { isToolFailure } from "../../runtime/contract/handler.js";
import type { Registry } from "../../runtime/contract/registry.js";
import type { ServerEntry } from "../../runtime/contract/settings/entries.js";
import { messageOf } from "../../runtime/contract/thrown.js";
import { isUsageError, UsageError } from "../../runtime/contract/usage-error.js";
import { CONFIG_FILE, type Config, loadConfig } from "../config/config.js";
import type { ConfigFeature } from "../config/schema.js";
import { Report, shortDiagnostic } from "../core/diagnostic.js";
import { sourceHash } from "../pass/policy.js";
import { assignmentOf, type Places, valuesWith, withValue } from "./config-text.js";
import { type Disk, openDisk, writeAtomicallySync } from "./files.js";
import { type Clients, serverNamed } from "./init/answers.js";
import { SNAPSHOTS } from "./init/found.js";
import { readsOnly } from "./servers.js";
import { withoutServer, withServers } from "./servers-text.js";
import { snapshotSource } from "./snapshot-tools.js";
import type { Generated } from "./watch-served.js";

/** What the editor takes from the command line and the runtime. */
export interface EditorSetting {
  readonly root: string;
  /** Default: none. */
  readonly features?: readonly ConfigFeature[];
  readonly importServer: (
    servers: Parameters<Clients["importServer"]>[0],
    config: Config,
  ) => ReturnType<Clients["importServer"]>;
  /** Checks the address of a server as that of every other request. @throws ToolFailure for one that may not be reached */
  readonly checkAddress: (url: URL, config: Config) => Promise<void>;
  /** The address of a server, without secrets. */
  readonly addressOf: (entry: ServerEntry) => string;
  /** The change of a file, with secrets masked. */
  readonly diff: (file: string, before: string, after: string) => Promise<string>;
  /** Reads the snapshot of a server; returns why it cannot be read. */
  readonly snapshot: (name: string) => Promise<string | undefined>;
  readonly generate: () => Promise<Generated>;
}

const FILE = `definitions/${CONFIG_FILE}`;

/** The texts of the file, before and after a change. */
interface Prepared {
  readonly before: string;
  readonly after: string;
  readonly faults: readonly string[];
}

/** The editor of the project at a root. */
export function createConfigEditor(setting: EditorSetting): ConfigEditor {
  let isBusy = false;
  return {
    view: async (registry) => viewOf(configOf(openDisk(setting.root), setting), registry, setting),
    async preview(change, registry) {
      const { before, after, faults } = await prepared(setting, change, registry);
      const diff = before === after ? "" : await setting.diff(FILE, before, after);
      return { digest: digestOf(before), diff, faults };
    },
    async write(change, digest, registry) {
      if (isBusy) return refused(["another change is being written: try again when it is done"]);
      isBusy = true;
      try {
        const { before, after, faults } = await prepared(setting, change, registry);
        if (digestOf(before) !== digest)
          return { ...refused([`${FILE} has changed meanwhile: look at it again`]), stale: true };
        return faults.length > 0 ? refused(faults) : await carriedOut(setting, change, { before, after });
      } finally {
        isBusy = false;
      }
    },
  };
}

const refused = (faults: readonly string[]) => ({ ok: false, stale: false, faults }) as const;
const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** @throws UsageError with the faults */
function configOf({ readDefinition }: Disk, { features }: Pick<EditorSetting, "features">, text?: string): Config {
  const report = new Report();
  const config = loadConfig(
    (file) => (file === CONFIG_FILE && text !== undefined ? text : readDefinition(file)),
    report,
    features && { features },
  );
  if (!config) throw new UsageError(report.sorted().map(shortDiagnostic).join("; "));
  return config;
}

function viewOf(config: Config, { tools }: Registry, { addressOf }: EditorSetting): ConfigView {
  const { aliases = {}, ops = {}, policies = {}, servers = {} } = config;
  const isHidden = (key: string): boolean => Object.hasOwn(ops, key) && ops[key]?.hidden === true;
  return {
    file: FILE,
    aliases: Object.entries(aliases).map(([name, target]) => ({ name, target })),
    hidden: tools.flatMap(({ op, group, tool_name }) => {
      const own = `${group}/${tool_name}`;
      return isHidden(Object.hasOwn(ops, own) ? own : tool_name) ? [op] : [];
    }),
    policies: Object.entries(policies).map(([op, { do: dos = [], dont = [], edge_cases = [] }]) => ({
      ...{ op, do: dos, dont, edge_cases },
    })),
    servers: Object.entries(servers).map(([name, entry]) => ({
      ...{ name, address: addressOf(entry), enabled: entry.enabled !== false },
    })),
  };
}

async function prepared(setting: EditorSetting, change: ConfigChange, registry: Registry): Promise<Prepared> {
  const disk = openDisk(setting.root);
  const before = disk.readDefinition(CONFIG_FILE) ?? "";
  try {
    const config = configOf(disk, setting);
    const { after, expected } = await edit(setting, change, { before, config, registry, disk });
    const isMeant = isDeepStrictEqual(plain(configOf(disk, setting, after)), plain(expected));
    return { before, after, faults: isMeant ? [] : [NOT_HERE] };
  } catch (error) {
    if (!isUsageError(error)) throw error;
    return { before, after: before, faults: [error.message] };
  }
}

const NOT_HERE = `it stands in a file that ${FILE} includes, or is shared by several entries: edit it there`;
const plain = ({ place: _, ...values }: Config): object => values;

interface Editing {
  readonly before: string;
  readonly config: Config;
  readonly registry: Registry;
  readonly disk: Disk;
}

/** The text after a change, and the configuration that it must give. @throws UsageError for a change that cannot be made */
async function edit(setting: EditorSetting, change: ConfigChange, editing: Editing) {
  const { before, config, registry, disk } = editing;
  const { servers = {}, sources } = config;
  if (change.kind !== "server") {
    if (change.kind === "enabled") mustHave(servers, change.name);
    const assignment = assignmentOf(change, placesIn(config, registry));
    const expected = { ...valuesWith(plain(config), assignment), place: config.place } as Config;
    return { after: await withValue(before, assignment), expected };
  }
  const { name, url } = change;
  if (url === null) {
    mustHave(servers, name);
    const isGone = readsOnly(name, disk);
    const { [name]: _, ...left } = servers;
    const { servers: _all, ...others } = config;
    const kept = { ...others, sources: sources.filter((one) => !isGone(one)) };
    const expected: Config = Object.keys(left).length === 0 ? kept : { ...kept, servers: left };
    return { after: await withoutServer(before, name, isGone), expected };
  }
  if (Object.hasOwn(servers, name)) throw new UsageError(`there is a server ${name}: choose another name`);
  const entry = entryOf(setting, name, url, config);
  await mayReach(setting, url, config);
  const isRead = snapshotSource(name, config) !== undefined;
  const expected = {
    ...config,
    servers: { ...servers, [name]: entry },
    sources: isRead ? sources : [...sources, SNAPSHOTS],
  };
  const source = isRead ? undefined : SNAPSHOTS;
  return { after: await withServers(before, { servers: { [name]: entry }, source }), expected };
}

function mustHave(servers: object, name: string): void {
  if (!Object.hasOwn(servers, name)) throw new UsageError(`there is no server ${name}`);
}

/** The entry of a server at a URL. @throws UsageError for what a browser must not add: a command, a secret, a variable */
function entryOf({ importServer }: EditorSetting, name: string, url: string, config: Config): ServerEntry {
  if (!/^https?:\/\//i.test(url) || url.includes("$"))
    throw new UsageError(
      `here, a server has an http or https URL without variables; "toolwright add" on the machine takes commands and variables`,
    );
  const { servers, secrets, skipped } = importServer([serverNamed(name, [url], "the console")], config);
  const entry = servers.find((one) => one.name === name)?.entry;
  if (secrets.size > 0) throw new UsageError(`the URL holds a secret: use "toolwright add" on the machine`);
  if (!entry) throw new UsageError(skipped[0]?.reason ?? `${name} is no name of a server`);
  return entry;
}

/** @throws UsageError for an address that `web.allow_private` does not allow; one without an answer is not read later */
async function mayReach({ checkAddress }: EditorSetting, url: string, config: Config): Promise<void> {
  if (!URL.canParse(url)) throw new UsageError("the URL cannot be read");
  try {
    await checkAddress(new URL(url), config);
  } catch (error) {
    if (!isToolFailure(error)) throw error;
    if (error.code === "VALIDATION_ERROR") throw new UsageError(error.message);
  }
}

function placesIn(config: Config, { tools }: Registry): Places {
  const toolOf = (op: string) => {
    const tool = tools.find((one) => one.op === op);
    if (!tool) throw new UsageError(`there is no op ${op}`);
    return tool;
  };
  return {
    hashOf: (op) => sourceHash(toolOf(op).description),
    keyOf(op) {
      const { group, tool_name: name } = toolOf(op);
      const ops = config.ops ?? {};
      const isShared = tools.filter((one) => one.tool_name === name).length > 1;
      if (!isShared || Object.hasOwn(ops, `${group}/${name}`))
        return Object.hasOwn(ops, `${group}/${name}`) ? `${group}/${name}` : name;
      if (Object.hasOwn(ops, name))
        throw new UsageError(`ops.${name} is an entry for tools of several packs: edit ${FILE} yourself`);
      return `${group}/${name}`;
    },
  };
}

const notRead = (name: string): string =>
  `the server ${name} does not answer as an MCP server: "toolwright add ${name} URL" on the machine shows why`;

/** Writes, reads a new server, and generates; restores all files after a fault. */
async function carriedOut(
  { root, snapshot, generate }: EditorSetting,
  change: ConfigChange,
  { before, after }: Pick<Prepared, "before" | "after">,
): Promise<ConfigWritten> {
  const file = join(root, FILE);
  const own = change.kind === "server" ? join(root, "definitions", "servers", `${change.name}.json`) : undefined;
  const kept = own !== undefined && existsSync(own) ? readFileSync(own, "utf8") : undefined;
  const restore = (): void => {
    // What another program has written meanwhile stays.
    if (readFileSync(file, "utf8") === after) writeAtomicallySync(file, before);
    if (own === undefined) return;
    if (kept === undefined) rmSync(own, { force: true });
    else writeAtomicallySync(own, kept);
  };
  writeAtomicallySync(file, after);
  try {
    if (own !== undefined && change.kind === "server") {
      if (change.url === null) rmSync(own, { force: true });
      const fault = change.url === null ? undefined : await snapshot(change.name);
      if (fault !== undefined) {
        restore();
        // The reason may hold text of what answers there.
        return refused([notRead(change.name)]);
      }
    }
    const made = await generate();
    if (made.ok) return { ok: true, ops: made.ops };
    restore();
    return refused(made.faults);
  } catch (error) {
    restore();
    return refused([messageOf(error)]);
  }
}
