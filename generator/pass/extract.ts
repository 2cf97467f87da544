/** Extracts summary, parameters, signatures, policy, notes and examples from descriptions and schemas. */

import type { Policy } from "../../runtime/contract/registry.js";
import type { Config } from "../config/config.js";
import { type ListingFeature, listsTools } from "../config/schema.js";
import type { Report } from "../core/diagnostic.js";
import type { Extracted, OpDraft } from "../core/ir.js";
import { textBeginning } from "../core/printer.js";
import { fittingExamples } from "./examples.js";
import { type Lookup, opNotes, withLabelAlias } from "./notes.js";
import { extractPolicy, sourceHash } from "./policy.js";
import { parametersOf, signaturesOf } from "./signature.js";

const MAX_SUMMARY_LENGTH = 200;

/** Completes every draft. */
export function extract(
  drafts: readonly OpDraft[],
  config: Config,
  report: Report,
  features: readonly ListingFeature[],
): readonly Extracted[] {
  const isListed = listsTools(features, config);
  const all: Lookup = new Map(drafts.map((one) => [one.op, one]));
  return drafts.map((draft) => {
    const parameters = withLabelAlias(draft, parametersOf(draft, isListed, report));
    const found = extractPolicy(draft.description);
    const policy = pinned(draft, config, report) ?? found.policy;
    return {
      ...draft,
      summary: summaryOf(draft),
      parameter_list: parameters,
      signature: signaturesOf(draft, parameters),
      notes: opNotes(draft, parameters, found.notes, all),
      ...(policy ? { policy } : {}),
      examples: fittingExamples(draft, config, report),
    };
  });
}

function pinned(draft: OpDraft, config: Config, report: Report): Policy | undefined {
  const pins = config.policies ?? {};
  const pin = Object.hasOwn(pins, draft.op) ? pins[draft.op] : undefined;
  if (!pin) return undefined;
  const place = config.place("policies", draft.op);
  if ([pin.do, pin.dont, pin.edge_cases].every((list = []) => list.length === 0))
    report.add("policy-empty", place, { op: draft.op });
  const hash = sourceHash(draft.description);
  if (pin.source_hash !== hash) report.add("policy-extraction-changed", place, { op: draft.op, hash });
  return { do: pin.do ?? [], dont: pin.dont ?? [], edge_cases: pin.edge_cases ?? [], source: [] };
}

/** The first sentence of the description; the tool name in words without one. */
function summaryOf(draft: OpDraft): string {
  const text = draft.description.trim();
  const paragraph = text.split(/\n\s*\n|\n(?=\s*[-*•#])/)[0]?.replace(/\s+/g, " ") ?? "";
  const sentence = /^.*?[.!?](?=\s|$)/.exec(paragraph)?.[0] ?? paragraph;
  if (sentence === "") return `${draft.name}.`;
  return sentence.length > MAX_SUMMARY_LENGTH
    ? `${textBeginning(sentence, MAX_SUMMARY_LENGTH - 1).trimEnd()}…`
    : sentence;
}
