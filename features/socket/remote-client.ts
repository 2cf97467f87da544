/** Remote tools: offers the tools of the server on a socket to the clients of this process. */

import { setTimeout as pause } from "node:timers/promises";
import type { Tool as WireTool } from "@modelcontextprotocol/server";
import type { Logger } from "../../runtime/contract/handler.js";
import type { RemoteTools } from "../../runtime/serve/mcp/remote-tools.js";
import { createDiscovery } from "./discovery.js";
import { createLink, LINK_TIMES, type LinkTimes } from "./link.js";
import type { ToolsView } from "./protocol.js";
import { callCaller, callOubliette, objectArguments, type RemoteCalls } from "./remote-calls.js";
import type { RemoteClientTool } from "./remote-tools.js";

/** How to reach the remote server, and with which key. */
export interface RemoteClientOptions {
  readonly path: string;
  readonly key: string | undefined;
  readonly view: ToolsView;
  /** How long the first list of tools waits for the remote server. */
  readonly waitMs: number;
  readonly log: Logger;
  readonly times?: Partial<RemoteTimes>;
}

/** Times of connections and calls, in milliseconds. */
export interface RemoteTimes extends LinkTimes {
  readonly timeoutMs: number;
  readonly graceMs: number;
}

const TIMES: RemoteTimes = { ...LINK_TIMES, timeoutMs: 60_000, graceMs: 5_000 };

/** Remote tools with the connection that they use. */
export interface RemoteClient extends RemoteTools {
  close(): void;
}

/** Connects in the background; the tools appear as they are discovered. */
export function openRemoteClient({ path, key, view, waitMs, log, times: given }: RemoteClientOptions): RemoteClient {
  const times = { ...TIMES, ...given };
  const changes = changeTeller(() => all().map(({ text }) => text));
  const discovery = createDiscovery({ key, view, log, timeoutMs: times.connectMs, onChange: () => changes.changed() });
  const all = (): readonly RemoteClientTool[] => {
    const { oubliette, caller } = discovery.families();
    return [...oubliette, ...caller];
  };
  const link = createLink({
    ...{ path, log, times },
    onOpen: () => discovery.open(link),
    onNotification: (method, params) => discovery.notified(link, method, params),
  });
  const calls: RemoteCalls = { link, key, timeoutMs: times.timeoutMs, graceMs: times.graceMs };
  let first: Promise<unknown> | undefined;
  const lost = new Set<string>();
  return {
    async ready() {
      first ??= Promise.race([discovery.settled, pause(waitMs, undefined, { ref: false })]);
      await first;
    },
    list(taken) {
      changes.listed();
      return all().flatMap(({ shown }): readonly WireTool[] => {
        if (!taken.has(shown.name)) return [shown];
        if (!lost.has(shown.name))
          log.warn(`${shown.name} of the server is left out: a tool of this project has the name`);
        lost.add(shown.name);
        return [];
      });
    },
    find(name) {
      const { oubliette, caller } = discovery.families();
      const named = ({ shown }: RemoteClientTool): boolean => shown.name === name;
      const opened = oubliette.find(named);
      const tool = opened ?? caller.find(named);
      const call = opened ? callOubliette : callCaller;
      return tool && ((input, given) => call(calls, { ...given, tool, input: objectArguments(input) }));
    },
    onChange: changes.onChange,
    close: () => link.close(),
  };
}

/** Calls back when the tools differ from those listed last; does nothing before the first list. */
function changeTeller(texts: () => readonly string[]) {
  let told: string | undefined;
  const listeners = new Set<() => void>();
  const now = (): string => texts().join("\n");
  return {
    listed(): void {
      told = now();
    },
    changed(): void {
      if (told !== undefined && told !== now()) for (const listener of listeners) listener();
    },
    onChange(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
