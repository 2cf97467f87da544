/** What a report shows beside the message of a finding. */

import type { Finding } from "../../runtime/contract/finding.js";
import { beginning } from "../core/printer.js";

/** What is shown beneath a finding: the counterexample, why its level is not that of the rule, and who is hurt. */
export function detailsOf({ rule, counterexample, reason, hurt }: Finding): readonly string[] {
  const shown = counterexample === undefined ? "" : shortened(counterexample);
  return [
    ...(shown === ""
      ? []
      : [rule.startsWith("result-") ? `possible now, not before: ${shown}` : `accepted before, refused now: ${shown}`]),
    ...(reason === undefined ? [] : [reason]),
    ...(hurt === undefined || hurt.length === 0 ? [] : [`hurts ${hurt.join("; ")}`]),
  ];
}

/** Most characters of a counterexample that a report shows; the JSON format holds more. */
const MAX_SHOWN_LENGTH = 300;
const shortened = (text: string): string =>
  text.length <= MAX_SHOWN_LENGTH ? text : `${beginning(text, MAX_SHOWN_LENGTH)}…`;
