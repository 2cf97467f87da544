/**
 * Forwards the questions of upstream servers (elicitation, sampling, roots) to the client of the call that they belong
 * to.
 */

import type { Forward, InputRequired } from "../call/client-access.js";
import { withoutOwnAnswer } from "../call/sign-in-questions.js";
import { isObject } from "../contract/json.js";
import type { Questions, Upstream } from "./client.js";

/** A call under way, during which a server may ask questions. */
export interface Asking {
  readonly forward: Forward | undefined;
  readonly inputRequired?: InputRequired | undefined;
  readonly signal: AbortSignal;
}

/** The calls under way on one server. */
export interface Desk {
  enter(asking: Asking): () => void;
  /** The questions that the client of a caller can answer, for opening a connection. */
  questions(forward: Forward | undefined): Questions | undefined;
}

const CAPABILITY: Readonly<Record<string, "elicitation" | "sampling" | "roots">> = {
  "elicitation/create": "elicitation",
  "sampling/createMessage": "sampling",
  "roots/list": "roots",
};

/** Tracks the calls of a server. In the older protocol a question does not name the call that it belongs to. */
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

/** The call that a question belongs to: the only one, or one of several calls of the same client. */
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

/** Capabilities by name, each with its members. */
type Named = Readonly<Record<string, object>>;
const namedIn = (questions: Partial<Questions> | undefined): Named => ({ ...questions?.capabilities }) as Named;

/** The combined capabilities of two clients. */
export function combinedQuestions(one: Questions | undefined, other: Questions | undefined): Questions | undefined {
  if (!one || !other || isTold(one, other)) return one ?? other;
  const [a, b] = [namedIn(one), namedIn(other)];
  const merged = Object.keys({ ...a, ...b }).map((name) => [name, { ...a[name], ...b[name] }]);
  return { ...other, capabilities: Object.fromEntries(merged) };
}

/** Whether the first includes all capabilities of the second. */
export function isTold(known: Questions | undefined, wanted: Questions | undefined): boolean {
  const declared = namedIn(known);
  return Object.entries(namedIn(wanted)).every(([name, members]) => {
    const told = declared[name];
    return told !== undefined && Object.keys(members).every((member) => Object.hasOwn(told, member));
  });
}

/** Most rounds of questions of one call in the newer protocol. */
const MAX_ROUNDS = 10;

/**
 * Calls a tool. If a server of the newer protocol requires input, a client of the older protocols is asked and the call
 * repeated; without such a client, the result is the questions.
 *
 * @throws Error for a question that the client cannot answer, or after too many rounds
 */
export async function requestWithAnswers(
  ask: Upstream["request"],
  params: Readonly<Record<string, unknown>>,
  options: Parameters<Upstream["request"]>[2],
  asking: Asking,
): Promise<Readonly<Record<string, unknown>>> {
  const { forward, inputRequired } = asking;
  const declaring = { ...options, capabilities: (inputRequired ?? forward)?.capabilities ?? {} };
  const given = inputRequired && withoutOwnAnswer(inputRequired.given);
  let result = await ask("tools/call", { ...params, ...given }, declaring);
  for (let round = 0; forward && asksFor(result); round++) {
    if (round === MAX_ROUNDS) throw new Error(`it asks for input more than ${MAX_ROUNDS} times`);
    const { inputRequests, requestState } = result;
    const inputResponses = await answersTo(inputRequests, asking);
    const more = { ...params, inputResponses, ...(typeof requestState === "string" ? { requestState } : {}) };
    result = await ask("tools/call", more, declaring);
  }
  return result;
}

/** Whether a result requires input, or that the call is made again with its state. One that asks nothing does not. */
export const asksFor = ({ resultType, inputRequests, requestState }: Readonly<Record<string, unknown>>): boolean =>
  resultType === "input_required" &&
  (typeof requestState === "string" || (isObject(inputRequests) && Object.keys(inputRequests).length > 0));

async function answersTo(requests: unknown, asking: Asking): Promise<Readonly<Record<string, unknown>>> {
  const answers = new Map<string, unknown>();
  for (const [key, request] of Object.entries(isObject(requests) ? requests : {})) {
    const { method, params }: { readonly method?: unknown; readonly params?: unknown } = isObject(request)
      ? request
      : {};
    if (typeof method !== "string") throw new Error("it asks for input, and does not say which");
    answers.set(key, await answerOne(asking, method, isObject(params) ? params : {}));
  }
  return Object.fromEntries(answers);
}
