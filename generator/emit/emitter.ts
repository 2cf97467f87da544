/** The interface of emitters, which turn the registry into files, their error, and the lock. Emitters are pure and do not see each other. */

import { byCodeUnit, digestText } from "../../runtime/contract/canonical.js";
import type { HelpDocument, ListedSnippet } from "../../runtime/contract/help.js";
import type { HttpCall } from "../../runtime/contract/http-call.js";
import type { Languages } from "../../runtime/contract/program-language.js";
import type { Registry } from "../../runtime/contract/registry.js";
import { messageOf } from "../../runtime/contract/thrown.js";
import type { Config } from "../config/config.js";
import type { Compiled } from "../core/compile.js";
import type { Report } from "../core/diagnostic.js";
import type { Memo } from "../core/memo.js";
import { asFile, prettyJson } from "../core/printer.js";
import type { CountTokens } from "../pass/freeze.js";

/**
 * A file of `generated/`.
 *
 * @example
 * const file: VirtualFile = { path: "lists/ops.md", text: "# Ops\n" };
 */
export interface VirtualFile {
  /** Relative to `generated/`, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** What emitters may read in addition to the registry. */
export interface EmitContext {
  readonly config: Config;
  /** Languages of programs; the first one is that of code without a fence. */
  readonly languages: Languages;
  readonly help: ReadonlyMap<string, HelpDocument>;
  readonly snippets: readonly ListedSnippet[];
  /** Instructions for models from `prompts.yaml`, by pack. */
  readonly instructions: ReadonlyMap<string, string>;
  /** Compiled validators by op. */
  readonly compiled: ReadonlyMap<string, Compiled>;
  /** HTTP requests by op, for operations of an HTTP API. */
  readonly http: ReadonlyMap<string, HttpCall>;
  /** Results of an earlier build, and those of this one. */
  readonly memo: Memo;
  readonly countTokens: CountTokens;
  readonly gatewayTools: readonly object[];
  /** All emitters of this build. */
  readonly emitters: readonly Emitter[];
}

/** Turns the registry into files of one kind. */
export interface Emitter {
  readonly name: string;
  /** Whether its files are sent to models, so that `budget.json` counts them. */
  readonly isReadByModels?: boolean;
  readonly emit: (registry: Registry, context: EmitContext) => readonly VirtualFile[] | Promise<readonly VirtualFile[]>;
}

/** Files of one emitter. */
export interface Emitted {
  readonly name: string;
  readonly files: readonly VirtualFile[];
}

/** Name of the lock, which lists the digests of all other files. */
export const LOCK_FILE = "toolwright.lock";

/**
 * All files with the lock, sorted by path. Two emitters that write one path (letter case ignored) are an error, and so is a file
 * where another one needs a folder.
 */
export function collectFiles(
  emitted: readonly Emitted[],
  version: string,
  registry: Registry,
  report: Report,
): readonly VirtualFile[] {
  const byPath = new Map<string, { readonly file: VirtualFile; readonly emitter: string }>();
  const collide = (path: string, emitters: readonly string[]): void =>
    report.add("output-collision", { file: `generated/${path}`, line: 0, column: 0 }, { path, emitters });
  for (const { name, files } of emitted)
    for (const { path, text } of files) {
      const file = { path, text: encodable(asFile(path, text)) };
      const key = path.toLowerCase();
      const other = byPath.get(key);
      if (other) collide(path, [other.emitter, name]);
      else byPath.set(key, { file, emitter: name });
    }
  for (const [key, { emitter }] of byPath)
    for (let end = key.lastIndexOf("/"); end > 0; end = key.lastIndexOf("/", end - 1)) {
      const inTheWay = byPath.get(key.slice(0, end));
      if (inTheWay) collide(inTheWay.file.path, [inTheWay.emitter, emitter]);
    }
  const files = [...byPath.values()].map((one) => one.file).sort((a, b) => byCodeUnit(a.path, b.path));
  return [...files, lockOf(files, version, registry)].sort((a, b) => byCodeUnit(a.path, b.path));
}

/** Replaces lone surrogates: they cannot be encoded, so the file on disk would always differ from the build. */
const encodable = (text: string): string => text.replace(/\p{Surrogate}/gu, "\ufffd");

/** The lock: three digests per tool, one per file, and the generator's version, which is only here so that an upgrade changes one file. */
function lockOf(files: readonly VirtualFile[], version: string, registry: Registry): VirtualFile {
  const lock = {
    lock: 1,
    generator: version,
    registry_version: registry.registry_version,
    tools: Object.fromEntries(registry.tools.map((one) => [one.op, one.digest])),
    files: Object.fromEntries(files.map((one) => [one.path, digestText(one.text)])),
  };
  return { path: LOCK_FILE, text: prettyJson(lock, 260) };
}

/** Names the emitter that failed and keeps the cause. */
export class EmitterError extends Error {
  override readonly name = "EmitterError";
  constructor(emitter: string, cause: unknown) {
    super(`the emitter ${emitter} failed: ${messageOf(cause)}`, { cause });
  }
}

/** Files of all tools, or of the tools of one pack, sorted. */
export function sourcesOf(registry: Registry, pack?: string): readonly string[] {
  const tools = registry.tools.filter((one) => pack === undefined || one.group === pack);
  return [...new Set(tools.map((one) => one.source.file))].sort(byCodeUnit);
}
