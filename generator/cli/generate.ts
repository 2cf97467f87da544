/** Implements the commands `generate`, `check` and `explain`: runs a build and prints its outcome. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { counted, onLines } from "../../runtime/contract/message-text.js";
import { withOwnCommand } from "../../runtime/contract/own-command.js";
import { annotate } from "../../runtime/contract/terminal.js";
import type { Config } from "../config/config.js";
import { type Diagnostic, formatDiagnostic } from "../core/diagnostic.js";
import { countsStrictly } from "../core/levels.js";
import type { Build } from "../pipeline.js";
import { attempt, type BuildAttempt, type BuildSetting } from "./attempt.js";
import type { ExplainOp, Explanation } from "./explain.js";
import { type BuildDrift, buildDrift, type WrittenFiles, writeFiles } from "./files.js";
import { openKeptResults } from "./kept-results.js";
import { type LastRun, lastDiagnostics, lastRunOf, provenSince, unchangedSince } from "./last-run.js";
import { type BuildOutcome, budgetOf, buildOutcome, outcomeText } from "./outcome.js";

/** Dependencies of a command: those of a build, and output. */
export interface CommandSetting extends BuildSetting {
  /** Identifies the build of the generator: another build may give other output. */
  readonly by: string;
  /** The state directory, which holds caches, relative to the root. */
  readonly home: string;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Colours a diagnostic or a heading if the output is a terminal. */
  readonly paint: (style: "red" | "yellow" | "cyan" | "dim" | "bold" | "green", text: string) => string;
  /** Stores what a run read and wrote. */
  readonly remember: (run: LastRun) => Promise<void>;
}

/** Flags that `generate` and `check` share. */
export interface BuildFlags {
  readonly strict?: boolean;
  readonly json?: boolean;
  readonly stats?: boolean;
  /** Whether diagnostics are printed that ask for nothing, and those over the bound. */
  readonly verbose?: boolean;
  /** Whether diagnostics of the last run are left out. */
  readonly onlyNew?: boolean;
}

/** Writes `generated/`. Exit code 0, or 2 if a diagnostic is an error: nothing is written then. */
export async function writeGenerated(setting: CommandSetting, flags: BuildFlags): Promise<number> {
  const before = flags.onlyNew ? lastDiagnostics(setting.root, setting.home) : [];
  const shown = { ...flags, before: new Set(before.map(formatDiagnostic)) };
  const known = unchangedSince(setting.root, setting.home, setting.by);
  if (known && !(flags.strict && known.diagnostics.some(countsStrictly))) {
    say(setting, known, { written: [], deleted: [], unchanged: known.files }, shown, NOTHING_BUILT);
    return 0;
  }
  const { memo, save } = openKeptResults(join(setting.root, setting.home), setting.by);
  const made = await attempt(setting, flags.strict === true, memo);
  const { build, diagnostics, failed, disk, config } = made;
  const outcome = build && buildOutcome(build);
  if (failed || !outcome) {
    printRefusal(setting, diagnostics, flags, "Nothing was written.");
    return 2;
  }
  const folder = join(setting.root, "generated");
  const written = writeFiles(folder, build.files);
  const over = overBudget(build, config);
  const result = { files: build.files, outcome, over, built: await builtFrom(made), isAnew: !memo.reused() };
  // If the cache cannot be written, only the next run is slower.
  await setting.remember(lastRunOf(setting.by, disk, folder, result)).catch(() => undefined);
  await save();
  say(setting, outcome, written, shown, build);
  return 0;
}

/** Digest of what a build read of the configuration. */
const builtFrom = async ({ config, features }: BuildAttempt): Promise<string | undefined> =>
  config && (await import("../config/built-values.js")).builtDigest(config, features);

const NOTHING_BUILT: Pick<Build, "timings" | "counts"> = { timings: new Map(), counts: new Map() };

