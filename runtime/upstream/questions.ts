/**
 * What an upstream server asks its client: input of a person, a model's answer, folders. It is passed on to the client whose call
 * made the server ask, where that is certain and the client can answer; anything else is refused in words. A client of the older protocols
 * ({@link Forward}) is asked while its call waits, one of the newer ({@link Rounds}) by the answer to its call.
 */

import type { JsonObject } from "../contract/registry.js";
import type { Questions, Upstream } from "../mcp/upstream.js";

/** Passes questions of servers on to the client that called. */
export interface Forward {
  /** One and the same for all calls of a client. */
  readonly client: unknown;
  /** What the client said that it can answer: `elicitation`, `sampling`, `roots`, as the protocol has them. */
  readonly capabilities: Questions["capabilities"];
  /** Asks the client; rejects where it refuses. `signal` ends when the call is over. */
  request(
    question: { readonly method: string; readonly params: Readonly<Record<string, unknown>> },
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>>;
}

/**
 * A client that is asked in the newer protocol: by the answer to its call, which it makes once more with what it has to say. Nothing is
 * kept meanwhile.
 */
export interface Rounds {
  /** What the client declares that it can answer. */
  readonly capabilities: Questions["capabilities"];
  /** What it says to the questions of the call before: `inputResponses`, and the server's own `requestState`. */
  readonly given: Readonly<Record<string, unknown>>;
  /** Says why the call ends without a result. */
  end(turn: Turn): void;
}

/** Why a call ends without a result: the server asks, or must not ask what the client does not declare. */
export type Turn =
  | { readonly kind: "asks"; readonly inputRequests: JsonObject; readonly requestState: string | undefined }
  | { readonly kind: "lacks"; readonly requiredCapabilities: JsonObject };

/** A call under way, of which a server may ask something. */
export interface Asking {
  readonly forward: Forward | undefined;
  readonly rounds?: Rounds | undefined;
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
  if (rest.some(({ forward }) => forward?.client !== first.forward?.client))
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

/** Capabilities as what they are: names, each with its members. */
type Named = Readonly<Record<string, object>>;
const namedIn = (questions: Partial<Questions> | undefined): Named => ({ ...questions?.capabilities }) as Named;

/** What two clients can answer between them. */
export function both(one: Questions | undefined, other: Questions | undefined): Questions | undefined {
  if (!one || !other || isTold(one, other)) return one ?? other;
  const [a, b] = [namedIn(one), namedIn(other)];
  const merged = Object.keys({ ...a, ...b }).map((name) => [name, { ...a[name], ...b[name] }]);
  return { ...other, capabilities: Object.fromEntries(merged) };
}

/** Whether who knows of the first knows of all that the second can answer. */
export function isTold(known: Questions | undefined, wanted: Questions | undefined): boolean {
  const declared = namedIn(known);
  return Object.entries(namedIn(wanted)).every(([name, members]) => {
    const told = declared[name];
    return told !== undefined && Object.keys(members).every((member) => Object.hasOwn(told, member));
  });
}

/** Rounds of questions that one call may take in the newer protocol. */
const MOST_ROUNDS = 10;

/**
 * Calls a tool, and has the client of the older protocols answer what a server of the newer one asks before it has a result. Where there
 * is none, the questions are what comes back.
 *
 * @throws Error where it asks what the client cannot answer, or does not come to an end
 */
export async function requestWithAnswers(
  ask: Upstream["request"],
  params: Readonly<Record<string, unknown>>,
  options: Parameters<Upstream["request"]>[2],
  asking: Asking,
): Promise<Readonly<Record<string, unknown>>> {
  const { forward, rounds } = asking;
  const declaring = { ...options, capabilities: (rounds ?? forward)?.capabilities ?? {} };
  let result = await ask("tools/call", { ...params, ...rounds?.given }, declaring);
  for (let round = 0; forward && asksFor(result); round++) {
    if (round === MOST_ROUNDS) throw new Error(`it asks for input more than ${MOST_ROUNDS} times`);
    const { inputRequests, requestState } = result;
    const inputResponses = await answersTo(inputRequests, asking);
    const more = { ...params, inputResponses, ...(requestState === undefined ? {} : { requestState }) };
    result = await ask("tools/call", more, declaring);
  }
  return result;
}

/** Whether a result is none yet, but questions. */
export const asksFor = (result: Readonly<Record<string, unknown>>): boolean =>
  result["resultType"] === "input_required";

async function answersTo(requests: unknown, asking: Asking): Promise<Readonly<Record<string, unknown>>> {
  const answers = new Map<string, unknown>();
  for (const [key, request] of Object.entries(typeof requests === "object" && requests !== null ? requests : {})) {
    const { method, params }: { readonly method?: unknown; readonly params?: object } = request ?? {};
    answers.set(key, await answerOne(asking, String(method), { ...params }));
  }
  return Object.fromEntries(answers);
}
