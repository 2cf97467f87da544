/** Formats the outcome of a build for `generate`. It is stored with the last run, so that a run without changes prints the same. */

import { byCodeUnit } from "../../runtime/contract/canonical.js";
import { VERSION_DIGITS } from "../../runtime/contract/help.js";
import type { Diagnostic } from "../core/diagnostic.js";
import type { Budget } from "../emit/budget.js";
import type { Build } from "../pipeline.js";
import type { WrittenFiles } from "./files.js";

/** A build in figures. */
export interface BuildOutcome {
  readonly registry_version: string;
  readonly reads: number;
  readonly writes: number;
  readonly packs: readonly string[];
  readonly files: number;
  readonly tokens?: Pick<Budget, "exposed" | "help_short">;
  /** Nouns of the inferred ops by pack; absent if no op was inferred. */
  readonly inferred?: { readonly ops: number; readonly nouns: Readonly<Record<string, readonly string[]>> };
  readonly diagnostics: readonly Diagnostic[];
}

/** Figures of a build; undefined for a failed build. */
export function buildOutcome(build: Build): BuildOutcome | undefined {
  const { registry, files, diagnostics } = build;
  if (!registry) return undefined;
  const budget = budgetOf(build);
  const writes = registry.tools.filter((one) => one.kind === "write").length;
  return {
    registry_version: registry.registry_version,
    reads: registry.tools.length - writes,
    writes,
    packs: registry.packs.map((one) => one.name),
    files: files.length,
    ...inferredIn(build),
    ...(budget ? { tokens: { exposed: budget.exposed, help_short: budget.help_short } } : {}),
    diagnostics,
  };
}

function inferredIn({ drafts }: Build): Pick<BuildOutcome, "inferred"> {
  const inferred = drafts.filter((one) => one.named_by === "inferred");
  if (inferred.length === 0) return {};
  const packs = [...new Set(inferred.map((one) => one.pack))].sort(byCodeUnit);
  const nounsOf = (pack: string) => inferred.flatMap((one) => (one.pack === pack && one.entity ? [one.entity] : []));
  const nouns = packs.map((pack) => [pack, [...new Set(nounsOf(pack))].sort(byCodeUnit)] as const);
  return { inferred: { ops: inferred.length, nouns: Object.fromEntries(nouns) } };
}

/** Token counts of a build. */
export function budgetOf(build: Build): Budget | undefined {
  const file = build.files.find((one) => one.path === "budget.json");
  return file && (JSON.parse(file.text) as Budget);
}

/** Most packs that are named; further ones are counted. */
const MAX_NAMED = 8;

/** Most nouns of a pack that are named. */
const MAX_NOUNS = 12;

function inferredText({ ops, nouns }: NonNullable<BuildOutcome["inferred"]>): string {
  const packs = Object.entries(nouns).map(([pack, all]) => {
    const more = all.length > MAX_NOUNS ? `, … ${all.length - MAX_NOUNS} more` : "";
    return `${pack}: ${all.slice(0, MAX_NOUNS).join(", ")}${more}`;
  });
  return `names: ${ops} inferred (${packs.slice(0, MAX_NAMED).join("; ")}); "toolwright names" shows them, and pins them with --write`;
}

/** The final lines of `generate`. */
export function outcomeText(
  outcome: BuildOutcome,
  { written, deleted, unchanged }: WrittenFiles,
  bold: (text: string) => string,
): string {
  const { reads, writes, packs, tokens, registry_version } = outcome;
  const named = packs.length > MAX_NAMED ? `${packs.length} packs` : packs.join(", ");
  const changes = [
    `${written.length} written`,
    ...(deleted.length > 0 ? [`${deleted.length} deleted`] : []),
    `${unchanged} unchanged`,
  ];
  const lines = [
    `${bold(`${reads + writes} ops`)} in ${named || "no pack"} (${reads} read, ${writes} write), registry ${registry_version.slice(0, VERSION_DIGITS)}`,
    ...(outcome.inferred ? [inferredText(outcome.inferred)] : []),
    ...(tokens
      ? [
          `tokens: ${tokens.exposed.gateway} for the gateway tools and ${tokens.exposed.signatures} for their signatures instead of ${tokens.exposed.all_tools} for all tools; short help median ${tokens.help_short.median}, p90 ${tokens.help_short.p90}`,
        ]
      : []),
    `generated/: ${changes.join(", ")}`,
  ];
  return `${lines.join("\n")}\n`;
}
