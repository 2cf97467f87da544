/** Servers over HTTP for tests: the real process, clients of both SDKs and both protocol eras, and requests made by hand. */

import { type ChildProcess, spawn } from "node:child_process";
import { request as send } from "node:http";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OlderTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport as OlderBase } from "@modelcontextprotocol/sdk/shared/transport.js";
import { onTestFinished } from "vitest";
import { CHECKOUT, type Json, serverCommand } from "./project.js";

/** A server process that prints its address. */
export interface HttpServed {
  readonly url: string;
  readonly child: ChildProcess;
  /** What it has written to stderr. */
  stderr(): string;
  /** The exit code, or the name of the signal that ended it. */
  readonly exit: Promise<number | string>;
  signal(name: NodeJS.Signals): void;
}

/** Starts `toolwright serve --http` on a root and a port, by default a free one, and ends it after the test. */
export async function serveHttp(
  root: string,
  flags: readonly string[] = [],
  remove: (clean: () => Promise<void>) => void = onTestFinished,
  port = 0,
): Promise<HttpServed> {
  const { command, args } = serverCommand(root, ["--http", String(port), ...flags]);
  const child = spawn(
    command,
    args.filter((one) => one !== "--stdio" || flags.includes(one)),
    { cwd: CHECKOUT, stdio: ["pipe", "pipe", "pipe"] },
  );
  const exit = new Promise<number | string>((resolve) => {
    child.once("exit", (code, signal) => resolve(code ?? signal ?? ""));
  });
  remove(async () => {
    child.kill("SIGKILL");
    await exit;
  });
  let stderr = "";
  const url = new Promise<string>((resolve, reject) => {
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
      const [, found] = /listening on (http\S+)/.exec(stderr) ?? [];
      if (found) resolve(found);
    });
    void exit.then((code) => reject(new Error(`ended with ${code}: ${stderr}`)));
  });
  return { url: await url, child, stderr: () => stderr, exit, signal: (name) => void child.kill(name) };
}

/** A server process that serves on stdio, over HTTP and on a Unix domain socket at once. */
export interface ServedEverywhere extends HttpServed {
  /** Path of the socket. */
  readonly socket: string;
}

/** Starts `toolwright serve --stdio --http 0 --socket` on a root, and ends it after the test. */
export async function serveEverywhere(
  root: string,
  flags: readonly string[] = [],
  remove: (clean: () => Promise<void>) => void = onTestFinished,
): Promise<ServedEverywhere> {
  const served = await serveHttp(root, ["--stdio", "--socket", ...flags], remove);
  const [, socket = ""] = /listening on (\S+\.sock)/.exec(served.stderr()) ?? [];
  return { ...served, socket };
}

/** What tests ask of a client, whichever it is. */
export interface AnyClient {
  /** Names of the tools. */
  tools(): Promise<readonly string[]>;
  /** Structured content of a call. */
  call(name: string, args: object, options?: CallOptions): Promise<Json>;
  close(): Promise<void>;
}

/** How a call is made. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { readonly progress: number; readonly total?: number | undefined }) => void;
}

const INFO = { name: "test", version: "1" };
/** The newest protocol, which has neither sessions nor `initialize`. */
export const MODERN = "2026-07-28";

async function current(url: string, versionNegotiation: Json): Promise<AnyClient> {
  const client = new Client(INFO, { versionNegotiation });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args, options = {}) =>
      (await client.callTool({ name, arguments: { ...args } }, options)).structuredContent,
    close: () => client.close(),
  };
}

async function older(url: string): Promise<AnyClient> {
  const client = new OlderClient(INFO);
  await client.connect(new OlderTransport(new URL(url)) as OlderBase);
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args, options = {}) =>
      (await client.callTool({ name, arguments: { ...args } }, undefined, options as Json)).structuredContent,
    close: () => client.close(),
  };
}

/** Every kind of client that there is. */
export const CLIENTS: readonly (readonly [name: string, connect: (url: string) => Promise<AnyClient>])[] = [
  ["the current SDK, older protocol", (url) => current(url, { mode: "legacy" })],
  [`the current SDK, ${MODERN}`, (url) => current(url, { mode: { pin: MODERN } })],
  ["the older SDK", older],
];

/** A request made by hand. */
export interface Raw {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | object;
}

/** What came back. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

const WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);
/** A message that any protocol takes. */
export const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const JSON_HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** Sends a request as it is given, `Host` included, on a connection of its own. */
export function raw(
  url: string,
  { method = "POST", path = "/mcp", headers = {}, body = LIST }: Raw = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const text = typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const options = {
      host: hostname.replace(/^\[|\]$/g, ""),
      port,
      method,
      path,
      headers: { ...JSON_HEADERS, ...headers },
      agent: false,
    };
    const request = send(options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    request.once("error", reject);
    request.end(WITH_BODY.has(method) ? text : undefined);
  });
}
