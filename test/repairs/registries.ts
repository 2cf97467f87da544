/** The three registries of the benchmark: the worked example, an HTTP API, and MCP servers of others. */

import { readFileSync } from "node:fs";
import type { Registry } from "../../runtime/contract/registry.js";
import { hasCorpora, snapshotFiles } from "../support/corpora.js";
import { openapi, openapiProject, registryOf } from "../support/generator-host.js";
import { CODE_HOST } from "./github.js";

/** A registry under its name in reports. */
export type Named = readonly [name: string, registry: Registry];

/** Servers whose tools are unlike each other: chat, issues, tables, files. */
const SERVERS = [
  "modelcontextprotocol__server-slack.json",
  "backlog-mcp-server.json",
  "airtable-mcp-server.json",
  "modelcontextprotocol__server-filesystem.json",
];

/** The registries; without the corpora, the first two. */
export async function registries(): Promise<readonly Named[]> {
  const api = await registryOf(openapiProject(openapi({}, CODE_HOST)));
  return [["example", example()], ["api", api], ...(hasCorpora ? [["mcp", await servers()] as const] : [])];
}

function example(): Registry {
  const file = new URL("../../generated/registry.json", import.meta.url);
  const registry = JSON.parse(readFileSync(file, "utf8")) as Registry;
  return { ...registry, tools: registry.tools.filter(({ group }) => group === "onto" || group === "util") };
}

async function servers(): Promise<Registry> {
  const files = snapshotFiles().filter(([name]) => SERVERS.includes(name));
  const sources = files.map(([name]) => `{ mcp: servers/${name} }`).join(", ");
  const texts = Object.fromEntries(files.map(([name, text]) => [`servers/${name}`, text]));
  return registryOf({ "toolwright.yaml": `use: []\nsources: [${sources}]\n`, ...texts });
}
