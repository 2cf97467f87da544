/** Edits of a text by offset, and the line ending and indentation of the text, which an edit should match. */

/** A replacement of the characters from `from` up to `to`; an insertion if both are equal. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Applies edits that do not overlap; insertions at one offset in the given order, before a replacement that begins there. */
export function withEdits(code: string, edits: readonly Edit[]): string {
  const ordered = [...edits].sort((a, b) => a.from - b.from || a.to - b.to);
  const parts: string[] = [];
  let at = 0;
  for (const { from, to, text } of ordered) {
    parts.push(code.slice(at, from), text);
    at = to;
  }
  return parts.join("") + code.slice(at);
}

/** Line ending and indentation of a text. */
export interface Layout {
  readonly eol: string;
  /** One level. */
  readonly unit: string;
}

/** The layout of a text; defaults to LF and two spaces. */
export function layoutOf(text: string): Layout {
  const unit = /^(?:\t| {2,8})(?=\S)/m.exec(text)?.[0] ?? "  ";
  return { eol: text.includes("\r\n") ? "\r\n" : "\n", unit };
}
