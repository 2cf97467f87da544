/** Decides at the first write of a run whether the run waits with its plan, and holds it to the plan then. */

import type { ApprovalRule, Decider } from "../../config/approval-settings.js";
import type { PreviewSetting } from "../../config/run-settings.js";
import { digest } from "../../contract/canonical.js";
import { ToolFailure } from "../../contract/handler.js";
import type { TextFault } from "../fault.js";
import type { Plan, PlanEntry } from "../preview/plan.js";
import { type HeldPlan, holdTo, type PlanProgress, type RunTimes, type StoredPlan } from "./plan-held.js";

/** A preview of the run, with the rules that ask about its writes. */
export interface PreviewedRun {
  readonly plan: Plan;
  readonly times: RunTimes;
  readonly rules: readonly ApprovalRule[];
}

/** What the plans of a run are made with. */
export interface PlanningParts {
  readonly setting: PreviewSetting;
  /** Previews the run. */
  preview(): Promise<PreviewedRun | TextFault>;
  /** The plan to which the run was held on an earlier server. */
  readonly stored?: { readonly plan: StoredPlan; readonly progress: PlanProgress | undefined } | undefined;
  /** Whether the run has written something without a plan. */
  readonly hasWritten: boolean;
}

/** A plan that a person decides about, and what holds the run to it. */
export interface PlannedRun {
  readonly stored: StoredPlan;
  readonly held: HeldPlan;
  /** Whether it is in the database. */
  readonly isStored: boolean;
  /** What asks about it, in the form of a rule. */
  readonly rule: ApprovalRule;
  /** Whether a person has approved it, as far as this server knows. */
  approved: boolean;
}

/** The plan of a run. */
export interface Planning {
  /**
   * The plan to which the run is held; undefined if it is held to none. Previews the run if that is not decided.
   *
   * @throws ToolFailure PERMISSION_DENIED if it needs a plan, and cannot be previewed
   */
  planned(): Promise<PlannedRun | undefined>;
  /** The plan as far as it is known. */
  known(): PlannedRun | undefined;
}

/** Makes the planning of a run; undefined if none of its writes can need a plan. */
export function createPlanning(parts: PlanningParts): Planning | undefined {
  const { setting, stored, hasWritten } = parts;
  let known = stored && plannedRun(stored.plan, true, stored.progress);
  if (known) return { planned: async () => known, known: () => known };
  if (setting === "never" || hasWritten) return undefined;
  let deciding: Promise<PlannedRun | undefined> | undefined;
  return {
    planned() {
      deciding ??= decide(parts).then((plan) => {
        known = plan && plannedRun(plan, false);
        return known;
      });
      return deciding;
    },
    known: () => known,
  };
}

const DEFAULT_BY: readonly Decider[] = ["console", "cli"];
const DEFAULT_EXPIRES_MS = 86_400_000;

function plannedRun(stored: StoredPlan, isStored: boolean, progress?: PlanProgress): PlannedRun {
  const { by, expiresMs, plan } = stored;
  const rule: ApprovalRule = {
    name: "plan",
    hash: plan.digest,
    selects: () => true,
    by: by as readonly Decider[],
    expiresMs,
  };
  return { stored, isStored, rule, held: holdTo(plan, progress), approved: false };
}

async function decide({ setting, preview }: PlanningParts): Promise<StoredPlan | undefined> {
  const made = await preview();
  if ("kind" in made) {
    // Rules ask about each call then.
    if (setting === "writes") return undefined;
    throw new ToolFailure("PERMISSION_DENIED", `${NEEDED}, and it cannot be previewed: ${made.message}`, NO_PLAN);
  }
  const { plan, times, rules } = made;
  if (setting === "writes" && rules.length === 0) return undefined;
  // Who decides about the plan may decide about each of its calls.
  const by = DEFAULT_BY.filter((one) => rules.every((rule) => rule.by.includes(one)));
  if (by.length === 0) {
    if (setting === "writes") return undefined;
    throw new ToolFailure("PERMISSION_DENIED", `${NEEDED}, and nobody may decide about all of it`, NO_PLAN);
  }
  return {
    plan,
    times,
    by,
    rules: Object.fromEntries(rules.map(({ name, hash }) => [name, hash])),
    expiresMs: Math.min(DEFAULT_EXPIRES_MS, ...rules.map(({ expiresMs }) => expiresMs)),
  };
}

const NEEDED = "the program needs a plan that a person has approved";
const NO_PLAN = { reason: "needs_plan" };

/** Whether the approval of a plan counts for one of its writes: the rule that asks about it is the same. */
export const planCovers = ({ rules }: StoredPlan, entry: PlanEntry, rule: ApprovalRule | undefined): boolean =>
  rule === undefined || (entry.rule === rule.name && rules[rule.name] === rule.hash);

/** The rule of a write that was not planned. */
export const divergence = ({ rule }: PlannedRun, own: ApprovalRule | undefined): ApprovalRule => ({
  ...rule,
  name: "diverged_from_plan",
  hash: digest(own?.hash ?? ""),
  by: own?.by ?? rule.by,
  expiresMs: own?.expiresMs ?? rule.expiresMs,
});
