/** Builds the server entry for a client, and its text for an empty file. */

import { isAbsolute } from "node:path";
import { UsageError } from "../../contract/usage-error.js";
import type { ANY_CLIENT, Client, ClientEntry } from "../clients.js";
import { hasSecret } from "../import-server.js";
import { withEntry } from "./edit.js";

/** A client, or the common form. */
export type Connectable = Client | typeof ANY_CLIENT;

/** What the entry refers to. */
export interface Served {
  /** Absolute path. */
  readonly root: string;
  /** Absolute paths of Node and of the program that it starts. */
  readonly node: string;
  readonly launcher: string;
  readonly url?: string;
  readonly allowWrite?: boolean;
}

/** @throws UsageError if the client does not support such a server */
export function entryFor(client: Connectable, served: Served): ClientEntry {
  const { root, node, launcher, url, allowWrite } = served;
  if (url !== undefined) return remoteEntry(client, url, allowWrite === true);
  for (const path of [root, node, launcher]) if (!isAbsolute(path)) throw new Error(`${path} is not absolute`);
  const args = [launcher, "serve", "--stdio", "--root", root, ...(allowWrite ? ["--allow-write"] : [])];
  return { ...("local" in client ? client.local : {}), command: node, args };
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

/** The entry as the complete text of a file. */
export const entryText = (client: Connectable, name: string, entry: ClientEntry): Promise<string> =>
  withEntry("", { client, name, entry }, client.label);
