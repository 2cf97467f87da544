/** What the caller of a run is told when its program pauses. */

import { writeJson } from "../../contract/exact-number.js";
import type { JsonObject } from "../../contract/registry.js";
import { pageOf } from "./page.js";

/** A call that waits, as the answer names it. */
export interface NamedCall {
  readonly kind: "approval" | "outcome";
  /** Its place in the run. */
  readonly call: string;
  readonly op: string;
  readonly args: JsonObject;
}

/** Calls that the answer of a paused run names. */
const MAX_NAMED = 20;
/** Longest arguments that it shows, in characters. */
const MAX_ARGS_LENGTH = 200;

/**
 * The answer of a run that pauses: the calls that wait, and what to do.
 *
 * @param address - URL of the server; absent if it has none
 */
export function pausedText(id: string, waiting: readonly NamedCall[], address: string | undefined): string {
  const named = waiting.slice(0, MAX_NAMED).map((one) => {
    const args = writeJson(one.args);
    const shown = args.length > MAX_ARGS_LENGTH ? `${args.slice(0, MAX_ARGS_LENGTH)}…` : args;
    return `${one.call}: ${one.op} ${shown}${one.kind === "outcome" ? UNKNOWN : ""}`;
  });
  const more = waiting.length - named.length;
  return [
    `Paused ${id}: ${countText(waiting)}`,
    ...named,
    ...(more > 0 ? [`and ${more} more`] : []),
    nextText(id, waiting, address),
  ].join("\n");
}

const UNKNOWN = " (its server ended: nobody knows whether it happened)";

function countText(waiting: readonly NamedCall[]): string {
  const unknown = waiting.filter(({ kind }) => kind === "outcome").length;
  const asked = waiting.length - unknown;
  return [
    ...(asked > 0 ? [`${asked} ${asked === 1 ? "call waits" : "calls wait"} for approval`] : []),
    ...(unknown > 0 ? [`the outcome of ${unknown} ${unknown === 1 ? "call" : "calls"} is unknown`] : []),
  ].join(", ");
}

function nextText(id: string, waiting: readonly NamedCall[], address: string | undefined): string {
  const unknown = waiting.find(({ kind }) => kind === "outcome");
  const decides = unknown
    ? `"toolwright runs resolve ${id} ${unknown.call} happened", or retry, or stop`
    : `"toolwright runs approve ${id}" or "toolwright runs reject ${id}"`;
  const resume = `ot.resume("${id}")`;
  if (address === undefined)
    return `Next: a person decides with ${decides}. Then ${resume} or "toolwright runs resume ${id}" goes on: ${NOT_AGAIN}`;
  return `Next: Open ${pageOf(address, id)}, then ${resume}. A person decides there, or with ${decides}. ${resume} goes on: ${NOT_AGAIN}`;
}

const NOT_AGAIN = "do not run the program again";
