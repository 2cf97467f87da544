/** A served project with upstream servers whose answers are large: over stdio, as JSON over HTTP, and as events. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type RawAnswer, raw, type ServedEverywhere, serveEverywhere } from "../http.js";
import { CHECKOUT, temporaryFolder, toolwright } from "../project.js";

const SERVER = fileURLToPath(new URL("huge.mjs", import.meta.url));

/** The transports of the upstream servers, which are their names. */
export const HUGE_SERVERS = ["stdio", "json", "events"] as const;

/** Forms of answers; a size is near to that of the JSON. */
export const HUGE_FORMS = [
  ...["text", "escapes", "unicode", "lines", "json", "numbers", "exact", "objects", "nested", "deep", "blocks"],
  ...["notifications", "lines that are no messages", "small pieces"],
] as const;

/** The project, and a call. */
export interface Huge {
  readonly server: ServedEverywhere;
  call(server: string, form: string, bytes: number): Promise<RawAnswer>;
}

/** Serves the project until it is cleaned up. */
export async function serveHuge(settings: object, remove: (clean: () => unknown) => void): Promise<Huge> {
  const child = spawn(process.execPath, [SERVER, "http"], { stdio: ["pipe", "pipe", "inherit"] });
  remove(() => void child.kill("SIGKILL"));
  const [origin] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
  const root = temporaryFolder(remove);
  mkdirSync(join(root, "definitions"));
  mkdirSync(join(root, "node_modules"));
  symlinkSync(CHECKOUT, join(root, "node_modules", "toolwright"));
  const servers = {
    stdio: { command: process.execPath, args: [SERVER], ...settings },
    json: { url: `${origin.trim()}/mcp`, ...settings },
    events: { url: `${origin.trim()}/events`, ...settings },
  };
  const config = { sources: [{ mcp: "servers/*.json" }], servers };
  writeFileSync(join(root, "definitions", "toolwright.yaml"), JSON.stringify(config));
  for (const command of [["snapshot"], ["generate"]]) {
    const { code, stderr } = await toolwright([...command, "--root", root]);
    if (code !== 0) throw new Error(stderr);
  }
  const server = await serveEverywhere(root, [], async (clean) => remove(clean));
  server.child.stdout?.resume();
  const call = (name: string, form: string, bytes: number): Promise<RawAnswer> =>
    raw(server.url, { path: "/api/exec", body: { op: `${name}.answer`, args: { form, bytes } } });
  return { server, call };
}
