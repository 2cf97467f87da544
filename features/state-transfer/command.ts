/** The commands `state export` and `state import`: a whole state database to a file, and back into an empty one. */

import { once } from "node:events";
import { createReadStream, existsSync } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileStore } from "../../runtime/access/key-file.js";
import { keyOfRow, rowOfKey } from "../../runtime/access/key-rows.js";
import { isKeysUnreadable, type KeyRecord } from "../../runtime/access/key-store.js";
import { STATE_DIRECTORY } from "../../runtime/config/state-directory.js";
import { isToolFailure } from "../../runtime/contract/handler.js";
import { onLine } from "../../runtime/contract/message-text.js";
import type { Tables } from "../../runtime/contract/tables.js";
import { codeOf, messageOf } from "../../runtime/contract/thrown.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import { type Start, stateSettingsIn } from "../../runtime/gateway/open-project.js";
import { packModules } from "../../runtime/gateway/pack-modules.js";
import { readProject } from "../../runtime/gateway/project.js";
import { openState, type State } from "../../runtime/state/open.js";
import type { ApiKeyRow } from "../../runtime/state/schema.js";
import type { Transferred } from "./transfer-tables.js";

/** What these commands need. */
export type StateStart = Pick<
  Start,
  "root" | "version" | "config" | "overrides" | "shipped" | "out" | "err" | "paint"
> & {
  /** Shows the current stage on a terminal. */
  readonly progress: (stage: string | undefined) => void;
};

/** Flags of the commands. */
export interface StateFlags {
  readonly json?: boolean;
}

/** The operand that stands for a standard stream. */
const STREAM = "-";
const DATABASE = `${STATE_DIRECTORY}/state.db`;

/**
 * Writes the state database to a new file, or to standard output. Exit code 0, or 1 if the database does not answer.
 *
 * @throws UsageError if there is no database or the file exists
 */
export async function exportCommand(start: StateStart, target: string, flags: StateFlags): Promise<number> {
  const { root, version, err } = start;
  if (target === STREAM && flags.json)
    throw new UsageError("--json and - both write to standard output: name a file, or leave --json out");
  const { url } = stateSettingsIn(start);
  if (url === "" && !existsSync(join(root, DATABASE)))
    throw new UsageError(`there is no ${DATABASE} under ${root}; name the database with --state`);
  return withState(start, { url, existing: true }, async (state) => {
    const { exportState } = await import("./export.js");
    const keys = url === "" ? (await fileStore(root).all()).map(rowOfKey) : undefined;
    const warn = (message: string): void => err(`${start.paint("yellow", "warning")} ${onLine(message)}\n`);
    const output = await outputTo(target);
    try {
      const done = await exportState({
        ...commonOf(start, state, url),
        version,
        now: new Date(),
        keys,
        warn,
        ...output,
      });
      await output.close();
      report(start, flags, done, `exported to ${target === STREAM ? "standard output" : target}`, target === STREAM);
    } catch (error) {
      await output.discard();
      throw error;
    }
  });
}

/**
 * Fills an empty state database from a file, or from standard input. Exit code 0, or 1 if the database does not answer.
 *
 * @throws UsageError if the database is not empty, or the file is damaged or of a newer version
 */
export async function importCommand(start: StateStart, source: string, flags: StateFlags): Promise<number> {
  if (source === STREAM && process.stdin.isTTY)
    throw new UsageError("standard input is a terminal: name a file, or send one with < FILE");
  if (source !== STREAM && !existsSync(source)) throw new UsageError(`there is no file ${source}`);
  const { url } = stateSettingsIn(start);
  const store = fileStore(start.root);
  if (url === "" && (await store.anyMade()))
    throw new UsageError(
      `${STATE_DIRECTORY}/keys holds keys, so the state is not empty: move it and ${DATABASE} away, or name another database with --state`,
    );
  const storeKeys = async (rows: readonly ApiKeyRow[]): Promise<void> => {
    const put = rows.map(recordOf);
    if (put.length > 0) await store.change(() => ({ put, value: undefined }));
  };
  return withState(start, { url }, async (state) => {
    const { importState } = await import("./import.js");
    const done = await importState({
      ...commonOf(start, state, url),
      chunks: source === STREAM ? process.stdin : createReadStream(source),
      tablesOf: tablesOf(start),
      ...(url === "" ? { storeKeys } : {}),
    });
    report(start, flags, done, "imported", false);
  });
}

