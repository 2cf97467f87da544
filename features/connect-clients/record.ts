/**
 * What `connect` changed in the files of a client, for `disconnect`. The record holds keys of the servers that were taken out: it
 * is in the state directory, which git ignores, and only its owner can read it.
 */

import { createHash } from "node:crypto";
import { mkdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isPlainObject } from "../../runtime/cli/client-text.js";
import { STATE_DIRECTORY, stateDirectory } from "../../runtime/config/state-directory.js";
import { writeAtomically } from "../../runtime/contract/atomic-write.js";
import { codeOf } from "../../runtime/contract/thrown.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import type { MemberPath, TakenMember } from "./members.js";

/** One file that was changed. */
export interface ChangedFile {
  /** Absolute path, after following links. */
  readonly path: string;
  /** The file before the first change, in base64; null: it did not exist; absent: it is not known, or others changed it since. */
  readonly before?: string | null;
  /** Digest of the file as it was written. */
  readonly after: string;
  /** Members that were added. */
  readonly added: readonly MemberPath[];
  readonly taken: readonly TakenMember[];
}

/** Digest of the bytes of a file. */
export const fileDigest = (bytes: Buffer | undefined): string =>
  bytes === undefined ? "" : createHash("sha256").update(bytes).digest("hex");

const fileOf = (client: string): string => join("connect", `${client}.json`);

/** The path of the record for messages. */
export const recordName = (client: string): string => `${STATE_DIRECTORY}/connect/${client}.json`;

/** The files of a client that were changed; none if there is no record. @throws UsageError for a record that cannot be read */
export async function readRecord(root: string, client: string): Promise<readonly ChangedFile[]> {
  try {
    const text = await readFile(join(root, STATE_DIRECTORY, fileOf(client)), "utf8");
    const { files } = JSON.parse(text) as { readonly files: readonly ChangedFile[] };
    if (files.every((one) => isPlainObject(one) && typeof one.path === "string" && Array.isArray(one.added)))
      return files;
    throw new Error("it has another form");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw new UsageError(`${recordName(client)} cannot be read (${(error as Error).message}): move it away`);
  }
}

/** Stores the record with mode 0600; without files, deletes it. */
export async function writeRecord(root: string, client: string, files: readonly ChangedFile[]): Promise<void> {
  const path = join(await stateDirectory(root), fileOf(client));
  if (files.length === 0) return rm(path, { force: true });
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeAtomically(path, `${JSON.stringify({ files }, null, 2)}\n`, { mode: 0o600, isDurable: true });
}

/**
 * The record after a further change: what the file was before the first one stays, unless others have changed it in between.
 *
 * @param known - the record of earlier changes
 * @param change - `before` is the file before this change
 * @param isFirst - whether the file held nothing of toolwright before this change
 */
export function withChange(
  known: readonly ChangedFile[],
  change: ChangedFile,
  isFirst: boolean,
): readonly ChangedFile[] {
  const earlier = known.find((one) => one.path === change.path);
  const others = known.filter((one) => one !== earlier);
  const { before, ...rest } = change;
  if (earlier === undefined) return [...others, isFirst ? change : rest];
  const now = fileDigest(before == null ? undefined : Buffer.from(before, "base64"));
  const kept = earlier.after === now && earlier.before !== undefined ? { before: earlier.before } : {};
  const added = [...earlier.added, ...change.added.filter((one) => !earlier.added.some((at) => `${at}` === `${one}`))];
  const again = change.taken.map((one) => `${one.at}`);
  const taken = [...earlier.taken.filter((one) => !again.includes(`${one.at}`)), ...change.taken];
  return [...others, { ...rest, ...kept, added, taken }];
}
