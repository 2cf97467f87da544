/** The command `breaking`: compares `generated/registry.json` with a baseline, and reports what breaks for callers. */

import { posix } from "node:path";
import type { BaselineComparison, ComparedProject } from "../../generator/cli/changes.js";
import type { Config } from "../../generator/config/config.js";
import type { ListingFeature } from "../../generator/config/schema.js";
import { breakingRulesWith } from "../../generator/core/breaking-rule.js";
import { folderInRepository } from "../../generator/core/git.js";
import { type ComparedRegistry, readHead } from "../../generator/core/registry-file.js";
import { isDay } from "../../generator/core/shape.js";
import type { GeneratingFeature } from "../../generator/pipeline.js";
import type { Finding, FindingLevel } from "../../runtime/contract/finding.js";
import { SNIPPETS_FILE } from "../../runtime/contract/snippet.js";
import { annotate } from "../../runtime/contract/terminal.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import { type CallsByOp, USAGE_DAYS, withHurt } from "./affected.js";
import { headDay, readBaseline } from "./baseline.js";
import { comparedTools } from "./compare.js";
import { brokenReferences, compareListed, invalidatedExamples } from "./downstream.js";
import { ruleExplanation } from "./explain.js";
import { type ChangeFinder, changeFinders } from "./finders.js";
import { judgeFindings, type Profile, reachesThreshold } from "./judge.js";
import { withLines } from "./lines.js";
import { withNewRules } from "./new-rules.js";
import { type Comparison, comparisonText, type Format } from "./report.js";
import { isRecorded } from "./request.js";
import { breakingOf } from "./settings.js";
import { withShippedChanges } from "./shipped-changes.js";
import { applyTombstones } from "./tombstones.js";
import { compareTypedNames } from "./typed-names.js";

/** Flags of the command, as the command line checked them. */
export interface BreakingFlags {
  readonly against?: string;
  readonly format: Format;
  readonly failOn?: FindingLevel;
  readonly profile?: Profile;
  readonly today?: string;
  /** Whether the merge base of HEAD and the baseline is compared with; default: in CI, if the baseline is a commit. */
  readonly mergeBase?: boolean;
  /** Whether recorded calls are counted. */
  readonly usage?: boolean;
  /** The rule to explain instead of comparing. */
  readonly explain?: string;
}

/** A project to compare, and the features whose rules count. */
interface Compared extends ComparedProject {
  readonly features: readonly GeneratingFeature[];
  /** Recorded calls of a number of days, from the state database. @throws UsageError if the project has no state database */
  readonly usage?: (days: number) => Promise<CallsByOp>;
}

/** Dependencies of the command: files, configuration and output. */
export interface BreakingSetting extends Compared {
  /** Definition files that changed since the last `generate`. */
  readonly stale: () => readonly string[];
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly paint: Parameters<typeof comparisonText>[2];
}

/** Exit code 0, or 1 where a finding is at or over the threshold. @throws UsageError */
export async function breaking(setting: BreakingSetting, flags: BreakingFlags): Promise<number> {
  const { config, features, out, err, paint, version } = setting;
  const rules = breakingRulesWith(features);
  if (flags.explain !== undefined) {
    out(ruleExplanation(flags.explain, rules));
    return 0;
  }
  const { head, baseline, findings } = await compareWith(setting, flags);
  const failOn = flags.failOn ?? breakingOf(config).fail_on;
  const notes = notesOf(setting, baseline, head);
  for (const note of notes) err(`${paint("yellow", "note")} ${note}\n`);
  const placed = FROM_TOP.has(flags.format) ? await fromTop(findings, setting.root) : findings;
  const comparison: Comparison = { baseline, head, findings: placed, rules, failOn, notes, version };
  const print = flags.format === "github" ? annotate : out;
  print(comparisonText(flags.format, comparison, paint));
  return reachesThreshold(findings, failOn) ? 1 : 0;
}

/** Formats that are read where the repository is known, and not the folder of the project in it. */
const FROM_TOP: ReadonlySet<Format> = new Set(["github", "sarif"]);

/** Findings whose files are relative to the top folder of the repository. */
async function fromTop(findings: readonly Finding[], root: string): Promise<readonly Finding[]> {
  const folder = await folderInRepository(root);
  return findings.map((one) => (one.file === "" ? one : { ...one, file: posix.join(folder, one.file) }));
}

