/** Load on MCP servers over HTTP: callers that send one `tools/call` after another, and what came of each. */

import { randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Json } from "../project.js";

/** Who is called, by how many at once, and until when. */
export interface LoadOptions {
  /** Address of a server or a balancer. */
  readonly url: string;
  readonly key?: string;
  readonly callers: number;
  /** When callers begin no more calls. */
  readonly until: AbortSignal;
  /** The call of a turn. */
  readonly next: (turn: number) => Asked;
}

/** A call; one with a key is sent again until it is answered. */
export interface Asked {
  readonly name: string;
  readonly arguments: Json;
  /** The name of what it stores. */
  readonly stores?: string;
}

/** What came of a load. */
export interface Load {
  /** Calls that were answered. */
  readonly done: number;
  /** Calls answered in a second. */
  readonly rate: number;
  /** Milliseconds of each call that was answered at once, smallest first. */
  readonly times: readonly number[];
  /** Statuses and errors of requests that failed. */
  readonly failures: readonly string[];
  /** What was stored, with the id that the answer gave. */
  readonly stored: ReadonlyMap<string, string>;
}

/** The share of the times that are at most this long. */
export const percentile = (times: readonly number[], share: number): number =>
  times[Math.min(times.length - 1, Math.ceil(times.length * share) - 1)] ?? Number.NaN;

/** Sends a message; resolves to the result of the answer. */
function post(agent: Agent, { url, key }: LoadOptions, params: Json): Promise<Json> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    accept: "application/json, text/event-stream",
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(new URL("/mcp", url), { method: "POST", agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.once("error", reject);
      response.once("aborted", () => reject(new Error("the answer was cut")));
      response.once("end", () => {
        if (response.statusCode !== 200) return reject(new Error(`status ${response.statusCode}`));
        const [, line = ""] = /(?:^|\n)(?:data: )?(\{.*\})/.exec(text) ?? [];
        try {
          const { result, error } = JSON.parse(line);
          if (error) reject(new Error(error.message));
          else resolve(result);
        } catch {
          reject(new Error(`no answer: ${text.slice(0, 100)}`));
        }
      });
    });
    sent.once("error", reject);
    sent.end(body);
  });
}

/** Whether the answer says that the call may be sent again: the server, or its database, was away. */
const isPassing = (result: Json): boolean =>
  ["UNAVAILABLE", "CANCELLED", "TIMEOUT"].includes(result.structuredContent?.error?.code);

/** Loads a server. */
export async function load(options: LoadOptions): Promise<Load> {
  const { callers, until, next } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: callers });
  const times: number[] = [];
  const failures: string[] = [];
  const stored = new Map<string, string>();
  let [done, turn] = [0, 0];
  const began = performance.now();
  const caller = async (): Promise<void> => {
    while (!until.aborted) {
      const { stores, ...asked } = next(turn++);
      for (let isFirst = true; ; isFirst = false) {
        const sent = performance.now();
        try {
          const result = await post(agent, options, asked);
          if (result.isError && isPassing(result)) throw new Error(result.structuredContent.error.code);
          if (result.isError) throw new TypeError(JSON.stringify(result).slice(0, 300));
          if (isFirst) times.push(performance.now() - sent);
          if (stores !== undefined) stored.set(stores, result.structuredContent.result.id);
          done++;
          break;
        } catch (error) {
          if (error instanceof TypeError) throw error;
          failures.push((error as Error).message);
          await sleep(100);
        }
      }
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const seconds = (performance.now() - began) / 1000;
  agent.destroy();
  return { done, rate: done / seconds, times: times.sort((a, b) => a - b), failures, stored };
}

/** Every fifth call stores a project, with a key; the others list some. */
export function readsAndWrites(): LoadOptions["next"] {
  const prefix = randomUUID();
  return (turn) => {
    if (turn % 5 !== 0) return { name: "tool_exec", arguments: { op: "oubliette.project.list", args: { limit: 20 } } };
    const name = `${prefix} ${turn}`;
    const call = { op: "oubliette.project.create", args: { name }, idempotency_key: name };
    return { name: "tool_exec", arguments: call, stores: name };
  };
}

/** What is in the database of what was answered as stored: names that are missing, there twice, or have another id. */
export async function checkStored(
  database: string,
  stored: ReadonlyMap<string, string>,
): Promise<{ readonly lost: number; readonly doubled: number; readonly wrong: number }> {
  const client = new pg.Client(database);
  await client.connect();
  try {
    const { rows } = await client.query("select name, id from oubliette_projects");
    const found = new Map<string, string[]>();
    for (const { name, id } of rows) found.set(name, [...(found.get(name) ?? []), id]);
    const kept = [...stored].map(([name, id]) => ({ ids: found.get(name) ?? [], id }));
    return {
      lost: kept.filter(({ ids }) => ids.length === 0).length,
      doubled: kept.filter(({ ids }) => ids.length > 1).length,
      wrong: kept.filter(({ ids, id }) => ids.length > 0 && !ids.includes(id)).length,
    };
  } finally {
    await client.end();
  }
}
