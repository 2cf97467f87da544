/** Notes about a program that ended well: arguments that were repaired, and pages that it may have taken for all there is. */

import type { JsonObject, JsonValue, Tool } from "../contract/registry.js";
import { clip } from "../contract/scrub.js";
import { newPageNotes } from "./page-notes.js";

/** The notes about one program. */
export interface RunNotes {
  /** A call begins; the function that it returns takes the result, and the warnings of the envelope. */
  begins(tool: Tool, args: JsonObject): (result: JsonValue, warnings: readonly string[]) => void;
  /** The notes, one a line; undefined without any. */
  text(): string | undefined;
}

/** Most notes of a text, their size in bytes, the length of one in characters, and most that are counted. */
const MAX_NOTES = 5;
const MAX_BYTES = 600;
const MAX_LENGTH = 200;
const MAX_KEPT = 200;

/** Warnings that programs need not have: about what they do not send, and about None for an optional argument. */
const UNNOTED = /^(?:idempotency_|null_dropped:)/;

/** Begins the notes about a program. */
export function newRunNotes(): RunNotes {
  const repairs = new Map<string, number>();
  const pages = newPageNotes();
  let made = 0;
  return {
    begins(tool, args) {
      made += 1;
      const order = made;
      return (result, warnings) => {
        for (const warning of warnings.filter((one) => !UNNOTED.test(one)))
          if (repairs.size < MAX_KEPT) addTo(repairs, `${tool.op}: ${warning.replace(/^\w+: /, "")}`);
        pages.answered({ tool, args, result, order });
      };
    },
    text() {
      const all = new Map(repairs);
      for (const cut of pages.texts()) addTo(all, cut);
      return textOf([...all]);
    },
  };
}

const addTo = (counts: Map<string, number>, text: string): void => void counts.set(text, (counts.get(text) ?? 0) + 1);

function textOf(all: readonly (readonly [text: string, count: number])[]): string | undefined {
  const lines: string[] = [];
  let left = MAX_BYTES;
  for (const [text, count] of all.slice(0, MAX_NOTES)) {
    const line = `Note: ${clip(text, MAX_LENGTH)}${count > 1 ? ` (${count} times)` : ""}.`;
    left -= Buffer.byteLength(line) + 1;
    if (left < 0) break;
    lines.push(line);
  }
  return lines.length === 0 ? undefined : lines.join("\n");
}
