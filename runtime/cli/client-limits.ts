/**
 * Limits that a client's file has outside of its servers' entries: lists of servers that are allowed or left out, and patterns
 * over the names of tools. A server that they leave out is not imported; what cannot be kept is named.
 */

import type { Values } from "../contract/json.js";
import type { LostKey } from "./client-keys.js";
import { isPlainObject } from "./client-text.js";

/** What the rest of a file says of one server. */
export interface ServerLimits {
  /** The key that leaves the server out. */
  readonly excluded?: string;
  /** Tools that are not offered. */
  readonly except?: readonly string[];
  /** Keys that limit the server and are not kept. */
  readonly lost?: readonly LostKey[];
}

/** Clients with limits or units of their own, by the name of the file; the first that fits. */
const FILES: readonly (readonly [client: string, file: RegExp])[] = [
  ["gemini", /(?:^|[\\/])(?:settings|gemini-extension)\.json$/i],
  ["opencode", /(?:^|[\\/])opencode\.jsonc?$/i],
  ["claude-code", /(?:^|[\\/])\.(?:mcp|claude)\.json$/i],
  ["cline", /(?:^|[\\/])cline_mcp_settings\.json$/i],
  ["roo", /(?:^|[\\/])(?:\.roo[\\/]mcp|mcp_settings)\.json$/i],
  ["codex", /(?:^|[\\/])\.codex[\\/]config\.toml$/i],
];

/** The client whose file this is, if its name says so. */
export const clientOfFile = (path: string): string | undefined => FILES.find(([, file]) => file.test(path))?.[0];

const textsIn = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : undefined;

/** Keys of lists of servers, with where they stand: those that leave servers out, and those that leave out all others. */
const DENIED = [["mcp", "excluded"], ["disabledMcpjsonServers"], ["disabledMcpServers"]] as const;

const at = (values: Values, keys: readonly string[]): unknown =>
  keys.reduce<unknown>((value, key) => (isPlainObject(value) ? value[key] : undefined), values);

/**
 * What a file, and the files of its client beside it, say of a server.
 *
 * @param name - the name of the server in the file
 */
export function limitsOf(files: readonly Values[], name: string): ServerLimits {
  const denied = DENIED.find((keys) => files.some((one) => textsIn(at(one, keys))?.includes(name)));
  if (denied) return { excluded: denied.join(".") };
  const allowed = files.flatMap((one) => textsIn(at(one, ["mcp", "allowed"])) ?? []);
  if (allowed.length > 0 && !allowed.includes(name)) return { excluded: "mcp.allowed" };
  const approved = files.flatMap((one) => textsIn(one["enabledMcpjsonServers"]) ?? []);
  const isApproved = files.some((one) => one["enableAllProjectMcpServers"] === true) || approved.includes(name);
  const why = "its user has not approved this server there";
  const unapproved = approved.length > 0 && !isApproved ? [{ key: "enabledMcpjsonServers", why }] : [];
  const policy = policyLimits(files, name);
  const patterns = patternLimits(files, name);
  const { excluded = patterns.excluded } = policy;
  const lost = [...unapproved, ...(policy.lost ?? []), ...(patterns.lost ?? []), ...agentLimits(files, name)];
  return { ...patterns, ...(excluded === undefined ? {} : { excluded }), lost };
}

const OTHERWISE = "it names servers by command or address: see whether it names this one";

/** Lists of servers that an organization allows and denies (Claude Code): `{ serverName }`, or a command or an address. */
function policyLimits(files: readonly Values[], name: string): ServerLimits {
  const lost: LostKey[] = [];
  for (const key of ["deniedMcpServers", "allowedMcpServers"]) {
    const lists = files.map((one) => one[key]).filter((one) => Array.isArray(one));
    const entries = lists.flat();
    const isNamed = entries.some((one) => isPlainObject(one) && one["serverName"] === name);
    const isDenial = key === "deniedMcpServers";
    if (lists.length === 0 || (isNamed && !isDenial)) continue;
    const isSure = entries.every((one) => isPlainObject(one) && typeof one["serverName"] === "string");
    if (isNamed || (isSure && !isDenial)) return { excluded: key };
    if (!isSure) lost.push({ key, why: OTHERWISE });
  }
  return { lost };
}

const ONE_AGENT =
  "limits of one agent of the client are not kept: toolwright limits callers by the grants of their keys";

/** Limits of single agents (opencode): `agent.NAME.tools` and `agent.NAME.permission`. */
function agentLimits(files: readonly Values[], name: string): readonly LostKey[] {
  const agents = files.flatMap((one) => (isPlainObject(one["agent"]) ? Object.entries(one["agent"]) : []));
  return agents.flatMap(([agent, values]) => {
    const { excluded, except = [], lost = [] } = isPlainObject(values) ? patternLimits([values], name) : {};
    return excluded !== undefined || except.length > 0 || lost.length > 0
      ? [{ key: `agent.${agent}`, why: ONE_AGENT }]
      : [];
  });
}

const ASKS =
  "who asks before a call is the client that uses toolwright: let it ask, or use `approve` in toolwright.yaml";
const PARTLY = "patterns over names of tools are not kept: name the tools in servers.NAME.tools";

/** Patterns over tools (`server_tool`) of opencode: `tools` switches, `permission` decides. */
function patternLimits(files: readonly Values[], name: string): ServerLimits {
  const prefix = `${name.replace(/[^A-Za-z0-9_-]/g, "_")}_`;
  const except: string[] = [];
  const lost: LostKey[] = [];
  let excluded: string | undefined;
  for (const key of ["tools", "permission"]) {
    for (const [pattern, value] of files.flatMap((one) => Object.entries(isPlainObject(one[key]) ? one[key] : {}))) {
      const reach = reachOf(pattern, prefix);
      if (reach === undefined) continue;
      const named = `${key}.${pattern}`;
      const isOff = value === false || value === "deny";
      const isOn = value === true || value === "allow";
      if (isOff && reach === "all") excluded = named;
      else if (isOff && reach === "one") except.push(pattern.slice(prefix.length));
      else if (isOn && reach === "all") excluded = undefined;
      else if (!isOn) lost.push({ key: named, why: value === "ask" ? ASKS : PARTLY });
      else if (excluded !== undefined) lost.push({ key: named, why: PARTLY });
    }
  }
  // A pattern that lets some tools through makes it a limit in part, not the end of the server.
  const isPartly = lost.some(({ why }) => why === PARTLY);
  return { ...(excluded !== undefined && !isPartly ? { excluded } : {}), except, lost };
}

/** Which tools with a prefix a pattern may match; undefined for none. */
function reachOf(pattern: string, prefix: string): "all" | "one" | "some" | undefined {
  const star = pattern.search(/[*?]/);
  if (star < 0) return pattern.startsWith(prefix) && pattern.length > prefix.length ? "one" : undefined;
  const start = pattern.slice(0, star);
  if (/^\*+$/.test(pattern.slice(star)) && prefix.startsWith(start)) return "all";
  return start.startsWith(prefix) || prefix.startsWith(start) ? "some" : undefined;
}
