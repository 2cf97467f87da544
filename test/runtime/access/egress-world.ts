/** The project of the egress test: transports to one server process, secrets of every kind, and all output of the process. */

import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import LibsqlDatabase from "libsql";
import { type HttpServed, LIST, MODERN, type RawAnswer, raw } from "../../support/http.js";
import type { Json } from "../../support/project.js";
import { ask } from "../../support/servers/socket-server.js";

const CALLS = fileURLToPath(new URL("../../support/upstream/calls.mjs", import.meta.url));

const variable = (name: string): string => `$\{${name}}`;

/** The configuration; what `env` and `headers` name is in `.onetool/secrets.yaml`. */
export const configOf = (web: string): string =>
  JSON.stringify({
    use: ["ot", "proj", "web", "oubliette"],
    sources: [{ functions: "careless.ts" }, { mcp: "servers/*.json" }],
    access: { local: "admin", allow_write: true, rate: { burst: 10_000, per_second: 10_000 } },
    servers: {
      far: { command: process.execPath, args: [CALLS, "{}"], env: { FAR_TOKEN: variable("EGRESS_ENV") } },
      web2: { url: `${web}/mcp`, headers: { "X-Token": variable("EGRESS_HEADER") } },
      signed: { url: `${web}/signed/mcp` },
    },
    stats: { enabled: true },
    log: { level: "trace", file: ".onetool/log/all.log" },
  });

/** Calls a tool with a key, or as the local caller; the whole answer as text. */
export type CallTool = (tool: string, args: object) => Promise<string>;

const call = (name: string, args: object) => ({ ...LIST, method: "tools/call", params: { name, arguments: args } });

/** Over HTTP. */
export const overHttp =
  (url: string, key: string): CallTool =>
  async (name, args) =>
    (await raw(url, { body: call(name, args), headers: { authorization: `Bearer ${key}` } })).text;

/** Over HTTP in the newest protocol, where each request names the client. */
export const overModernHttp = (url: string, key: string, client: string): Promise<RawAnswer> => {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": { name: client, version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { name: "tool_exec", arguments: { op: "ot.version" }, _meta: meta };
  return raw(url, {
    body: { ...LIST, method: "tools/call", params },
    headers: {
      authorization: `Bearer ${key}`,
      "mcp-protocol-version": MODERN,
      "mcp-method": "tools/call",
      "mcp-name": "tool_exec",
    },
  });
};

/** Over the socket, which has no `run`. */
export const overSocket =
  (path: string, key: string): CallTool =>
  (tool, args) =>
    ask(path, {
      jsonrpc: "2.0",
      id: 1,
      method: "oubliette_call_tool",
      params: { api_key: key, tool, arguments: args },
    });

/** Over the process's own standard input and output. */
export function overStdio({ child }: HttpServed): CallTool {
  const waiting = new Map<unknown, (line: string) => void>();
  let last = 0;
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
    waiting.get(JSON.parse(line).id)?.(line);
  });
  const send = (message: object): Promise<string> => {
    const id = ++last;
    child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...message })}\n`);
    return new Promise((resolve) => waiting.set(id, resolve));
  };
  const clientInfo = { name: "egress", version: "1" };
  const ready = send({
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
  });
  return async (name, args) => {
    await ready;
    return send({ method: "tools/call", params: { name, arguments: args } });
  };
}

/** The envelope in an answer of any transport. */
export function envelopeIn(answer: string): Json {
  // Notices come before the answer.
  const [, last] = [...answer.matchAll(/^data: (.*)$/gm)].at(-1) ?? [];
  const { result, error } = JSON.parse(last ?? answer);
  return error ?? result.structuredContent;
}

/** What is looked for of a secret: all of it, either half of what is secret in it, and both in other clothes. */
export function formsOf(secret: string): readonly string[] {
  const core = secret.replace(/^oub_[a-z2-7]{10}_/, "");
  const half = Math.ceil(core.length / 2);
  const parts = [core, core.slice(0, half), core.slice(half)];
  const dressed = [secret, core].flatMap((one) => {
    const bytes = Buffer.from(one);
    const base64 = [0, 1, 2].map((skip) => bytes.subarray(skip).toString("base64").slice(0, -4));
    return [...base64, ...base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")), bytes.toString("hex")];
  });
  return [...new Set([...parts, ...dressed, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])];
}

/** Text by where it was found. */
export type Written = ReadonlyMap<string, string>;

/** Where a secret is in what was written. */
export function leaks(written: Written, secrets: ReadonlyMap<string, string>): readonly string[] {
  return [...secrets].flatMap(([name, secret]) => {
    const forms = formsOf(secret);
    return [...written].flatMap(([where, text]) => {
      const found = forms.find((form) => text.includes(form));
      return found === undefined ? [] : [`${name} in ${where}: …${around(text, found)}…`];
    });
  });
}

const around = (text: string, found: string): string => {
  const at = text.indexOf(found);
  return `${text.slice(Math.max(0, at - 120), at)}<HERE>${text.slice(at + found.length, at + found.length + 40)}`;
};

/** Where secrets have their place. */
const KEPT = [".onetool/secrets.yaml", ".onetool/oauth/"];

/** Every file below a root but links and those where secrets have their place, and the tables of the database as text. */
export function filesOf(root: string): Map<string, string> {
  const written = new Map<string, string>();
  const visit = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      const name = relative(root, path);
      if (entry.isDirectory()) visit(path);
      else if (entry.isFile() && !KEPT.some((kept) => name.startsWith(kept)))
        written.set(name, readFileSync(path, "latin1"));
    }
  };
  visit(root);
  for (const [table, text] of tablesOf(join(root, ".onetool", "state.db"))) written.set(`table ${table}`, text);
  return written;
}

function tablesOf(path: string): readonly (readonly [string, string])[] {
  statSync(path);
  const db = new LibsqlDatabase(path, { readonly: true });
  try {
    const tables = db.prepare("select name from sqlite_master where type = 'table'").all() as { name: string }[];
    return tables.map(({ name }) => [name, JSON.stringify(db.prepare(`select * from "${name}"`).all())]);
  } finally {
    db.close();
  }
}

/** Writes the secrets of a root, and the tokens of a server whose time is over. */
export const secretsText = (secrets: ReadonlyMap<string, string>): string =>
  [...secrets].map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`).join("");

/** Tokens of an authorization that has ended. */
export const tokensText = (url: string, access: string, refresh: string): string =>
  JSON.stringify({
    url,
    redirect: "http://127.0.0.1:1/callback",
    client: { client_id: "c" },
    tokens: { access_token: access, refresh_token: refresh, token_type: "Bearer", expires_in: 1 },
  });

/** Writes a file that only its owner may read. */
export const writePrivate = (path: string, text: string): void => writeFileSync(path, text, { mode: 0o600 });
