/** Finds the servers in a client's files that the project has imported: an agent would have their tools twice. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type ForeignServer, serversOf } from "../../runtime/cli/client-servers.js";
import { type ClientFile, isToolwright, type Machine } from "../../runtime/cli/clients.js";
import { importServer } from "../../runtime/cli/import-server.js";
import type { ServerEntry } from "../../runtime/contract/settings/entries.js";
import { type Start, variablesOf } from "../../runtime/gateway/open-project.js";
import type { MemberPath } from "./members.js";

/** A server of a client that the project has too. */
export interface Original {
  readonly file: ClientFile;
  readonly at: MemberPath;
  readonly name: string;
  /** Whether other projects of the user have it from the same place, so that it stays. */
  readonly isShared: boolean;
}

/** What decides which server is reached, and how. Other settings of the project's entry may differ. */
const SAME = ["command", "args", "env", "url", "headers", "cwd", "enabled"] as const;

const sameOf = (entry: ServerEntry): readonly unknown[] => SAME.map((key) => entry[key]);

/**
 * The imported servers in the files of a client. A server counts as imported if an import gives the entry that the project has, with
 * the same secrets, and if its tools were read.
 *
 * @param files - the files of the client, first the one that `connect` writes; those that cannot be read are left out
 * @param project - reads the configuration, if there is a server to compare
 */
export async function originalsIn(
  files: readonly ClientFile[],
  project: () => Promise<Pick<Start, "root" | "config">>,
  root: string,
  machine: Machine,
): Promise<readonly Original[]> {
  const lists = await Promise.all(
    files.map(async (file, i) => {
      const found = (await serversOf(file, root, machine).catch(() => undefined)) ?? [];
      const others = found.filter((one) => !isToolwright(one.value, one.name));
      return others.map((server) => ({ file, server, isWritten: i === 0 }));
    }),
  );
  const others = lists.flat();
  if (others.length === 0) return [];
  const { config } = await project();
  const known = variablesOf(root, config.secrets);
  return others
    .filter(({ server }) => isImported(server, root, config.servers ?? {}, known))
    .map(({ file, server, isWritten }) => {
      const isInside = file.scope === "personal" && server.scope === "project";
      const at = [...(isInside ? ["projects", root] : []), file.client.member, server.name];
      return { file, at, name: server.name, isShared: !isWritten && !isInside };
    });
}

function isImported(
  server: ForeignServer,
  root: string,
  servers: Readonly<Record<string, ServerEntry>>,
  known: (variable: string) => string | undefined,
): boolean {
  const [imported] = importServer([server], known, [server.name]).servers;
  if (imported === undefined) return false;
  const there = Object.entries(servers).find(
    ([name, entry]) => isNamedAs(name, imported.name) && isDeepStrictEqual(sameOf(entry), sameOf(imported.entry)),
  );
  return there !== undefined && existsSync(join(root, "definitions", "servers", `${there[0]}.json`));
}

/** Whether an import gives a server this name: the wanted one, or with a number if that is taken. */
const isNamedAs = (name: string, wanted: string): boolean =>
  name === wanted || (name.startsWith(`${wanted}-`) && /^\d+$/.test(name.slice(wanted.length + 1)));