function say(
  { out, err, paint }: CommandSetting,
  outcome: BuildOutcome,
  written: WrittenFiles,
  { json, stats, strict, ...shown }: BuildFlags & Shown,
  { timings, counts }: Pick<Build, "timings" | "counts">,
): void {
  const { diagnostics, tokens, reads, writes, registry_version } = outcome;
  const rounded = [...timings].map(([stage, ms]) => [stage, Math.round(ms * 10) / 10] as const);
  if (json) {
    const figures = { ok: true, registry_version, ops: reads + writes, ...written, diagnostics, budget: tokens };
    out(
      `${JSON.stringify({ ...figures, timings_ms: Object.fromEntries(rounded), counts: Object.fromEntries(counts) })}\n`,
    );
    return;
  }
  printDiagnostics(diagnostics, err, paint, shown);
  if (strict) sayForeign(diagnostics, err);
  out(outcomeText(outcome, written, (text) => paint("bold", text)));
  if (!stats) return;
  if (rounded.length === 0) out("  nothing changed since the last run, so nothing was built\n");
  for (const [stage, ms] of rounded) {
    const count = counts.get(stage);
    const shown = count === undefined ? "" : `  ${counted(count, stage === "emit" ? "file" : "tool")}`;
    out(`  ${stage.padEnd(10)} ${ms.toFixed(1).padStart(8)} ms${shown}\n`);
  }
}

/** Prints why a command did nothing. */
export function printRefusal(
  { out, err, paint }: CommandSetting,
  diagnostics: readonly Diagnostic[],
  flags: BuildFlags,
  then: string,
): void {
  if (flags.json) {
    out(`${JSON.stringify({ ok: false, diagnostics })}\n`);
    return;
  }
  printDiagnostics(diagnostics, err, paint, flags);
  const count = (severity: string): number => diagnostics.filter((one) => one.severity === severity).length;
  err(`${counted(count("error"), "error")}, ${counted(count("warning"), "warning")}. ${then}\n`);
}

/** Says how many warnings `--strict` does not count. */
function sayForeign(found: readonly Diagnostic[], err: CommandSetting["err"]): void {
  const left = found.filter((one) => one.severity === "warning" && !countsStrictly(one));
  if (left.length === 0) return;
  err(
    `${counted(left.length, "warning")} about definitions that this project does not write ${left.length === 1 ? "is" : "are"} not counted by --strict (${countedByCode(left)}); \`diagnostics\` in toolwright.yaml sets other levels\n`,
  );
}

const STYLES = { error: "red", warning: "yellow", info: "dim" } as const;

/** Most warnings that are printed; infos are printed only if all of them fit. Foreign servers can cause hundreds. */
const MAX_SHOWN = 20;

/** Which diagnostics are printed. */
interface Shown {
  /** Whether all of them are. */
  readonly verbose?: boolean;
  /** Those that were printed before, and are not again. */
  readonly before?: ReadonlySet<string>;
}

/** Whether a diagnostic asks for nothing. */
const isRemark = ({ severity, fix }: Diagnostic): boolean => severity === "info" && fix.startsWith("nothing to do");

/**
 * Prints diagnostics, one per line: all errors, the first warnings, and infos that ask for something if there is no error; the rest as
 * counts.
 */
export function printDiagnostics(
  found: readonly Diagnostic[],
  err: CommandSetting["err"],
  paint: CommandSetting["paint"],
  { verbose = false, before }: Shown = {},
): void {
  const fresh = found.filter((one) => one.severity === "error" || !before?.has(formatDiagnostic(one)));
  const of = (severity: Diagnostic["severity"]) => fresh.filter((one) => one.severity === severity);
  const [errors, warnings] = [of("error"), of("warning")];
  const infos = errors.length === 0 ? of("info") : [];
  const said = infos.filter((one) => verbose || !isRemark(one));
  const most = verbose ? fresh.length : MAX_SHOWN;
  const fit = warnings.length + said.length <= most;
  const shown = [...errors, ...warnings.slice(0, most), ...(fit ? said : [])];
  for (const one of shown) err(`${paint(STYLES[one.severity], formatDiagnostic(one))}\n`);
  const left = [...warnings, ...infos].filter((one) => !shown.includes(one));
  const rest = shown.length > 0 ? `… ${left.length} more` : counted(left.length, "remark");
  if (left.length > 0) err(paint("dim", `${rest}: ${countedByCode(left)}; "toolwright check --verbose" lists all\n`));
}

