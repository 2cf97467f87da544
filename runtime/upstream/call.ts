/**
 * One call of a proxied tool: checks the lock, sends the request, forwards progress and cancellation, and converts the
 * result.
 */

import type { ProxyContext } from "../call/client-access.js";
import { marked } from "../contract/exact-number.js";
import { isToolFailure, ToolFailure } from "../contract/handler.js";
import { boundText, type PassedBound, UPSTREAM_BOUNDS } from "../contract/json-survey.js";
import { onLine } from "../contract/message-text.js";
import type { JsonObject, JsonValue, Tool } from "../contract/registry.js";
import { clip } from "../contract/scrub.js";
import { isSignInRequired, type TokenUse } from "../contract/token-source.js";
import { nextTurn } from "../contract/turn.js";
import type { RequestOptions } from "./client.js";
import type { Connection, LiveConnection } from "./connection.js";
import { type Asking, asksFor, type Desk, requestWithAnswers } from "./elicitation.js";
import {
  answeredError,
  type FailedCall,
  needsInput,
  ownError,
  passMissingCapabilities,
  unreachableFailure,
  unusableFailure,
} from "./failure.js";
import type { Lock, LockVerdict } from "./lock.js";
import { passedMeta } from "./passed-meta.js";
import { convertResult, type ProxiedResult } from "./result.js";
import { LATEST } from "./result-forms.js";
import type { UpstreamServer } from "./servers.js";
import { type SessionLoss, sessionLoss } from "./session.js";
import { foreignText, isUpstreamError, UpstreamError } from "./upstream-error.js";

/** Input of a call. */
export interface ProxiedCall {
  readonly connection: Connection;
  readonly desk: Desk;
  readonly lock: Lock | undefined;
  readonly tool: Tool;
  readonly args: JsonObject;
  readonly ctx: ProxyContext;
}

/** @throws ToolFailure for every failure */
export async function callUpstream(call: ProxiedCall): Promise<unknown> {
  const { server } = call.connection;
  const progress: Progress = { sent: false, heard: false, isLost: false };
  const tried: Tried = { isRenewed: false, isWider: false, isSignedIn: false };
  for (;;) {
    const failed = (): FailedCall => ({ server, tool: call.tool, sent: progress.sent });
    Object.assign(progress, { sent: false, heard: false, isLost: false });
    try {
      const questions = call.desk.questions(call.ctx.forward);
      return await call.connection.use(questions, (live) => callOn(call, live, progress));
    } catch (error) {
      if (await isTriedAgain(call, error, progress, tried)) continue;
      throw isUpstreamError(error) ? unreachableFailure(failed(), error) : error;
    }
  }
}

/** What a call was made again for; each once, since a second refusal is the answer. */
interface Tried {
  isRenewed: boolean;
  isWider: boolean;
  isSignedIn: boolean;
}

/** Whether the call is made again. @throws ToolFailure where a person has to sign in for that */
async function isTriedAgain(call: ProxiedCall, error: unknown, progress: Progress, tried: Tried): Promise<boolean> {
  if (progress.isLost && !tried.isRenewed) tried.isRenewed = true;
  else if (isToolFailure(error)) return false;
  else if (!tried.isWider && (await isWidened(call, error))) tried.isWider = true;
  else if (!tried.isSignedIn && (await isConnectedAgain(call, error))) tried.isSignedIn = true;
  else return false;
  return true;
}

/**
 * Whether the connection has a token with the scopes that the server asks for. It has not begun the call.
 *
 * @throws ToolFailure where a person has to sign in for that
 */
async function isWidened({ connection, ctx }: ProxiedCall, error: unknown): Promise<boolean> {
  const scope = isUpstreamError(error) ? error.scope : undefined;
  if (scope === undefined || !ctx.tokens || !connection.server.tokens) return false;
  await ctx.tokens.widened(useOf(connection, ctx), scope);
  await openedAtOnce(connection);
  return true;
}

/**
 * Whether a connection whose grant had ended has a token again. The server has not begun the call.
 *
 * @throws ToolFailure as the token of a call without a connection: its client may be asked to have the person sign in
 */
async function isConnectedAgain({ connection, ctx }: ProxiedCall, error: unknown): Promise<boolean> {
  const lack = isUpstreamError(error) ? error.lack : undefined;
  if (!isSignInRequired(lack) || !ctx.tokens) return false;
  await ctx.tokens.token(useOf(connection, ctx));
  await openedAtOnce(connection);
  return true;
}

const useOf = ({ server: { name } }: Connection, { principal, signal }: ProxyContext): TokenUse => ({
  ...{ name, principal },
  signal: signal as AbortSignal,
});

/** A connection that could not be opened is opened without waiting for its next attempt. */
async function openedAtOnce(connection: Connection): Promise<void> {
  if (connection.standing().error) await connection.restart().catch(() => undefined);
}

/** How far a call has come. */
interface Progress {
  sent: boolean;
  /** Whether the server has reported progress of the call. */
  heard: boolean;
  /** Whether its session is lost, and it can be made again. */
  isLost: boolean;
}

