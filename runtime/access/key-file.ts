/**
 * The key store in `.onetool/keys`: one `stat` per query, read again after a change, replaced atomically under a lock.
 */

import { type BigIntStats, closeSync, constants, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { STATE_DIRECTORY, stateDirectory } from "../config/state-directory.js";
import { messageOf } from "../contract/thrown.js";
import { keysIn, keysText } from "./key-file-format.js";
import { endOf, type KeyEdit, type KeyRecord, type KeyStore, KeysUnreadable } from "./key-store.js";

const FILE = "keys";
const SHOWN = `${STATE_DIRECTORY}/${FILE}`;
/** Permission bits of group and others. */
const OTHERS = 0o077n;

/** Contents of the file when it was last read. */
interface Loaded {
  /** Identifies this version of the file; empty if there was no file yet. */
  readonly stamp: string;
  readonly records: ReadonlyMap<string, KeyRecord>;
  /** When the last unrevoked key expires. */
  readonly end: number;
}

const NOTHING: Loaded = { stamp: "", records: new Map(), end: 0 };

/**
 * The key store of a project.
 *
 * @param root the folder that contains `.onetool/`
 */
export function fileStore(root: string): KeyStore {
  const path = join(root, STATE_DIRECTORY, FILE);
  let loaded = NOTHING;
  const current = (): Loaded => {
    const stamp = stampAt(path);
    if (stamp !== loaded.stamp) loaded = stamp === "" ? gone() : load(path);
    return loaded;
  };
  return {
    read: (keyIds) => {
      const { records } = current();
      return keyIds.flatMap((keyId) => records.get(keyId) ?? []);
    },
    all: () => [...current().records.values()],
    anyMade: () => current().records.size > 0,
    anyLive: (now) => current().end > now,
    async change<T>(edit: (records: readonly KeyRecord[]) => KeyEdit<T>): Promise<T> {
      const folder = await stateDirectory(root).catch(unwritable);
      const { withKeyLock } = await import("./key-lock.js");
      return withKeyLock(join(folder, `${FILE}.lock`), async () => {
        const before = current().records;
        const { put, value } = edit([...before.values()]);
        const after = new Map([...before, ...put.map((one) => [one.key_id, one] as const)]);
        if (put.length > 0) await replace(folder, keysText([...after.values()])).catch(unwritable);
        return value;
      });
    },
  };
}

/** A file that disappeared is a fault; it does not revoke all its keys. */
function gone(): never {
  throw new KeysUnreadable(`${SHOWN} is gone`, "put it back; to do without its keys, restart the server");
}

function unreadable(error: unknown): never {
  const what = messageOf(error);
  throw new KeysUnreadable(`${SHOWN} cannot be read: ${what}`, "let the user that runs toolwright read it", {
    cause: error,
  });
}

function unwritable(error: unknown): never {
  const what = messageOf(error);
  throw new KeysUnreadable(
    `${SHOWN} cannot be written: ${what}`,
    `give the user that runs toolwright the folder ${STATE_DIRECTORY}/`,
    {
      cause: error,
    },
  );
}

/**
 * Identifies the version of the file; empty if there is no file. @throws KeysUnreadable if other users could have read
 * or written it
 */
function stampAt(path: string): string {
  let stats: BigIntStats | undefined;
  try {
    stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    unreadable(error);
  }
  return stats === undefined ? "" : stampOf(stats);
}

function stampOf(stats: BigIntStats): string {
  const { ino, mtimeNs, size, mode, uid } = stats;
  const own = process.getuid?.();
  if (!stats.isFile()) throw new KeysUnreadable(`${SHOWN} is no file`, "put the file of the keys in its place");
  if (own !== undefined && uid !== BigInt(own))
    throw new KeysUnreadable(
      `${SHOWN} belongs to another user`,
      `give it to the user that runs toolwright: chown ${own}`,
    );
  if (own !== undefined && (mode & OTHERS) !== 0n)
    throw new KeysUnreadable(
      `${SHOWN} has mode 0${(mode & 0o777n).toString(8)}, so that others may reach it`,
      `chmod 600 ${SHOWN}, and rotate its keys if others could write it`,
    );
  return `${ino} ${mtimeNs} ${size}`;
}

/** Reads stamp and text from one open file, whatever is renamed over it meanwhile. */
function load(path: string): Loaded {
  const { stamp, text } = readWhole(path);
  const records = keysIn(text, SHOWN);
  const ends = records.filter(({ revoked_at }) => revoked_at === null).map(endOf);
  return { stamp, records: new Map(records.map((one) => [one.key_id, one])), end: Math.max(0, ...ends) };
}

function readWhole(path: string): { readonly stamp: string; readonly text: string } {
  let file: number | undefined;
  try {
    // Opening a named pipe would otherwise block until another process writes to it.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return { stamp: stampOf(fstatSync(file, { bigint: true })), text: readFileSync(file, "utf8") };
  } catch (error) {
    if (error instanceof KeysUnreadable) throw error;
    return unreadable(error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/**
 * Replaces the file atomically: a crash leaves the old one. Called under the lock, so an existing temporary file is
 * left over from a crash.
 */
async function replace(folder: string, text: string): Promise<void> {
  const beside = join(folder, `${FILE}.tmp`);
  await rm(beside, { force: true });
  const file = await open(beside, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(beside, join(folder, FILE));
  const entries = await open(folder, "r");
  await entries.sync().finally(() => entries.close());
}
