/**
 * Elicitation over HTTP for clients of the older protocols: the question goes out on the stream of the call, and the
 * answer arrives as a request of its own. Pending questions are in the memory of this process, and in a row where
 * servers share a database: an answer that arrives at another server is stored there, and this one is told. Without
 * such a database it is refused, and the question ends with the time limit of the call.
 */

import { randomUUID } from "node:crypto";
import { ProtocolError, type Server } from "@modelcontextprotocol/server";
import { sql } from "kysely";
import type { Forward } from "../../call/client-access.js";
import { digestText } from "../../contract/canonical.js";
import { isObject } from "../../contract/json.js";
import type { State } from "../../state/open.js";
import { queries } from "../../state/schema.js";
import { type CallContext, type ForwardOf, PATIENCE_MS } from "../mcp/client-capabilities.js";
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
  take(body: unknown, sender: Sender): Promise<Response> | undefined;
  /** Starts to take answers that arrive at other servers; the returned function stops that. */
  follow(state: State): () => void;
}

type Answer = Readonly<Record<string, unknown>>;

/** Pending questions by key. */
interface Pending {
  readonly waiting: Map<string, (answer: Answer) => void>;
  /** The database that servers share, while there is one. */
  state?: State | undefined;
}

/** Starts without pending questions. */
export function createHttpAsking(): HttpAsking {
  const pending: Pending = { waiting: new Map() };
  const taken = (key: string, answer: Answer): boolean => {
    const take = pending.waiting.get(key);
    pending.waiting.delete(key);
    take?.(answer);
    return take !== undefined;
  };
  const takeAll = async (answers: readonly Answer[], sender: Sender): Promise<Response> => {
    const { state } = pending;
    let isTaken = true;
    for (const answer of answers) {
      const key = senderKey(sender, answer["id"]);
      isTaken = (taken(key, answer) || (state !== undefined && (await passOn(state, key, answer)))) && isTaken;
    }
    return isTaken ? new Response(null, { status: 202 }) : refusal(400, state ? GIVEN_UP : NO_QUESTION_WAITS);
  };
  return {
    forwardOf: (sender) => (server, context) => forwardTo(sender, pending, server, context),
    take(body, sender) {
      const messages = Array.isArray(body) ? body : [body];
      if (sender.client === null || !messages.every(isAnswer)) return undefined;
      return takeAll(messages, sender);
    },
    follow(state) {
      pending.state = state;
      const stop = state.notifier.on("answered", (payload) => {
        const [key, answer] = JSON.parse(payload) as readonly [string, Answer];
        taken(key, answer);
      });
      return () => {
        pending.state = undefined;
        stop();
      };
    },
  };
}

const GIVEN_UP = "No call waits for this answer: it was given up, or answered.";
const NO_QUESTION_WAITS =
  "No call waits for this answer here: it was given up, or another instance asked. Behind a balancer a client has to stay with one instance to be asked, unless the state is in PostgreSQL.";

/** Stores that a question is pending, so that another server can take its answer. */
const storeQuestion = (state: State, id: string): Promise<unknown> =>
  state.transaction("write", (tx) => {
    const expires_at = sql<Date>`clock_timestamp() + make_interval(secs => ${PATIENCE_MS / 1000})`;
    const row = { id, asker: state.notifier.id, is_answered: false, expires_at };
    return queries(tx).insertInto("server_questions").values(row).execute();
  });

const removeQuestion = (state: State, id: string): Promise<unknown> =>
  state.transaction("write", (tx) => queries(tx).deleteFrom("server_questions").where("id", "=", id).execute());

/** Sends the first answer to a pending question to the server that asked; returns whether there is one. */
const passOn = (state: State, id: string, answer: Answer): Promise<boolean> =>
  state.transaction("write", async (tx) => {
    const asked = await queries(tx)
      .updateTable("server_questions")
      .set({ is_answered: true })
      .where("id", "=", id)
      // This server would know of its own question.
      .where("asker", "!=", state.notifier.id)
      .where("is_answered", "=", false)
      .where(sql<boolean>`expires_at > clock_timestamp()`)
      .returning("asker")
      .executeTakeFirst();
    if (!asked) return false;
    await state.send(tx, { topic: "answered", payload: JSON.stringify([id, answer]), receiver: asked.asker });
    return true;
  });

const isAnswer = (message: unknown): message is Answer =>
  isObject(message) && !("method" in message) && "id" in message && ("result" in message || "error" in message);

/** Identifies a request or a question of a client among all servers, in bounded length. */
export const senderKey = ({ principal, client }: Sender, id: unknown): string =>
  digestText(JSON.stringify([principal.id, client, id]));

function forwardTo(sender: Sender, pending: Pending, server: Server, { mcpReq }: CallContext): Forward | undefined {
  const capabilities = capabilitiesIn(sender.client);
  if (Object.keys(capabilities).length === 0) return undefined;
  return {
    client: senderKey(sender, null),
    capabilities,
    async request(question, signal) {
      // The SDK counts from zero in each request, while a client has one sequence of ids.
      const id = randomUUID();
      const key = senderKey(sender, id);
      const { state, waiting } = pending;
      const answer = new Promise<Answer>((resolve) => waiting.set(key, resolve));
      try {
        // Without its row, a question can be answered at this server only.
        await (state && storeQuestion(state, key).catch(() => undefined));
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
        if (state) removeQuestion(state, key).catch(() => undefined);
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
