/** A project of one HTTP API, generated and served as a user would, and the API itself on loopback. */

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Loopback, serving } from "../runtime/packs/web/loopback.js";
import { CHECKOUT, type Json, serve, temporaryFolder, toolwright } from "./project.js";

/** A request as the API saw it. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

/** An API that keeps what it is asked, and answers by path. */
export interface Api extends Loopback {
  readonly seen: readonly Seen[];
}

/** How a path is answered. */
export type Answer = (seen: Seen, response: ServerResponse) => void;

/** Starts an API; a path that it does not know is answered with what it was asked. */
export async function startApi(answers: Readonly<Record<string, Answer>> = {}): Promise<Api> {
  const seen: Seen[] = [];
  const loopback = await serving(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { method = "", url = "", headers } = request;
    const one = { method, url, headers, body: Buffer.concat(parts) };
    seen.push(one);
    const answer = answers[url.split("?")[0] ?? ""] ?? echo;
    answer(one, response);
  });
  return { ...loopback, seen };
}

const echo: Answer = ({ method, url, body }, response) => {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ method, url, body: body.toString("utf8") }));
};

/** Answers with a status and JSON. */
export const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer =>
  (_, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  };

/** A root with one description, pack `api`, and its code generated. */
export function rootOf(paths: object, source: string, rest = ""): Promise<string> {
  const description = { openapi: "3.0.3", info: { title: "API", version: "1" }, paths };
  return rootOfFiles({ "api.json": JSON.stringify(description) }, source, rest);
}

/** A root with descriptions by file name, each the pack of that name, and its code generated. */
export async function rootOfFiles(files: Readonly<Record<string, string>>, source: string, rest = ""): Promise<string> {
  const root = temporaryFolder();
  mkdirSync(join(root, "definitions"));
  mkdirSync(join(root, "node_modules"));
  symlinkSync(CHECKOUT, join(root, "node_modules", "toolwright"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, "definitions", name), text);
  const sources = Object.keys(files).map((name) => `  - openapi: ${name}\n${source.replace(/^/gm, "    ")}\n`);
  writeFileSync(join(root, "definitions", "toolwright.yaml"), `use: []\nsources:\n${sources.join("")}${rest}`);
  const { code, stderr } = await toolwright(["generate", "--root", root]);
  if (code !== 0) throw new Error(stderr);
  return root;
}

/** Calls ops of a server that may write, until the test is over: one process for all of them. */
export async function caller(root: string): Promise<(op: string, args?: object) => Promise<Json>> {
  const served = await serve(root, ["--allow-write"]);
  onTestFinished(() => served.close());
  return async (op, args = {}) => (await served.call("tool_exec", { op, args })).value;
}

/** Calls an op on the command line. */
export async function exec(root: string, op: string, args: object = {}, env: NodeJS.ProcessEnv = {}): Promise<Json> {
  const words = ["exec", op, "--root", root, "--json", "--allow-write", "--args", JSON.stringify(args)];
  const { stdout, stderr } = await toolwright(words, { env });
  return stdout === "" ? { stderr } : JSON.parse(stdout);
}
