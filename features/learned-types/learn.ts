/**
 * Implements `toolwright learn`: writes `definitions/learned/` from what calls and queries have shown, or from recorded
 * results; and with `--check`, compares these files with the definitions.
 */

import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { attempt } from "../../generator/cli/attempt.js";
import type { Disk } from "../../generator/cli/files.js";
import { type CommandSetting, printRefusal } from "../../generator/cli/generate.js";
import { formatDiagnostic } from "../../generator/core/diagnostic.js";
import type { Build } from "../../generator/pipeline.js";
import { writeAtomically } from "../../runtime/contract/atomic-write.js";
import { byCodeUnit } from "../../runtime/contract/canonical.js";
import { counted, onLine } from "../../runtime/contract/message-text.js";
import type { Registry, Tool } from "../../runtime/contract/registry.js";
import { type LearnedWordsOfOp, mergedWords, wordLines } from "./learn-words.js";
import {
  type JudgedOp,
  LEARNED_FOLDER,
  type LearnedEntry,
  learnedText,
  leastCalls,
  readLearned,
} from "./learned-file.js";
import { type JudgedWords, readWordsFile, WORDS_SUFFIX, type WordsEntry, wordsText } from "./words-file.js";

/** Flags of the command. */
export interface LearnFlags {
  readonly check?: boolean;
  /** Folder of recorded results. */
  readonly from?: string;
  /** Id of a caller whose words are deleted. */
  readonly forget?: string;
  /** Id of a caller whose words are printed. */
  readonly export?: string;
  readonly json?: boolean;
}

/** Where it is read what calls have shown. */
export interface LearnSources {
  /** From the state database. */
  readonly recorded: () => Promise<readonly JudgedOp[]>;
  /** From a folder of recorded results. */
  readonly samples: (folder: string, tools: readonly Tool[]) => Promise<readonly JudgedOp[]>;
  /** What callers have shown about words, from the state database. */
  readonly words: () => Promise<readonly JudgedWords[]>;
  /** The ops whose types are learned, and the ops whose words are learned. */
  readonly learns: (
    registry: Registry,
  ) => Promise<{ readonly learned: ReadonlySet<string>; readonly learnedWords: ReadonlySet<string> }>;
  /** Deletes the words of a caller from the state database, and returns how many rows these were. */
  readonly forget: (caller: string) => Promise<number>;
  /** The words of a caller in the state database; null for a word that is stored as a hash only. */
  readonly held: (caller: string) => Promise<readonly HeldWord[]>;
  /** The op that a search for a word finds first. */
  readonly firstFound: (registry: Registry) => Promise<(word: string) => string | undefined>;
}

/** A word that queries of a caller had on a day, before a call of the op. */
interface HeldWord {
  readonly op: string;
  readonly word: string | null;
  /** `2026-11-22`. */
  readonly day: string;
  readonly queries: number;
}

/** What was learned about one op. */
interface LearnedOp {
  readonly op: string;
  /** `stale`: of an earlier definition of the op. `none`: nothing can be claimed. */
  readonly level: LearnedEntry["level"] | "stale" | "none";
  readonly calls: string;
  /** `kept`: what was found rests on fewer calls than the entry. */
  readonly change: "new" | "changed" | "unchanged" | "kept" | "pinned" | "removed" | "none";
  /** What would make it locked. */
  readonly lacks: readonly string[];
  /** What calls showed that the type before does not allow. */
  readonly because?: string;
}

/**
 * Writes the files. Exit code 0; with `--check`, 1 if a type is stale or of no op; 2 if a definition has an error.
 *
 * @throws UsageError if the state database or the folder cannot be read
 */
export async function learn(setting: CommandSetting, flags: LearnFlags, sources: LearnSources): Promise<number> {
  if (flags.export !== undefined) {
    setting.out(`${JSON.stringify({ caller: flags.export, words: await sources.held(flags.export) }, null, 2)}\n`);
    return 0;
  }
  if (flags.forget !== undefined) return forget(setting, flags.forget, flags, sources);
  const { build, diagnostics, failed, disk } = await attempt(setting, false);
  if (failed || !build?.registry) {
    printRefusal(setting, diagnostics, flags, "Nothing was learned.");
    return 2;
  }
  if (flags.check) return check(setting, build, flags);
  const { tools } = build.registry;
  const { learned, learnedWords } = await sources.learns(build.registry);
  const judged = flags.from === undefined ? await sources.recorded() : await sources.samples(flags.from, tools);
  const files = disk.list("learned/*.json").filter((file) => !file.endsWith(WORDS_SUFFIX));
  const before = readAll(disk, files, readLearned);
  const { entries, ops } = merged(
    tools.filter((tool) => !tool.result_schema && (learned.has(tool.op) || before.get(tool.op)?.pinned)),
    before,
    judged,
  );
  const types = await writeEntries(setting.root, files, textsOf(tools, entries, ".json", learnedText), disk.read);
  const words =
    flags.from === undefined ? await learnWords(setting, disk, build.registry, learnedWords, sources) : NO_WORDS;
  report(setting, flags, ops, words.ops, [...types, ...words.written].sort(byCodeUnit));
  return 0;
}

