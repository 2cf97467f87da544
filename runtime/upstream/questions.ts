/**
 * What an upstream server asks its client: input of a person, a model's answer, folders. It is passed on to the client whose call
 * made the server ask, where that is certain and the client can answer; anything else is refused in words.
 */

import type { Questions, Upstream } from "../mcp/upstream.js";

/** Passes questions of servers on to the client that called. */
export interface Forward {
  /** What the client said that it can answer: `elicitation`, `sampling`, `roots`, as the protocol has them. */
  readonly capabilities: Questions["capabilities"];
  /** Asks the client; rejects where it refuses. `signal` ends when the call is over. */
  request(
    question: { readonly method: string; readonly params: Readonly<Record<string, unknown>> },
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>>;
}

/** A call under way, of which a server may ask something. */
export interface Asking {
  readonly forward: Forward | undefined;
  readonly signal: AbortSignal;
}

/** Calls under way on one server. */
export interface Desk {
  enter(asking: Asking): () => void;
  /** What a connection is opened with for a caller: what the caller's client can answer. */
  questions(forward: Forward | undefined): Questions | undefined;
}

const CAPABILITY: Readonly<Record<string, "elicitation" | "sampling" | "roots">> = {
  "elicitation/create": "elicitation",
  "sampling/createMessage": "sampling",
  "roots/list": "roots",
};

/** Makes the desk of a server. In the older protocol a question does not say which call it belongs to. */
export function createDesk(): Desk {
  const calls = new Set<Asking>();
  return {
    enter: (asking) => {
      calls.add(asking);
      return () => void calls.delete(asking);
    },
    questions: (forward) =>
      forward && {
        capabilities: forward.capabilities,
        answer: (method, params) => answerOne(onlyOne(calls, method), method, params),
      },
  };
}

/** The call that a question must belong to: the only one, or one of several of the same client. */
function onlyOne(calls: ReadonlySet<Asking>, method: string): Asking {
  const [first, ...rest] = calls;
  if (!first) throw new Error(`${method}: no call is under way that a client could answer for`);
  if (rest.some(({ forward }) => forward !== first.forward))
    throw new Error(
      `${method}: several clients call this server, and the question does not say which of them it is for`,
    );
  return first;
}

async function answerOne(
  { forward, signal }: Asking,
  method: string,
  params: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const capability = CAPABILITY[method];
  if (!forward || capability === undefined || forward.capabilities[capability] === undefined)
    throw new Error(`${method}: the client of this call cannot answer it`);
  return forward.request({ method, params }, signal);
}

/** Rounds of questions that one call may take in the newer protocol. */
const MOST_ROUNDS = 10;

/**
 * Makes a request, and answers what the server asks before it has a result, as the newer protocol has it.
 *
 * @throws Error where it asks what nobody can answer, or does not come to an end
 */
export async function requestWithAnswers(
  ask: Upstream["request"],
  params: Readonly<Record<string, unknown>>,
  options: Parameters<Upstream["request"]>[2],
  asking: Asking,
): Promise<Readonly<Record<string, unknown>>> {
  let result = await ask("tools/call", params, options);
  for (let round = 0; result["resultType"] === "input_required"; round++) {
    if (round === MOST_ROUNDS) throw new Error(`it asks for input more than ${MOST_ROUNDS} times`);
    const { inputRequests, requestState } = result;
    const inputResponses = await answersTo(inputRequests, asking);
    const more = { ...params, inputResponses, ...(requestState === undefined ? {} : { requestState }) };
    result = await ask("tools/call", more, options);
  }
  return result;
}

async function answersTo(requests: unknown, asking: Asking): Promise<Readonly<Record<string, unknown>>> {
  const answers = new Map<string, unknown>();
  for (const [key, request] of Object.entries(typeof requests === "object" && requests !== null ? requests : {})) {
    const { method, params }: { readonly method?: unknown; readonly params?: object } = request ?? {};
    answers.set(key, await answerOne(asking, String(method), { ...params }));
  }
  return Object.fromEntries(answers);
}
