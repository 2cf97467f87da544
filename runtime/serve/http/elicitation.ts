/**
 * Elicitation over HTTP for clients of the older protocols: the question goes out on the stream of the call, and the
 * answer arrives as a request of its own. Pending questions are in the memory of this process, so a client behind a
 * load balancer must stay with one instance; an answer that arrives elsewhere is refused, and the question ends with
 * the time limit of the call.
 */

import { randomUUID } from "node:crypto";
import { ProtocolError, type Server, type ServerContext } from "@modelcontextprotocol/server";
import type { Forward } from "../../call/client-access.js";
import { isObject } from "../../contract/json.js";
import { type ForwardOf, PATIENCE_MS } from "../mcp/client-capabilities.js";
import { refusal } from "./message.js";

/** What identifies the sender of a request. */
export interface Sender {
  readonly principal: { readonly id: string };
  /** The name that the client got at `initialize` and sends back. */
  readonly client: string | null;
}

/** The questions that wait for an answer. */
export interface HttpAsking {
  /** Creates the functions that forward questions to the sender of a request. */
  forwardOf(sender: Sender): ForwardOf;
  /** Hands the answers in a message to the waiting calls; `undefined` if the message is not made of answers only. */
  take(body: unknown, sender: Sender): Response | undefined;
}

type Answer = Readonly<Record<string, unknown>>;
type Waiting = Map<string, (answer: Answer) => void>;

/** Starts without pending questions. */
export function createHttpAsking(): HttpAsking {
  const waiting: Waiting = new Map();
  return {
    forwardOf: (sender) => (server, context) => forwardTo(sender, waiting, server, context),
    take(body, sender) {
      const messages = Array.isArray(body) ? body : [body];
      if (sender.client === null || !messages.every(isAnswer)) return undefined;
      let isTaken = true;
      for (const message of messages) {
        const key = keyOf(sender, message["id"]);
        const take = waiting.get(key);
        waiting.delete(key);
        take?.(message);
        isTaken &&= take !== undefined;
      }
      return isTaken ? new Response(null, { status: 202 }) : refusal(400, NO_QUESTION_WAITS);
    },
  };
}

const NO_QUESTION_WAITS =
  "No call waits for this answer here: it was given up, or another instance asked. Behind a balancer a client has to stay with one instance to be asked.";

const isAnswer = (message: unknown): message is Answer =>
  isObject(message) && !("method" in message) && "id" in message && ("result" in message || "error" in message);

const keyOf = ({ principal, client }: Sender, id: unknown): string => JSON.stringify([principal.id, client, id]);

function forwardTo(sender: Sender, waiting: Waiting, server: Server, { mcpReq }: ServerContext): Forward | undefined {
  const capabilities = capabilitiesIn(sender.client);
  if (Object.keys(capabilities).length === 0) return undefined;
  return {
    client: keyOf(sender, null),
    capabilities,
    async request(question, signal) {
      // The SDK counts from zero in each request, while a client has one sequence of ids.
      const id = randomUUID();
      const key = keyOf(sender, id);
      const answer = new Promise<Answer>((resolve) => waiting.set(key, resolve));
      try {
        const related = { relatedRequestId: mcpReq.id };
        await server.transport?.send({ jsonrpc: "2.0", id, ...question, params: { ...question.params } }, related);
        return resultOf(await before(answer, AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])));
      } catch (error) {
        // A client that has not answered is notified, so that it stops asking the user.
        if (waiting.has(key))
          mcpReq.notify({ method: "notifications/cancelled", params: { requestId: id } }).catch(() => undefined);
        throw error;
      } finally {
        waiting.delete(key);
      }
    },
  };
}

/** Rejects if the signal fires first. */
function before<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  const given = new Promise<never>((_, reject) => {
    const giveUp = (): void => reject(new Error("the client has not answered in time"));
    signal.addEventListener("abort", giveUp, { once: true });
    if (signal.aborted) giveUp();
  });
  return Promise.race([answer, given]);
}

function resultOf({ result, error }: Answer): Answer {
  if (isObject(result)) return result;
  const { code, message } = isObject(error) ? error : {};
  throw new ProtocolError(typeof code === "number" ? code : INVALID, String(message ?? "the client gave no result"));
}

const INVALID = -32_600;

/** Client capabilities, one letter each. */
const LETTERS: readonly (readonly [
  letter: string,
  capability: "elicitation" | "sampling" | "roots",
  member?: string,
])[] = [
  ["f", "elicitation", "form"],
  ["u", "elicitation", "url"],
  ["s", "sampling"],
  ["t", "sampling", "tools"],
  ["c", "sampling", "context"],
  ["r", "roots"],
];

/**
 * Creates the name of a client that sent `initialize`. The name includes the client's capabilities, since later
 * requests do not repeat them and the server keeps no session. A client that alters its name deceives only itself.
 */
export function nameOfClient(initialize: unknown): string {
  const { params } = isObject(initialize) ? initialize : {};
  const declared = isObject(params) && isObject(params["capabilities"]) ? params["capabilities"] : {};
  const letters = LETTERS.flatMap(([letter, capability, member]) => {
    const members = declared[capability];
    if (!isObject(members)) return [];
    // Clients that predate the `form` and `url` modes declare bare elicitation, which means forms.
    const isBare = member === "form" && !("url" in members);
    return member === undefined || member in members || isBare ? [letter] : [];
  });
  return `${randomUUID()}${letters.length > 0 ? `.${letters.join("")}` : ""}`;
}

function capabilitiesIn(client: string | null): Forward["capabilities"] {
  const [, letters = ""] = /^[0-9a-f-]{36}\.([a-z]{1,6})$/.exec(client ?? "") ?? [];
  const found = new Map<string, Record<string, object>>();
  for (const [letter, capability, member] of LETTERS) {
    if (!letters.includes(letter)) continue;
    const members = found.get(capability) ?? {};
    if (member !== undefined) members[member] = {};
    found.set(capability, members);
  }
  return Object.fromEntries(found);
}