async function forget(
  { out }: CommandSetting,
  caller: string,
  { json }: LearnFlags,
  sources: LearnSources,
): Promise<number> {
  const rows = await sources.forget(caller);
  out(
    json
      ? `${JSON.stringify({ ok: true, deleted: rows })}\n`
      : `${counted(rows, "row")} of words of ${onLine(caller)} deleted\n`,
  );
  return 0;
}

/** The entries of some files, by op. */
const readAll = <T>(
  { read }: Pick<Disk, "read">,
  files: readonly string[],
  entriesIn: (text: string) => ReadonlyMap<string, T>,
): ReadonlyMap<string, T> => new Map(files.flatMap((file) => [...entriesIn(read(file) ?? "")]));

interface WrittenWords {
  readonly ops: readonly LearnedWordsOfOp[];
  readonly written: readonly string[];
}

const NO_WORDS: WrittenWords = { ops: [], written: [] };

/** Writes the files of words; no database is read where none are learned. */
async function learnWords(
  { root }: CommandSetting,
  disk: Disk,
  registry: Registry,
  learns: ReadonlySet<string>,
  { words, firstFound }: LearnSources,
): Promise<WrittenWords> {
  const { tools } = registry;
  const files = disk.list(`learned/*${WORDS_SUFFIX}`);
  const before: ReadonlyMap<string, WordsEntry> = readAll(disk, files, readWordsFile);
  const judged = learns.size > 0 ? await words() : [];
  const { entries, ops } = mergedWords(tools, before, { judged, learns, firstFound: await firstFound(registry) });
  return { ops, written: await writeEntries(root, files, textsOf(tools, entries, WORDS_SUFFIX, wordsText), disk.read) };
}

/** The entries after learning: pinned ones and those of more calls stay, those of no op go. */
function merged(tools: readonly Tool[], before: ReadonlyMap<string, LearnedEntry>, judged: readonly JudgedOp[]) {
  const entries = new Map<string, LearnedEntry>();
  const ops: LearnedOp[] = [];
  for (const tool of tools) {
    const found = judged.find(({ op, digest }) => op === tool.op && digest === tool.digest.input);
    const one = mergedOp(tool, before.get(tool.op), found);
    if (!one) continue;
    if (one.entry) entries.set(tool.op, one.entry);
    ops.push(one.about);
  }
  return { entries, ops };
}

/** The entry of one op, and what is said of it; undefined if nothing is known of the op. */
function mergedOp(tool: Tool, old: LearnedEntry | undefined, found: JudgedOp | undefined) {
  const made = old?.pinned ? undefined : found?.entry;
  const isFewer = old !== undefined && found !== undefined && leastCalls(found.calls) < leastCalls(old.calls);
  const isCurrent = old?.digest === tool.digest.input;
  const because = isCurrent && !old.pinned ? found?.against(old.schema) : undefined;
  // Fewer calls do not replace a type, unless they show that it is wrong.
  const stands = isCurrent && isFewer && because === undefined;
  const { op } = tool;
  const why = because === undefined ? {} : { because };
  if (found && !found.entry && !old?.pinned && !stands) {
    const change: LearnedOp["change"] = old ? "removed" : "none";
    return { about: { op, level: "none" as const, calls: found.calls, change, lacks: found.lacks, ...why } };
  }
  const entry = made && !stands ? made : old;
  if (!entry) return undefined;
  const isStale = entry === old && !isCurrent && !old.pinned;
  const lacks = entry === made ? (found?.lacks ?? []) : isStale ? [STALE] : [];
  const level = isStale ? ("stale" as const) : entry.level;
  return { entry, about: { op, level, calls: entry.calls, change: changeOf(old, entry, made), lacks, ...why } };
}

