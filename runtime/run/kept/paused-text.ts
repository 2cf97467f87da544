/** What the caller of a run is told when its program pauses. */

import { type CanCall, NOT_AGAIN, resumeCall, resumeNext } from "../../catalog/advice.js";
import type { Decider } from "../../config/approval-settings.js";
import { writeJson } from "../../contract/exact-number.js";
import { visibleText } from "../../contract/message-text.js";
import type { JsonObject } from "../../contract/registry.js";
import { approvalPageUrl } from "./page.js";
import type { WaitingHere } from "./permits.js";

/** A call that waits, as the answer names it. */
export interface NamedCall {
  readonly kind: WaitingHere["kind"];
  /** Its place in the run. */
  readonly call: string;
  readonly op: string;
  readonly args: JsonObject;
  /** Where a person may decide; absent: in the console and on the command line. */
  readonly by?: readonly Decider[] | undefined;
  /** The title of what it is about, escaped. */
  readonly title?: string | undefined;
  /** What else is said of it. */
  readonly lines?: readonly string[];
}

/** What is said of a run that pauses, beside the calls that wait. */
export interface PausedFacts {
  /** What its program has written, one kind of outcome a line. */
  readonly written?: readonly string[];
  /** Notes about its program, as of one that ended well. */
  readonly notes?: string | undefined;
  /** The run of the same program that its caller began before, and that waits. */
  readonly earlier?: string | undefined;
}

/** Where a run pauses. */
export interface PausedPlace {
  /** URL of the server, for the people who decide; absent if it has none. */
  readonly address: string | undefined;
  /** What the caller of the run can call. */
  readonly can: CanCall;
}

/** Calls that the answer of a paused run names. */
const MAX_NAMED = 20;
/** Longest arguments that it shows, in characters. */
const MAX_ARGS_LENGTH = 200;

/**
 * The answer of a run that pauses: the calls that wait, what was written before them, and what to do.
 *
 * @param place - where people decide, and what the caller can call
 */
export function pausedText(
  id: string,
  waiting: readonly NamedCall[],
  place: PausedPlace,
  { written = [], earlier }: PausedFacts = {},
): string {
  const differ = new Set(waiting.map((one) => WHERE[placesOf([one])])).size > 1;
  const named = waiting.slice(0, MAX_NAMED).flatMap((one) => {
    if (one.kind === "plan") return one.lines ?? [];
    const args = visibleText(writeJson(one.args));
    const shown = args.length > MAX_ARGS_LENGTH ? `${args.slice(0, MAX_ARGS_LENGTH)}…` : args;
    const about = one.title === undefined ? "" : ` "${one.title}"`;
    const where = differ ? WHERE[placesOf([one])] : "";
    return [`${one.call}: ${one.op} ${shown}${about}${MARKS[one.kind]}${where}`, ...(one.lines ?? [])];
  });
  const more = waiting.length - Math.min(waiting.length, MAX_NAMED);
  return [
    `Paused ${id}: ${countText(waiting)}`,
    ...(earlier === undefined ? [] : [againText(id, earlier, place.can)]),
    ...named,
    ...(more > 0 ? [`and ${more} more`] : []),
    ...written,
    nextText(id, waiting, place),
  ].join("\n");
}

/** What is said of a program that was sent again. */
function againText(id: string, earlier: string, can: CanCall): string {
  const resume = resumeCall(earlier, can);
  const goesOn = resume === undefined ? "" : `: ${resume} goes on with it`;
  return `${earlier} with the same program waits already${goesOn}. ${id} runs the program a second time; if once is enough, a person stops it with "toolwright runs stop ${id}"`;
}

/** What is said of a call. */
const MARKS: Readonly<Record<WaitingHere["kind"], string>> = {
  approval: "",
  plan: "",
  outcome: " (its server ended: nobody knows whether it happened)",
  diverged: " (it was not planned)",
};

function countText(waiting: readonly NamedCall[]): string {
  const of = (kind: WaitingHere["kind"]): number => waiting.filter((one) => one.kind === kind).length;
  const [unknown, asked, other] = [of("outcome"), of("approval"), of("diverged")];
  return [
    ...(of("plan") > 0 ? ["its plan waits for approval"] : []),
    ...(other > 0 ? [`diverged_from_plan: ${other} ${other === 1 ? "call waits" : "calls wait"} for approval`] : []),
    ...(asked > 0 ? [`${asked} ${asked === 1 ? "call waits" : "calls wait"} for approval`] : []),
    ...(unknown > 0 ? [`the outcome of ${unknown} ${unknown === 1 ? "call" : "calls"} is unknown`] : []),
  ].join(", ");
}

/** Where people decide about some calls, as far as it is the console or the command line. */
type Places = "both" | "console" | "cli";

function placesOf(waiting: readonly Pick<NamedCall, "by">[]): Places {
  const has = (place: Decider): boolean => waiting.some(({ by }) => by === undefined || by.includes(place));
  if (has("console") === has("cli")) return "both";
  return has("console") ? "console" : "cli";
}

/** What is said of a call if others are decided elsewhere. */
const WHERE: Readonly<Record<Places, string>> = {
  both: "",
  console: " (decided in the console)",
  cli: " (decided on the command line)",
};

function nextText(id: string, waiting: readonly NamedCall[], { address, can }: PausedPlace): string {
  const unknown = waiting.find(({ kind }) => kind === "outcome");
  const places = placesOf(waiting);
  const commands = unknown
    ? `"toolwright runs resolve ${id} ${unknown.call} happened", or retry, or stop`
    : `"toolwright runs approve ${id}" or "toolwright runs reject ${id}"`;
  const resume = resumeCall(id, can);
  if (resume === undefined) return `Next: ${resumeNext(id, "goes on", can)}`;
  if (address === undefined || places === "cli") {
    const where = places === "console" ? "in the console" : `with ${commands}`;
    return `Next: a person decides ${where}. Then ${can("ot.resume") ? `${resume} or ` : ""}"toolwright runs resume ${id}" goes on: ${NOT_AGAIN}`;
  }
  const or = places === "both" ? `, or with ${commands}` : "";
  return `Next: Open ${approvalPageUrl(address, id)}, then ${resume}. A person decides there${or}. ${resume} goes on: ${NOT_AGAIN}`;
}
