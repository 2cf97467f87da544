/** What a comparison of two builds finds of a tool, and the rules that say so: those of `breaking`, and those of other features. */

import type { FindingLevel, Surface } from "../../runtime/contract/finding.js";
import type { Tool } from "../../runtime/contract/registry.js";
import { type AddedRules, joinedRules } from "./joined-rules.js";

/** Parameters of a message; texts are short and on one line. */
export interface MessageFacts {
  /** Readable place in the input or the result: `filter.state`, `tags[]`. */
  readonly at: string;
  readonly before: string;
  readonly after: string;
  /** Additional text of some findings. */
  readonly more: string;
}

/** One rule of the catalogue. */
export interface CataloguedRule {
  readonly level: FindingLevel;
  readonly surface: readonly Surface[];
  /** Meaning of the rule, independent of a finding. */
  readonly about: string;
  readonly message: (facts: MessageFacts) => string;
  /** What `breaking --explain` shows as its message. */
  readonly example: MessageFacts;
}

/** Rules by code. */
export type BreakingCatalogue = Readonly<Record<string, CataloguedRule>>;

type Touched = "" | "wire" | "op" | "agent" | "code" | "wire op" | "wire code" | "wire agent" | "op agent";
type Example = readonly [at: string, before: string, after: string, more?: string];

/** Makes a rule; `touched` lists surfaces. */
export const breakingRule = (
  level: FindingLevel,
  touched: Touched,
  about: string,
  message: (facts: MessageFacts) => string,
  [at, before, after, more = ""]: Example,
): CataloguedRule => ({
  level,
  surface: touched.split(" ").filter((one): one is Surface => one !== ""),
  about,
  message,
  example: { at, before, after, more },
});

/** A change of a tool. `level` is set only if it differs from the level of the rule. */
export interface ToolChange<Code extends string = string> {
  readonly rule: Code;
  readonly pointer?: string;
  readonly at?: string;
  readonly before?: string;
  readonly after?: string;
  readonly more?: string;
  readonly level?: FindingLevel;
  /** JSON of a value that was accepted and is refused; of a result, one that was impossible and is possible. */
  readonly counterexample?: string;
  /** Why the level differs from that of the rule. */
  readonly reason?: string;
}

/** Finds changes between two forms of one tool. */
export type CompareTool = (before: Tool, after: Tool) => readonly ToolChange[];

/** A feature that finds changes of tools. */
export interface FindingFeature {
  readonly name: string;
  /** The rules of what it finds: with `GeneratePart.compare`, in each comparison of two builds. */
  readonly breakingRules?: AddedRules<CataloguedRule>;
}

/** All rules in the order in which they are listed. @throws UsageError if a code exists already */
export const breakingRulesWith = (features: readonly FindingFeature[]): BreakingCatalogue =>
  joinedRules("breaking rule", {}, features, ({ breakingRules }) => breakingRules);
