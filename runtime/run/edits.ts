/** Edits of a text by offset. */

/** An edit, which never adds or removes a newline. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Applies edits that do not overlap; those at one offset in their order. */
export function edited(code: string, edits: readonly Edit[]): string {
  const ordered = [...edits].sort((a, b) => a.from - b.from || a.to - b.to);
  const parts: string[] = [];
  let at = 0;
  for (const { from, to, text } of ordered) {
    parts.push(code.slice(at, from), text);
    at = to;
  }
  return parts.join("") + code.slice(at);
}
