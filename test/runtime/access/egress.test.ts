/**
 * No secret leaves the process but in the one answer that makes it: a real project
 * is used over every transport, by callers who are careless with their keys, and then all that was written is searched.
 *
 * @module-tag full
 */

import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LIST, raw, serveHttp } from "../../support/http.js";
import { CHECKOUT, type Json, temporaryFolder, toolwright } from "../../support/project.js";
import { ask, type MadeKey, makeKey } from "../../support/servers/socket-server.js";
import { listening, mcpRoute } from "../../support/upstream/http.js";
import {
  type CallTool,
  configOf,
  envelopeIn,
  filesOf,
  leaks,
  overHttp,
  overModernHttp,
  overSocket,
  overStdio,
  secretsText,
  tokensText,
  writePrivate,
} from "./egress-world.js";

const SLOW = 300_000;
const OTHER = {
  EGRESS_HANDLER: "h4ndl3r+secret/of=the~project~0123456789",
  EGRESS_ENV: "Env1ronment-secret-of-an-upstream-9876543210",
  EGRESS_HEADER: "H3ader-secret-of-an-upstream-abcdefghijklmn",
};
const ACCESS = "acc3ss-t0ken-of-an-authorization-that-ended";
const REFRESH = "refr3sh-t0ken-of-an-authorization-that-ended";

/** A server that lists tools, and repeats in what goes wrong what it was sent. */
async function repeatingServer() {
  const tool = (name: string) => ({
    name,
    inputSchema: { type: "object", properties: {} },
    annotations: { readOnlyHint: true },
  });
  const lists = mcpRoute([tool("look")]);
  let isGuarded = false;
  const route = (request: IncomingMessage, response: ServerResponse, body: string, origin: string) => {
    const isSigned = request.url?.startsWith("/signed/") ?? false;
    if (!body.includes("tools/call") && !(isSigned && isGuarded)) return lists(request, response, body, origin);
    const { "x-token": token = "", authorization = "" } = request.headers;
    response.writeHead(isSigned ? 401 : 500, { "content-type": "text/plain" });
    response.end(`you sent ${token} ${authorization}; have ${process.env["HOME"]}`);
  };
  const { origin } = await listening(route);
  return {
    origin,
    guard: (): void => {
      isGuarded = true;
    },
  };
}

async function command(...args: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await toolwright(args);
  if (code !== 0) throw new Error(`${args.join(" ")}: ${stdout}${stderr}`);
}

/** A project with secrets of every kind, ready to be served. */
async function project() {
  const root = temporaryFolder();
  const { origin, guard } = await repeatingServer();
  cpSync(join(CHECKOUT, "test/support/demos/egress-demo/definitions"), join(root, "definitions"), { recursive: true });
  writeFileSync(join(root, "definitions", "toolwright.yaml"), configOf(origin));
  mkdirSync(join(root, "node_modules"));
  symlinkSync(CHECKOUT, join(root, "node_modules", "toolwright"));
  mkdirSync(join(root, ".onetool", "oauth"), { recursive: true, mode: 0o700 });
  writePrivate(join(root, ".onetool", "secrets.yaml"), secretsText(new Map(Object.entries(OTHER))));
  await command("snapshot", "far", "web2", "signed", "--root", root);
  await command("generate", "--root", root);
  writePrivate(join(root, ".onetool", "oauth", "signed.json"), tokensText(`${origin}/signed/mcp`, ACCESS, REFRESH));
  guard();
  return root;
}

/** Calls every op of the pack once; the ids and the keys that it made. */
async function everyOp(call: CallTool, name: string): Promise<readonly string[]> {
  const exec = async (op: string, args: object, more: object = {}): Promise<Json> => {
    const { ok, result, error } = envelopeIn(await call("tool_exec", { op: `oubliette.${op}`, args, ...more }));
    if (!ok) throw new Error(`${op}: ${JSON.stringify(error)}`);
    return result;
  };
  const { id: project_id } = await exec("project.create", { name });
  for (const op of ["project.list", "project.options"]) await exec(op, {});
  await exec("project.get", { project_id });
  await exec("project.update", { project_id, description: "new" });
  const { id: workspace_id } = await exec("workspace.create", { project_id, name: "w" });
  await exec("workspace.list", { project_id });
  const { id: session_id } = await exec("session.create", { project_id, workspace_id });
  await exec("session.list", { project_id });
  await exec("session.get", { session_id });
  await exec("session.message", { session_id, text: "hello" });
  await exec("session.events", { session_id });
  await exec("session.end", { session_id });
  await exec("session.cleanup", { project_id, older_than_hours: 1 });
  await exec("workspace.delete", { workspace_id });
  const keyed = { idempotency_key: `key of ${name}` };
  const made = await exec("token.create", { name: "keyed", scope: "read" }, keyed);
  const again = await call("tool_exec", {
    op: "oubliette.token.create",
    args: { name: "keyed", scope: "read" },
    ...keyed,
  });
  expect(envelopeIn(again)).toMatchObject({ ok: false, error: { code: "CONFLICT" } });
  expect(again).not.toContain(made.key.slice(15));
  const own = await exec("token.create", { name: "own", scope: `project:${project_id}` });
  await exec("token.list", { include_revoked: true });
  await exec("token.revoke", { key_id: own.key_id });
  await exec("project.delete", { project_id });
  return [made.key, own.key];
}

