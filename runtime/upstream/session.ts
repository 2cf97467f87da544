/** Sessions that a server has forgotten, and signs of life. The protocol has HTTP 404 for such a session; servers refuse it in other ways, too. */

import { codeOf } from "../contract/thrown.js";
import type { Upstream } from "./client.js";
import { rpcErrorOf } from "./rpc-error.js";
import { isUpstreamError, refusalDetails } from "./upstream-error.js";

/** Statuses of a session that is gone. */
const GONE: ReadonlySet<unknown> = new Set([404, 410]);
const BAD_REQUEST = 400;
/** JSON-RPC code that SDKs answer with where a session is not found. */
const NOT_FOUND = -32_001;
const [NO_METHOD, BAD_PARAMS, INTERNAL] = [-32_601, -32_602, -32_603];
/** Codes of errors that may be about arguments, which may name a session of another kind. */
const OF_ARGUMENTS: ReadonlySet<unknown> = new Set([BAD_PARAMS, INTERNAL]);

const LOST =
  "(?:not (?:be )?found|not exist|unknown|invalid|expired?|missing|required|terminated|closed|gone|no longer|ended|not valid|not initiali[sz]ed|not active|inactive)";
const NO = "(?:no|not found|unknown|invalid|expired|missing|bad|stale|terminated)";
/** What a message about a lost session says. */
const SESSION = new RegExp(
  `\\bsession\\b.{0,60}\\b${LOST}\\b|\\b${NO}\\b.{0,40}\\bsession\\b|\\bserver not initiali[sz]ed\\b`,
  "is",
);

/** Whether an error may mean that a session is lost. */
type Suspicion = "certain" | "possible" | undefined;

/** What a refusal says. */
interface Refusal {
  readonly status: unknown;
  readonly code: number | undefined;
  /** Whether its message is about a session. */
  readonly speaks: boolean;
}

/** Characters of a message that are read. */
const READ_LENGTH = 1_000;

function refusalOf(error: unknown): Refusal {
  const rpc = rpcErrorOf(error);
  const { status, text } = isUpstreamError(error)
    ? { status: error.status, text: error.message }
    : refusalDetails(error);
  const said = rpc?.message ?? (typeof text === "string" ? text : "");
  return { status, code: rpc?.code, speaks: SESSION.test(said.slice(0, READ_LENGTH)) };
}

function suspicion(error: unknown): Suspicion {
  const { status, code, speaks } = refusalOf(error);
  const isOfArguments = OF_ARGUMENTS.has(code);
  if (GONE.has(status)) return speaks || !(isOfArguments || code === NO_METHOD) ? "certain" : "possible";
  const isLikely = status === BAD_REQUEST || code === NOT_FOUND;
  if (speaks) return isLikely && !isOfArguments ? "certain" : "possible";
  return isLikely && code !== BAD_PARAMS ? "possible" : undefined;
}

/** Longest wait for the answer that tells whether a session is there. */
const PROBE_MS = 5_000;

/** What became of a call whose session may be lost. */
export interface SessionLoss {
  /** Whether the server has refused the call before it began. */
  readonly isBefore: boolean;
  readonly isUsual: boolean;
}

/** Whether a call failed since its session is lost; where that is not certain, the list of tools is asked for in the session. */
export async function sessionLoss(upstream: Upstream, error: unknown): Promise<SessionLoss | undefined> {
  const first = upstream.hasSession() ? suspicion(error) : undefined;
  if (first === undefined) return undefined;
  if (first === "possible" && !(await refusesList(upstream))) return undefined;
  const status = isUpstreamError(error) ? error.status : refusalDetails(error).status;
  const isStatus = GONE.has(status) || status === BAD_REQUEST;
  return { isBefore: isStatus || first === "certain", isUsual: status === 404 };
}

const refusesList = (upstream: Upstream): Promise<boolean> =>
  upstream.request("tools/list", {}, { signal: AbortSignal.timeout(PROBE_MS) }).then(
    () => false,
    (error: unknown) => suspicion(error) !== undefined,
  );

/** Whether an error certainly means that the session is lost. */
export const isSessionGone = (upstream: Upstream, error: unknown): boolean =>
  upstream.hasSession() && suspicion(error) === "certain";

const REFUSALS: ReadonlySet<string> = new Set(["UnauthorizedError", "InsufficientScopeError"]);

/** Whether a server has answered a request, with whatever. */
export const isAnswered = (error: unknown): boolean =>
  typeof codeOf(error) === "number" ||
  typeof refusalDetails(error).status === "number" ||
  codeOf(error) === "CLIENT_HTTP_UNEXPECTED_CONTENT" ||
  (error instanceof Error && REFUSALS.has(error.name));
