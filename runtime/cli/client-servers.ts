/**
 * Reads the MCP servers from clients' configuration files. `import-server.ts` converts them to entries of `servers`.
 */

import { readFile } from "node:fs/promises";
import { dirname, extname, join, resolve } from "node:path";
import { closest } from "../contract/closest.js";
import type { Values } from "../contract/json.js";
import { onLine } from "../contract/message-text.js";
import { codeOf, messageOf } from "../contract/thrown.js";
import { UsageError } from "../contract/usage-error.js";
import { clientOfFile, limitsOf, type ServerLimits } from "./client-limits.js";
import { clientPathText, isPlainObject, MAX_CONFIG_SIZE, parsedValues, syntaxFault } from "./client-text.js";
import { CLIENTS, type Client, type ClientFile, filesOf, type Machine, thisMachine } from "./clients.js";

/** One server as configured in a client. */
export interface ForeignServer {
  readonly name: string;
  readonly value: Readonly<Record<string, unknown>>;
  /** Its place for messages: "Cursor, .cursor/mcp.json". */
  readonly from: string;
  readonly scope: "project" | "personal" | "given";
  /** The client whose file it is in, if it is known. */
  readonly client?: string;
  /** What the rest of the file says of it. */
  readonly limits?: ServerLimits;
}

const MEMBERS = ["mcpServers", "servers", "mcp_servers"] as const;

/** Takes what a file of a client holds that cannot be read. */
type FaultSink = (fault: string) => void;

/** All servers of the clients on this machine; missing files are skipped, and those that cannot be read are reported. */
export async function findServers(
  root: string,
  machine: Machine = thisMachine(),
  report: FaultSink = () => undefined,
): Promise<readonly ForeignServer[]> {
  const files = CLIENTS.flatMap((client) => filesOf(client, root, machine));
  const read = await Promise.all(files.map((file) => readWithFaults(file, root, machine)));
  for (const fault of read.flatMap(({ faults }) => faults)) report(fault);
  return read.flatMap(({ servers }) => servers);
}

/** The servers of a file, and what of it cannot be read. */
async function readWithFaults(file: ClientFile, root: string, machine: Machine) {
  const faults: string[] = [];
  const servers = await serversOf(file, root, machine, (fault) => faults.push(fault)).catch((error: unknown) => {
    faults.push(`${file.client.label}: ${messageOf(error)}`);
    return undefined;
  });
  return { servers: servers ?? [], faults };
}

/** The word for every client on this machine. */
const EVERY_CLIENT = "all";

async function serversOfAll(
  root: string,
  machine: Machine,
  report: FaultSink | undefined,
): Promise<readonly ForeignServer[]> {
  const found = await findServers(root, machine, report);
  if (found.length > 0) return found;
  throw new UsageError(
    `no client on this machine has servers (${CLIENTS.map((one) => one.id).join(", ")}): name a file, or servers with --server`,
  );
}

/**
 * The servers of one client, of `all` clients, or in one file.
 *
 * @throws UsageError if there are none, or the file cannot be read
 */
export async function serversFrom(
  from: string,
  root: string,
  machine: Machine = thisMachine(),
  report?: FaultSink,
): Promise<readonly ForeignServer[]> {
  if (from.toLowerCase() === EVERY_CLIENT) return serversOfAll(root, machine, report);
  const client = CLIENTS.find((one) => one.id === from.toLowerCase());
  if (!client) return serversInFile(from, root, machine);
  const files = filesOf(client, root, machine);
  const found: ForeignServer[] = [];
  // One after the other, so that faults are reported in the order of the files.
  for (const file of files) found.push(...((await serversOf(file, root, machine, report)) ?? []));
  if (found.length > 0) return found;
  throw new UsageError(
    `${client.label} has no servers in ${files.map((one) => clientPathText(one.path, root)).join(" or ")}`,
  );
}

async function serversInFile(from: string, root: string, machine: Machine): Promise<readonly ForeignServer[]> {
  const path = resolve(from);
  const text = await textOf(path);
  if (text === undefined) {
    const ids = CLIENTS.map((one) => one.id);
    const near = closest(from, ids);
    throw new UsageError(
      `${from} is neither a client nor a file that is there; ${near === undefined ? "" : `did you mean ${near}? `}clients: ${ids.join(", ")}, or ${EVERY_CLIENT}`,
    );
  }
  const values = await parsed(text, extname(path) === ".toml" ? "toml" : "json", path);
  const servers = serversWithin(values);
  if (!servers) throw new UsageError(`${from} holds no servers: none of ${MEMBERS.join(", ")} is there`);
  const client = clientOfFile(path);
  const beside = client === "claude-code" ? await claudeSettings(dirname(path), machine) : [];
  return limited(named(servers, clientPathText(path, root), "given"), client, [values, ...beside]);
}

