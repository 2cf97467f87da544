/**
 * Child program of the Monty engine: runs many guests in turn, each of which pauses at its tool calls. Started with
 * `fork`; the messages are in `monty-wire.ts`.
 */

import { Worker } from "node:worker_threads";
import { checkCode } from "./monty-check.js";
import { type GuestRun, guestRun } from "./monty-run.js";
import type { FromChild, ToChild } from "./monty-wire.js";

const runs = new Map<number, GuestRun>();

// Sent at once, because the next step may block this thread for seconds.
const send = (message: FromChild): void => {
  if (process.connected) process.send?.(message);
};

function onMessage(message: ToChild): void {
  if (message.kind === "run") {
    const run = guestRun(message, send);
    runs.set(message.id, run);
    if (run.start()) runs.delete(message.id);
  } else if (message.kind === "answer") {
    if (runs.get(message.id)?.answer(message.answer)) runs.delete(message.id);
  } else if (message.kind === "drop") runs.delete(message.id);
  else send({ kind: "checked", id: message.id, found: checkCode(message.code, message.stubs) });
}

process.on("message", onMessage);
process.on("disconnect", () => process.exit(0));
// A guest may block this thread for longer than the engine lives.
const WATCH = `setInterval(() => process.ppid === ${process.ppid} || process.kill(process.pid, "SIGKILL"), 500)`;
new Worker(WATCH, { eval: true, env: {} }).unref();
send({ kind: "ready" });
