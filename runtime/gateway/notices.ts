/** Tells people of calls that wait for them: a message in the file of a topic, and a signed request to a webhook. */

import { createHmac } from "node:crypto";
import type { WebhookSettings } from "../config/notice-settings.js";
import type { Settings } from "../config/settings.js";
import { entryOf } from "../config/topics.js";
import { TELL_TOPIC, TELL_WEBHOOK, WAITING_TOPIC } from "../run/kept/notices.js";
import { approvalPageUrl } from "../run/kept/page.js";
import { type WaitingCall, waitingCalls } from "../run/kept/waiting-calls.js";
import type { Jobs, RunningJob } from "../state/jobs.js";

/** What the jobs work with. */
export interface NoticeParts {
  readonly jobs: Jobs;
  readonly clock: () => number;
  readonly root: string;
  readonly settings: Pick<Settings, "topics" | "webhook" | "web" | "http">;
}

/** Time for the answer of a webhook, in milliseconds. */
const ANSWER_MS = 10_000;

/** Tells people in jobs; returns what ends this. */
export function tellInJobs({ jobs, clock, root, settings }: NoticeParts): () => void {
  const { topics, webhook, web, http } = settings;
  const topic = entryOf(topics, WAITING_TOPIC);
  const told = async ({ payload, state }: RunningJob): Promise<Told | undefined> => {
    const calls = await waitingCalls(state, clock(), { run: String(payload) });
    return calls.length === 0 ? undefined : toldOf(calls, http.publicUrl);
  };
  const ends = [
    jobs.handle(TELL_TOPIC, async (job) => {
      const data = topic && (await told(job));
      if (!data) return undefined;
      const document = { ts: new Date(clock()).toISOString(), topic: WAITING_TOPIC, ...data };
      const { appendMessage } = await import("../packs/ot/topic-file.js");
      await appendMessage(root, topic, document, job.signal);
      return undefined;
    }),
    jobs.handle(TELL_WEBHOOK, async (job) => {
      const data = webhook && (await told(job));
      if (data) await post(webhook, { ...data }, { id: job.id, now: clock(), signal: job.signal, ...web });
      return undefined;
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}

/** What people are told: not the arguments and titles, which may be secret, nor plans, which hold some. */
interface Told {
  readonly run: string;
  readonly caller: string;
  /** The page on which they decide. */
  readonly page?: string;
  readonly waiting: readonly Omit<WaitingCall, "args" | "title" | "run" | "caller" | "plan" | "planned">[];
}

function toldOf(calls: readonly WaitingCall[], publicUrl: URL | undefined): Told | undefined {
  const [first] = calls;
  if (!first) return undefined;
  const { run, caller } = first;
  const waiting = calls.map(
    ({ args: _, title: __, run: ___, caller: ____, plan: _____, planned: ______, ...call }) => call,
  );
  return { run, caller, ...(publicUrl ? { page: approvalPageUrl(publicUrl.href, run) } : {}), waiting };
}

interface Posting {
  /** The same for each attempt: receivers know a repeated message by it. */
  readonly id: string;
  readonly now: number;
  readonly signal: AbortSignal;
  readonly allowPrivate: readonly string[];
}

/**
 * Sends a message, signed as the specification Standard Webhooks says.
 *
 * @throws Error unless the receiver takes it
 */
async function post(
  { url, secret }: WebhookSettings,
  data: object,
  { id, now, signal, allowPrivate }: Posting,
): Promise<void> {
  const seconds = String(Math.floor(now / 1000));
  const body = JSON.stringify({ type: "run.paused", timestamp: new Date(now).toISOString(), data });
  const signature = createHmac("sha256", keyOf(secret)).update(`${id}.${seconds}.${body}`).digest("base64");
  const { guardedFetch } = await import("../http-client/guard.js");
  // The host may be private, because the operator configures it; redirects are not followed.
  const fetch = guardedFetch({ allowPrivate: [...allowPrivate, url.hostname] });
  const response = await fetch(url.href, {
    method: "POST",
    body,
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": seconds,
      "webhook-signature": `v1,${signature}`,
    },
    signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the webhook of approvals answered ${response.status}`);
}

/** Secrets of the form `whsec_…` are base64. */
const keyOf = (secret: string): Buffer =>
  secret.startsWith("whsec_") ? Buffer.from(secret.slice("whsec_".length), "base64") : Buffer.from(secret, "utf8");
