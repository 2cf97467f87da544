/** How a file is laid out, so that what is added looks like the rest. */

/** Line ends and indentation of a text. */
export interface Layout {
  readonly eol: string;
  /** One level. */
  readonly unit: string;
}

/** The layout of a text; that of most programs where nothing shows. */
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

/** Applies edits that do not overlap; those at one place in the order given. */
export function applied(text: string, edits: readonly Edit[]): string {
  const ordered = edits.map((edit, i) => ({ edit, i })).sort((a, b) => a.edit.start - b.edit.start || a.i - b.i);
  const { done, at } = ordered.reduce(
    (sum, { edit }) => ({ done: sum.done + text.slice(sum.at, edit.start) + edit.text, at: edit.end }),
    { done: "", at: 0 },
  );
  return done + text.slice(at);
}
