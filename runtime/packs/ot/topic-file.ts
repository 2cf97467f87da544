/** The files of topics: messages are YAML documents, appended under a lock between processes. */

import { createHash } from "node:crypto";
import { lstat, mkdir, open, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { stateDirectory } from "../../config/state-directory.js";
import { isToolFailure, type Signal } from "../../contract/handler.js";
import { forTerminal } from "../../contract/message-text.js";
import type { TopicEntry } from "../../contract/settings/entries.js";
import { isInside, RefusedError } from "./written-file.js";

/**
 * Appends a message to the file of a topic.
 *
 * @throws RefusedError if the file is outside the project, a link, or stays locked
 */
export async function appendMessage(root: string, topic: TopicEntry, document: object, signal: Signal): Promise<void> {
  const file = await fileOf(root, topic);
  const { default: yaml } = await import("yaml");
  const written = new yaml.Document(document);
  // A person reads the file on a terminal: what it would obey, or nobody sees, is written as an escape of YAML.
  yaml.visit(written, {
    Scalar(_, node) {
      if (typeof node.value === "string" && forTerminal(node.value) !== node.value) node.type = "QUOTE_DOUBLE";
    },
  });
  const text = `---\n${forTerminal(written.toString({ lineWidth: 0, blockQuote: "literal" }))}`;
  await locked(root, file, () => {
    // It may have been cancelled while it waited for the lock.
    signal.throwIfAborted();
    return append(file, text);
  });
}

/** The file of a topic; creates its folder. Links out of the working directory are not followed. */
async function fileOf(root: string, { file }: TopicEntry): Promise<string> {
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
