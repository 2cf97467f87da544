/** Servers in clients' configuration files, as they stand there. `adopt.ts` turns one into an entry of `servers`. */

import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { extname, relative, resolve, sep } from "node:path";
import { CLIENTS, type Client, type ClientFile, filesOf, type Machine, thisMachine } from "./clients.js";
import { closest } from "./contract/closest.js";
import { UsageError } from "./usage-error.js";

/** One server as a client has it. */
export interface ForeignServer {
  readonly name: string;
  readonly value: Readonly<Record<string, unknown>>;
  /** Where it stands, for people: "Cursor, .cursor/mcp.json". */
  readonly from: string;
  readonly scope: "project" | "personal" | "given";
}

type Values = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const MEMBERS = ["mcpServers", "servers", "mcp_servers"] as const;
/** A configuration file is small; more is none. */
const LONGEST = 4_000_000;

/** Every server that a client on this machine has; files that are missing or broken are passed over. */
export async function findServers(root: string, machine: Machine = thisMachine()): Promise<readonly ForeignServer[]> {
  const files = CLIENTS.flatMap((client) => filesOf(client, root, machine));
  const lists = await Promise.all(files.map((file) => serversOf(file, root).catch(() => [])));
  return lists.flat();
}

/**
 * Servers of one client, or in one file.
 *
 * @throws UsageError where there are none, or the file cannot be read
 */
export async function serversFrom(
  from: string,
  root: string,
  machine: Machine = thisMachine(),
): Promise<readonly ForeignServer[]> {
  const client = CLIENTS.find((one) => one.id === from.toLowerCase());
  if (!client) return serversInFile(from, root);
  const files = filesOf(client, root, machine);
  const found = (await Promise.all(files.map((file) => serversOf(file, root)))).flat();
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
      `${from} is neither a client nor a file that is there; ${near === undefined ? "" : `did you mean ${near}? `}clients: ${ids.join(", ")}`,
    );
  }
  const values = await parsed(text, extname(path) === ".toml" ? "toml" : "json", path);
  const holder = isRecord(values["mcp"]) ? values["mcp"] : values;
  const member = MEMBERS.find((one) => isRecord(holder[one]));
  if (!member) throw new UsageError(`${from} holds no servers: none of ${MEMBERS.join(", ")} is there`);
  return named(holder[member], shownPath(path, root), "given");
}

async function serversOf({ client, path, scope }: ClientFile, root: string): Promise<readonly ForeignServer[]> {
  const text = await textOf(path);
  if (text === undefined) return [];
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

/** Text of a file, or undefined where there is none. */
async function textOf(path: string): Promise<string | undefined> {
  try {
    const text = await readFile(path, "utf8");
    if (text.length > LONGEST) throw new UsageError(`${path} is too long for a client's configuration`);
    return text.replace(/^\uFEFF/, "");
  } catch (error) {
    const absent = error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
    if (absent) return undefined;
    throw error instanceof UsageError ? error : new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

/** @throws UsageError for what does not parse */
async function parsed(text: string, format: Client["format"], path: string): Promise<Values> {
  const value = format === "toml" ? await tomlIn(text) : await jsonIn(text);
  if (isRecord(value)) return value;
  throw new UsageError(`${path} is no ${format === "toml" ? "TOML" : "JSON"} that can be read`);
}

async function tomlIn(text: string): Promise<unknown> {
  const { parse } = await import("smol-toml");
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** JSON as clients write it: comments and trailing commas are allowed. */
async function jsonIn(text: string): Promise<unknown> {
  const { parse } = await import("jsonc-parser");
  const errors: object[] = [];
  const value: unknown = parse(text, errors as never, { allowTrailingComma: true });
  return errors.length > 0 ? undefined : value;
}

/** A path as people read it: from the root, or from their home. */
function shownPath(path: string, root: string): string {
  for (const [folder, start] of [
    [root, ""],
    [homedir(), "~/"],
  ] as const) {
    const rest = relative(folder, path);
    if (rest !== "" && !rest.startsWith("..") && resolve(folder, rest) === path)
      return start + rest.split(sep).join("/");
  }
  return path;
}
