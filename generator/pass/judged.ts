/** Judges diagnostics by the configuration: finds the tool that one is about, and whether the project writes its definition. */

import { CONFIG_FILE, type Config } from "../config/config.js";
import { kindsOf } from "../config/rules.js";
import type { Diagnostic, Report } from "../core/diagnostic.js";
import type { Definition, NamedDefinition } from "../core/ir.js";
import { type NamedTool, withLevels } from "../core/levels.js";

/** What diagnostics are about. */
interface Judged {
  readonly definitions: readonly Definition[];
  /** Empty until they are classified. */
  readonly drafts: readonly NamedDefinition[];
}

/** Kinds of sources whose files others write. */
const FOREIGN_KINDS: ReadonlySet<string> = new Set(["mcp", "openapi", "graphql"]);

/** Makes a report judge its diagnostics. @param known what is known by then */
export function judgeDiagnostics(
  report: Report,
  config: Config,
  list: (pattern: string) => readonly string[],
  known: Judged,
): void {
  const kinds = config.sources.flatMap(kindsOf).filter(({ kind }) => FOREIGN_KINDS.has(kind));
  report.judge = (found) => {
    const foreign = new Set(kinds.flatMap(({ pattern }) => list(pattern)));
    const marked = found.map((one): Diagnostic => (foreign.has(one.file) ? { ...one, foreign: true } : one));
    const subjects = new Map(marked.map((one, i) => [one, found[i] && report.subjectOf(found[i])]));
    return withLevels(marked, config.diagnostics ?? {}, (one) => toolOf(one, subjects.get(one), known));
  };
}

/** The tool of a diagnostic: the one of its file that it names, or the last one that begins before its place. */
function toolOf(one: Diagnostic, subject: string | undefined, { definitions, drafts }: Judged): NamedTool | undefined {
  const tools: readonly (Definition & { readonly op?: string })[] = [...drafts, ...definitions];
  const isConfig = one.file.endsWith(CONFIG_FILE);
  const there = isConfig ? tools : tools.filter(({ place }) => place.file === one.file);
  const named = there.find(({ name, op }) => subject !== undefined && (op === subject || name === subject));
  if (named || isConfig) return named;
  const before = ({ place }: Definition): boolean =>
    place.line < one.line || (place.line === one.line && place.column <= one.column);
  return there.filter(before).sort((a, b) => b.place.line - a.place.line || b.place.column - a.place.column)[0];
}