const STALE = "calls of the op as it is now: its input has changed since";

function changeOf(
  old: LearnedEntry | undefined,
  entry: LearnedEntry,
  made: LearnedEntry | undefined,
): LearnedOp["change"] {
  if (!old) return "new";
  if (old.pinned) return "pinned";
  if (entry !== made) return "kept";
  return JSON.stringify(learnedText(new Map([["", old]]))) === JSON.stringify(learnedText(new Map([["", entry]])))
    ? "unchanged"
    : "changed";
}

/** The texts of the files of all packs that have entries. */
function textsOf<T>(
  tools: readonly Tool[],
  entries: ReadonlyMap<string, T>,
  suffix: string,
  text: (own: ReadonlyMap<string, T>) => string,
): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const pack of [...new Set(tools.map(({ group }) => group))].sort(byCodeUnit)) {
    const own = tools.flatMap(({ op, group }): [string, T][] => {
      const entry = group === pack ? entries.get(op) : undefined;
      return entry ? [[op, entry]] : [];
    });
    if (own.length > 0) texts.set(`${LEARNED_FOLDER}/${pack}${suffix}`, text(new Map(own)));
  }
  return texts;
}

/** Writes the files that differ, and deletes those that are no more. Returns the paths that changed. */
async function writeEntries(
  root: string,
  files: readonly string[],
  texts: ReadonlyMap<string, string>,
  read: (file: string) => string | undefined,
): Promise<readonly string[]> {
  const changed = [...texts].filter(([file, text]) => read(file) !== text);
  const gone = files.filter((file) => !texts.has(file));
  if (changed.length > 0) await mkdir(join(root, dirname(`${LEARNED_FOLDER}/x`)), { recursive: true });
  for (const [file, text] of changed) await writeAtomically(join(root, file), text);
  for (const file of gone) await rm(join(root, file));
  return [...changed.map(([file]) => file), ...gone];
}

function report(
  { out, paint }: CommandSetting,
  { json }: LearnFlags,
  ops: readonly LearnedOp[],
  words: readonly LearnedWordsOfOp[],
  written: readonly string[],
): void {
  const known = words.filter((one) => one.words + one.waiting + one.removed.length > 0);
  if (json) {
    out(`${JSON.stringify({ ok: true, written, ops, words: known })}\n`);
    return;
  }
  if (ops.length === 0 && known.length === 0) out(NOTHING);
  const width = Math.max(0, ...ops.map(({ op }) => op.length));
  for (const { op, level, calls, change, lacks, because } of ops) {
    const shown = paint(level === "locked" ? "green" : "yellow", level.padEnd("locked".length));
    const about = change === "kept" && level !== "stale" ? "kept, since fewer calls were found" : change;
    out(`${onLine(op).padEnd(width)}  ${shown}  from ${calls} calls${change === "none" ? "" : `  ${about}`}\n`);
    if (because !== undefined) out(`  ${paint("dim", `against the type before: ${because}`)}\n`);
    for (const one of lacks) out(`  ${paint("dim", `to be ${level === "none" ? "learned" : "locked"}: ${one}`)}\n`);
  }
  for (const line of wordLines(known, (text) => paint("dim", text))) out(`${line}\n`);
  if (written.length === 0) return;
  out(
    `${counted(written.length, "file")} written: ${written.join(", ")}. Review the change, and run "toolwright generate".\n`,
  );
}

const NOTHING =
  "Nothing is learned yet: types are learned from calls of ops that declare no result. A server writes what it has seen every ten seconds, and as it ends.\n";

const CHECKED: ReadonlySet<string> = new Set(["learned-stale", "learned-unused", "words-stale", "words-unused"]);

function check({ out }: CommandSetting, { diagnostics, registry }: Build, { json }: LearnFlags): number {
  const found = diagnostics.filter(({ code }) => CHECKED.has(code));
  const learned = (registry?.tools ?? []).flatMap((tool) => tool.learned_result ?? []);
  const locked = learned.filter(({ level, stale }) => level === "locked" && !stale).length;
  if (json) out(`${JSON.stringify({ ok: found.length === 0, learned: learned.length, locked, diagnostics: found })}\n`);
  else {
    for (const one of found) out(`${formatDiagnostic(one)}\n`);
    out(`${counted(learned.length, "learned type")}, ${locked} locked, ${found.length} out of date\n`);
  }
  return found.length === 0 ? 0 : 1;
}
