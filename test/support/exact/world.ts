/** A project whose upstream servers of every kind read and write JSON as text, so that a test sees each byte on the wire. */

import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stringify } from "yaml";
import { temporaryFolder, toolwright } from "../project.js";

const RAW = fileURLToPath(new URL("raw-upstream.mjs", import.meta.url));
const { rawAnswer } = (await import(/* @vite-ignore */ RAW)) as { rawAnswer(line: string): string | undefined };

/** The scripted answer of the OpenAPI source, and its last request. */
export interface Api {
  answer: string;
  body: string;
  url: string;
}

export interface World {
  readonly root: string;
  readonly api: Api;
}

const API = {
  openapi: "3.0.3",
  info: { title: "api", version: "1" },
  paths: {
    "/items": {
      get: {
        operationId: "listItems",
        parameters: [{ name: "after", in: "query", schema: { type: "integer" } }],
        responses: { 200: { description: "ok", content: { "application/json": { schema: {} } } } },
      },
    },
    "/items/{id}": {
      post: {
        operationId: "putItem",
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }],
        requestBody: {
          content: { "application/json": { schema: { type: "object", properties: { value: {}, amount: {} } } } },
        },
        responses: { 200: { description: "ok", content: { "application/json": { schema: {} } } } },
      },
    },
  },
};

const PLAIN = `/** Tools of the project itself. */

export const pack = { summary: "Tools of the project itself." };

/**
 * Answers what it was given.
 *
 * @param args.id - a number
 * @kind read
 */
export function given({ id }: { id: number }): { id: number; kind: string } {
  return { id, kind: typeof id };
}

/**
 * Gives a value back.
 *
 * @kind read
 */
export function anything({ value }: { value: unknown }): unknown {
  return value;
}
`;

/** A generated root with the servers `raw` (stdio), `web` (HTTP, JSON) and `events` (HTTP, streams), the API `api` and the pack `plain`. */
export async function exactWorld(remove: (clean: () => void) => void, settings: object = {}): Promise<World> {
  const api: Api = { answer: "null", body: "", url: "" };
  const origin = await listen(route(api), remove);
  const root = temporaryFolder(remove);
  mkdirSync(join(root, "definitions"));
  const read = { kind: "read" };
  const config = {
    use: ["ot"],
    sources: [{ mcp: "servers/*.json" }, { openapi: "api.yaml", server: `${origin}/api` }, { functions: "plain.ts" }],
    servers: {
      raw: { command: process.execPath, args: [RAW] },
      web: { url: `${origin}/mcp` },
      events: { url: `${origin}/events` },
    },
    ops: Object.fromEntries(["raw/echo", "raw/say", "raw/tell"].map((name) => [name, read])),
    ...settings,
  };
  writeFileSync(join(root, "definitions", "toolwright.yaml"), stringify(config));
  writeFileSync(join(root, "definitions", "api.yaml"), stringify(API));
  writeFileSync(join(root, "definitions", "plain.ts"), PLAIN);
  for (const command of ["snapshot", "generate"]) {
    const { code, stdout, stderr } = await toolwright([command, "--root", root]);
    if (code !== 0) throw new Error(stdout + stderr);
  }
  return { root, api };
}

const route =
  (api: Api): RequestListener =>
  async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const { url = "" } = request;
    if (url.startsWith("/api")) {
      Object.assign(api, { body, url });
      return void response.writeHead(200, { "content-type": "application/json" }).end(api.answer);
    }
    const answer = request.method === "POST" ? rawAnswer(body) : undefined;
    if (request.method !== "POST") return void response.writeHead(405).end();
    if (answer === undefined) return void response.writeHead(202).end();
    if (url === "/mcp") return void response.writeHead(200, { "content-type": "application/json" }).end(answer);
    response.writeHead(200, { "content-type": "text/event-stream" });
    // In pieces, as a slow network has them.
    const bytes = Buffer.from(`event: message\ndata: ${answer}\n\n`);
    for (let at = 0; at < bytes.length; at += 97) response.write(bytes.subarray(at, at + 97));
    response.end();
  };

async function listen(listener: RequestListener, remove: (clean: () => void) => void): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  remove(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
