/** A run as a task of the extension `io.modelcontextprotocol/tasks`, revision 2026-07-28. */

import type { ClientCapabilities } from "@modelcontextprotocol/client";
import { type CanCall, resumeCall } from "../catalog/advice.js";
import type { JsonObject } from "../contract/registry.js";
import type { PausedRun } from "../gateway/caller-runs.js";
import type { CallerRun } from "../run/kept/caller-run.js";
import { questionsOf } from "./run-questions.js";

/** The id of the extension, as capabilities name it. */
export const TASKS = "io.modelcontextprotocol/tasks";

/** Whether a client takes tasks as answers. */
export const takesTasks = ({ extensions }: ClientCapabilities): boolean => extensions?.[TASKS] !== undefined;

/** How soon a client may ask again, in milliseconds: about a run that waits for a person, and one under way. */
const WAITING_MS = 5000;
const WORKING_MS = 1000;

/** The task of a run, without what its status brings along. */
export function taskOf(run: CallerRun, paused: PausedRun | undefined, can: CanCall): JsonObject {
  const isOpen = run.status === "running";
  const status = isOpen && paused ? "input_required" : STATUSES[run.status];
  const message = messageOf(run, isOpen ? paused : undefined, can);
  return {
    taskId: run.id,
    status,
    ...(message === undefined ? {} : { statusMessage: message }),
    createdAt: run.createdAt,
    lastUpdatedAt: run.changedAt,
    ttlMs: Date.parse(run.expiresAt) - Date.parse(run.createdAt),
    ...(isOpen ? { pollIntervalMs: paused ? WAITING_MS : WORKING_MS } : {}),
  };
}

/** A program that fails has a result, too: that of a tool call that is an error. */
const STATUSES = {
  running: "working",
  done: "completed",
  failed: "completed",
  stopped: "cancelled",
} as const satisfies Readonly<Record<CallerRun["status"], string>>;

function messageOf(
  { id, status, text, halted }: CallerRun,
  paused: PausedRun | undefined,
  can: CanCall,
): string | undefined {
  if (status === "stopped") return text;
  if (paused) return paused.text;
  const resume = resumeCall(id, can);
  return halted === undefined || halted === "too_large" || resume === undefined
    ? undefined
    : `${id} goes on only if somebody asks for it (${halted}): ${resume}`;
}

/** Who reads a task: what its client declares, and what the caller can call. */
interface TaskReader {
  readonly capabilities: ClientCapabilities;
  readonly can: CanCall;
}

/** The task of a run, with its result, or with what its client is asked. */
export function detailedTask(
  run: CallerRun,
  paused: PausedRun | undefined,
  { capabilities, can }: TaskReader,
): JsonObject {
  const task = taskOf(run, paused, can);
  if (task["status"] === "input_required" && paused)
    return {
      ...task,
      inputRequests: Object.fromEntries(
        questionsOf(paused, { capabilities }).map(({ key, request }) => [key, request]),
      ),
    };
  if (task["status"] !== "completed") return task;
  const content = [{ type: "text", text: run.text }];
  return { ...task, result: { resultType: "complete", content, isError: run.status === "failed" } };
}
