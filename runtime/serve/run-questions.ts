/**
 * The questions that a paused run has for its client: a form for each call whose rule lets people decide by elicitation,
 * and the page on which people decide about the others.
 */

import type { InputRequired } from "../call/client-access.js";
import { takesForms, takesUrls } from "../call/sign-in-questions.js";
import { digest } from "../contract/canonical.js";
import { writeJson } from "../contract/exact-number.js";
import { isObject } from "../contract/json.js";
import { visibleText } from "../contract/message-text.js";
import type { JsonObject } from "../contract/registry.js";
import { MAX_ARGS_LENGTH, type PausedRun } from "../gateway/caller-runs.js";
import type { ClientAnswer } from "../run/kept/client-answers.js";
import type { WaitingCall } from "../run/kept/waiting-calls.js";

/** A question to a client. */
export interface Question {
  /** Unique among all questions of the run. */
  readonly key: string;
  readonly kind: "form" | "page";
  readonly request: { readonly method: "elicitation/create"; readonly params: JsonObject };
}

/** What a client answers, by the keys of the questions. */
export type Answers = Readonly<Record<string, unknown>>;

/** Forms of one answer: the others follow when these are decided. */
const MAX_FORMS = 20;
const MAX_REASON_LENGTH = 1000;

/** The questions about a run that a client can put to its user. */
export function questionsOf(
  run: PausedRun,
  client: Pick<InputRequired, "capabilities"> | undefined,
): readonly Question[] {
  const forms = takesForms(client) ? run.waiting.filter(isForClient).slice(0, MAX_FORMS) : [];
  const asked = new Set(forms);
  const isLeft = run.waiting.some((call) => call.by.includes("console") && !asked.has(call));
  const { page } = run;
  const pages = page !== undefined && isLeft && takesUrls(client) ? [pageQuestion(run, page)] : [];
  return [...forms.map(formQuestion), ...pages];
}

const argsText = ({ args }: WaitingCall): string => visibleText(writeJson(args));

/** Whether the client may ask its user about a call. A form shows no plan. */
export const isForClient = (call: WaitingCall): boolean =>
  call.kind === "approval" && call.by.includes("elicitation") && argsText(call).length <= MAX_ARGS_LENGTH;

function formQuestion(call: WaitingCall): Question {
  const about = call.title === undefined ? "" : ` "${call.title}"`;
  const message = `The program ${call.run} asks to call ${call.op} ${argsText(call)}${about}. Do you approve this call?`;
  const requestedSchema = {
    type: "object",
    properties: {
      decision: { type: "string", title: "Decision", enum: ["approve", "reject"] },
      reason: { type: "string", title: "Reason", maxLength: MAX_REASON_LENGTH },
    },
    required: ["decision"],
  };
  return {
    key: call.id,
    kind: "form",
    request: { method: "elicitation/create", params: { message, requestedSchema } },
  };
}

function pageQuestion({ id, waiting }: PausedRun, page: string): Question {
  const count = `${waiting.length} ${waiting.length === 1 ? "call waits" : "calls wait"}`;
  const params = {
    mode: "url",
    url: page,
    message: `The program ${id} has paused: ${count} for a person, who decides on this page.`,
  };
  const key = `page_${digest(waiting.map((call) => call.id)).slice(0, 16)}`;
  return { key, kind: "page", request: { method: "elicitation/create", params } };
}

/** What the answers of a client decide. Only a choice in a form counts: a form that is declined leaves the call waiting. */
export function decisionsIn(answers: Answers, asked: readonly string[]): readonly ClientAnswer[] {
  return asked.flatMap((id) => {
    const answer = Object.hasOwn(answers, id) ? answers[id] : undefined;
    const content = isObject(answer) && answer["action"] === "accept" ? answer["content"] : undefined;
    const { decision, reason } = isObject(content) ? content : {};
    const status = STATUSES.get(decision);
    const why = typeof reason === "string" ? reason.slice(0, MAX_REASON_LENGTH) : "";
    return status ? [{ id, status, reason: why }] : [];
  });
}

const STATUSES: ReadonlyMap<unknown, ClientAnswer["status"]> = new Map([
  ["approve", "approved"],
  ["reject", "rejected"],
]);

/** Whether the user goes to the page on which people decide. */
export const opensPage = (answers: Answers): boolean =>
  Object.entries(answers).some(([key, one]) => key.startsWith("page_") && isObject(one) && one["action"] === "accept");
