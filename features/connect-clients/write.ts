/** `toolwright connect CLIENT --write`: writes the entry into the client's file, and takes imported servers out if the user agrees. */

import { basename } from "node:path";
import { clientPathText, parsedValues } from "../../runtime/cli/client-text.js";
import { filesOf, isOfProject, type Machine } from "../../runtime/cli/clients.js";
import { shownDiff } from "../../runtime/cli/diff.js";
import { counted, visibleText } from "../../runtime/contract/message-text.js";
import { withOwnCommand } from "../../runtime/contract/own-command.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import { nameFor, secretsIn, withEntry } from "./edit.js";
import { isKnown } from "./entry.js";
import { type FileState, fileBytes, readState, writeState } from "./file.js";
import { changedMembers, type MemberPath, memberDocument, type TakenMember, valueAt } from "./members.js";
import { type Original, originalsIn } from "./originals.js";
import { type ChangedFile, fileDigest, readRecord, recordName, withChange, writeRecord } from "./record.js";
import type { ConnectFlags, ConnectSetting, EntryPlace } from "./setting.js";

/** The change of one file. */
export interface FileEdit {
  readonly state: FileState;
  /** Its path for messages. */
  readonly file: string;
  /** The new text; `undefined` deletes the file. */
  readonly text: string | undefined;
}

interface RecordedEdit extends FileEdit {
  readonly text: string;
  readonly added: readonly MemberPath[];
  readonly taken: readonly TakenMember[];
}

/** Exit code 0; 1 if the user declined. @throws UsageError without writing anything */
export async function writeEntry(
  setting: ConnectSetting,
  given: EntryPlace,
  flags: ConnectFlags,
  machine: Machine,
): Promise<number> {
  const { root, out, paint } = setting;
  const { client, path } = given;
  if (path === undefined || !isKnown(client))
    throw new UsageError(`${client.id} has no file of its own: leave out --write, and give the entry to the client`);
  const state = await readState(path);
  const file = clientPathText(state.target, root);
  const say = (line: string): void => (flags.json ? undefined : out(line));
  const name = await nameIn(state.text, given, root, file, flags);
  const place: EntryPlace = { ...given, name };
  if (name !== given.name)
    say(`${file} has ${given.name} for another project, which is kept: the name for this one is ${name}\n`);
  const originals = await chosen(setting, place, flags, machine, say);
  const at: MemberPath = [client.member, name];
  const isFirst = valueAt(await parsedValues(state.text, client.format), at) === undefined;
  const main = { state, file, text: await withEntry(state.text, place, file), added: [at], taken: [] };
  const edits = (await withoutOriginals(main, originals, root)).filter((one) => one.text !== one.state.text);
  const isWritten = edits.some((one) => one.state.target === state.target);
  if (!isWritten) say(`${file} has ${name} already; nothing to do\n`);
  if (edits.length > 0) {
    if (!(await askAgreement(setting, edits, flags, given.entry))) return 1;
    await record(root, client.id, edits, isFirst);
    for (const edit of edits) await writeState(edit.state, edit.text);
    for (const line of writtenLines(client.id, edits, originals)) say(`${paint("green", line[0])} ${line[1]}\n`);
  }
  if (place.isBound)
    say(
      `${file} names paths of this machine, since toolwright is not installed in the project: before you share the file, install it there ("npm install --save-dev" and what you installed), and connect again\n`,
    );
  const taken = originals.map((one) => one.name);
  if (flags.json)
    out(`${JSON.stringify({ client: client.id, file: state.target, name, changed: isWritten, taken })}\n`);
  return 0;
}

/** What is said of files that were written: a word, and the rest of the line. */
function writtenLines(
  client: string,
  edits: readonly RecordedEdit[],
  originals: readonly Original[],
): readonly (readonly [string, string])[] {
  const kept = (one: RecordedEdit): string => (one.state.there ? `; as it was: ${recordName(client)}` : "");
  const names = originals.map((one) => visibleText(one.name)).join(", ");
  return [
    ...edits.map((one) => ["wrote", `${one.file}${kept(one)}`] as const),
    ...(names === ""
      ? []
      : [["taken out:", `${names}; "toolwright disconnect ${client}" puts back what was there`] as const]),
  ];
}