/** Code that makes keys and shows them in every way that code has; what it was answered. */
async function codeWithKeys(call: CallTool): Promise<readonly string[]> {
  const make = 'k = oubliette.token.create(name="r", scope="read")';
  const run = (lines: string) => call("run", { command: lines });
  const answers = [
    await run(`${make}\nprint(k)\nk["key"]`),
    await run(`${make}\n[k] * 2000`),
    await run(`${make}\n__format__ = "yml"\n"\\n".join([k["key"]] * 3000)`),
    await run(`${make}\nraise ValueError(k["key"])`),
    await run(`${make}\noubliette.project.get(project_id=k["key"])`),
    await run(`${make}\not.batch(calls=[["oubliette.project.get", {"project_id": k["key"]}]])`),
  ];
  expect(answers[1]).toContain("handle");
  expect(answers[2]).toContain("handle");
  const listed = envelopeIn(
    await call("tool_exec", { op: "ot.result", args: { handle: handleIn(answers[1]), limit: 1000 } }),
  );
  expect(JSON.stringify(listed)).toContain("_***");
  return answers;
}

const handleIn = (answer = ""): string => /handle[\\": ]+([0-9a-f]{12})/.exec(answer)?.[1] ?? "none";

/** Keys in the text of answers. */
const keysIn = (texts: readonly string[]): readonly string[] =>
  texts.flatMap((text) => text.match(/oub_[a-z2-7]{10}_[A-Za-z0-9_-]{43}/g) ?? []);

/** Calls that go wrong, with a key in all that a caller can put one into; what was answered. */
async function mistakes(call: CallTool, key: string): Promise<readonly string[]> {
  const exec = (op: string, args: object = {}, more: object = {}) => call("tool_exec", { op, args, ...more });
  return [
    await exec(key),
    await exec(`oubliette.${key}`),
    await exec("oubliette.project.get", { project_id: key }),
    await exec("oubliette.project.get", { [key]: 1 }),
    await exec("oubliette.session.message", { session_id: `ses_${key}`, text: 7 }),
    await exec("oubliette.token.create", { name: `${key}${key}`, scope: key }),
    await exec("oubliette.token.revoke", { key_id: key }),
    await exec("oubliette.project.list", { cursor: key }),
    await exec("oubliette.project.list", { limit: key }),
    await exec("oubliette.project.get", { project_id: 1 }, { idempotency_key: `${key}\n`, dry_run: key }),
    await exec("ot.result", { handle: key }),
    await exec("ot.result", { handle: "0".repeat(12), search: `(${key}` }),
    await exec("ot.stats", { tool: key, period: key }),
    await exec("ot.notify", { topic: key, message: key }),
    await exec("ot.tools", { pattern: key, info: key }),
    await exec("ot.help", { query: key, info: key }),
    await exec("proj.path", { name: key }),
    await exec("web.fetch", { url: `http://127.0.0.1:1/?key=${key}` }),
    await call("tool_help", { path: key, format: key }),
    await call("tool_batch", {
      ops: [{ op: key, id: key }, { path: key }, { op: "ot.version", args: key, [key]: 1 }],
      mode: key,
    }),
    await call(key, { command: key }),
  ];
}

/** Like {@link mistakes}, for transports with `run`. */
const codeMistakes = (call: CallTool, key: string): Promise<readonly string[]> =>
  Promise.all(
    [`${key}`, `$${key}`, `$a b=${key}`, `x = "${key}`, `import ${key}`, `ot.${key}()`, `raise KeyError("${key}")`].map(
      (command) => call("run", { command }),
    ),
  );

/** Requests over HTTP with a key in the wrong place. */
async function strayKeys(url: string, key: string): Promise<readonly string[]> {
  const good = { authorization: `Bearer ${key}` };
  const request = (method: string, params: object) => raw(url, { body: { ...LIST, method, params }, headers: good });
  const all = await Promise.all([
    raw(url, { path: `/mcp?api_key=${key}` }),
    raw(url, { path: `/${key}`, method: "GET" }),
    raw(url, { headers: { authorization: key } }),
    raw(url, { headers: { authorization: `Basic ${Buffer.from(`u:${key}`).toString("base64")}` } }),
    raw(url, { headers: { "x-api-key": key, cookie: `key=${key}`, "mcp-session-id": key } }),
    raw(url, { headers: { ...good, origin: `http://${key}.example` } }),
    raw(url, { headers: { ...good, "mcp-protocol-version": key, "mcp-session-id": key } }),
    raw(url, { headers: { ...good, "content-type": key } }),
    raw(url, { headers: good, body: `{"key": "${key}"` }),
    raw(url, { headers: good, body: { jsonrpc: "2.0", id: 1, method: key, params: { [key]: key } } }),
    raw(url, { headers: good, body: { jsonrpc: key, id: { key }, method: "ping" } }),
    request("resources/read", { uri: `onetool://tool/${key}` }),
    request("prompts/get", { name: key, arguments: { [key]: key } }),
    request("completion/complete", { ref: { type: "ref/prompt", name: key }, argument: { name: key, value: key } }),
    request("resources/subscribe", { uri: key }),
    request("logging/setLevel", { level: key }),
    overModernHttp(url, key, `${key} and more`),
  ]);
  return all.map(({ text }) => text);
}

/** Lines of the socket with a key where none belongs. */
const strayLines = (path: string, key: string): Promise<readonly string[]> =>
  Promise.all([
    ask(path, { jsonrpc: "2.0", id: key, method: key, params: { api_key: key } }),
    ask(path, {
      jsonrpc: "2.0",
      id: 1,
      method: "oubliette_call_tool",
      params: { api_key: [key], tool: key, [key]: 1 },
    }),
    ask(path, { jsonrpc: "2.0", id: 1, method: "oubliette_call_tool", params: { api_key: key, tool: key } }),
    ask(path, { jsonrpc: "2.0", id: 1, method: "oubliette_tools", params: { api_key: `${key}x`, view: key } }),
    ask(path, { jsonrpc: key, id: 1, method: "ping" }),
  ]);

test("no secret is in anything that a server writes, over every transport", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const root = await project();
  const keys: Record<string, MadeKey> = {};
  for (const scope of ["admin", "read"]) keys[scope] = await makeKey(root, scope);
  const { key } = keys["admin"] as MadeKey;
  const server = await serveHttp(root, ["--socket", "--stdio", "--log-level", "trace"]);
  await expect.poll(server.stderr).toMatch(/\/mcp\s[\s\S]*\.sock|\.sock[\s\S]*\/mcp/);
  const [, path = ""] = /listening on (\S+\.sock)/.exec(server.stderr()) ?? [];
  const [, url = ""] = /listening on (\S+\/mcp)/.exec(server.stderr()) ?? [];
  const transports = { http: overHttp(url, key), socket: overSocket(path, key), stdio: overStdio(server) };

  const made: string[] = [];
  for (const [name, call] of Object.entries(transports)) made.push(...(await everyOp(call, name)));
  for (const call of [transports.http, transports.stdio]) made.push(...keysIn(await codeWithKeys(call)));
  expect(new Set(made).size).toBeGreaterThanOrEqual(8);

  const wrong: string[] = [...(await strayKeys(url, key)), ...(await strayLines(path, key))];
  for (const call of Object.values(transports)) wrong.push(...(await mistakes(call, key)));
  for (const call of [transports.http, transports.stdio]) wrong.push(...(await codeMistakes(call, key)));
  for (const how of ["throw", "fail", "log", "error", "not at all"])
    wrong.push(await transports.stdio("tool_exec", { op: "careless.slip", args: { how } }));
  for (const op of ["far.refuses", "far.die", "web2.look", "signed.look"]) {
    const answer = await transports.http("tool_exec", { op, args: {} });
    expect(envelopeIn(answer), op).toMatchObject({ ok: false, error: { details: { server: op.split(".")[0] } } });
    wrong.push(answer);
  }
  wrong.push(await transports.http("tool_exec", { op: "ot.stats", args: { output: "stats.html" } }));
  wrong.push(await transports.http("tool_exec", { op: "ot.health", args: {} }));
  wrong.push(await transports.stdio("tool_exec", { op: "ot.reload", args: {} }));
  server.signal("SIGTERM");
  expect(await server.exit).toBe(0);

  const own = new Map([
    ["admin", key],
    ["read", keys["read"]?.key ?? ""],
  ]);
  const secrets = new Map([...Object.entries(OTHER), ...own, ["access", ACCESS], ["refresh", REFRESH]]);
  for (const one of new Set(made)) secrets.set(one.slice(4, 14), one);
  const written = filesOf(root).set("stderr", server.stderr());
  const unknown = [...written].filter(([, text]) => keysIn([text]).length > 0).map(([where]) => where);
  for (const file of [".onetool/log/all.log", ".onetool/state.db", ".onetool/keys", "stats.html", "table audit"])
    expect(written.get(file)?.length, file).toBeGreaterThan(100);
  expect(leaks(written, secrets)).toEqual([]);
  // An answer may repeat what its caller has sent, and nothing else.
  secrets.delete("admin");
  const answers = new Map(wrong.map((text, at) => [`answer ${at}: ${text.slice(0, 80)}`, text]));
  expect(leaks(answers, secrets)).toEqual([]);
  // Of keys that were stored without being shown, only the form is known.
  expect(unknown).toEqual([]);
  // The search finds what is there.
  secrets.set("admin", key);
  expect(leaks(new Map([["x", `a ${Buffer.from(key).toString("base64")} b`]]), secrets)).toHaveLength(1);
  expect(
    leaks(new Map([["secrets", readFileSync(join(root, ".onetool", "secrets.yaml"), "latin1")]]), secrets),
  ).toHaveLength(3);
});
