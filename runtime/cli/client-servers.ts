/**
 * Reads the MCP servers from clients' configuration files. `import-server.ts` converts them to entries of `servers`.
 */

import { readFile } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { closest } from "../contract/closest.js";
import { codeOf } from "../contract/thrown.js";
import { UsageError } from "../contract/usage-error.js";
import { isRecord, MAX_CONFIG_SIZE, shownPath, type Values, valuesIn } from "./client-text.js";
import { CLIENTS, type Client, type ClientFile, filesOf, type Machine, thisMachine } from "./clients.js";

/** One server as configured in a client. */
export interface ForeignServer {
  readonly name: string;
  readonly value: Readonly<Record<string, unknown>>;
  /** Its place for messages: "Cursor, .cursor/mcp.json". */
  readonly from: string;
  readonly scope: "project" | "personal" | "given";
}

const MEMBERS = ["mcpServers", "servers", "mcp_servers"] as const;

/** All servers of the clients on this machine; missing and invalid files are skipped. */
export async function findServers(root: string, machine: Machine = thisMachine()): Promise<readonly ForeignServer[]> {
  const files = CLIENTS.flatMap((client) => filesOf(client, root, machine));
  const lists = await Promise.all(files.map((file) => serversOf(file, root).catch(() => undefined)));
  return lists.flatMap((list) => list ?? []);
}

/** The word for every client on this machine. */
const EVERY_CLIENT = "all";

async function serversOfAll(root: string, machine: Machine): Promise<readonly ForeignServer[]> {
  const found = await findServers(root, machine);
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
): Promise<readonly ForeignServer[]> {
  if (from.toLowerCase() === EVERY_CLIENT) return serversOfAll(root, machine);
  const client = CLIENTS.find((one) => one.id === from.toLowerCase());
  if (!client) return serversInFile(from, root);
  const files = filesOf(client, root, machine);
  const lists = await Promise.all(files.map((file) => serversOf(file, root)));
  const found = lists.flatMap((list) => list ?? []);
  if (found.length > 0) return found;
  throw new UsageError(
    `${client.label} has no servers in ${files.map((one) => shownPath(one.path, root)).join(" or ")}`,
  );
}

async function serversInFile(from: string, root: string): Promise<readonly ForeignServer[]> {
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
  const holder = isRecord(values["mcp"]) ? values["mcp"] : values;
  const member = MEMBERS.find((one) => isRecord(holder[one]));
  if (!member) throw new UsageError(`${from} holds no servers: none of ${MEMBERS.join(", ")} is there`);
  return named(holder[member], shownPath(path, root), "given");
}

/**
 * The servers in one file; `undefined` if it does not exist.
 *
 * @throws UsageError if it cannot be read
 */
export async function serversOf(
  { client, path, scope }: ClientFile,
  root: string,
): Promise<readonly ForeignServer[] | undefined> {
  const text = await textOf(path);
  if (text === undefined) return undefined;
  const values = await parsed(text, client.format, path);
  const from = `${client.label}, ${shownPath(path, root)}`;
  const projects = isRecord(values["projects"]) ? values["projects"] : {};
  const ofProject = scope === "personal" && Object.hasOwn(projects, root) ? projects[root] : undefined;
  return [
    ...named(values[client.member], from, scope),
    ...named(isRecord(ofProject) ? ofProject[client.member] : undefined, from, "project"),
  ];
}

const named = (servers: unknown, from: string, scope: ForeignServer["scope"]): readonly ForeignServer[] =>
  isRecord(servers)
    ? Object.entries(servers).flatMap(([name, value]) => (isRecord(value) ? [{ name, value, from, scope }] : []))
    : [];

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
  const values = await valuesIn(text, format);
  if (values !== undefined) return values;
  throw new UsageError(`${path} is no ${format === "toml" ? "TOML" : "JSON"} that can be read`);
}
