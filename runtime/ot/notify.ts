/** `ot.notify`: appends a message to the file of its topic (`ot-pack.md` 2, D27). */

import { lstat, mkdir, open, realpath, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Topic } from "../settings.js";
import type { HostContext } from "../shipped.js";
import { cannotWrite, codeOf, isInside, RefusedError } from "./written-file.js";

/** What became of a message. */
export async function notify(topic: string, message: string, { host, signal }: HostContext): Promise<string> {
  const { root, settings } = host.project;
  const found = settings.topics.find(({ pattern }) => isTopic(pattern, topic));
  if (!found) return "SKIP: no matching topic";
  try {
    const file = await fileOf(root, found);
    const { default: yaml } = await import("yaml");
    const document = { ts: host.now().toISOString(), topic, message };
    const text = `---\n${yaml.stringify(document, { lineWidth: 0, blockQuote: "literal" })}`;
    await locked(file, signal as AbortSignal, () => append(file, text));
    return `OK: ${topic} -> ${found.file}`;
  } catch (error) {
    return cannotWrite(found.file, error);
  }
}

/** `*` stops at a colon, `**` does not. */
function isTopic(pattern: string, topic: string): boolean {
  const parts = pattern.split(/(\*+)/).map((part) => {
    if (part === "*") return "[^:]*";
    return part.startsWith("**") ? ".*" : part.replace(/[^\p{L}\p{N}]/gu, "\\$&");
  });
  return new RegExp(`^${parts.join("")}$`, "s").test(topic);
}

/** The file of a topic; its folder is made. Links that lead out of the working directory are not followed. */
async function fileOf(root: string, { file }: Topic): Promise<string> {
  const path = resolve(root, file);
  const outside = new RefusedError("it is outside the working directory");
  if (!isInside(root, path)) throw outside;
  const home = await realpath(root);
  if (!isInside(home, join(await nearestFolder(dirname(path)), "x"))) throw outside;
  await mkdir(dirname(path), { recursive: true });
  if ((await lstat(path).catch(() => undefined))?.isSymbolicLink()) throw new RefusedError("it is a link");
  return path;
}

/** The nearest folder above that there is, without links. */
const nearestFolder = async (folder: string): Promise<string> =>
  realpath(folder).catch(() => nearestFolder(dirname(folder)));

const LOCK_STEP_MS = 20;
const LOCK_PATIENCE_MS = 5000;
/** A lock as old as this was left behind. */
const LOCK_STALE_MS = 10_000;

/** Does the work while nobody else does any under the lock of a file. */
async function locked(file: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  const lock = `${file}.lock`;
  for (const until = Date.now() + LOCK_PATIENCE_MS; !(await taken(lock)); await sleep(LOCK_STEP_MS, null, { signal }))
    if (Date.now() > until) throw new RefusedError("another process keeps it locked");
  try {
    await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function taken(lock: string): Promise<boolean> {
  const since = (await stat(lock).catch(() => undefined))?.mtimeMs;
  if (since !== undefined && Date.now() - since > LOCK_STALE_MS) await rm(lock, { force: true });
  try {
    await (await open(lock, "wx", 0o600)).close();
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** Appends a document; one that ends without a newline gets it first. */
async function append(file: string, document: string): Promise<void> {
  const handle = await open(file, "a+");
  try {
    const { size } = await handle.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await handle.read(last, 0, 1, size - 1);
    await handle.appendFile(size > 0 && last.toString() !== "\n" ? `\n${document}` : document);
  } finally {
    await handle.close();
  }
}
