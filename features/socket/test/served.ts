/** A server on a real socket, over the hand-written registry and a real key store, and a client of it. */

import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Keys, openKeys } from "../../../runtime/access/keys.js";
import type { Context, JsonObject } from "../../../runtime/codegen.js";
import { silentLog } from "../../../runtime/config/log.js";
import type { SocketSettings } from "../../../runtime/config/transport-settings.js";
import type { Tool } from "../../../runtime/contract/registry.js";
import type { Gateway } from "../../../runtime/gateway/gateway.js";
import type { OpenTransport } from "../../../runtime/gateway/open-transport.js";
import type { Live } from "../../../runtime/gateway/reloadable-gateway.js";
import { type Fixture, fixture, handler, liveOf } from "../../../test/runtime/gateway/fixture.js";
import { closed, toolOf } from "../../../test/runtime/gateway/fixture-tools.js";
import { temporaryFolder } from "../../../test/support/project.js";
import { caller, connect, type RawClient } from "../../../test/support/servers/socket-connection.js";
import { openSocket } from "../server.js";
import type { CallerTools } from "../wire-tools.js";

const read = { kind: "read", extra: { target: "global" } } as const;

/** Ops that tests hold up, have fail, or ask for much. */
const MORE: readonly Tool[] = [
  toolOf({ op: "onto.fault.list", tool: "list_faults", schema: closed({}), ...read }),
  toolOf({ op: "onto.key.list", tool: "list_onto_keys", schema: closed({}), kind: "read", extra: { access: "admin" } }),
  toolOf({ op: "onto.text.get", tool: "get_text", schema: closed({ bytes: { type: "integer" } }, ["bytes"]), ...read }),
  toolOf({ op: "onto.wait.get", tool: "get_wait", schema: closed({}), ...read }),
];

/** What a handler that throws would tell if it were let. */
export const INSIDE = "/home/inside/secret.ts";

export interface ServedSocket {
  readonly path: string;
  readonly transport: OpenTransport;
  readonly fixture: Fixture;
  readonly keys: Keys;
  /** Signals of the calls of `wait_get`, in their order. */
  readonly waits: AbortSignal[];
  /** A new key of a scope. */
  key(scope: string): Promise<string>;
  connect(): Promise<RawClient>;
}

export interface ServeOptions {
  readonly limits?: Partial<SocketSettings>;
  readonly rates?: { readonly burst: number; readonly perSecond: number };
  readonly callerTools?: CallerTools;
  readonly gateway?: (from: Gateway) => Gateway;
  /** Makes it reloadable; default: it never reloads. */
  readonly live?: (from: Gateway) => Live;
}

const PLENTY = { burst: 1_000_000, perSecond: 1_000_000 };
const defaults: SocketSettings = fixture().gateway.settings.socket;

/** Serves the pack `onto` until the test is over. */
export async function serveSocket(options: ServeOptions = {}): Promise<ServedSocket> {
  const root = temporaryFolder();
  const state = () => Promise.reject(new Error("there is no database"));
  const keys = openKeys({ root, url: "", state, projectExists: async () => true, log: silentLog });
  const waits: AbortSignal[] = [];
  const made = fixture({
    more: MORE,
    project: { root },
    settings: { socket: { ...defaults, ...options.limits }, rates: options.rates ?? PLENTY, callTimeoutMs: 20_000 },
    handlers: {
      "onto.fault.list": handler(async () => {
        throw new Error(`no entry in ${INSIDE}`);
      }),
      "onto.text.get": handler(async ({ bytes }: JsonObject) => "x".repeat(Number(bytes))),
      "onto.wait.get": handler((_: JsonObject, { signal }: Context) => {
        waits.push(signal as AbortSignal);
        return new Promise(() => undefined);
      }),
    },
    options: {
      keys,
      projectOf: async (_, id) => /^task_(p[12])/.exec(id)?.[1]?.replace(/^p/, "proj_p"),
    },
  });
  const path = join(root, "run", "s");
  const live = (options.live ?? liveOf)(options.gateway?.(made.gateway) ?? made.gateway);
  const { callerTools } = options;
  const transport = await openSocket({ live, root, path, pack: "onto", ...(callerTools ? { callerTools } : {}) });
  onTestFinished(async () => {
    transport.stop();
    await transport.close();
    await made.gateway.close();
    await keys.close();
  });
  return {
    path,
    transport,
    fixture: made,
    keys,
    waits,
    key: async (scope) => (await keys.create({ name: scope, scope }, "local")).key,
    connect: () => connect(path),
  };
}

/** A server, a client, and a call with a key of a scope. */
export async function calling(scope: string, options: ServeOptions = {}) {
  const served = await serveSocket(options);
  const client = await served.connect();
  const key = await served.key(scope);
  return { ...served, client, api_key: key, call: caller(client, key) };
}
