/** The entries that the console shows: how each client connects to the server, or starts one of its own. */

import { clientPathText } from "../../runtime/cli/client-text.js";
import { ANY_CLIENT, CLIENTS, type Client, filesOf, thisMachine } from "../../runtime/cli/clients.js";
import type { ClientEntries, ClientWay } from "../../runtime/gateway/console-data.js";
import { entryFor, entryText, isKnown, portableProgram, stableProgram } from "./entry.js";

/** The project that is served. */
interface ServedProject {
  readonly root: string;
  /** The program that Node starts; without it, no client can start a server. */
  readonly launcher: string | undefined;
}

/** The name of the entry in a client's file. */
const NAME = "toolwright";

/**
 * The entries of all clients, as `toolwright connect` prints them.
 *
 * @param url - the address of the MCP endpoint
 * @param isLocalOwner - whether the reader owns the server: needs no key, and may know paths of this machine, which entries
 * that start a server name
 * @throws UsageError for a URL that no entry can have
 */
export async function consoleEntries(
  { root, launcher: given }: ServedProject,
  url: string,
  isLocalOwner: boolean,
): Promise<readonly ClientEntries[]> {
  const launcher = given === undefined ? undefined : await stableProgram(root, given);
  const portable = isLocalOwner && launcher !== undefined ? await portableProgram(root, launcher) : undefined;
  return Promise.all(
    [...CLIENTS, ANY_CLIENT].map(async (client): Promise<ClientEntries> => {
      const shown = async (over: ClientWay["over"], served: Partial<Parameters<typeof entryFor>[1]>) => {
        const all = { root, node: process.execPath, launcher: launcher ?? "", ...served };
        const flag = over === "http" ? ` --url ${url}${isLocalOwner ? " --no-key" : ""}` : "";
        const write = isKnown(client) ? " --write" : "";
        return {
          over,
          text: await entryText(client, NAME, entryFor(client, all)),
          command: `toolwright connect ${client.id}${flag}${write}`,
        };
      };
      const remote = client.remote ? [shown("http", { url, key: !isLocalOwner })] : [];
      const isShared = isKnown(client) && client.project !== undefined;
      const local = isLocalOwner && launcher !== undefined ? [shown("stdio", isShared ? { portable } : {})] : [];
      return {
        id: client.id,
        label: client.label,
        format: client.format,
        ...(isKnown(client) ? { file: fileOf(client, root, isLocalOwner) } : {}),
        ways: await Promise.all([...remote, ...local]),
      };
    }),
  );
}

/** The file that takes the entry; a path of the machine only for those who may know it. */
function fileOf(client: Client, root: string, tellsPaths: boolean): string {
  if (client.project !== undefined) return client.project;
  const [file] = filesOf(client, root, thisMachine());
  return tellsPaths && file ? clientPathText(file.path, root) : `the settings of ${client.label}`;
}
