/** One call of a proxied tool: the lock, the request, progress and cancellation, and the result as data. */

import { marked } from "../contract/exact-number.js";
import { isToolFailure, ToolFailure } from "../contract/handler.js";
import type { JsonObject, Tool } from "../contract/registry.js";
import { isUpstreamError } from "../mcp/upstream-error.js";
import type { Connection, Live } from "./connection.js";
import type { ProxyContext } from "./context.js";
import { answeredError, type Failed, lacking, needsInput, ownError, unreachable } from "./failure.js";
import type { Lock, Verdict } from "./lock.js";
import { type Asking, asksFor, type Desk, requestWithAnswers } from "./questions.js";
import { readResult } from "./result.js";

/** What a call needs. */
export interface ProxiedCall {
  readonly connection: Connection;
  readonly desk: Desk;
  readonly lock: Lock | undefined;
  readonly tool: Tool;
  readonly args: JsonObject;
  readonly ctx: ProxyContext;
}

/** A server that no longer knows our session has not begun with the call, so that it can be made once more. */
const SESSION_LOST = 404;

/** @throws ToolFailure, whatever happens */
export async function callTool(call: ProxiedCall): Promise<unknown> {
  const { server } = call.connection;
  const progress = { sent: false, isLost: false };
  for (let again = false; ; again = true) {
    const failed = (): Failed => ({ server, tool: call.tool, sent: progress.sent });
    progress.sent = false;
    progress.isLost = false;
    try {
      const questions = call.desk.questions(call.ctx.forward);
      return await call.connection.use(questions, (live) => callOn(call, live, progress));
    } catch (error) {
      if (progress.isLost && !again) continue;
      if (isToolFailure(error)) throw error;
      throw isUpstreamError(error) ? unreachable(failed(), error) : error;
    }
  }
}

/** How far a call has come. */
interface Progress {
  sent: boolean;
  isLost: boolean;
}

async function callOn(call: ProxiedCall, live: Live, progress: Progress): Promise<unknown> {
  const { connection, desk, tool, args, ctx } = call;
  const { upstream } = live;
  await held(call, live);
  ctx.signal.throwIfAborted();
  const asking: Asking = { forward: ctx.forward, rounds: ctx.rounds, signal: ctx.signal };
  const leave = desk.enter(asking);
  const failed: Failed = { server: connection.server, tool, sent: true };
  try {
    progress.sent = true;
    const params = { name: tool.tool_name, arguments: marked(args) };
    const options = { signal: ctx.signal, timeoutMs: connection.server.timeoutMs, onProgress: reporter(ctx) };
    const answer = await requestWithAnswers(upstream.request, params, options, asking);
    connection.thrives();
    if (asksFor(answer)) throw needsInput(failed, answer, ctx.rounds);
    const result = readResult(answer);
    if (result.isError) throw ownError(failed, result.text);
    if (result.isTooDeep) throw tooDeep(failed);
    for (const block of result.blocks) ctx.attach?.(block);
    return result.data;
  } catch (error) {
    if (isToolFailure(error)) throw error;
    const told = answeredError(failed, error);
    if (told) {
      connection.thrives();
      lacking(error, ctx.rounds);
      throw told;
    }
    const why = upstream.explain(error, ctx.signal);
    progress.isLost = why.status === SESSION_LOST && upstream.hasSession();
    if (progress.isLost) connection.drop(live);
    else if (isUnreachable(error)) connection.lost(live, why);
    throw why;
  } finally {
    leave();
  }
}

/** What `fetch` throws where it had no answer at all; over stdio the end of the process says so. */
const isUnreachable = (error: unknown): boolean => error instanceof TypeError && error.message === "fetch failed";

const tooDeep = ({ server, tool }: Failed): ToolFailure =>
  new ToolFailure("UNAVAILABLE", `The server ${server.name} answers ${tool.tool_name} with data that nests too deep.`, {
    server: server.name,
  });

/** Progress that is passed on, in milliseconds between two: a server may report more often than anybody reads. */
const PROGRESS_MS = 50;

function reporter(ctx: ProxyContext): (done: number, total: number | undefined) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (done, total) => {
    const now = performance.now();
    if (now - last < PROGRESS_MS && done !== total) return;
    last = now;
    ctx.progress(done, total);
  };
}

/** Findings that a refusal lists. */
const MOST_FINDINGS = 10;

/** The lock: what changed but breaks nobody is a warning, anything else is refused. */
async function held({ lock, connection, tool, ctx }: ProxiedCall, live: Live): Promise<void> {
  if (!lock) return;
  const { name } = connection.server;
  const { holds, findings } = await lock.judge(name, await live.tools(), tool);
  if (holds) {
    for (const { rule, message } of findings.slice(0, MOST_FINDINGS))
      ctx.warn(`upstream_changed: ${name} changed ${tool.tool_name} since its snapshot: ${rule}: ${message}`);
    return;
  }
  throw refused(name, tool, findings, ctx);
}

/** What a server lists depends on what its client can answer. */
const MAYBE_HIDDEN =
  " It may be there for clients that can answer what it asks (elicitation, sampling), which the client of this call cannot.";

const canAnswer = ({ forward }: ProxyContext): boolean =>
  forward?.capabilities.elicitation !== undefined && forward.capabilities.sampling !== undefined;

function refused(name: string, { tool_name }: Tool, findings: Verdict["findings"], ctx: ProxyContext): ToolFailure {
  const [first] = findings;
  const hidden = first?.rule === "tool-removed" && !canAnswer(ctx) ? MAYBE_HIDDEN : "";
  const remedy = `Review the change with "toolwright snapshot ${name} --check"; to accept it, run "toolwright snapshot ${name}", then "toolwright generate".`;
  return new ToolFailure(
    "CONFLICT",
    `${name} changed ${tool_name} since its snapshot, so it is not called: ${first?.rule}: ${first?.message}.${hidden} ${remedy}`,
    {
      server: name,
      reason: "upstream_changed",
      rule: first?.rule,
      findings: findings
        .slice(0, MOST_FINDINGS)
        .map(({ rule, level, pointer, message }) => ({ rule, level, pointer, message })),
    },
  );
}
