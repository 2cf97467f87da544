/** The change of a file as people see it, without the keys that others have left in it. */

import { OWN_KEY } from "../mcp/servers.js";
import { scrub } from "../observe/scrub.js";
import type { Start } from "../start.js";

const STYLES: Readonly<Record<string, Parameters<Start["paint"]>[0]>> = { "+": "green", "-": "red", "@": "dim" };

/** A change, and the values in it that nobody else is to see. */
export interface Shown {
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly hidden: readonly string[];
}

/** A unified diff with little around it. Secrets are blanked by value and by shape; a line of ours refers to its key and stays. */
export async function shownDiff({ file, before, after, hidden }: Shown, paint: Start["paint"]): Promise<string> {
  const { createTwoFilesPatch } = await import("diff");
  const lines = createTwoFilesPatch(file, file, before, after, undefined, undefined, { context: 2 })
    .split("\n")
    .slice(1);
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