async function callOn(call: ProxiedCall, live: LiveConnection, progress: Progress): Promise<unknown> {
  const { connection, desk, tool, args, ctx } = call;
  const { upstream } = live;
  const asking: Asking = { forward: ctx.forward, inputRequired: ctx.inputRequired, signal: ctx.signal };
  const leave = desk.enter(asking);
  const failed: FailedCall = { server: connection.server, tool, sent: true };
  const watched = watchSilence(call, live);
  try {
    await held(call, live);
    ctx.signal.throwIfAborted();
    progress.sent = true;
    const params = { name: tool.tool_name, arguments: marked(args) };
    const options = {
      ...{ signal: ctx.signal, timeoutMs: connection.server.timeoutMs },
      onProgress: reporter(ctx, connection.server, progress),
      trace: ctx.trace,
    };
    const answer = await requestWithAnswers(upstream.request, params, options, asking);
    connection.thrives();
    // A large answer was just parsed, and it takes long to convert it and to write it: others are answered between.
    await nextTurn();
    if (asksFor(answer)) throw needsInput(failed, answer, ctx.inputRequired);
    const isNewer = upstream.protocolVersion === LATEST;
    const data = await dataOf(failed, await convertResult(answer, { schema: tool.result_schema, isNewer }), ctx);
    await nextTurn();
    return data;
  } catch (error) {
    if (isToolFailure(error)) throw error;
    const loss = await sessionLoss(upstream, error);
    if (loss) return renewed(call, live, { error, loss, progress });
    const told = answeredError(failed, error);
    if (told) {
      connection.thrives();
      passMissingCapabilities(error, ctx.inputRequired);
      throw told;
    }
    const why = upstream.explain(error, ctx.signal);
    if (isUnreachable(error)) connection.lost(live, why);
    else if (why.code === "TIMEOUT" && watched.isSilent()) connection.silent(live, why);
    throw why;
  } finally {
    watched.end();
    leave();
  }
}

/** Asks the process of a server for a sign of life once half of the time of a call has passed. */
function watchSilence({ connection, ctx }: ProxiedCall, { upstream }: LiveConnection) {
  let askedAt = Number.POSITIVE_INFINITY;
  const ask = (): void => {
    askedAt = performance.now();
    // Any output counts, so the answer itself does not matter.
    upstream.request("ping").catch(() => undefined);
  };
  const half = Math.min(connection.server.timeoutMs, ctx.deadline - Date.now()) / 2;
  const timer = upstream.heardAt() === undefined ? undefined : setTimeout(ask, half);
  return {
    isSilent: () => (upstream.heardAt() ?? Number.POSITIVE_INFINITY) < askedAt && Number.isFinite(askedAt),
    end: () => clearTimeout(timer),
  };
}

/** A call whose session is lost. */
interface Lost {
  readonly error: unknown;
  readonly loss: SessionLoss;
  readonly progress: Progress;
}

/** Drops the lost session; the call is made again in another one, unless it is a write that may have begun. @throws UpstreamError */
function renewed({ connection, tool, ctx }: ProxiedCall, live: LiveConnection, { error, loss, progress }: Lost): never {
  if (!loss.isUsual) connection.deviates("session");
  const why = live.upstream.explain(error, ctx.signal);
  connection.drop(live);
  progress.isLost = tool.kind === "read" || !progress.sent || (loss.isBefore && !progress.heard);
  throw new UpstreamError(
    "UNAVAILABLE",
    `it has lost the session: ${why.message}`,
    "call again, in the session that is made then",
    why.stderr,
    why,
  );
}

/** The data of a result; throws a ToolFailure where the result is an error, or cannot be used. */
async function dataOf(failed: FailedCall, result: ProxiedResult, ctx: ProxyContext): Promise<JsonValue> {
  const { isError, data, content, structured, isWhole, faults } = result;
  const { meta, fault: unpassed } = passedMeta(ctx.native && result.meta);
  if (result.isTooDeep) throw unusableFailure(failed, "with data that nests too deep");
  if (!isError && result.isUnreadable) throw unusableFailure(failed, `${faults.join("; ")}: nothing can be read`);
  for (const fault of [...(await faultsOf(failed.tool, result)), ...(unpassed === undefined ? [] : [unpassed])])
    if (isNews(failed, fault))
      ctx.warn(`upstream_output: ${failed.server.name} answers ${failed.tool.tool_name} ${fault}`);
  if (result.passed) ctx.warn(givenAsText(failed, result.passed));
  const isShown = !isError && ctx.native?.({ structured, content: isWhole ? content : undefined, meta });
  for (const block of isShown ? [] : result.media) ctx.attach?.(block);
  if (isError) throw ownError(failed, result);
  return data;
}

/** Departures of form, which say nothing about the data of one result. */
const FORM = /^(?:without content|with (?:content|structuredContent) that is .*)$/;

/** Departures of form that callers were warned of, by server. */
const warned = new WeakMap<UpstreamServer, Set<string>>();

/** Whether callers are warned: of a departure of form once for a tool. */
function isNews({ server, tool }: FailedCall, fault: string): boolean {
  if (!FORM.test(fault)) return true;
  const known = warned.get(server) ?? new Set();
  const size = known.size;
  warned.set(server, known.add(`${tool.op} ${fault}`));
  return known.size > size;
}

