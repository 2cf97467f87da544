/** The entry that a client needs, and its text for a file that holds nothing else. */

import { isAbsolute } from "node:path";
import { hasSecret } from "../adopt.js";
import type { ANY_CLIENT, Client, ClientEntry } from "../clients.js";
import { UsageError } from "../usage-error.js";
import { withEntry } from "./edit.js";

/** A client, or the form that any other reads. */
export type Connectable = Client | typeof ANY_CLIENT;

/** What the entry names. */
export interface Served {
  /** Absolute. */
  readonly root: string;
  /** Absolute: Node, and the program that it starts. */
  readonly node: string;
  readonly launcher: string;
  readonly url?: string;
  readonly allowWrite?: boolean;
}

/** @throws UsageError where the client cannot have such a server */
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

/** The entry as the whole text of a file. */
export const entryText = (client: Connectable, name: string, entry: ClientEntry): Promise<string> =>
  withEntry("", { client, name, entry }, client.label);
