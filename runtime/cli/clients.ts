/**
 * The supported MCP clients and the locations of their configuration files: `init` imports from them, `connect` writes
 * to them.
 */

import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { OWN_KEY } from "../upstream/servers.js";

/** A server entry in a client's file. */
export type ClientEntry = Readonly<Record<string, unknown>>;

/** One client. */
export interface Client {
  /** Its id on the command line. */
  readonly id: string;
  readonly label: string;
  readonly format: "json" | "toml";
  /** The member of the file that contains the servers by name. */
  readonly member: "mcpServers" | "servers" | "mcp_servers";
  /** Its file in a project folder. */
  readonly project?: string;
  /** Its file for one user. */
  readonly personal: (machine: Machine) => string;
  /** Additional members of a local server. */
  readonly local?: ClientEntry;
  /** How its project file names the project's folder. Absent: a server starts in it. */
  readonly folder?: string;
  /**
   * The entry of a server with a URL. The key is a reference to the environment or to a prompt. Absent if the file
   * supports commands only.
   */
  readonly remote?: (url: string) => ClientEntry;
  /** An entry of `inputs` that prompts for the key. */
  readonly input?: { readonly id: string } & ClientEntry;
}

/** What the file locations depend on. */
export interface Machine {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The folder for program settings. */
function settingsFolder({ home, platform, env }: Machine): string {
  if (platform === "darwin") return join(home, "Library", "Application Support");
  if (platform === "win32") return env["APPDATA"] || join(home, "AppData", "Roaming");
  return env["XDG_CONFIG_HOME"] || join(home, ".config");
}

const bearer = (reference: string): ClientEntry => ({ Authorization: `Bearer ${reference}` });
const http = (reference: string) => (url: string) => ({ type: "http", url, headers: bearer(reference) });

/** Replaced with the folder that is open by editors that descend from VS Code. */
const WORKSPACE = "$" + "{workspaceFolder}";

/** All supported clients. */
export const CLIENTS: readonly Client[] = [
  {
    id: "claude-desktop",
    label: "Claude Desktop",
    format: "json",
    member: "mcpServers",
    personal: (machine) => join(settingsFolder(machine), "Claude", "claude_desktop_config.json"),
  },
  {
    id: "claude-code",
    label: "Claude Code",
    format: "json",
    member: "mcpServers",
    project: ".mcp.json",
    personal: ({ home }) => join(home, ".claude.json"),
    local: { type: "stdio" },
    remote: http(`\${${OWN_KEY}}`),
  },
  {
    id: "cursor",
    label: "Cursor",
    format: "json",
    member: "mcpServers",
    project: ".cursor/mcp.json",
    folder: WORKSPACE,
    personal: ({ home }) => join(home, ".cursor", "mcp.json"),
    remote: (url) => ({ url, headers: bearer(`\${env:${OWN_KEY}}`) }),
  },
  {
    id: "vscode",
    label: "VS Code",
    format: "json",
    member: "servers",
    project: ".vscode/mcp.json",
    folder: WORKSPACE,
    personal: (machine) => join(settingsFolder(machine), "Code", "User", "mcp.json"),
    local: { type: "stdio" },
    remote: http(`\${input:${OWN_KEY}}`),
    input: { type: "promptString", id: OWN_KEY, description: "Key for toolwright", password: true },
  },
  {
    id: "windsurf",
    label: "Windsurf",
    format: "json",
    member: "mcpServers",
    personal: ({ home }) => join(home, ".codeium", "windsurf", "mcp_config.json"),
    remote: (url) => ({ serverUrl: url, headers: bearer(`\${env:${OWN_KEY}}`) }),
  },
  {
    id: "codex",
    label: "Codex",
    format: "toml",
    member: "mcp_servers",
    project: ".codex/config.toml",
    personal: ({ home, env }) => join(env["CODEX_HOME"] || join(home, ".codex"), "config.toml"),
    remote: (url) => ({ url, bearer_token_env_var: OWN_KEY }),
  },
];

/** The common form, for a client that is not in the table; it has no file. */
export const ANY_CLIENT = {
  id: "json",
  label: "any other client",
  format: "json",
  member: "mcpServers",
  remote: http(`\${${OWN_KEY}}`),
} as const satisfies Omit<Client, "personal">;

/** The program of this package, installed or checked out. */
const INSTALLED = /(?:^|[\\/])toolwright[\\/](?:dist[\\/])?generator[\\/](?:main\.js|launch\.mjs)$/;
const PROGRAM =
  /(?:^|[\\/@])toolwright(?:@[^\\/]*)?(?:\.(?:cmd|exe))?$|(?:^|[\\/])generator[\\/](?:main\.js|launch\.mjs)$/;

/**
 * Whether an entry starts or connects to toolwright itself.
 *
 * @param name - the name of the entry, by which one at a URL that asks for no key is known
 */
export function isToolwright(entry: ClientEntry, name: string): boolean {
  const { command, args } = entry;
  const words = [command, ...(Array.isArray(args) ? args : [])].map(String);
  return (
    words.some((one) => INSTALLED.test(one)) ||
    words.some((one, i) => PROGRAM.test(one) && words.slice(i + 1).some((word) => /^(?:serve|client)$/.test(word))) ||
    (command === undefined && (name === "toolwright" || JSON.stringify(entry).includes(OWN_KEY)))
  );
}

/** What an entry is compared with: the project, and the scope of the file that has the entry. */
export interface Compared {
  /** Absolute path of the project. */
  readonly root: string;
  readonly scope: ClientFile["scope"];
  /** The entry that is to be written. */
  readonly entry: ClientEntry;
}

/**
 * Whether an entry that {@link isToolwright} is about this project: it has the same folder or URL. In a file of the project, an entry
 * with a folder may replace one with a URL.
 */
export function isOfProject(there: ClientEntry, { root, scope, entry }: Compared): boolean {
  const url = ({ url: one, serverUrl }: ClientEntry): unknown => one ?? serverUrl;
  if (url(there) !== undefined) return url(there) === url(entry) || (url(entry) === undefined && scope === "project");
  const words = Array.isArray(there["args"]) ? there["args"].map(String) : [];
  if (words.includes("client")) return false;
  const at = words.findIndex((word) => /^--root(?:=|$)/.test(word));
  const given = at < 0 ? there["cwd"] : words[at]?.split("=").slice(1).join("=") || words[at + 1];
  // A file of the project names its folder by a variable, or starts the server in it.
  const folder = String(given ?? ".").replace(/^\$\{workspaceFolder\}/, ".");
  if (isAbsolute(folder)) return resolve(folder) === resolve(root);
  return scope === "project" && resolve(root, folder) === resolve(root);
}

/** One configuration file of a client. */
export interface ClientFile {
  readonly client: Client;
  /** Absolute path. */
  readonly path: string;
  /** Whether it belongs to the project or to the user. */
  readonly scope: "project" | "personal";
}

/** This machine. */
export const thisMachine = (): Machine => ({ home: homedir(), platform: process.platform, env: process.env });

/** The files of a client, whether or not they exist: the project's first. */
export function filesOf(client: Client, root: string, machine: Machine): readonly ClientFile[] {
  const own = client.project === undefined ? [] : [join(root, client.project)];
  return [
    ...own.map((path) => ({ client, path, scope: "project" as const })),
    { client, path: client.personal(machine), scope: "personal" },
  ];
}
