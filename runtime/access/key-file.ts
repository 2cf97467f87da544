/** Keys in `.onetool/keys`: one `stat` per question, read again when it changed, replaced whole under a lock. */

import { type BigIntStats, closeSync, constants, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../contract/message-of.js";
import { HOME, homeFolder } from "../home.js";
import { type Change, endOf, type KeyRecord, type KeyStore, KeysUnreadable } from "./key-store.js";
import { keysIn, keysText } from "./keys-text.js";

const FILE = "keys";
const SHOWN = `${HOME}/${FILE}`;
/** Bits of a mode that let group or others in. */
const OTHERS = 0o077n;

/** What the file held when it was last read. */
interface Loaded {
  /** Tells this file from any later one; empty where there has been none. */
  readonly stamp: string;
  readonly records: ReadonlyMap<string, KeyRecord>;
  /** When the last key that is not revoked expires. */
  readonly end: number;
}

const NOTHING: Loaded = { stamp: "", records: new Map(), end: 0 };

/**
 * The store of a project.
 *
 * @param root the folder that holds `.onetool/`
 */
export function fileStore(root: string): KeyStore {
  const path = join(root, HOME, FILE);
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
    async change<T>(edit: (records: readonly KeyRecord[]) => Change<T>): Promise<T> {
      const folder = await homeFolder(root).catch(unwritable);
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

/** A file that was there and is not any more is no revocation of all its keys. */
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
    `give the user that runs toolwright the folder ${HOME}/`,
    {
      cause: error,
    },
  );
}

/** Empty where there is no file. @throws KeysUnreadable for one that somebody else could have read or written */
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

/** Stamp and text are of the same file, whatever is renamed over it meanwhile. */
function load(path: string): Loaded {
  const { stamp, text } = readWhole(path);
  const records = keysIn(text, SHOWN);
  const ends = records.filter(({ revoked_at }) => revoked_at === null).map(endOf);
  return { stamp, records: new Map(records.map((one) => [one.key_id, one])), end: Math.max(0, ...ends) };
}

function readWhole(path: string): { readonly stamp: string; readonly text: string } {
  let file: number | undefined;
  try {
    // A pipe would wait for somebody to write.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return { stamp: stampOf(fstatSync(file, { bigint: true })), text: readFileSync(file, "utf8") };
  } catch (error) {
    if (error instanceof KeysUnreadable) throw error;
    return unreadable(error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Writes beside and renames: a crash leaves the old file. Called under the lock, so what lies beside is left from a crash. */
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