function recordOf(row: ApiKeyRow): KeyRecord {
  const record = keyOfRow(row);
  if (!record) throw new UsageError(`the key ${row.key_id} of the file holds no grant`);
  return record;
}

const commonOf = ({ progress }: StateStart, state: State, url: string) => ({
  ...{ state, progress },
  dialect: url === "" ? ("sqlite" as const) : ("postgres" as const),
});

/** Does work with the database open; a database that does not answer is exit code 1. */
async function withState(
  { root, err, paint, progress }: StateStart,
  given: { readonly url: string; readonly existing?: boolean },
  work: (state: State) => Promise<void>,
): Promise<number> {
  let state: State | undefined;
  try {
    state = await openState({ root, ...given });
    await work(state);
    return 0;
  } catch (error) {
    if (isKeysUnreadable(error)) throw new UsageError(`${onLine(error.message)}: ${onLine(error.remedy)}`);
    if (!isToolFailure(error)) throw error;
    err(`${paint("red", "error")} ${onLine(error.message)}\n`);
    return 1;
  } finally {
    progress(undefined);
    await state?.close();
  }
}

/** Finds the tables of packs in the modules of the project, which are imported when the first one is asked for. */
function tablesOf({ root, config, shipped }: StateStart): (pack: string) => Promise<Tables | undefined> {
  let all: Promise<readonly Tables[]> | undefined;
  const read = async (): Promise<readonly Tables[]> =>
    existsSync(join(root, "generated"))
      ? packModules({ root, config, shipped, ...(await readProject(root)) }).tables()
      : [];
  return async (pack) => {
    all ??= read();
    return (await all).find(({ name }) => name === pack);
  };
}

/** Where an export goes. */
interface Output {
  readonly write: (text: string) => Promise<void>;
  close(): Promise<void>;
  /** Removes a file that is not complete. */
  discard(): Promise<void>;
}

/** @throws UsageError if the file exists, or cannot be made */
async function outputTo(target: string): Promise<Output> {
  const nothing = async (): Promise<void> => undefined;
  if (target === STREAM) {
    const write = async (text: string): Promise<void> => {
      if (!process.stdout.write(text)) await once(process.stdout, "drain");
    };
    return { write, close: nothing, discard: nothing };
  }
  const path = resolve(target);
  const file = await created(path, target);
  return {
    write: async (text) => void (await file.write(text)),
    async close() {
      await file.sync();
      await file.close();
    },
    async discard() {
      await file.close().catch(() => undefined);
      await rm(path, { force: true });
    },
  };
}

/** The file is for its owner only: it holds digests of keys and the secrets of the server. */
async function created(path: string, shown: string): Promise<FileHandle> {
  try {
    return await open(path, "wx", 0o600);
  } catch (error) {
    const why =
      codeOf(error) === "EEXIST" ? "exists: name another one, or remove it" : `cannot be made: ${messageOf(error)}`;
    throw new UsageError(`the file ${shown} ${why}`);
  }
}

function report(
  { out, err }: StateStart,
  { json }: StateFlags,
  { rows, tables }: Transferred,
  what: string,
  isStreamed: boolean,
): void {
  const text = json ? JSON.stringify({ rows, tables }) : `${rows} rows of ${Object.keys(tables).length} tables ${what}`;
  (isStreamed ? err : out)(`${text}\n`);
}
