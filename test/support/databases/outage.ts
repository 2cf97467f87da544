/** A small project with state, served by real processes, for tests of database outages. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type HttpServed, serveHttp } from "../http.js";
import { generatedRoot, type Json, temporaryFolder, toolwright } from "../project.js";

/** Time that a call has in these projects. */
export const CALL_MS = 3000;
/** A call is answered this long after its time at the latest. */
export const GRACE_MS = 1000;

/** What a project is made with, beside the packs `oubliette` and `ot`. */
export interface StatefulOptions {
  /** Lines of `toolwright.yaml`. */
  readonly config?: readonly string[];
  /** What removes it; default: the end of the test. */
  readonly later?: (clean: () => void) => void;
}

/** A project whose ops store something; over HTTP its calls are those of the local caller as long as it has no key. */
export async function statefulRoot({ config = [], later }: StatefulOptions = {}): Promise<string> {
  const definitions = join(temporaryFolder(later), "definitions");
  mkdirSync(definitions);
  const lines = [
    "use: [ot, oubliette]",
    "sources: []",
    `limits: { call_timeout_ms: ${CALL_MS}, http: { in_flight: 16 } }`,
    "access: { rate: { burst: 100000, per_second: 100000 } }",
    ...config,
    "",
  ];
  writeFileSync(join(definitions, "toolwright.yaml"), lines.join("\n"));
  return generatedRoot(definitions, later);
}

/** What a call over `/api/exec` came to. */
export interface Answered {
  /** The envelope. */
  readonly answer: Json;
  readonly status: number;
  readonly ms: number;
}

/** Calls an op of a server. */
export async function exec(
  { url }: Pick<HttpServed, "url">,
  call: { readonly op: string; readonly args?: object; readonly idempotency_key?: string },
  key?: string,
): Promise<Answered> {
  const began = performance.now();
  const headers = {
    "content-type": "application/json",
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  };
  const response = await fetch(new URL("/api/exec", url), { method: "POST", headers, body: JSON.stringify(call) });
  const answer = await response.json();
  return { answer, status: response.status, ms: performance.now() - began };
}

/** The status of a probe. */
export const probe = async ({ url }: Pick<HttpServed, "url">, path: "/readyz" | "/healthz"): Promise<number> =>
  (await fetch(new URL(path, url))).status;

/** A call that stores a project of this name. */
export const create = (name: string, idempotency_key?: string) => ({
  op: "oubliette.project.create",
  args: { name },
  ...(idempotency_key === undefined ? {} : { idempotency_key }),
});

/** A call that reads. */
export const LIST = { op: "oubliette.project.list", args: { limit: 200 } };

/** Names of the projects that are stored. */
export async function names(server: Pick<HttpServed, "url">, key?: string): Promise<readonly string[]> {
  const { answer } = await exec(server, LIST, key);
  return answer.result.projects.map(({ name }: Json) => name);
}

/** Serves a project whose state is in PostgreSQL. */
export const serveWithState = (root: string, url: string, later?: (clean: () => Promise<void>) => void) =>
  serveHttp(root, ["--allow-write", "--state", url], later);

/** Makes the first key of a store. */
export async function adminKey(root: string, url: string): Promise<string> {
  const { stdout, stderr } = await toolwright(["keys", "init", "--root", root, "--state", url]);
  if (!stdout.startsWith("oub_")) throw new Error(stderr);
  return stdout.trim();
}
