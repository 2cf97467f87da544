/** `toolwright connect CLIENT`: prints the server entry for a client, or writes it into the client's file. */

import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { closest } from "../../contract/closest.js";
import { visible } from "../../contract/message-text.js";
import { scrub } from "../../contract/scrub.js";
import { UsageError } from "../../contract/usage-error.js";
import type { Start } from "../../gateway/open-project.js";
import { OWN_KEY } from "../../upstream/servers.js";
import { serversOf } from "../client-servers.js";
import { shownPath } from "../client-text.js";
import {
  ANY_CLIENT,
  CLIENTS,
  type Client,
  filesOf,
  isOfProject,
  isToolwright,
  type Machine,
  thisMachine,
} from "../clients.js";
import { foreignSecrets, nameFor, withEntry } from "./edit.js";
import { type Connectable, entryFor, entryText, portableProgram } from "./entry.js";
import { readState, writeState } from "./file.js";

/** Dependencies of the command. */
export interface ConnectSetting extends Pick<Start, "root" | "out" | "err" | "paint"> {
  /** The program that Node starts: this command itself. */
  readonly launcher: string;
  /** The terminal for a confirmation; absent: no prompt. */
  readonly terminal?: { readonly input: Readable; readonly output: Writable };
}

/** Flags of the command. */
export interface ConnectFlags {
  readonly write?: boolean;
  readonly yes?: boolean;
  readonly url?: string;
  /** False with `--no-key`. */
  readonly key?: boolean;
  readonly name?: string;
  readonly allowWrite?: boolean;
  readonly json?: boolean;
}

/** Server names that every client accepts. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Exit code 0; 1 if the user declined. @throws UsageError without writing anything */
export async function connect(
  setting: ConnectSetting,
  id: string | undefined,
  flags: ConnectFlags,
  machine: Machine = thisMachine(),
): Promise<number> {
  if (id === undefined) return list(setting, flags, machine);
  const client = clientOf(id);
  const { root, launcher } = setting;
  const { name = "toolwright", url } = flags;
  if (!NAME.test(name))
    throw new UsageError(
      `--name ${JSON.stringify(name)} is a name that some clients refuse: use letters, digits, hyphens and underscores, at most 64`,
    );
  if (url === undefined && !existsSync(join(root, "definitions")))
    throw new UsageError(`there is no definitions/ in ${root} to serve: name the project's folder with --root`);
  const isShared = isKnown(client) && client.project !== undefined;
  const portable = isShared ? await portableProgram(root, launcher) : undefined;
  const entry = entryFor(client, { ...flags, root, launcher, portable, node: process.execPath });
  const isBound = isShared && portable === undefined && url === undefined;
  const place: Place = { client, name, entry, path: fileOf(client, root, machine), isBound };
  return flags.write ? write(setting, place, flags) : print(setting, place, flags);
}

interface Place {
  readonly client: Connectable;
  readonly name: string;
  readonly entry: Readonly<Record<string, unknown>>;
  /** The file to write; absent for a client without one. */
  readonly path: string | undefined;
  /** Whether the file belongs to the project, and the entry works on this machine only. */
  readonly isBound: boolean;
}

const isKnown = (client: Connectable): client is Client => "personal" in client;
/** The file to write: the project's if the client has one, since the server belongs to the project. */
const fileOf = (client: Connectable, root: string, machine: Machine): string | undefined =>
  isKnown(client) ? filesOf(client, root, machine)[0]?.path : undefined;

function clientOf(id: string): Connectable {
  const all: readonly Connectable[] = [...CLIENTS, ANY_CLIENT];
  const client = all.find((one) => one.id === id.toLowerCase());
  if (client) return client;
  const ids = all.map((one) => one.id);
  const near = closest(id, ids);
  throw new UsageError(
    `there is no client ${JSON.stringify(id)}; ${near === undefined ? "" : `did you mean ${near}? `}clients: ${ids.join(", ")}`,
  );
}

async function print({ root, out, err }: ConnectSetting, place: Place, flags: ConnectFlags): Promise<number> {
  const { client, name, entry, path } = place;
  const text = await entryText(client, name, entry);
  const file = path === undefined ? undefined : shownPath(path, root);
  if (flags.json) out(`${JSON.stringify({ client: client.id, file: path, name, entry, text })}\n`);
  else {
    out(text);
    err(
      file === undefined ? "Give this to the client.\n" : `For ${client.label}, in ${file}; --write puts it there.\n`,
    );
  }
  return 0;
}