/** Reads `generated/` and the baseline, and compares them under the configured levels and exceptions. @throws UsageError */
export async function compareWith(
  { root, config, read, usage, version, features }: Compared,
  flags: Pick<BreakingFlags, "against" | "profile" | "today" | "mergeBase" | "usage">,
): Promise<BaselineComparison> {
  if (flags.today !== undefined && !isDay(flags.today))
    throw new UsageError(`--today ${flags.today}: give a day like 2026-11-01`);
  if (flags.against === undefined)
    throw new UsageError("--against is missing: name git:REF, a registry.json, or a folder that holds one");
  const [head, baseline] = await Promise.all([readHead(root), readBaseline(flags.against, root, flags.mergeBase)]);
  const entry = breakingOf(config);
  const today = flags.today ?? (await laterDay(baseline, root));
  const compared = await compareFiles(baseline, head, config, {
    ...{ snippets: read(SNIPPETS_FILE), today },
    finders: await changeFinders(features),
    features,
  });
  const registries = [baseline.registry, head.registry] as const;
  const ruled = withNewRules(compared, ...registries, version);
  const found = withShippedChanges(ruled, ...registries, config, version);
  const judged = judgeFindings(found, entry, flags.profile ?? entry.profile, config.place, opsOf(baseline, head));
  const recorded = flags.usage ? await usage?.(USAGE_DAYS) : undefined;
  const users = { before: baseline, after: head, config, snippets: read(SNIPPETS_FILE), usage: recorded };
  return { head, baseline, findings: withHurt(withLines(judged, read), users) };
}

/** Every op of two registries. */
const opsOf = (...files: readonly ComparedRegistry[]): ReadonlySet<string> =>
  new Set(files.flatMap((one) => one.registry.tools.map((tool) => tool.op)));

/** What counts beside two registries and the configuration. */
interface Beside {
  /** Text of the snippets. */
  readonly snippets?: string | undefined;
  /** Day that sunsets are compared with. */
  readonly today?: string | undefined;
  /** Default: none. */
  readonly finders?: readonly ChangeFinder[];
  /** Those that may list ops as tools. Default: none. */
  readonly features?: readonly ListingFeature[];
}

/** All differences between two registries, at the default levels of the rules. */
export async function compareFiles(
  before: ComparedRegistry,
  after: ComparedRegistry,
  config: Config,
  { snippets, today, finders, features = [] }: Beside,
): Promise<readonly Finding[]> {
  const [old, now] = [before.registry, after.registry];
  const found = await comparedTools(old.tools, now.tools, finders);
  return [
    ...applyTombstones(found, old, now, today),
    ...compareListed(before, after),
    ...compareTypedNames(old.tools, now.tools, config, features),
    ...(await invalidatedExamples(old.tools, now.tools, found)),
    ...brokenReferences(before, after, config, snippets),
  ];
}

/** The later day of the two commits. The clock is not used, so that a rerun gives the same result. */
async function laterDay(baseline: ComparedRegistry, root: string): Promise<string | undefined> {
  const days = [baseline.day, await headDay(root)].filter((one) => one !== undefined);
  return days.sort().at(-1);
}

/** Whether a registry does not say where calls of an op go, and the other one does: an earlier version made it. */
function lacksRequests({ registry }: ComparedRegistry, other: ComparedRegistry): boolean {
  const recorded = new Set(other.registry.tools.flatMap((one) => (isRecorded(one) ? [one.op] : [])));
  return registry.tools.some((one) => !isRecorded(one) && recorded.has(one.op));
}

function notesOf({ stale }: BreakingSetting, baseline: ComparedRegistry, head: ComparedRegistry): readonly string[] {
  const changed = stale();
  const unlisted = [baseline, head].filter((one) => !one.listed).map((one) => one.from);
  const unrecorded = [baseline, head].filter((one, i, both) => lacksRequests(one, both[1 - i] ?? one));
  return [
    ...unrecorded.map(
      ({ from }) =>
        `${from} does not say of all ops where calls go: their requests were not compared; "toolwright generate" records them`,
    ),
    ...(changed.length > 0
      ? [`generated/ is older than ${changed.join(", ")}: run "toolwright generate"; what it says now was compared`]
      : []),
    ...unlisted.map((from) => `${from} has no help/index.json beside it: aliases and snippets were not compared`),
  ];
}
