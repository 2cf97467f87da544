/** Reads `definitions/snippets.yaml` as far as the help index lists it; bodies are read, and judged, where they run. */

import { byCodeUnit, type ListedSnippet } from "toolwright/codegen";
import { type Document, LineCounter, parseDocument } from "yaml";
import type { Report } from "../diagnostic.js";
import { isRecord } from "./json-file.js";

/** Where snippets are declared: `{ <name>: { description, params, body } }`. */
export const SNIPPETS_FILE = "definitions/snippets.yaml";

/** Snippets by name, sorted; none where there is no file. */
export function readSnippets(read: (file: string) => string | undefined, report: Report): readonly ListedSnippet[] {
  const text = read(SNIPPETS_FILE);
  if (text === undefined) return [];
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, logLevel: "error" });
  for (const fault of document.errors) {
    const { line, col } = lines.linePos(fault.pos[0]);
    const reason = (fault.message.split("\n")[0] ?? "").replace(/ at line \d+, column \d+:$/, "");
    report.add("yaml-invalid", { file: SNIPPETS_FILE, line, column: col }, { reason });
  }
  const values = document.errors.length > 0 ? {} : valuesOf(document, report);
  return Object.entries(isRecord(values) ? values : {})
    .flatMap(([name, one]): readonly ListedSnippet[] => {
      if (!isRecord(one)) return [];
      const { description, params } = one;
      return [
        {
          name,
          description: typeof description === "string" ? description : "",
          params: Object.keys(isRecord(params) ? params : {}),
        },
      ];
    })
    .sort((a, b) => byCodeUnit(a.name, b.name));
}

/** An alias without an anchor, or too many of them, throws. */
function valuesOf(document: Document, report: Report): unknown {
  try {
    return document.toJS();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    report.add("yaml-invalid", { file: SNIPPETS_FILE, line: 1, column: 1 }, { reason });
    return {};
  }
}
