/** The file of the socket: where it may be, who may open it, and what becomes of one that is there already. */

import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import { chmod, link, lstat, mkdir, unlink } from "node:fs/promises";
import { createConnection } from "node:net";
import { dirname, join, resolve } from "node:path";
import { messageOf } from "../contract/message-of.js";
import { HOME, homeFolder } from "../home.js";
import { UsageError } from "../usage-error.js";

/** Where the socket is unless somebody says otherwise, from the project root. */
export const DEFAULT_SOCKET = join(HOME, "run", "toolwright.sock");

/** Bytes that the system keeps of a path, its end marker excepted; of a longer one the runtime would cut the rest without a word. */
const LONGEST = process.platform === "linux" ? 107 : 103;

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
const OTHERS = 0o077;
/** Letters of a name that nobody else has. */
const NAME = 12;
/** How long a socket that is there may take to say whether somebody listens. */
const ANSWER_MS = 2000;

/**
 * The path of the socket, absolute: the default from the project root, any other from the working directory.
 *
 * @throws UsageError for one that is too long
 */
export function socketPath(root: string, given: string | undefined): string {
  const path = given === undefined ? resolve(root, DEFAULT_SOCKET) : resolve(given);
  const bytes = Buffer.byteLength(path);
  if (bytes <= LONGEST) return path;
  throw new UsageError(`the path of the socket has ${bytes} bytes, at most ${LONGEST} are allowed: ${path}`);
}

/** A socket file that this process has made. */
export interface SocketFile {
  /** Removes it, unless somebody has put another file in its place. */
  remove(): Promise<void>;
}

/**
 * Has something listen on a path, as the only one, and for its owner only.
 *
 * The file is made under another name, given its mode, and then linked to the path: nobody ever connects to one with the wrong mode, of
 * two servers that start at once only one gets the path, and when the server closes, the runtime removes the other name and not what
 * stands at the path by then.
 *
 * @param listen binds the path that it is given
 * @throws UsageError where the folder or what is at the path is not ours to use
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

/** A name that nobody else has, as long as the system allows; only in a folder with a very long path is there little room. */
function nameBeside(path: string): string {
  const folder = dirname(path);
  const room = Math.min(NAME, LONGEST - Buffer.byteLength(join(folder, "x")) + 1);
  return join(folder, randomBytes(NAME).toString("hex").slice(0, room));
}

/** Makes the folder, or checks the one that is there. */
async function privateFolder(root: string, folder: string): Promise<void> {
  if (folder === resolve(root, dirname(DEFAULT_SOCKET))) await homeFolder(root);
  try {
    await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
  } catch (error) {
    throw new UsageError(`the folder of the socket cannot be made: ${messageOf(error)}`);
  }
  const found = await lstat(folder);
  if (!found.isDirectory()) throw new UsageError(`${folder} is not a folder: give the socket one of its own`);
  if (!isOurs(found)) throw new UsageError(`${folder} belongs to somebody else: give the socket a folder of its own`);
  if ((found.mode & OTHERS) === 0) return;
  throw new UsageError(
    `${folder} is open to others: chmod 700 it, or give the socket a folder of its own, which is made so`,
  );
}

/** Removes a socket that nobody listens on. */
async function makeWay(path: string): Promise<void> {
  const found = await lstat(path).catch(nothingThere);
  if (!found) return;
  const what = found.isSymbolicLink() ? "a link" : found.isSocket() ? undefined : "no socket";
  if (what !== undefined) throw new UsageError(`${path} is ${what}, and stays as it is: choose another path`);
  if (!isOurs(found)) throw new UsageError(`${path} belongs to somebody else: choose another path`);
  if (await isAnswered(path)) throw new UsageError(taken(path));
  await removeSame(path, found);
}

const taken = (path: string): string => `another server listens on ${path}: stop it, or choose another path`;

/** @throws UsageError where nobody can say */
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
      else reject(new UsageError(`${path} cannot be looked at: ${error.message}`));
    });
  });
}

async function removeSame(path: string, { dev, ino }: Stats): Promise<void> {
  const found = await lstat(path).catch(nothingThere);
  if (found?.dev === dev && found.ino === ino) await unlink(path).catch(nothingThere);
}

const isOurs = ({ uid }: Stats): boolean => process.getuid === undefined || uid === process.getuid();

const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "");

function nothingThere(error: unknown): undefined {
  if (codeOf(error) === "ENOENT") return undefined;
  throw error;
}
