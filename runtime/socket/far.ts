/** The tools of the server on a socket, as a server of ours offers them. */

import { setTimeout as pause } from "node:timers/promises";
import type { Tool as WireTool } from "@modelcontextprotocol/server";
import type { Logger } from "../contract/handler.js";
import type { FurtherTools } from "../mcp/further.js";
import { createDiscovery } from "./discovery.js";
import { argumentsOf, callCaller, callOubliette, type FarCalls } from "./far-calls.js";
import type { FarTool } from "./far-tools.js";
import { createLink, LINK_TIMES, type LinkTimes } from "./link.js";
import type { ToolsView } from "./protocol.js";

/** How the other side is reached, and as whom. */
export interface FarOptions {
  readonly path: string;
  readonly key: string | undefined;
  readonly view: ToolsView;
  /** How long the first list of tools waits for the other side. */
  readonly waitMs: number;
  readonly log: Logger;
  readonly times?: Partial<FarTimes>;
}

/** Times of connections and calls, in milliseconds. */
export interface FarTimes extends LinkTimes {
  readonly timeoutMs: number;
  readonly graceMs: number;
}

const TIMES: FarTimes = { ...LINK_TIMES, timeoutMs: 60_000, graceMs: 5_000 };

/** The tools, and the end of the connection that they come over. */
export interface Far extends FurtherTools {
  close(): void;
}

/** Connects in the background; the tools come as they are found. */
export function openFar({ path, key, view, waitMs, log, times: given }: FarOptions): Far {
  const times = { ...TIMES, ...given };
  const changes = changeTeller(() => all().map(({ text }) => text));
  const discovery = createDiscovery({ key, view, log, timeoutMs: times.connectMs, onChange: () => changes.changed() });
  const all = (): readonly FarTool[] => {
    const { oubliette, caller } = discovery.families();
    return [...oubliette, ...caller];
  };
  const link = createLink({
    ...{ path, log, times },
    onOpen: () => discovery.open(link),
    onNotification: (method, params) => discovery.notified(link, method, params),
  });
  const calls: FarCalls = { link, key, timeoutMs: times.timeoutMs, graceMs: times.graceMs };
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
      const named = ({ shown }: FarTool): boolean => shown.name === name;
      const opened = oubliette.find(named);
      const tool = opened ?? caller.find(named);
      const call = opened ? callOubliette : callCaller;
      return tool && ((input, given) => call(calls, { ...given, tool, input: argumentsOf(input) }));
    },
    onChange: changes.onChange,
    close: () => link.close(),
  };
}

/** Calls back when the tools are others than those that were listed last; before they were listed nobody needs to know. */
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
