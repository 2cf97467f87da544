/** Servers with disks of their own on one PostgreSQL, as behind a balancer that knows no sessions. */

import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { adminKey } from "../databases/outage.js";
import { type HttpServed, serveHttp } from "../http.js";
import { CHECKOUT, type Json, temporaryFolder, toolwright } from "../project.js";
import { olderSdkServer } from "../upstream/servers.js";

/** Servers of one project, and a key for them. */
export interface Replicas {
  readonly roots: readonly string[];
  readonly servers: readonly HttpServed[];
  readonly key: string;
  /** The servers in turn. */
  next(): HttpServed;
}

/** How replicas are started. */
export interface ReplicasOptions {
  readonly url: string;
  readonly count?: number;
  /** Members of `toolwright.yaml` beside those of the project. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Further files beside it, by name. */
  readonly files?: Readonly<Record<string, string>>;
  readonly later: (clean: () => unknown) => void;
}

/** A project with ops that hold (`demo.hold`), ask the client (`older.ask`) and store something (`oubliette.*`). */
async function projectRoot(config: Json, { files = {}, later }: ReplicasOptions): Promise<string> {
  const root = temporaryFolder(later);
  mkdirSync(join(root, "definitions"));
  cpSync(join(CHECKOUT, "test/support/demos/http-demo/definitions/demo.ts"), join(root, "definitions", "demo.ts"));
  writeFileSync(join(root, "definitions", "toolwright.yaml"), stringify(config));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, "definitions", name), text);
  const isAlone = Object.keys(config["servers"]).length === 0;
  for (const command of isAlone ? ["generate"] : ["snapshot", "generate"]) {
    const { code, stdout, stderr } = await toolwright([command, "--root", root]);
    if (code !== 0) throw new Error(stdout + stderr);
  }
  return root;
}

/** The configuration of the project, with further members. */
const configured = (more: Readonly<Record<string, unknown>>): Json => ({
  use: ["ot", "oubliette"],
  sources: [{ functions: "demo.ts" }, { mcp: "servers/*.json" }],
  servers: { older: olderSdkServer },
  ops: Object.fromEntries(["ask", "think", "folders"].map((name) => [`older/${name}`, { kind: "read" }])),
  access: { rate: { burst: 100_000, per_second: 100_000 } },
  ...more,
});

/** Starts the servers, each on a copy of one project. */
export async function startReplicas(options: ReplicasOptions): Promise<Replicas> {
  const { url, count = 3, config = {}, later } = options;
  const first = await projectRoot(configured({ state: url, ...config }), options);
  const roots = [first];
  for (let i = 1; i < count; i++) {
    const root = temporaryFolder(later);
    cpSync(first, root, { recursive: true });
    roots.push(root);
  }
  const key = await adminKey(first, url);
  const servers = await Promise.all(roots.map((root) => serveHttp(root, ["--allow-write"], later)));
  let turn = 0;
  return { roots, servers, key, next: () => servers[turn++ % servers.length] as HttpServed };
}

/** The largest value but for the largest hundredth. */
export const p99 = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? Number.NaN;

/** A client of an older protocol, each of whose requests goes to the server that the test names. */
export interface OlderCaller {
  /** Sends a request or an answer, and reads the messages that come back until one has the id of the request. */
  send(server: HttpServed, message: Json, heard?: (message: Json) => void): Promise<readonly Json[]>;
}

/** Initializes a client that can be asked. */
export async function olderCaller(server: HttpServed, key?: string): Promise<OlderCaller> {
  let session: string | undefined;
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const caller: OlderCaller = {
    async send({ url }, message, heard = () => undefined) {
      const headers = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...authorization,
        ...(session === undefined ? {} : { "mcp-session-id": session }),
      };
      const response = await fetch(url, {
        method: "POST",
        headers,
        body: JSON.stringify({ jsonrpc: "2.0", ...message }),
      });
      session ??= response.headers.get("mcp-session-id") ?? undefined;
      if (response.status >= 400) throw new Error(`${response.status} ${await response.text()}`);
      const found: Json[] = [];
      let text = "";
      for await (const part of response.body ?? []) {
        text += Buffer.from(part).toString("utf8");
        const lines = text.split("\n");
        text = lines.pop() ?? "";
        for (const line of lines) {
          if (!/^(data: )?\{/.test(line)) continue;
          found.push(JSON.parse(line.replace(/^data: /, "")));
          heard(found.at(-1));
        }
      }
      return found;
    },
  };
  const params = {
    protocolVersion: "2025-06-18",
    capabilities: { elicitation: {} },
    clientInfo: { name: "test", version: "1" },
  };
  await caller.send(server, { id: 0, method: "initialize", params });
  return caller;
}
