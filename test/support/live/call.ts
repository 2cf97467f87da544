/** Calls every tool of a server many times, with other arguments each time. */

import type { JsonObject, JsonValue, Tool } from "../../../runtime/contract/registry.js";
import { connectUpstream } from "../../../runtime/upstream/client.js";
import { convertResult } from "../../../runtime/upstream/result.js";
import { readSnapshot } from "../../../runtime/upstream/snapshot.js";
import { randomOf } from "../random.js";
import { ready } from "../upstream/servers.js";
import type { LiveServer } from "./servers.js";

/** A call that succeeded. */
export interface Answer {
  readonly args: JsonObject;
  readonly result: JsonValue;
}

/** A tool of a server, with the answers to its calls. */
export interface CalledTool {
  readonly tool: Tool;
  /** Whether the server declares what it returns. */
  readonly isDeclared: boolean;
  readonly answers: readonly Answer[];
}

/** What tools need before others work; the rest in the order of the server. */
const FIRST = ["create_entities", "create_relations", "add_observations", "create_directory"];
const rank = (name: string): number => (FIRST.indexOf(name) + FIRST.length + 1) % (FIRST.length + 1);

const CALL_MS = 30_000;

/** Makes `count` calls of each tool. Calls that fail have no answer. */
export async function callAll(
  live: LiveServer,
  root: string,
  count: number,
  seed: number,
): Promise<readonly CalledTool[]> {
  const server = ready(live.entry);
  const upstream = await connectUpstream(server, { root, version: "0", graceMs: 200 });
  try {
    const { tools } = await readSnapshot(server, upstream, AbortSignal.timeout(60_000));
    const called = (tools as readonly Readonly<Record<string, unknown>>[])
      .map(({ name, inputSchema, outputSchema }) => ({
        tool: { op: String(name), parameters_schema: inputSchema } as unknown as Tool,
        isDeclared: outputSchema !== undefined,
        answers: [] as Answer[],
      }))
      .sort((a, b) => rank(a.tool.op) - rank(b.tool.op));
    const random = randomOf(seed);
    const call = async ({ tool, answers }: (typeof called)[number], at: number): Promise<void> => {
      const args = live.argumentsOf(tool.op, tool.parameters_schema as JsonObject, at, random);
      if (!args) return;
      const options = { signal: AbortSignal.timeout(CALL_MS), timeoutMs: CALL_MS, onProgress: () => undefined };
      const answer = await upstream.request("tools/call", { name: tool.op, arguments: args }, options);
      const { isError, data } = await convertResult(answer, { isNewer: false });
      if (!isError) answers.push({ args, result: data });
    };
    await inTurn(
      Array.from({ length: count }, (_, at) => called.map((one) => () => call(one, at))).flat(),
      live.inFlight,
    );
    return called;
  } finally {
    await upstream.close();
  }
}

/** Runs steps in their order, so many at a time. */
async function inTurn(steps: readonly (() => Promise<void>)[], atOnce: number): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    for (let step = steps[next++]; step; step = steps[next++]) await step();
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}
