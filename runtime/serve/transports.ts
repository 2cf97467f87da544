/** Opens the transports of one process together and shuts them down together. */

import type { CallerOf } from "../access/callers.js";
import type { Logger, Principal } from "../contract/handler.js";
import { UsageError } from "../contract/usage-error.js";
import type { OpenTransport, SocketPart } from "../gateway/open-transport.js";
import type { Live } from "../gateway/reloadable-gateway.js";
import type { SignInPart } from "../gateway/sign-in-part.js";
import type { ServedTools } from "./gateway-tools.js";
import { httpAddress } from "./http/address.js";

/** The requested transports; stdio if none is given. */
export interface TransportFlags {
  readonly stdio?: boolean;
  /** `[HOST:]PORT`. */
  readonly http?: string;
  /** A path, or true for the default one. */
  readonly socket?: string | true;
  /** Whether `http` also serves the console; default: true. */
  readonly console?: boolean;
}

/** What the transports serve. */
export interface TransportOptions extends ServedTools {
  readonly live: Live;
  /** The principal of requests without a key, read at each request. */
  readonly principal: () => Principal;
  /** The caller over stdio, if it differs: resolved from a key. */
  readonly stdioCaller?: CallerOf;
  /** Called once the client on stdio has its first answer, and when it sends anything but `initialize`. */
  readonly onFirst?: () => void;
  readonly version: string;
  /** Sign-in over HTTP, if a feature has it. */
  readonly signIn?: SignInPart | undefined;
}

/** Open transports, and where clients reach them. */
export interface OpenTransports {
  readonly transports: readonly OpenTransport[];
  /** Address of the MCP endpoint. */
  readonly url?: string;
  /** Path of the socket. */
  readonly socket?: string;
}

/** Whether stdio is the only transport. */
export const isStdioAlone = (flags: TransportFlags): boolean => flags.http === undefined && flags.socket === undefined;

/**
 * Checks the flags and returns a function that opens the transports, so that a wrong flag fails before anything is
 * loaded.
 *
 * @param socketPart - what opens the socket, if the flags name one
 * @throws UsageError for an invalid address or a socket path that is too long; the returned function throws it for an
 * address that cannot or must not be bound
 */
export function transportsOf(
  flags: TransportFlags,
  root: string,
  socketPart?: SocketPart,
): (options: TransportOptions) => Promise<OpenTransports> {
  const { stdio, http, socket, console: hasConsole = true } = flags;
  const address = http === undefined ? undefined : httpAddress(http);
  if (socket !== undefined && !socketPart) throw new UsageError("--socket: there is no feature that serves it");
  const path = socket === undefined ? undefined : socketPart?.path(root, socket === true ? undefined : socket);
  return async ({ stdioCaller, onFirst, ...options }) => {
    const transports: OpenTransport[] = [];
    let url: string | undefined;
    try {
      if (path !== undefined && socketPart) transports.push(await socketPart.open({ live: options.live, root, path }));
      if (address) {
        const { openHttp } = await import("./http/http.js");
        const opened = await openHttp({ ...options, root, address, hasConsole });
        transports.push(opened.transport);
        url = opened.url;
      }
    } catch (error) {
      // An open transport would keep the process alive.
      await Promise.all(transports.map((transport) => transport.close()));
      throw error;
    }
    if (stdio || isStdioAlone(flags)) {
      const { openStdio } = await import("./stdio/stdio.js");
      const principal = stdioCaller ?? options.principal;
      transports.push(openStdio({ ...options, principal, ...(onFirst ? { onFirst } : {}) }));
    }
    return { transports, ...(url === undefined ? {} : { url }), ...(path === undefined ? {} : { socket: path }) };
  };
}

/** What is shut down at the end. */
export interface Serving {
  /** Read whenever something is logged: a reload may log elsewhere. */
  readonly log: () => Logger;
  /** Closes what the transports serve. */
  readonly close: () => Promise<void>;
  /** How long running calls may go on during shutdown, read at its start; default 5 s. */
  readonly graceMs?: number | undefined;
}

/** The part of {@link Serving} that a gateway has. */
export const closingOf = ({ current, close }: Live): Pick<Serving, "log" | "close"> => ({
  log: () => current().log,
  close,
});

const GRACE_MS = 5000;

/**
 * Opens the transports and serves until a transport's only client disconnects or SIGTERM or SIGINT arrives; resolves
 * when everything is closed.
 *
 * After a signal, transports behind balancers drain first. Shutdown then accepts nothing new, gives running calls their
 * time, aborts the rest and closes the state. A second signal ends the process at once.
 */
export async function serveTransports(open: () => Promise<readonly OpenTransport[]>, serving: Serving): Promise<void> {
  const { log, close } = serving;
  // A signal may come as soon as clients are told where to connect, which `open` does.
  const signals = endingSignals();
  const transports = await open().catch(async (error: unknown) => {
    signals.ignore();
    await close();
    throw error;
  });
  try {
    log().info("ending", { reason: await stopped(transports, signals) });
  } finally {
    await closeTransports(transports, serving);
  }
}

/** Gives running calls of stopped transports their time, aborts the rest, and closes everything. */
export async function closeTransports(
  transports: readonly OpenTransport[],
  { log, close, graceMs = GRACE_MS }: Serving,
): Promise<void> {
  try {
    const idle = await Promise.all(transports.map((transport) => transport.idle(graceMs)));
    if (idle.includes(false)) log().warn("calls aborted", { after_ms: graceMs });
    await Promise.all(transports.map((transport) => transport.close()));
  } finally {
    await close();
  }
}

const ENDING = ["SIGTERM", "SIGINT"] as const;

interface EndingSignals {
  /** Calls back at the first signal, or at once if it has come; without delay, so that nothing more is accepted. */
  tell(listener: (name: string) => void): void;
  /** Lets such a signal end the process by default, as after the first. */
  ignore(): void;
}

/** Listens for the first SIGTERM or SIGINT from now on. */
function endingSignals(): EndingSignals {
  let first: string | undefined;
  let listener: (name: string) => void = () => undefined;
  const ignore = (): void => {
    for (const one of ENDING) process.removeListener(one, end);
  };
  const end = (name: string): void => {
    ignore();
    first = name;
    listener(name);
  };
  for (const one of ENDING) process.on(one, end);
  return {
    ignore,
    tell(given) {
      listener = given;
      if (first !== undefined) given(first);
    },
  };
}

/** Drains the transports at a signal, and stops them then or when one of them ends; returns the reason, or throws the error of a transport. */
function stopped(transports: readonly OpenTransport[], signals: EndingSignals): Promise<string> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const stop = (tell: () => void): void => {
      if (isOver) return;
      isOver = true;
      signals.ignore();
      for (const transport of transports) transport.stop();
      tell();
    };
    const end = (reason: string): void => stop(() => resolve(reason));
    const fail = (error: unknown): void => stop(() => reject(error));
    signals.tell((name) => {
      const waits = transports.flatMap(({ drain }) => drain?.() ?? []);
      if (waits.length === 0) end(name);
      else void Promise.all(waits).then(() => end(name));
    });
    for (const { ended } of transports) ended?.then(end, fail);
  });
}