/** How a result departs from the protocol, and from the schema that its server declares. */
async function faultsOf(tool: Tool, result: ProxiedResult): Promise<readonly string[]> {
  const fault = result.isError ? undefined : await outputFault(tool, result);
  return [...result.faults.slice(0, MAX_FAULTS), ...(fault === undefined ? [] : [fault])];
}

/** Most departures from the protocol that one answer is told of. */
const MAX_FAULTS = 5;

/** Longest text about a result that breaks its schema, in characters. */
const MAX_FAULT_LENGTH = 300;

/**
 * How a result breaks the output schema that its server declares, as MCP asks clients to check. It is given all the same: the
 * tool has been carried out, and a failure would make agents repeat a write. Text that fits the schema is enough.
 */
async function outputFault(
  { result_schema: schema }: Tool,
  { checked, structured }: ProxiedResult,
): Promise<string | undefined> {
  if (!schema) return undefined;
  // Most servers declare no schema, and commands that need no check do not load what checks.
  const { resultCheck } = await import("../call/result-check.js");
  const misfit = resultCheck(schema)?.(checked);
  if (misfit === undefined) return undefined;
  const without = structured !== undefined ? "" : "without structuredContent, and ";
  return `${without}with a result that breaks its output schema${firstFault(misfit)}`;
}

/** The first fault, if its place is told in plain keys: keys of a result may be text that gives orders to the model. */
function firstFault(misfit: string): string {
  const [, path = "", reason] = /^data((?:\/[\w$@.:~-]{1,64})*) (must .*?)(?:, data(?: |\/).*)?$/su.exec(misfit) ?? [];
  return reason === undefined ? "" : `: ${clip(onLine(`${path || "the result"} ${reason}`), MAX_FAULT_LENGTH)}`;
}

/** What `fetch` throws where it had no answer at all; over stdio the end of the process says so. */
const isUnreachable = (error: unknown): boolean => error instanceof TypeError && error.message === "fetch failed";

const givenAsText = ({ server, tool }: FailedCall, passed: PassedBound): string =>
  `The JSON that ${server.name} answers ${tool.tool_name} with ${boundText(passed, UPSTREAM_BOUNDS)}: the result is its text.`;

/** Shortest interval between forwarded progress reports, in milliseconds. */
const PROGRESS_MS = 50;

/** Reports with a message that are forwarded sooner, and the longest message in characters. */
const MAX_HASTY = 100;
const MAX_PROGRESS_LENGTH = 1000;

function reporter(
  ctx: ProxyContext,
  server: UpstreamServer,
  progress: Progress,
): NonNullable<RequestOptions["onProgress"]> {
  let last = Number.NEGATIVE_INFINITY;
  let hasty = 0;
  return (done, total, message) => {
    progress.heard = true;
    const now = performance.now();
    const isHasty = now - last < PROGRESS_MS && done !== total;
    if (isHasty && (message === undefined || ++hasty > MAX_HASTY)) return;
    last = now;
    ctx.progress(done, total, message && foreignText(message, server, MAX_PROGRESS_LENGTH));
  };
}

/** Most findings in a refusal. */
const MAX_FINDINGS = 10;

/** Applies the lock: a compatible change is a warning, any other change refuses the call. */
async function held({ lock, connection, tool, ctx }: ProxiedCall, live: LiveConnection): Promise<void> {
  if (!lock) return;
  const { name } = connection.server;
  const { holds, findings } = await lock.judge(name, await live.tools(), tool);
  if (holds) {
    for (const { rule, message } of findings.slice(0, MAX_FINDINGS))
      ctx.warn(`upstream_changed: ${name} changed ${tool.tool_name} since its snapshot: ${rule}: ${message}`);
    return;
  }
  throw refused(name, tool, { findings, remedy: lock.remedyFor(name) }, ctx);
}

/** A server may list tools depending on the client's capabilities. */
const MAYBE_HIDDEN =
  " It may be there for clients that can answer what it asks (elicitation, sampling), which the client of this call cannot.";

const canAnswer = ({ forward }: ProxyContext): boolean =>
  forward?.capabilities.elicitation !== undefined && forward.capabilities.sampling !== undefined;

function refused(
  name: string,
  { tool_name }: Tool,
  { findings, remedy }: Pick<LockVerdict, "findings"> & { readonly remedy: string },
  ctx: ProxyContext,
): ToolFailure {
  const [first] = findings;
  const hidden = first?.rule === "tool-removed" && !canAnswer(ctx) ? MAYBE_HIDDEN : "";
  return new ToolFailure(
    "CONFLICT",
    `${name} changed ${tool_name} since its snapshot, so it is not called: ${first?.rule}: ${first?.message}.${hidden} ${remedy}`,
    {
      server: name,
      reason: "upstream_changed",
      rule: first?.rule,
      findings: findings
        .slice(0, MAX_FINDINGS)
        .map(({ rule, level, pointer, message }) => ({ rule, level, pointer, message })),
    },
  );
}
