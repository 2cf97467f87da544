/** What `connect` and `disconnect` are given. */

import type { Readable, Writable } from "node:stream";
import { ANY_CLIENT, CLIENTS } from "../../runtime/cli/clients.js";
import { closest } from "../../runtime/contract/closest.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import type { Start } from "../../runtime/gateway/open-project.js";
import type { Connectable } from "./entry.js";

/** Dependencies of the command. */
export interface ConnectSetting extends Pick<Start, "root" | "out" | "err" | "paint"> {
  /** The program that Node starts: this command itself. */
  readonly launcher: string;
  /** Reads the configuration of the project; absent: imported servers are not looked for. */
  readonly project?: () => Promise<Pick<Start, "root" | "config">>;
  /** The terminal for a confirmation; absent: no prompt. */
  readonly terminal?: { readonly input: Readable; readonly output: Writable };
}

/** Flags of the command. */
export interface ConnectFlags {
  readonly write?: boolean;
  /** Whether servers that the project has imported are taken out of the client's files. */
  readonly replace?: boolean;
  readonly yes?: boolean;
  readonly url?: string;
  /** False with `--no-key`. */
  readonly key?: boolean;
  readonly name?: string;
  readonly allowWrite?: boolean;
  readonly json?: boolean;
}

/** Where an entry goes. */
export interface EntryPlace {
  readonly client: Connectable;
  readonly name: string;
  readonly entry: Readonly<Record<string, unknown>>;
  /** The file to write; absent for a client without one. */
  readonly path: string | undefined;
  /** Whether the file belongs to the project, and the entry works on this machine only. */
  readonly isBound: boolean;
}

/** The client of an id. @throws UsageError for an unknown one */
export function connectableClient(id: string): Connectable {
  const all: readonly Connectable[] = [...CLIENTS, ANY_CLIENT];
  const client = all.find((one) => one.id === id.toLowerCase());
  if (client) return client;
  const ids = all.map((one) => one.id);
  const near = closest(id, ids);
  throw new UsageError(
    `there is no client ${JSON.stringify(id)}; ${near === undefined ? "" : `did you mean ${near}? `}clients: ${ids.join(", ")}`,
  );
}
