/**
 * Recent calls of all servers that share a database. Each keeps its own in memory; the one whose console is asked asks
 * the others, so that nothing is stored until it is asked for.
 */

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Recent, SpanTree } from "../call/recent-spans.js";
import type { Logger } from "../contract/handler.js";
import { messageOf } from "../contract/thrown.js";
import { POLL_MS } from "../state/notifier.js";
import type { State } from "../state/open.js";
import { onceOpen } from "../state/open.js";
import type { Replicas } from "../state/replicas.js";

/** Recent calls, the latest first, and how many of the servers they are from. */
export interface RecentCalls {
  readonly calls: readonly SpanTree[];
  /** Absent if no other server shares the database. */
  readonly servers?: { readonly asked: number; readonly answered: number };
}

/** Finds recent calls. */
export interface SharedCalls {
  /** @param caller id of the caller; absent: all callers */
  find(limit: number, caller?: string): Promise<RecentCalls>;
  close(): void;
}

/** What the servers share. */
export interface SharedCallsParts {
  readonly recent: Pick<Recent, "calls">;
  /** Absent for a server that shares nothing. */
  readonly cluster?: { readonly state: () => Promise<State>; readonly replicas: Replicas } | undefined;
  readonly log: Logger;
}

/** Most calls of another server, and the most characters of them. */
const MAX_CALLS = 100;
const MAX_CHARS = 500_000;
/** How long others may take to answer, beside a poll for the question and one for the answer. */
const WAIT_MS = 500;

/** A question to the other servers. */
interface Question {
  readonly id: string;
  /** Id of the server that asks. */
  readonly asker: string;
  readonly limit: number;
  readonly caller?: string | undefined;
}

/** The answer of one server. */
interface Answer {
  readonly id: string;
  readonly calls: readonly SpanTree[];
}

/** Creates the search. It listens for questions of other servers at once. */
export function createSharedCalls({ recent, cluster, log }: SharedCallsParts): SharedCalls {
  if (!cluster) return { find: async (limit, caller) => ({ calls: recent.calls(limit, caller) }), close() {} };
  const { state, replicas } = cluster;
  const waiting = new Map<string, (answer: Answer) => void>();
  const stop = onceOpen(state, (open) => {
    const logged = (error: unknown): void => log.warn("recent calls are not sent", { error: messageOf(error) });
    const stops = [
      open.notifier.on("calls", (payload) => void answer(open, JSON.parse(payload), recent, replicas).catch(logged)),
      open.notifier.on("calls answered", (payload) => {
        const given: Answer = JSON.parse(payload);
        waiting.get(given.id)?.(given);
      }),
    ];
    return () => {
      for (const one of stops) one();
    };
  });
  /** The answers of others, as far as they come in time. */
  const ask = async (limit: number, caller: string | undefined, others: number): Promise<readonly Answer[]> => {
    const open = await state();
    const question: Question = { id: randomUUID(), asker: open.notifier.id, limit, caller };
    const answers: Answer[] = [];
    const all = new Promise<void>((resolve) => {
      waiting.set(question.id, (one) => {
        if (answers.push(one) === others) resolve();
      });
    });
    try {
      await open.transaction("write", (tx) => open.send(tx, { topic: "calls", payload: JSON.stringify(question) }));
      const pollsMs = replicas.isPushed() ? 0 : 2 * POLL_MS;
      await Promise.race([all, sleep(WAIT_MS + pollsMs, undefined, { ref: false })]);
    } finally {
      waiting.delete(question.id);
    }
    return answers;
  };
  return {
    async find(limit, caller) {
      const own = recent.calls(limit, caller);
      const others = replicas.others().length;
      if (others === 0) return { calls: own };
      const answers = await ask(limit, caller, others);
      const calls = [...own.map(ofServer(replicas)), ...answers.flatMap((one) => one.calls)];
      const latest = calls.sort((a, b) => b.at - a.at).slice(0, limit);
      return { calls: latest, servers: { asked: others + 1, answered: answers.length + 1 } };
    },
    close: stop,
  };
}

/** Adds the name of this server to the fields of a call, which the console shows. */
const ofServer =
  (replicas: Replicas) =>
  (call: SpanTree): SpanTree => ({ ...call, fields: { ...call.fields, server: replicas.own()?.name ?? "" } });

/** Answers the question of another server. */
async function answer(
  open: State,
  { id, asker, limit, caller }: Question,
  recent: Pick<Recent, "calls">,
  replicas: Replicas,
): Promise<void> {
  if (asker === open.notifier.id) return;
  const calls = fitting(recent.calls(Math.min(limit, MAX_CALLS), caller).map(ofServer(replicas)));
  const message = { topic: "calls answered", payload: JSON.stringify({ id, calls }), receiver: asker } as const;
  await open.transaction("write", (tx) => open.send(tx, message));
}

/** The latest calls that a message can hold. */
function fitting(calls: readonly SpanTree[]): readonly SpanTree[] {
  let left = MAX_CHARS;
  const cut = calls.findIndex((call) => {
    left -= JSON.stringify(call).length;
    return left < 0;
  });
  return cut === -1 ? calls : calls.slice(0, cut);
}
