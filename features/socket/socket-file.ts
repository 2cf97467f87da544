/** Creates the socket file: checks its folder, restricts its mode, and replaces a stale socket. */

import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import { chmod, link, lstat, mkdir, unlink } from "node:fs/promises";
import { createConnection } from "node:net";
import { dirname, join, resolve } from "node:path";
import { STATE_DIRECTORY, stateDirectory } from "../../runtime/config/state-directory.js";
import { codeOf, messageOf } from "../../runtime/contract/thrown.js";
import { UsageError } from "../../runtime/contract/usage-error.js";

/** Default path of the socket, relative to the project root. */
export const DEFAULT_SOCKET = join(STATE_DIRECTORY, "run", "toolwright.sock");

/** Longest socket path in bytes without the terminator; the runtime silently truncates a longer one. */
const MAX_SOCKET_PATH_BYTES = process.platform === "linux" ? 107 : 103;

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
const OTHERS = 0o077;
/** Length of a temporary file name. */
const NAME_LENGTH = 12;
/** How long to wait for an answer of an existing socket. */
const ANSWER_MS = 2000;

/**
 * The absolute path of the socket: the default relative to the project root, any other relative to the working
 * directory.
 *
 * @throws UsageError if it is too long
 */
export function socketPath(root: string, given: string | undefined): string {
  const path = given === undefined ? resolve(root, DEFAULT_SOCKET) : resolve(given);
  const bytes = Buffer.byteLength(path);
  if (bytes <= MAX_SOCKET_PATH_BYTES) return path;
  throw new UsageError(
    `the path of the socket has ${bytes} bytes, at most ${MAX_SOCKET_PATH_BYTES} are allowed: ${path}`,
  );
}

/** A socket file that this process has created. */
export interface SocketFile {
  /** Removes it, unless another file has replaced it. */
  remove(): Promise<void>;
}

/**
 * Makes a server listen on a path, exclusively and for its owner only.
 *
 * The socket is created under a temporary name, gets its mode, and is then linked to the path. So a client never
 * connects to a socket with the wrong mode, only one of two servers that start at once gets the path, and closing the
 * server removes the temporary name rather than what is at the path by then.
 *
 * @param listen - binds the given path
 * @throws UsageError if the folder, or what is at the path, belongs to another user or is not usable
 */
export async function makeSocketFile(
  root: string,
  path: string,
  listen: (path: string) => Promise<void>,
): Promise<SocketFile> {
  await privateFolder(root, dirname(path));
  await makeWay(path);
  const other = nameBeside(path);
  await listen(other);
  try {
    await chmod(other, PRIVATE_FILE);
    await link(other, path);
    const made = await lstat(path);
    return { remove: () => removeSame(path, made) };
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw new UsageError(`${path} cannot be made: ${messageOf(error)}`);
    throw new UsageError(taken(path));
  } finally {
    await unlink(other).catch(() => undefined);
  }
}

/** A random file name, as long as the path limit allows; a folder with a very long path leaves few characters. */
function nameBeside(path: string): string {
  const folder = dirname(path);
  const room = Math.min(NAME_LENGTH, MAX_SOCKET_PATH_BYTES - Buffer.byteLength(join(folder, "x")) + 1);
  return join(folder, randomBytes(NAME_LENGTH).toString("hex").slice(0, room));
}

/** Creates the folder, or checks the existing one. */
async function privateFolder(root: string, folder: string): Promise<void> {
  if (folder === resolve(root, dirname(DEFAULT_SOCKET))) await stateDirectory(root);
  try {
    await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
  } catch (error) {
    throw new UsageError(`the folder of the socket cannot be made: ${messageOf(error)}`);
  }
  const found = await lstat(folder);
  if (!found.isDirectory()) throw new UsageError(`${folder} is not a folder: give the socket one of its own`);
  if (!isOurs(found)) throw new UsageError(`${folder} belongs to another user: give the socket a folder of its own`);
  if ((found.mode & OTHERS) === 0) return;
  throw new UsageError(
    `${folder} is open to others: chmod 700 it, or give the socket a folder of its own, which is made so`,
  );
}

/** Removes a socket without a listening server. */
async function makeWay(path: string): Promise<void> {
  const found = await lstat(path).catch(nothingThere);
  if (!found) return;
  const what = found.isSymbolicLink() ? "a link" : found.isSocket() ? undefined : "no socket";
  if (what !== undefined) throw new UsageError(`${path} is ${what}, and stays as it is: choose another path`);
  if (!isOurs(found)) throw new UsageError(`${path} belongs to another user: choose another path`);
  if (await isAnswered(path)) throw new UsageError(taken(path));
  await removeSame(path, found);
}

const taken = (path: string): string => `another server listens on ${path}: stop it, or choose another path`;

/**
 * Whether a server listens on the socket. A socket that accepts nothing in time counts as listening.
 *
 * @throws UsageError if that cannot be determined
 */
function isAnswered(path: string): Promise<boolean> {
  return new Promise((found, reject) => {
    const socket = createConnection(path);
    const end = (): void => void socket.destroy();
    socket.setTimeout(ANSWER_MS, () => {
      end();
      found(true);
    });
    socket.once("connect", () => {
      end();
      found(true);
    });
    socket.once("error", (error) => {
      const code = codeOf(error);
      if (code === "ECONNREFUSED" || code === "ENOENT") found(false);
      else reject(new UsageError(`${path} cannot be checked: ${error.message}`));
    });
  });
}

async function removeSame(path: string, { dev, ino }: Stats): Promise<void> {
  const found = await lstat(path).catch(nothingThere);
  if (found?.dev === dev && found.ino === ino) await unlink(path).catch(nothingThere);
}

const isOurs = ({ uid }: Stats): boolean => process.getuid === undefined || uid === process.getuid();

function nothingThere(error: unknown): undefined {
  if (codeOf(error) === "ENOENT") return undefined;
  throw error;
}
