/** `toolwright connect CLIENT`: prints the server entry for a client, or writes it into the client's file. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { serversOf } from "../../runtime/cli/client-servers.js";
import { clientPathText } from "../../runtime/cli/client-text.js";
import { ANY_CLIENT, CLIENTS, filesOf, isToolwright, type Machine, thisMachine } from "../../runtime/cli/clients.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import { type Connectable, entryFor, entryText, isKnown, portableProgram, stableProgram } from "./entry.js";
import { type ConnectFlags, type ConnectSetting, connectableClient, type EntryPlace } from "./setting.js";

/** Server names that every client accepts. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Exit code 0; 1 if the user declined. @throws UsageError without writing anything */
export async function connectClient(
  setting: ConnectSetting,
  id: string | undefined,
  flags: ConnectFlags,
  machine: Machine = thisMachine(),
): Promise<number> {
  if (id === undefined) return list(setting, flags, machine);
  const client = connectableClient(id);
  const { root } = setting;
  const { name = "toolwright", url } = flags;
  if (!NAME.test(name))
    throw new UsageError(
      `--name ${JSON.stringify(name)} is a name that some clients refuse: use letters, digits, hyphens and underscores, at most 64`,
    );
  if (url === undefined && !existsSync(join(root, "definitions")))
    throw new UsageError(`there is no definitions/ in ${root} to serve: name the project's folder with --root`);
  const launcher = await stableProgram(root, setting.launcher);
  const isShared = isKnown(client) && client.project !== undefined;
  const portable = isShared ? await portableProgram(root, launcher) : undefined;
  const entry = entryFor(client, { ...flags, root, launcher, portable, node: process.execPath });
  const isBound = isShared && portable === undefined && url === undefined;
  const place: EntryPlace = { client, name, entry, path: fileOf(client, root, machine), isBound };
  if (flags.write) return (await import("./write.js")).writeEntry(setting, place, flags, machine);
  if (flags.replace) throw new UsageError("--replace changes the client's file: add --write");
  return print(setting, place, flags);
}

/** The file to write: the project's if the client has one, since the server belongs to the project. */
const fileOf = (client: Connectable, root: string, machine: Machine): string | undefined =>
  isKnown(client) ? filesOf(client, root, machine)[0]?.path : undefined;

async function print({ root, out, err }: ConnectSetting, place: EntryPlace, flags: ConnectFlags): Promise<number> {
  const { client, name, entry, path } = place;
  const text = await entryText(client, name, entry);
  const file = path === undefined ? undefined : clientPathText(path, root);
  if (flags.json) out(`${JSON.stringify({ client: client.id, file: path, name, entry, text })}\n`);
  else {
    out(text);
    err(
      file === undefined ? "Give this to the client.\n" : `For ${client.label}, in ${file}; --write puts it there.\n`,
    );
  }
  return 0;
}

/** One file of a client, as listed by `connect` without a client. */
interface Listed {
  readonly client: string;
  readonly label: string;
  readonly file: string;
  readonly scope: "project" | "personal";
  /** Whether `--write` writes this file. */
  readonly written: boolean;
  readonly state: "absent" | "there" | "connected" | "unreadable";
  /** Names of the entries for toolwright. */
  readonly names: readonly string[];
}

async function list({ root, out, paint }: ConnectSetting, flags: ConnectFlags, machine: Machine): Promise<number> {
  if (flags.write) throw new UsageError(`--write needs a client: ${CLIENTS.map((one) => one.id).join(", ")}`);
  const files = CLIENTS.flatMap((client) =>
    filesOf(client, root, machine).map((file, i) => ({ file, written: i === 0 })),
  );
  const clients = await Promise.all(
    files.map(async ({ file, written }): Promise<Listed> => {
      const { client, path, scope } = file;
      const servers = await serversOf(file, root).catch(() => "unreadable" as const);
      const names = Array.isArray(servers)
        ? servers.filter((one) => isToolwright(one.value, one.name)).map((one) => one.name)
        : [];
      const found = servers === undefined ? "absent" : names.length > 0 ? "connected" : "there";
      const state = servers === "unreadable" ? servers : found;
      return { client: client.id, label: client.label, file: path, scope, written, state, names };
    }),
  );
  if (flags.json) {
    out(`${JSON.stringify({ clients })}\n`);
    return 0;
  }
  const shown = clients.map((one) => [one.written ? one.client : "", clientPathText(one.file, root), one] as const);
  const width = Math.max(...shown.map(([, file]) => file.length));
  for (const [id, file, one] of shown)
    out(`${paint("bold", id.padEnd(15))} ${file.padEnd(width)}  ${STATES[one.state](one.names)}\n`);
  out(`${paint("bold", ANY_CLIENT.id.padEnd(15))} for any other client: prints the entry\n`);
  return 0;
}

const STATES: Readonly<Record<Listed["state"], (names: readonly string[]) => string>> = {
  absent: () => "not there",
  there: () => "there, without toolwright",
  connected: (names) => `connected as ${names.join(", ")}`,
  unreadable: () => "cannot be read",
};
