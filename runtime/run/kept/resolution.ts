/** What a person may say about a write of unknown outcome, for the command line and the console. */

import type { JsonValue, Tool } from "../../contract/registry.js";
import type { LogSeal } from "./log-text.js";
import type { Resolution, Resolver } from "./outcome-table.js";

/** It happened; it is to be sent again, with its key; the run is to stop. */
export const RESOLUTIONS = ["happened", "retry", "stop"] as const;
/** One of {@link RESOLUTIONS}. */
export type ResolutionKind = (typeof RESOLUTIONS)[number];

/**
 * The resolution of a call at a place.
 *
 * @param result - what the call has answered if it happened
 */
export function resolutionOf(
  kind: ResolutionKind,
  place: string,
  result: JsonValue,
  resolver: Resolver,
  seal: Pick<LogSeal, "seal">,
): Resolution {
  if (kind === "happened") return { kind, result };
  return kind === "retry" ? { kind } : { kind, answer: seal.seal(stoppedText(place, resolver)) };
}

/**
 * Why a result that a person gives is none of the op, with the place of the fault; undefined if nothing is wrong with it.
 *
 * @param tool - the op; undefined if it is not known here
 */
export async function resultFault(
  tool: Pick<Tool, "op" | "result_schema"> | undefined,
  result: JsonValue,
): Promise<string | undefined> {
  if (!tool?.result_schema) return undefined;
  const { resultCheck } = await import("../../call/result-check.js");
  const fault = resultCheck(tool.result_schema)?.(result);
  return fault === undefined ? undefined : `this is no result of ${tool.op}: ${fault}`;
}

const stoppedText = (place: string, { by, reason }: Resolver): string =>
  `Stopped at the call ${place} by ${by}${reason === "" ? "" : `: ${reason}`}. Whether that call happened is not known.`;
