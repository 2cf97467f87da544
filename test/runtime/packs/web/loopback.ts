/** Servers on loopback and calls of the web ops as dispatch makes them. No test reaches another address. */

import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { type Context, fail, isToolFailure, type ToolFailure } from "../../../../runtime/contract/handler.js";
import { guardedFetch, type Resolve } from "../../../../runtime/http-client/guard.js";
import { contextOf } from "../../../definitions/onto/workspace.js";
import { listenAt } from "../../../support/ports.js";

/** A server that lives as long as its test. */
export interface Loopback {
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly origin: string;
  readonly port: number;
  /** Requests so far. */
  readonly requests: readonly IncomingMessage[];
}

/** Starts a server on 127.0.0.1, or another address of loopback. */
export async function serving(listener: RequestListener, address = "127.0.0.1", port = 0): Promise<Loopback> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    listener(request, response);
  });
  await listenAt(server, port, address);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const bound = (server.address() as AddressInfo).port;
  return { origin: `http://${address}:${bound}`, port: bound, requests };
}

/** Answers every request with one body. */
export const always =
  (body: string | Uint8Array, type = "text/html; charset=utf-8", status = 200, headers = {}): RequestListener =>
  (_, response) => {
    response.writeHead(status, { ...(type === "" ? {} : { "content-type": type }), ...headers }).end(body);
  };

/** How a call differs from one by a local caller without limits or secrets. */
export interface Setting {
  readonly allowPrivate?: readonly string[];
  readonly resolve?: Resolve;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly deadline?: number;
}

/** A context, and the warnings that calls with it leave. */
export interface Calling {
  readonly context: Context;
  readonly warnings: readonly string[];
}

/** A context whose `fetch` is the guarded one. */
export function calling({
  allowPrivate = ["127.0.0.1"],
  resolve,
  secrets = {},
  signal,
  deadline,
}: Setting = {}): Calling {
  const warnings: string[] = [];
  const context = {
    ...contextOf({ level: "write", projects: "*" }, (warning) => warnings.push(warning)),
    fetch: guardedFetch({ allowPrivate, ...(resolve ? { resolve } : {}) }),
    secret: (name: string) => secrets[name] ?? fail("UNAVAILABLE", `The secret ${name} is not set.`, { secret: name }),
    ...(signal ? { signal } : {}),
    ...(deadline === undefined ? {} : { deadline }),
  };
  return { context, warnings };
}

/** The failure that work ends with. */
export async function failureOf(work: Promise<unknown>): Promise<ToolFailure> {
  try {
    await work;
  } catch (error) {
    if (isToolFailure(error)) return error;
    throw error;
  }
  throw new Error("it did not fail");
}

/** The keyword of the one field error of a failure, with its path. */
export function fieldOf({ details }: ToolFailure): { readonly path: string; readonly keyword: string } | undefined {
  if (details === undefined || !("field_errors" in details) || !Array.isArray(details.field_errors)) return undefined;
  const [first] = details.field_errors;
  return { path: first.path, keyword: first.keyword };
}
