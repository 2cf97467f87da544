/**
 * A call whose connection is missing asks its client to open the page where the person signs in (URL elicitation), if
 * the client can: one of the older protocols during the call, one of the newer as the answer to the call, which it
 * repeats. Any other client reads the address in the failure.
 */

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { isToolFailure } from "../contract/handler.js";
import { isObject } from "../contract/json.js";
import { isSignInRequired, type TokenSource, type TokenUse } from "../contract/token-source.js";
import type { ClientAccess, InputRequired } from "./client-access.js";

/** How often a call looks whether the person has signed in. */
const LOOK_MS = 500;
/** Key of the question among those of a call. */
const QUESTION = "toolwright_sign_in";

interface Asked extends Pick<ClientAccess, "forward"> {
  readonly inputRequired?: InputRequired | undefined;
  readonly signal: AbortSignal;
}

/** Tokens whose lack the client of a call is asked about. */
export function askingTokens(tokens: TokenSource, asked: Asked): TokenSource {
  const orAsked = async (use: TokenUse, ask: () => Promise<string>): Promise<string> => {
    try {
      return await ask();
    } catch (error) {
      const page = pageIn(error);
      if (page === undefined) throw error;
      return onceSignedIn(ask, use, { page, error, asked });
    }
  };
  return {
    refused: tokens.refused,
    taken: (use) => tokens.taken?.(use),
    token: (use) => orAsked(use, () => tokens.token(use)),
    widened: (use, scope) => orAsked(use, () => tokens.widened(use, scope)),
  };
}

/** The page of a failure that a sign-in mends. */
function pageIn(error: unknown): string | undefined {
  const details: object = (isToolFailure(error) && error.details) || {};
  return isSignInRequired(error) && "sign_in" in details && typeof details.sign_in === "string"
    ? details.sign_in
    : undefined;
}

interface Lacking {
  readonly page: string;
  readonly error: unknown;
  readonly asked: Asked;
}

async function onceSignedIn(
  ask: () => Promise<string>,
  use: TokenUse,
  { page, error, asked }: Lacking,
): Promise<string> {
  const { forward, inputRequired, signal } = asked;
  const message = `Sign in at ${use.name}, then go on.`;
  const params = { mode: "url", url: page, message, elicitationId: randomUUID() };
  if (takesUrls(inputRequired) && !isAnswered(inputRequired)) {
    const question = { method: "elicitation/create", params };
    inputRequired?.end({ kind: "asks", inputRequests: { [QUESTION]: question }, requestState: undefined });
    throw error;
  }
  if (!takesUrls(forward)) throw error;
  const answer = await forward?.request({ method: "elicitation/create", params }, signal).catch(() => undefined);
  if (answer?.["action"] !== "accept") throw error;
  return waitFor(ask, signal);
}

/** Waits until the person has signed in, or the call ends. */
async function waitFor(ask: () => Promise<string>, signal: AbortSignal): Promise<string> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (pageIn(error) === undefined) throw error;
    }
    await sleep(LOOK_MS, undefined, { signal });
  }
}

/** Whether a client opens pages for its user. */
export const takesUrls = (client: Pick<InputRequired, "capabilities"> | undefined): boolean =>
  client?.capabilities.elicitation?.url !== undefined;

/** Whether a client shows forms to its user. One that names no modes shows forms. */
export function takesForms(client: Pick<InputRequired, "capabilities"> | undefined): boolean {
  const elicitation = client?.capabilities.elicitation;
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** Whether the client has answered the question already, whatever it said. */
function isAnswered(inputRequired: InputRequired | undefined): boolean {
  const responses = inputRequired?.given["inputResponses"];
  return isObject(responses) && Object.hasOwn(responses, QUESTION);
}

/** What a client has answered to questions of upstream servers, without its answer to our own question. */
export function withoutOwnAnswer(given: InputRequired["given"]): InputRequired["given"] {
  const { inputResponses, ...rest } = given;
  if (!isObject(inputResponses) || !Object.hasOwn(inputResponses, QUESTION)) return given;
  const { [QUESTION]: _, ...others } = inputResponses;
  return Object.keys(others).length === 0 ? rest : { ...rest, inputResponses: others };
}
