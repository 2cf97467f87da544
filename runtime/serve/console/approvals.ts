/** Routes of the calls that wait for a person: what waits, and what is decided. */

import { writeJson } from "../../contract/exact-number.js";
import type { Principal } from "../../contract/handler.js";
import { isObject } from "../../contract/json.js";
import type { JsonValue } from "../../contract/registry.js";
import type { ConsoleDecision } from "../../gateway/console-approvals.js";
import type { ConsoleData } from "../../gateway/console-data.js";
import { RESOLUTIONS } from "../../run/kept/resolution.js";
import { type ApiCall, apiRefusal, orRefusal } from "./api.js";

interface Options {
  readonly gateway: { readonly consoleData: Pick<ConsoleData, "approvals" | "names"> };
}

/** Answers with the waiting calls that the caller may see. */
export async function approvals({ gateway }: Options, principal: Principal): Promise<Response> {
  const waiting = await gateway.consoleData.approvals.waiting(principal);
  const [names, programs] = await Promise.all([
    gateway.consoleData.names(waiting.map(({ caller }) => caller)),
    gateway.consoleData.approvals.programs(waiting),
  ]);
  return new Response(writeJson({ waiting, names, programs } as unknown as JsonValue), {
    headers: { "content-type": "application/json" },
  });
}

const DECISIONS: readonly ConsoleDecision["decision"][] = ["approved", "rejected", ...RESOLUTIONS];
/** Longest reason, in characters. */
const MAX_REASON_LENGTH = 1000;

const REASON = `reason is a text of at most ${MAX_REASON_LENGTH} characters.`;

const isReason = (reason: unknown): reason is string =>
  typeof reason === "string" && reason.length <= MAX_REASON_LENGTH;

/** Stops a run. */
export async function answerStopRun({ gateway }: Options, { body, principal }: ApiCall): Promise<Response> {
  const { run, reason = "" } = isObject(body) ? body : {};
  if (typeof run !== "string") return apiRefusal(400, "run is a text.");
  if (!isReason(reason)) return apiRefusal(400, REASON);
  return orRefusal(async () => {
    await gateway.consoleData.approvals.stop({ run, reason }, principal);
    return Response.json({ ok: true });
  });
}

/** Most calls that are decided at once. */
const MAX_QUESTIONS = 1000;

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length <= MAX_QUESTIONS && value.every((one) => typeof one === "string");

/** Approves or rejects several calls of a run. */
export async function decideAll({ gateway }: Options, { body, principal }: ApiCall): Promise<Response> {
  const { run, questions, decision, reason = "" } = isObject(body) ? body : {};
  if (decision !== "approved" && decision !== "rejected")
    return apiRefusal(400, "decision is one of approved, rejected.");
  if (typeof run !== "string" || !isTexts(questions))
    return apiRefusal(400, `run is a text, and questions are at most ${MAX_QUESTIONS} ids of what waits.`);
  if (!isReason(reason)) return apiRefusal(400, REASON);
  return orRefusal(async () => {
    await gateway.consoleData.approvals.decideAll({ run, questions, decision, reason }, principal);
    return Response.json({ ok: true });
  });
}

/** Decides about a call. */
export async function decideCall({ gateway }: Options, { body, principal }: ApiCall): Promise<Response> {
  const { run, call, decision: given, reason = "", result = null } = isObject(body) ? body : {};
  const decision = DECISIONS.find((one) => one === given);
  if (!decision) return apiRefusal(400, `decision is one of ${DECISIONS.join(", ")}.`);
  if (typeof run !== "string" || typeof call !== "string") return apiRefusal(400, "run and call are texts.");
  if (!isReason(reason)) return apiRefusal(400, REASON);
  return orRefusal(async () => {
    const asked = { run, call, decision, reason, result: result as JsonValue };
    await gateway.consoleData.approvals.decide(asked, principal);
    return Response.json({ ok: true });
  });
}
