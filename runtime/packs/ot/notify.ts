/** `ot.notify`: appends a message to the file of its topic. */

import { createHash } from "node:crypto";
import { lstat, mkdir, open, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { Topic } from "../../config/settings.js";
import { stateDirectory } from "../../config/state-directory.js";
import { isToolFailure } from "../../contract/handler.js";
import { literalPattern } from "../../contract/op-glob.js";
import { boundedPattern } from "../../contract/pattern/bounded-pattern.js";
import type { HostContext } from "../host.js";
import { cannotWrite, isInside, RefusedError } from "./written-file.js";

/** Appends a message and returns the outcome. */
export async function notify(topic: string, message: string, ctx: HostContext): Promise<string> {
  const { host, signal } = ctx;
  const { root, settings } = host.project;
  const found = settings.topics.find(({ pattern }) => isTopic(pattern, topic));
  if (!found) return "SKIP: no matching topic";
  try {
    const file = await fileOf(root, found);
    const { default: yaml } = await import("yaml");
    const document = { ts: host.now().toISOString(), topic, message };
    const text = `---\n${yaml.stringify(document, { lineWidth: 0, blockQuote: "literal" })}`;
    await locked(root, file, () => {
      // The call may have been cancelled while it waited for the lock.
      signal.throwIfAborted();
      return append(file, text);
    });
    return `OK: ${topic} -> ${found.file}`;
  } catch (error) {
    return cannotWrite(ctx, found.file, error);
  }
}

/** `*` stops at a colon, `**` does not. */
function isTopic(pattern: string, topic: string): boolean {
  const parts = pattern.split(/(\*+)/).map((part) => {
    if (part === "*") return "[^:]*";
    return part.startsWith("**") ? "[^]*" : literalPattern(part);
  });
  return boundedPattern(`^${parts.join("")}$`, "u").test(topic);
}

/** The file of a topic; creates its folder. Links out of the working directory are not followed. */
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

/** The nearest existing parent folder, with links resolved. */
const nearestFolder = async (folder: string): Promise<string> =>
  realpath(folder).catch(() => nearestFolder(dirname(folder)));

/**
 * Runs work under a file lock between processes. Lock files are kept apart from the topic files, which belong to the
 * project.
 */
async function locked(root: string, file: string, work: () => Promise<void>): Promise<void> {
  const folder = join(await stateDirectory(root), "locks");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const name = createHash("sha256")
    .update(join(await realpath(dirname(file)), basename(file)))
    .digest("hex");
  const { withFileLock } = await import("../../state/file-lock.js");
  await withFileLock(join(folder, `${name}.lock`), work).catch((error: unknown) => {
    if (isToolFailure(error)) throw new RefusedError("another process keeps it locked");
    throw error;
  });
}

/** Appends a document, after a newline if the file does not end with one. */
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
