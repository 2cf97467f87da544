/** `toolwright disconnect CLIENT`: takes the entry of toolwright out of a client's files, and puts back what `connect` took out. */

import { clientPathText, parsedValues } from "../../runtime/cli/client-text.js";
import {
  type Client,
  type ClientEntry,
  filesOf,
  isOfProject,
  isToolwright,
  type Machine,
  thisMachine,
} from "../../runtime/cli/clients.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import { isKnown } from "./entry.js";
import { type FileState, readState, writeState } from "./file.js";
import { changedMembers, type MemberPath, valueAt } from "./members.js";
import { type ChangedFile, fileDigest, readRecord, writeRecord } from "./record.js";
import { type ConnectFlags, type ConnectSetting, connectableClient } from "./setting.js";
import { askAgreement, type FileEdit } from "./write.js";

/** Dependencies of the command. */
export type DisconnectSetting = Pick<ConnectSetting, "root" | "out" | "err" | "paint" | "terminal">;

/** Exit code 0; 1 if the user declined, or there is nothing of this project. @throws UsageError without writing anything */
export async function disconnect(
  setting: DisconnectSetting,
  id: string,
  flags: Pick<ConnectFlags, "yes" | "json">,
  machine: Machine = thisMachine(),
): Promise<number> {
  const { root, out, err, paint } = setting;
  const client = connectableClient(id);
  if (!isKnown(client)) throw new UsageError(`${client.id} has no file of its own: take the entry out of the client`);
  const record = await readRecord(root, client.id);
  const changed = record.length > 0 ? record : await unrecorded(client, root, machine);
  const edits = (await Promise.all(changed.map((one) => restored(one, client, root)))).flat();
  if (edits.length === 0) {
    err(`${client.label} has no entry that "toolwright connect ${client.id}" wrote for this project.\n`);
    await writeRecord(root, client.id, []);
    return 1;
  }
  if (!(await askAgreement(setting, edits, flags))) return 1;
  for (const { state, text, file } of edits) {
    await writeState(state, text);
    if (!flags.json) out(`${paint("green", text === undefined ? "deleted" : "wrote")} ${file}\n`);
  }
  await writeRecord(root, client.id, []);
  if (flags.json) out(`${JSON.stringify({ client: client.id, files: edits.map((one) => one.state.target) })}\n`);
  return 0;
}

/** Restores a file byte by byte if it is as `connect` wrote it; otherwise changes only what `connect` changed. */
async function restored(
  { path, before, after, added, taken }: ChangedFile,
  client: Client,
  root: string,
): Promise<readonly FileEdit[]> {
  const state = await readState(path);
  const file = clientPathText(state.target, root);
  if (!state.there) return [];
  const isUntouched = before !== undefined && fileDigest(state.there.bytes) === after;
  if (isUntouched && before === null) return [{ state, file, text: undefined }];
  const text = isUntouched
    ? Buffer.from(before ?? "", "base64")
        .toString("utf8")
        .replace(/^\uFEFF/, "")
    : await changedMembers(state.text, client.format, { out: await ours(state, client, added), back: taken }, file);
  return text === state.text ? [] : [{ state, file, text }];
}

/** Those of the added members that are still entries of toolwright. */
async function ours(state: FileState, client: Client, added: readonly MemberPath[]): Promise<readonly MemberPath[]> {
  const values = await parsedValues(state.text, client.format);
  return added.filter((at) => {
    const there = valueAt(values, at);
    return typeof there === "object" && there !== null && isToolwright(there as ClientEntry, at.at(-1) ?? "");
  });
}

/** The entries of this project in the file that `connect` writes, if they are from before there was a record. */
async function unrecorded(client: Client, root: string, machine: Machine): Promise<readonly ChangedFile[]> {
  const [file] = filesOf(client, root, machine);
  if (file === undefined) return [];
  const state = await readState(file.path);
  const servers = valueAt(await parsedValues(state.text, client.format), [client.member]) ?? {};
  const added = Object.entries(servers as Record<string, ClientEntry>)
    .filter(([name, one]) => isToolwright(one, name) && isOfProject(one, { root, scope: file.scope, entry: {} }))
    .map(([name]) => [client.member, name]);
  return added.length === 0 ? [] : [{ path: state.target, after: "", added, taken: [] }];
}
