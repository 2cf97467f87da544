/** Builds the server entry for a client, and its text for an empty file. */

import { realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import type { ANY_CLIENT, Client, ClientEntry } from "../../runtime/cli/clients.js";
import { hasSecret } from "../../runtime/cli/import-server.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import { withEntry } from "./edit.js";

/** A client, or the common form. */
export type Connectable = Client | typeof ANY_CLIENT;

/** Whether a client has files. */
export const isKnown = (client: Connectable): client is Client => "personal" in client;

/** What the entry refers to. */
export interface Served {
  /** Absolute path. */
  readonly root: string;
  /** Absolute paths of Node and of the program that it starts. */
  readonly node: string;
  readonly launcher: string;
  /** The program by its path relative to the root, for a file that other machines read too. */
  readonly portable?: string | undefined;
  readonly url?: string;
  /** False for a server that asks for no key; only with `url`. */
  readonly key?: boolean;
  readonly allowWrite?: boolean;
}

/** @throws UsageError if the client does not support such a server */
export function entryFor(client: Connectable, served: Served): ClientEntry {
  const { root, node, launcher, portable, url, key, allowWrite } = served;
  if (url !== undefined) {
    const entry = remoteEntry(client, url, allowWrite === true);
    return key === false ? withoutKey(entry) : entry;
  }
  if (key === false) throw new UsageError("--no-key is for a server that runs already: name it with --url");
  for (const path of [root, node, launcher]) if (!isAbsolute(path)) throw new Error(`${path} is not absolute`);
  const local = "local" in client ? client.local : {};
  const entry = (command: string, program: string, folder: string): ClientEntry => ({
    ...local,
    command,
    args: [program, "serve", "--stdio", "--root", folder, ...(allowWrite ? ["--allow-write"] : [])],
  });
  if (portable === undefined) return entry(node, launcher, root);
  const folder = "folder" in client ? client.folder : undefined;
  return entry("node", folder === undefined ? portable : `${folder}/${portable}`, folder ?? ".");
}

/** The folders of packages by version, which are others after the next installation: pnpm's and yarn's. */
const VERSIONED = /[\\/]node_modules[\\/]\.(?:pnpm|store)[\\/]/;

/** The folder whose packages hold the program, and the program by its path through the link or folder `node_modules/toolwright`. */
async function installed(root: string, launcher: string) {
  const program = await realOf(launcher);
  if (program === undefined) return undefined;
  for (const folder of [...above(root), ...above(dirname(launcher))]) {
    const place = join(folder, "node_modules", "toolwright");
    const real = VERSIONED.test(place) ? undefined : await realOf(place);
    if (real !== undefined && program.startsWith(real + sep))
      return { folder, program: join(place, relative(real, program)) };
  }
  return undefined;
}

/**
 * The program by a path that stays when another version is installed: in the packages of the project, of a folder above it, or of a
 * folder above the program.
 *
 * @param launcher - absolute path of the program that runs, which may be a link
 * @returns an absolute path; the given one if the program is not installed
 */
export const stableProgram = async (root: string, launcher: string): Promise<string> =>
  (await installed(root, launcher))?.program ?? launcher;

/** A folder, and those above it. */
const above = (folder: string): readonly string[] =>
  folder === dirname(folder) ? [folder] : [folder, ...above(dirname(folder))];

const realOf = (path: string): Promise<string | undefined> => realpath(path).catch(() => undefined);

/**
 * The program by its path relative to the root, as on every machine on which the packages of the project are installed.
 *
 * @param launcher - absolute path of the program that runs, which may be a link
 * @returns `undefined` if it is not installed in the project, or in a folder above it
 */
export async function portableProgram(root: string, launcher: string): Promise<string | undefined> {
  const inUrlForm = (path: string): string => path.split(sep).join("/");
  const there = await installed(root, launcher);
  if (there && (above(root).includes(there.folder) || there.folder.startsWith(root + sep)))
    return inUrlForm(relative(root, there.program));
  const [program, home] = await Promise.all([realOf(launcher), realOf(root)]);
  if (program === undefined || home === undefined || VERSIONED.test(program)) return undefined;
  return program.startsWith(home + sep) ? inUrlForm(relative(home, program)) : undefined;
}

function remoteEntry(client: Connectable, url: string, allowWrite: boolean): ClientEntry {
  if (allowWrite)
    throw new UsageError("--allow-write is for a server that the client starts: give it to the server behind --url");
  if (!URL.canParse(url) || !/^https?:/i.test(url))
    throw new UsageError(`--url ${JSON.stringify(url)} is no http or https URL`);
  if (hasSecret(url))
    throw new UsageError("--url holds what looks like a key, which is not written into a client's file: leave it out");
  if (client.remote === undefined)
    throw new UsageError(
      `the file of ${client.label} holds commands only: add the URL in its settings (Connectors), or leave out --url`,
    );
  return client.remote(url);
}

/** A remote entry without the members that name the variable of the key. */
function withoutKey({ headers: _, bearer_token_env_var: __, ...entry }: ClientEntry): ClientEntry {
  return entry;
}

/** The entry as the complete text of a file. */
export const entryText = (client: Connectable, name: string, entry: ClientEntry): Promise<string> =>
  withEntry("", { client, name, entry }, client.label);