/** `parameter-renamed 240, format-unknown 7`: the most frequent first. */
function countedByCode(found: readonly Diagnostic[]): string {
  const counts = new Map<string, number>();
  for (const { code } of found) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([code, count]) => `${code} ${count}`)
    .join(", ");
}

/** Compares `generated/` with a build in memory. Exit code 0, 1 on drift or over budget, 2 if a diagnostic is an error. */
export async function checkGenerated(setting: CommandSetting, flags: BuildFlags): Promise<number> {
  const known = provenSince(setting.root, setting.home, setting.by);
  if (known && !(flags.strict && known.outcome.diagnostics.some(countsStrictly))) {
    const { files, diagnostics } = known.outcome;
    return sayDrift(setting, flags, { drift: NO_DRIFT, over: known.over ?? [], files, diagnostics });
  }
  const made = await attempt(setting, flags.strict === true);
  const { build, diagnostics, failed, config, disk } = made;
  const outcome = build && buildOutcome(build);
  if (failed || !build) {
    printRefusal(setting, diagnostics, flags, "generated/ was not compared.");
    return 2;
  }
  const folder = join(setting.root, "generated");
  const drift = buildDrift(folder, build.files);
  const over = overBudget(build, config);
  // A project without a state directory, such as a checkout in CI, gets none.
  if (outcome && isNone(drift) && existsSync(join(setting.root, setting.home))) {
    const result = { files: build.files, outcome, over, built: await builtFrom(made), isAnew: true };
    await setting.remember(lastRunOf(setting.by, disk, folder, result)).catch(() => undefined);
  }
  return sayDrift(setting, flags, { drift, over, files: build.files.length, diagnostics });
}

const NO_DRIFT: BuildDrift = { stale: [], missing: [], orphaned: [] };
const isNone = ({ stale, missing, orphaned }: BuildDrift): boolean =>
  stale.length + missing.length + orphaned.length === 0;

interface Compared extends Pick<BuildOutcome, "files" | "diagnostics"> {
  readonly drift: BuildDrift;
  readonly over: readonly string[];
}

async function sayDrift(setting: CommandSetting, flags: BuildFlags, { drift, over, files, diagnostics }: Compared) {
  const clean = isNone(drift) && over.length === 0;
  if (flags.json) {
    const stale = drift.stale.map((one) => one.path);
    setting.out(`${JSON.stringify({ ok: clean, ...drift, stale, over_budget: over, diagnostics })}\n`);
  } else {
    printDiagnostics(diagnostics, setting.err, setting.paint, flags);
    if (flags.strict) sayForeign(diagnostics, setting.err);
    for (const line of over) setting.out(`over budget: ${line}\n`);
    await printDrift(setting, drift);
    if (clean) setting.out(`generated/ is up to date: ${files} files\n`);
  }
  return clean ? 0 : 1;
}

/** The figures that exceed `budget` in toolwright.yaml, one per line. */
function overBudget(build: Build, config: Config | undefined): readonly string[] {
  const limits = config?.budget ?? {};
  const figures = budgetOf(build);
  if (!figures) return [];
  const { gateway, signatures, hot = 0 } = figures.exposed;
  const over = (what: string, tokens: number, limit: number | undefined): readonly string[] =>
    limit !== undefined && tokens > limit ? [`${what} has ${tokens} tokens, over ${limit}`] : [];
  return [
    ...over("the exposed surface", gateway + signatures + hot, limits.exposed),
    ...Object.entries(figures.tools).flatMap(([op, one]) => [
      ...over(`the definition of ${op}`, one.definition, limits.tool),
      ...over(`the short help of ${op}`, one.help_short, limits.help_short),
    ]),
  ];
}

