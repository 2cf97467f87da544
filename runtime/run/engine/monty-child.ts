/**
 * Child program of the Monty engine: runs many guests in turn, each of which pauses at its tool calls. The
 * messages are in `monty-wire.ts`.
 */

import { Monty, MontyTypingError } from "@pydantic/monty";
import { openChannel } from "./child-channel.js";
import type { CodeDiagnostic, PackTree } from "./engine.js";
import { type GuestRun, guestRun } from "./monty-run.js";
import { addPacks, type FromChild, type ToChild } from "./monty-wire.js";

interface Found {
  readonly code: string;
  readonly message: string;
  readonly location: { readonly row: number; readonly column: number };
}

/**
 * Most diagnostics that are read, including those of the stubs, and longest message: types quote the code, which may
 * be long.
 */
const MAX_DIAGNOSTICS = 1000;
const MAX_MESSAGE_LENGTH = 2000;

/** Statements that are valid at module level in a run. */
const ALLOWED = /^`(?:return|await)` /;

/** The code goes in front of an empty program: the checker reads all of Python, the interpreter's own parser less. */
const EMPTY = new Monty("");

/** Findings in the code; those in the stubs before it are dropped. */
function checkCode(code: string, stubs: string): readonly CodeDiagnostic[] {
  const before = stubs.split("\n").length;
  const last = code.split("\n").length;
  try {
    EMPTY.typeCheck(`${stubs}\n${code}`);
    return [];
  } catch (error) {
    if (!(error instanceof MontyTypingError)) return [];
    return error
      .displayDiagnostics("jsonlines")
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .slice(0, MAX_DIAGNOSTICS)
      .map((line) => JSON.parse(line) as Found)
      .filter((one) => one.location.row > before && !ALLOWED.test(one.message))
      .map(({ code: rule, message, location: { row, column } }) => {
        return { rule, line: Math.min(row - before, last), column, message: message.slice(0, MAX_MESSAGE_LENGTH) };
      });
  }
}

const runs = new Map<number, GuestRun>();
const packs = new Map<number, PackTree>();

function packsOfRun(id: number): PackTree {
  const found = packs.get(id);
  // Ends this process: the engine starts another one, and sends everything anew.
  if (!found) throw new Error("a run names packs that were not sent");
  return found;
}

const channel = openChannel((message) => onMessage(message as ToChild));
const send = (message: FromChild): void => {
  if (message.kind === "call") channel.ask(message);
  else channel.send(message);
};

function onMessage(message: ToChild): void {
  if (message.kind === "packs") addPacks(packs, message.id, message.packs);
  else if (message.kind === "run") {
    const run = guestRun({ ...message, packs: packsOfRun(message.packs) }, send);
    runs.set(message.id, run);
    if (run.start()) runs.delete(message.id);
  } else if (message.kind === "answer") {
    if (runs.get(message.id)?.answer(message.answer, message.ahead)) runs.delete(message.id);
  } else if (message.kind === "drop") runs.delete(message.id);
  else send({ kind: "checked", id: message.id, found: checkCode(message.code, message.stubs) });
}

send({ kind: "ready" });