/** The servers by name of a file: under a member of it or of its `mcp`, or as `mcp` itself (opencode). */
function serversWithin(values: Values): unknown {
  const mcp = isPlainObject(values["mcp"]) ? values["mcp"] : {};
  for (const holder of [mcp, values]) {
    const member = MEMBERS.find((one) => isPlainObject(holder[one]));
    if (member) return holder[member];
  }
  const isServer = (one: unknown): boolean => isPlainObject(one) && ("command" in one || "url" in one);
  return Object.values(mcp).some(isServer) ? mcp : undefined;
}

/** What Claude Code's other files say of the servers of a project folder. Files that are missing or cannot be read say nothing. */
async function claudeSettings(folder: string, { home }: Machine): Promise<readonly Values[]> {
  const read = async (path: string): Promise<Values> => {
    const text = await textOf(path).catch(() => undefined);
    return (text === undefined ? undefined : await parsedValues(text, "json")) ?? {};
  };
  const [state = {}, ...settings] = await Promise.all(
    [
      join(home, ".claude.json"),
      join(home, ".claude", "settings.json"),
      join(folder, ".claude", "settings.json"),
      join(folder, ".claude", "settings.local.json"),
    ].map(read),
  );
  const projects = isPlainObject(state["projects"]) ? state["projects"] : {};
  const own = Object.hasOwn(projects, folder) ? projects[folder] : undefined;
  return [...settings, ...(isPlainObject(own) ? [own] : [])];
}

const limited = (
  servers: readonly ForeignServer[],
  client: string | undefined,
  files: readonly Values[],
): readonly ForeignServer[] =>
  servers.map((one) => ({ ...one, ...(client ? { client } : {}), limits: limitsOf(files, one.name) }));

/**
 * The servers in one file; `undefined` if it does not exist.
 *
 * @param report takes a message about each entry that describes no server
 * @throws UsageError if it cannot be read
 */
export async function serversOf(
  { client, path, scope }: ClientFile,
  root: string,
  machine: Machine = thisMachine(),
  report: FaultSink = () => undefined,
): Promise<readonly ForeignServer[] | undefined> {
  const text = await textOf(path);
  if (text === undefined) return undefined;
  const values = await parsed(text, client.format, path);
  const from = `${client.label}, ${clientPathText(path, root)}`;
  const projects = isPlainObject(values["projects"]) ? values["projects"] : {};
  const ofProject = scope === "personal" && Object.hasOwn(projects, root) ? projects[root] : undefined;
  const found = [
    ...named(values[client.member], from, scope, (what) => report(`${from}: ${onLine(client.member)}${what}`)),
    ...named(isPlainObject(ofProject) ? ofProject[client.member] : undefined, from, "project"),
  ];
  return limited(
    found,
    client.id,
    client.id === "claude-code" ? [values, ...(await claudeSettings(root, machine))] : [],
  );
}

function named(
  servers: unknown,
  from: string,
  scope: ForeignServer["scope"],
  report: FaultSink = () => undefined,
): readonly ForeignServer[] {
  if (!isPlainObject(servers)) {
    if (servers !== undefined) report(" must be an object, a server by each name");
    return [];
  }
  return Object.entries(servers).flatMap(([name, value]) => {
    if (isPlainObject(value)) return [{ name, value, from, scope }];
    report(`.${onLine(name)} must be an object with command or url`);
    return [];
  });
}

/** Text of a file; `undefined` if it does not exist. */
async function textOf(path: string): Promise<string | undefined> {
  try {
    const text = await readFile(path, "utf8");
    if (text.length > MAX_CONFIG_SIZE) throw new UsageError(`${path} is too long for a client's configuration`);
    return text.replace(/^\uFEFF/, "");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(String(codeOf(error)))) return undefined;
    throw error instanceof UsageError ? error : new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

/** @throws UsageError for invalid text */
async function parsed(text: string, format: Client["format"], path: string): Promise<Values> {
  const values = await parsedValues(text, format);
  if (values !== undefined) return values;
  const fault = await syntaxFault(text, format);
  throw new UsageError(
    `${path} is no ${format === "toml" ? "TOML" : "JSON"} that can be read${fault === undefined ? "" : `: ${onLine(fault)}`}`,
  );
}