/** The imported servers to take out: those of `--replace`, or of a question on a terminal. Otherwise they are only named. */
async function chosen(
  { root, project, terminal }: ConnectSetting,
  { client }: EntryPlace,
  flags: ConnectFlags,
  machine: Machine,
  say: (line: string) => void,
): Promise<readonly Original[]> {
  if (!isKnown(client) || project === undefined || flags.url !== undefined) return [];
  const files = filesOf(client, root, machine);
  const found = await originalsIn(files, project, root, machine);
  for (const one of found.filter(({ isShared }) => isShared))
    say(
      `${visibleText(one.name)} is in toolwright too, and stays in ${clientPathText(one.file.path, root)}, where other projects have it from\n`,
    );
  const originals = found.filter(({ isShared }) => !isShared);
  if (originals.length === 0 || flags.replace) return originals;
  const names = originals.map((one) => visibleText(one.name)).join(", ");
  if (terminal !== undefined && !flags.json && !flags.yes) {
    const { confirm } = await import("@clack/prompts");
    const message = `Take ${names} out of ${client.label}? toolwright has ${originals.length === 1 ? "it" : "them"} too; "toolwright disconnect ${client.id}" puts back what was there.`;
    return (await confirm({ ...terminal, message: withOwnCommand(message), initialValue: false })) === true
      ? originals
      : [];
  }
  say(
    `${names}: ${counted(originals.length, "server")} that toolwright has too, so that agents load the tools twice; --replace takes the originals out, and "toolwright disconnect ${client.id}" puts them back\n`,
  );
  return [];
}

/** Adds to the change of the client's file that of every file that holds an original. */
async function withoutOriginals(
  main: RecordedEdit,
  originals: readonly Original[],
  root: string,
): Promise<readonly RecordedEdit[]> {
  const edits = new Map([[main.state.target, main]]);
  for (const { file, at } of originals) {
    const state = await readState(file.path);
    const shown = clientPathText(state.target, root);
    const edit = edits.get(state.target) ?? { state, file: shown, text: state.text, added: [], taken: [] };
    const { format } = file.client;
    const value = valueAt(await parsedValues(edit.text, format), at);
    const taken = { at, document: await memberDocument(at, value, format) };
    const text = await changedMembers(edit.text, format, { out: [at] }, shown);
    edits.set(state.target, { ...edit, text, taken: [...edit.taken, taken] });
  }
  return [...edits.values()];
}

/** Keeps what the files were, before they are written. */
async function record(root: string, client: string, edits: readonly RecordedEdit[], isFirst: boolean): Promise<void> {
  const known = await readRecord(root, client);
  const files = edits.reduce<readonly ChangedFile[]>((all, { state, text, added, taken }) => {
    const before = state.there ? state.there.bytes.toString("base64") : null;
    const change = { path: state.target, before, after: fileDigest(fileBytes(state.there, text)), added, taken };
    return withChange(all, change, added.length === 0 || isFirst);
  }, known);
  await writeRecord(root, client, files);
}

/**
 * Shows the changes, with values of secrets masked, and asks; `--yes` agrees.
 *
 * @param entry - the entry of toolwright, whose own values are shown
 * @throws UsageError without a terminal
 */
export async function askAgreement(
  { out, err, paint, terminal }: Pick<ConnectSetting, "out" | "err" | "paint" | "terminal">,
  edits: readonly FileEdit[],
  flags: Pick<ConnectFlags, "yes" | "json">,
  entry: object = {},
): Promise<boolean> {
  for (const { file, state, text = "" } of flags.json ? [] : edits) {
    const hidden = (await Promise.all([state.text, text].map((one) => secretsIn(one, entry)))).flat();
    out(await shownDiff({ file, before: state.text, after: text, hidden }, paint));
  }
  if (flags.yes) return true;
  const files = edits.map((one) => one.file).join(", ");
  if (terminal === undefined || flags.json)
    throw new UsageError(
      `${files} ${edits.length === 1 ? "is" : "are"} only written with a person's consent: give it with --yes`,
    );
  const { confirm } = await import("@clack/prompts");
  if ((await confirm({ ...terminal, message: `Write ${visibleText(files)}?` })) === true) return true;
  err("Nothing was written.\n");
  return false;
}

/** The name of the entry. @throws UsageError if the name of `--name` is that of another project */
async function nameIn(
  text: string,
  place: EntryPlace,
  root: string,
  file: string,
  flags: ConnectFlags,
): Promise<string> {
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
