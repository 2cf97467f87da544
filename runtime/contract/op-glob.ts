/** Patterns with asterisks, with which configuration names ops and files, and text that a regular expression takes literally. */

/** Returns a matcher for ops: in `onto.task.*` an asterisk matches any characters, dots too. */
export const opGlob = (glob: string): ((op: string) => boolean) => globMatcher(glob.split("*"));

/**
 * Matches texts that consist of given parts with any characters between them, in linear time: each part is searched
 * behind the one before it, and only the last one must be at the end.
 */
export function globMatcher(parts: readonly string[]): (text: string) => boolean {
  const [first = "", ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return (text) => text === first;
  return (text) => {
    if (!text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    for (const part of rest) {
      const found = text.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at + last.length <= text.length;
  };
}

/** Escapes a text so that a regular expression matches it literally. */
export const literalPattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
