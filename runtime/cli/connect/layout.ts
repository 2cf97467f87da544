/** Detects the layout of a text, so that edits match it, and applies edits. */

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

/** A replacement in a text. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies edits that do not overlap; edits at the same place in the given order. */
export function applied(text: string, edits: readonly Edit[]): string {
  const ordered = edits.map((edit, i) => ({ edit, i })).sort((a, b) => a.edit.start - b.edit.start || a.i - b.i);
  const { done, at } = ordered.reduce(
    (sum, { edit }) => ({ done: sum.done + text.slice(sum.at, edit.start) + edit.text, at: edit.end }),
    { done: "", at: 0 },
  );
  return done + text.slice(at);
}
