/** The loopback listener for the OAuth redirect after the user has authorized an upstream server (RFC 8252). */

import { randomBytes } from "node:crypto";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A listener for one redirect. */
export interface RedirectListener {
  /** The redirect URL. */
  readonly url: string;
  /** The state parameter that the redirect must carry, so that no other page can send one. */
  readonly state: string;
  /** The query of the redirect. Rejects if none arrives in time. */
  redirected(signal: AbortSignal | undefined): Promise<URLSearchParams>;
  close(): void;
}

const PATH = "/callback";
const HOST = "127.0.0.1";

/**
 * Listens on the loopback address only.
 *
 * @param wanted - an earlier redirect URL, whose port is used again if it is free
 */
export async function listenForCallback(wanted: string | undefined, waitMs: number): Promise<RedirectListener> {
  const state = randomBytes(24).toString("base64url");
  let resolve: (answer: URLSearchParams) => void = () => undefined;
  const promise = new Promise<URLSearchParams>((settle) => {
    resolve = settle;
  });
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", `http://${HOST}`);
    if (url.pathname !== PATH) return say(response, 404, "Nothing is here.");
    if (url.searchParams.get("state") !== state) return say(response, 400, "This is not the answer to our question.");
    resolve(url.searchParams);
    return say(response, 200, "toolwright has the answer. You can close this page.");
  });
  const port = wanted !== undefined && URL.canParse(wanted) ? Number(new URL(wanted).port) : 0;
  await listen(server, port).catch(() => listen(server, 0));
  server.unref();
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}${PATH}`,
    state,
    redirected: (signal) => within(promise, waitMs, signal),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const listen = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, HOST, () => {
      server.off("error", reject);
      resolve();
    });
  });

function say(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    connection: "close",
  });
  response.end(`${text}\n`);
}

function within<T>(promise: Promise<T>, ms: number, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${ms / 1000} s`)), ms);
    const stop = (): void => reject(signal?.reason);
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted) stop();
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    });
  });
}
