/** Shows the change of a file on a terminal. */

import { scrub } from "../contract/scrub.js";
import type { Start } from "../gateway/open-project.js";
import { OWN_KEY } from "../upstream/servers.js";

const STYLES: Readonly<Record<string, Parameters<Start["paint"]>[0]>> = { "+": "green", "-": "red", "@": "dim" };

/** A change, and the values in it to hide. */
export interface ShownChange {
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly hidden: readonly string[];
}

/**
 * A unified diff with two lines of context. Secrets are masked by value and by pattern; lines that only refer to the
 * key are shown.
 */
export async function shownDiff({ file, before, after, hidden }: ShownChange, paint: Start["paint"]): Promise<string> {
  const { createTwoFilesPatch } = await import("diff");
  const lines = createTwoFilesPatch(file, file, before, after, undefined, undefined, { context: 2 })
    .split("\n")
    .slice(2);
  return lines
    .map((line) => {
      const text = line.includes(OWN_KEY) ? line : scrub(line, hidden);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: a file of another program must not move the cursor.
      const plain = text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
      const style = STYLES[plain[0] ?? ""];
      return style === undefined ? plain : paint(style, plain);
    })
    .join("\n");
}
