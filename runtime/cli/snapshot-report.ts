/** Prints the results of `toolwright snapshot` for one server, as text or JSON. */

import type { Finding } from "../contract/finding.js";
import { visibleText } from "../contract/message-text.js";
import { clip } from "../contract/scrub.js";
import type { Start } from "../gateway/open-project.js";
import type { Snapshot } from "../upstream/snapshot.js";
import type { UpstreamError } from "../upstream/upstream-error.js";

/** The result for one server. */
export type SnapshotOutcome =
  | { readonly kind: "failed"; readonly name: string; readonly error: UpstreamError }
  | {
      readonly kind: "written" | "unchanged";
      readonly name: string;
      readonly file: string;
      readonly found: Snapshot;
      /** Whether an entry of `sources` reads the file. */
      readonly isRead: boolean;
    }
  | { readonly kind: "matches"; readonly name: string; readonly file: string; readonly found: Snapshot }
  | {
      readonly kind: "differs";
      readonly name: string;
      readonly file: string;
      readonly found: Snapshot;
      readonly findings: readonly Finding[];
      /** Differences that do not concern a tool. */
      readonly notes: readonly string[];
    };

/** One result as JSON. */
export function snapshotJson(outcome: SnapshotOutcome): object {
  const { kind: status, name } = outcome;
  if (outcome.kind === "failed") {
    const { code, message, remedy, stderr } = outcome.error;
    return { name, status, error: { code, message, remedy, ...(stderr.length > 0 ? { stderr } : {}) } };
  }
  const { file, found } = outcome;
  const about = { name, status, file, tools: found.tools.length, server: found.serverInfo };
  return outcome.kind === "differs" ? { ...about, findings: outcome.findings, notes: outcome.notes } : about;
}

const STYLES = { written: "green", unchanged: "dim", matches: "green", differs: "yellow", failed: "red" } as const;
const LEVELS = { error: "red", warning: "yellow", info: "dim" } as const;
const STATUS_WIDTH = 10;
const TEXT_LIMIT = 400;

const plain = (text: string): string => clip(visibleText(text), TEXT_LIMIT);

const counted = (n: number): string => `${n} ${n === 1 ? "tool" : "tools"}`;

/** Prints one result: a line, and its details below. */
export function printOutcome(
  outcome: SnapshotOutcome,
  width: number,
  { out, paint }: Pick<Start, "out" | "paint">,
): void {
  const { kind, name } = outcome;
  const head = `${plain(name).padEnd(width)}  ${paint(STYLES[kind], kind.padEnd(STATUS_WIDTH))} `;
  if (outcome.kind === "failed") {
    const { message, remedy, stderr } = outcome.error;
    out(`${head}${visibleText(message)}\n`);
    for (const line of stderr) out(`  ${paint("dim", `stderr: ${visibleText(line)}`)}\n`);
    out(`  → ${visibleText(remedy)}\n`);
    return;
  }
  const { found, file } = outcome;
  const version = [found.serverInfo.name, found.serverInfo.version].filter(Boolean).join(" ");
  out(`${head}${counted(found.tools.length)}  ${file}${version === "" ? "" : paint("dim", `  (${plain(version)})`)}\n`);
  if (outcome.kind !== "differs") return;
  for (const { level, rule, op, message } of outcome.findings)
    out(`  ${paint(LEVELS[level], level.padEnd(7))} ${rule}  ${plain(`${op}: ${message}`)}\n`);
  for (const note of outcome.notes) out(`  ${visibleText(note)}\n`);
}
