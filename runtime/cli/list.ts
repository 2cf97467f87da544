/** The command `list`: every op with its signature. */

import { findOp } from "../call/resolve.js";
import type { RegistryView } from "../catalog/registry.js";
import { closest } from "../contract/closest.js";
import { counted, onLine } from "../contract/message-text.js";
import type { Tool } from "../contract/registry.js";
import { clip } from "../contract/scrub.js";
import { readableSignature } from "../contract/signature-text.js";
import type { Start } from "../gateway/open-project.js";

/** Flags of the command. */
export interface ListFlags {
  readonly json?: boolean;
}

/** The ops, or that there are none. */
interface Listed {
  readonly text: string;
  readonly isFound: boolean;
}

/** Characters of a signature and of a summary that are shown. */
const [MAX_SIGNATURE, MAX_SUMMARY] = [2_000, 200];

/**
 * The ops of a view, as text or as one JSON document.
 *
 * @param path only ops below it, or the op that it means
 */
export function listText(view: RegistryView, path: string, { json }: ListFlags, paint: Start["paint"]): Listed {
  const alone = findOp(view, path)?.tool;
  const tools = view.below(path) ?? (alone && [alone]);
  if (!tools) return { text: nothingBelow(view, path), isFound: false };
  if (json) return { text: `${JSON.stringify({ ops: tools.map(describedOp) })}\n`, isFound: true };
  const packs = [...new Set(tools.map(({ group }) => group))];
  const opsOf = (pack: string): readonly Tool[] => tools.filter(({ group }) => group === pack);
  return { text: packs.map((pack) => packText(pack, opsOf(pack), paint)).join("\n"), isFound: true };
}

function nothingBelow(view: RegistryView, path: string): string {
  if (path === "") return "there are no ops";
  const near = closest(path, [...view.prefixes, ...view.listed.map(({ op }) => op)]);
  return `no ops below ${onLine(path)}${near === undefined ? "" : `; did you mean ${near}?`}`;
}

const describedOp = ({ op, tool_name: tool, kind, summary, signature }: Tool): object => ({
  ...{ op, tool, kind, summary, signature: signature.python },
});

function packText(pack: string, tools: readonly Tool[], paint: Start["paint"]): string {
  const lines = tools.map((tool) => {
    const signature = onLine(clip(readableSignature(tool), MAX_SIGNATURE));
    return `  ${signature}\n    ${paint("dim", `${tool.kind.padEnd(5)}  ${onLine(clip(tool.summary, MAX_SUMMARY))}`)}\n`;
  });
  return `${paint("bold", onLine(pack))}  ${counted(tools.length, "op")}\n${lines.join("")}`;
}