const MAX_DIFF_LINES = 40;

async function printDrift({ out, paint }: CommandSetting, drift: BuildDrift): Promise<void> {
  const lists = [
    ["stale", drift.stale.map((one) => one.path)],
    ["missing", drift.missing],
    ["orphaned", drift.orphaned],
  ] as const;
  for (const [label, paths] of lists)
    for (const path of paths) out(`${paint("yellow", label.padEnd(8))} generated/${path}\n`);
  if (lists.every(([, paths]) => paths.length === 0)) return;
  const [first] = drift.stale;
  if (first) {
    const { createTwoFilesPatch } = await import("diff");
    const name = `generated/${first.path}`;
    const lines = createTwoFilesPatch(name, name, first.before, first.after, "on disk", "as built")
      .split("\n")
      .slice(2);
    out(`${onLines(lines.slice(0, MAX_DIFF_LINES).join("\n")).trimEnd()}\n`);
    if (lines.length > MAX_DIFF_LINES) out(`… ${lines.length - MAX_DIFF_LINES} more lines\n`);
  }
  out('Run "toolwright generate" and commit the result.\n');
  if (process.env["GITHUB_ACTIONS"])
    annotate(withOwnCommand('::error title=generated-drift::run "toolwright generate"\n'));
}

/** Explains the path, kind, policy and signature of a tool. Exit code 0, 1 for an unknown name, 2 if the build fails. */
export async function explainCommand(
  setting: CommandSetting,
  name: string,
  flags: { readonly json?: boolean },
  more: () => Promise<ExplainOp>,
): Promise<number> {
  const [{ build, diagnostics, failed }, { explain }] = await Promise.all([
    attempt(setting, false),
    import("./explain.js"),
  ]);
  if (!build || build.drafts.length === 0) {
    printRefusal(setting, diagnostics, flags, "toolwright.yaml gives no tools to explain.");
    return 2;
  }
  const explained = explain(name, build, await more());
  if (failed && !explained.found) {
    printRefusal(
      setting,
      diagnostics,
      flags,
      `There is no op, tool or alias ${name} among the definitions without errors.`,
    );
    return 2;
  }
  const errors = diagnostics.filter((one) => one.severity === "error");
  printDiagnostics(errors, setting.err, setting.paint);
  if (flags.json)
    setting.out(`${JSON.stringify(explained.found ? explained.explanations : unknownName(name, explained))}\n`);
  else if (explained.found) for (const one of explained.explanations) printExplanation(setting, one);
  else {
    const near = explained.nearest === undefined ? "" : `; did you mean ${explained.nearest}?`;
    setting.err(`no op, tool or alias ${name}${near}\n`);
  }
  return explained.found ? 0 : 1;
}

const unknownName = (name: string, { nearest }: { readonly nearest: string | undefined }): object => ({
  error: `unknown name ${name}`,
  nearest,
});

function printExplanation({ out, paint }: CommandSetting, one: Explanation): void {
  out(`${paint("bold", one.op)}  from ${one.tool} at ${one.file}\n`);
  for (const line of one.because) out(`  ${line}\n`);
  out(`  policy: ${one.policy}\n  returns: ${one.returns}\n`);
  for (const lack of one.lacks ?? []) out(`    it lacks: ${lack}\n`);
  if (one.words !== undefined) out(`  words: ${one.words}\n`);
  if (one.signature) out(`  python: ${one.signature.python}\n  typescript: ${one.signature.typescript}\n`);
  if (one.tokens) out(`  tokens: definition ${one.tokens.definition}, short help ${one.tokens.help}\n`);
}
