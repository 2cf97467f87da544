/** MCP clients and where each keeps its servers: what `init` imports from, and `connect` writes to. */

import { homedir } from "node:os";
import { join } from "node:path";

/** One client. */
export interface Client {
  /** What a person types. */
  readonly id: string;
  readonly label: string;
  readonly format: "json" | "toml";
  /** The member of the file that holds the servers, by name. */
  readonly member: "mcpServers" | "servers" | "mcp_servers";
  /** Its file in a project's folder. */
  readonly project?: string;
  /** Its file for one person. */
  readonly personal: (machine: Machine) => string;
}

/** What the places depend on. */
export interface Machine {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Where programs keep their settings. */
function settingsFolder({ home, platform, env }: Machine): string {
  if (platform === "darwin") return join(home, "Library", "Application Support");
  if (platform === "win32") return env["APPDATA"] || join(home, "AppData", "Roaming");
  return env["XDG_CONFIG_HOME"] || join(home, ".config");
}

/** Every client that this version knows. */
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
  },
  {
    id: "cursor",
    label: "Cursor",
    format: "json",
    member: "mcpServers",
    project: ".cursor/mcp.json",
    personal: ({ home }) => join(home, ".cursor", "mcp.json"),
  },
  {
    id: "vscode",
    label: "VS Code",
    format: "json",
    member: "servers",
    project: ".vscode/mcp.json",
    personal: (machine) => join(settingsFolder(machine), "Code", "User", "mcp.json"),
  },
  {
    id: "windsurf",
    label: "Windsurf",
    format: "json",
    member: "mcpServers",
    personal: ({ home }) => join(home, ".codeium", "windsurf", "mcp_config.json"),
  },
  {
    id: "codex",
    label: "Codex",
    format: "toml",
    member: "mcp_servers",
    project: ".codex/config.toml",
    personal: ({ home, env }) => join(env["CODEX_HOME"] || join(home, ".codex"), "config.toml"),
  },
];

/** One place where a client may keep servers. */
export interface ClientFile {
  readonly client: Client;
  /** Absolute. */
  readonly path: string;
  /** Whether it belongs to the project, or to a person. */
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