/** The name of the entry. @throws UsageError if the name of `--name` is that of another project */
async function nameIn(text: string, place: Place, root: string, file: string, flags: ConnectFlags): Promise<string> {
  const { client, entry } = place;
  const scope = isKnown(client) && client.project !== undefined ? "project" : "personal";
  const name = await nameFor(text, place, namesFor(root), (there) => isOfProject(there, { root, scope, entry }));
  if (name === place.name || flags.name === undefined) return name;
  throw new UsageError(
    `${file} has ${place.name} for another project, which is not replaced: choose another name with --name, such as ${name}`,
  );
}

/** Names for the entry of a project, after its folder. */
function* namesFor(root: string): Generator<string> {
  const folder = basename(root)
    .replace(/[^A-Za-z0-9_-]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40);
  const name = folder === "" ? "toolwright" : `toolwright-${folder}`;
  if (folder !== "") yield name;
  for (let at = 2; at < 1000; at++) yield `${name}-${at}`;
}

async function write(setting: ConnectSetting, given: Place, flags: ConnectFlags): Promise<number> {
  const { root, out, err, paint, terminal } = setting;
  const { client, path } = given;
  if (path === undefined)
    throw new UsageError(`${client.id} has no file of its own: leave out --write, and give the entry to the client`);
  const state = await readState(path);
  const file = shownPath(state.target, root);
  const say = (line: string): void => (flags.json ? undefined : out(line));
  const name = await nameIn(state.text, given, root, file, flags);
  const place: Place = { ...given, name };
  if (name !== given.name)
    say(`${file} has ${given.name} for another project, which is kept: the name for this one is ${name}\n`);
  const text = await withEntry(state.text, place, file);
  const changed = text !== state.text;
  if (!changed) say(`${file} has ${name} already; nothing to do\n`);
  else {
    const hidden = await foreignSecrets(state.text, place);
    say(await shownDiff({ file, before: state.text, after: text, hidden }, paint));
    if (!flags.yes && !(await consent(terminal, flags, file))) {
      err("Nothing was written.\n");
      return 1;
    }
  }
  const backup = changed ? await writeState(state, text) : undefined;
  if (changed)
    say(`${paint("green", "wrote")} ${file}${backup === undefined ? "" : `; as it was: ${shownPath(backup, root)}`}\n`);
  if (place.isBound)
    say(
      `${file} names paths of this machine, since toolwright is not installed in the project: before you share the file, install it there ("npm install --save-dev" and what you installed), and connect again\n`,
    );
  if (flags.json) out(`${JSON.stringify({ client: client.id, file: state.target, name, changed, backup })}\n`);
  return 0;
}

async function consent(terminal: ConnectSetting["terminal"], flags: ConnectFlags, file: string): Promise<boolean> {
  if (terminal === undefined || flags.json)
    throw new UsageError(`${file} is only written with a person's consent: give it with --yes`);
  const { confirm } = await import("@clack/prompts");
  return (await confirm({ ...terminal, message: `Write ${visible(file)}?` })) === true;
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
  const shown = clients.map((one) => [one.written ? one.client : "", shownPath(one.file, root), one] as const);
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

const STYLES: Readonly<Record<string, Parameters<Start["paint"]>[0]>> = { "+": "green", "-": "red", "@": "dim" };

/** A change, and the values in it to hide. */
export interface Shown {
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly hidden: readonly string[];
}

/**
 * A unified diff with two lines of context. Secrets are masked by value and by pattern; lines that only refer to the
 * key are shown.
 */
export async function shownDiff({ file, before, after, hidden }: Shown, paint: Start["paint"]): Promise<string> {
  const { createTwoFilesPatch } = await import("diff");
  const lines = createTwoFilesPatch(file, file, before, after, undefined, undefined, { context: 2 })
    .split("\n")
    .slice(2);
  return lines
    .map((line) => {
      const text = line.includes(OWN_KEY) ? line : scrub(line, hidden);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: a file of another program must not move the cursor.
      const plain = text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
      const style = STYLES[plain[0] ?? ""];
      return style === undefined ? plain : paint(style, plain);
    })
    .join("\n");
}
