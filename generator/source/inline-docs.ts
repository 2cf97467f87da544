/**
 * Reads documentation comments on the same line as the token before them, as in `{ /** … *\/ a: string }`: TypeScript treats them as
 * comments on that token and attaches them to no declaration.
 */

import { ts } from "@ts-morph/common";

/** A parsed comment: its text, and its tags by name. */
export interface InlineDoc {
  readonly text: string;
  readonly tags: readonly { readonly name: string; readonly text: string }[];
}

/** The comment between a declaration and the token before it on the same line; undefined without one. */
export function inlineDoc(declaration: ts.Declaration): InlineDoc | undefined {
  const { text } = declaration.getSourceFile();
  const ranges = declaration.pos > 0 ? (ts.getTrailingCommentRanges(text, declaration.pos) ?? []) : [];
  const last = ranges.findLast(({ pos, end }) => end - pos > 4 && text.startsWith("/**", pos));
  if (!last || isAboutBefore(text, declaration, last.end)) return undefined;
  const alone = `${text.slice(last.pos, last.end)}\nlet x;`;
  const [statement] = ts.createSourceFile("doc.ts", alone, ts.ScriptTarget.ES2023, true).statements;
  const doc = statement && ts.getJSDocCommentsAndTags(statement).find(ts.isJSDoc);
  return doc && { text: textOf(doc.comment), tags: (doc.tags ?? []).map(tagOf) };
}

/** Whether a comment belongs to the token before it: it ends its line, and the token does not open a list. */
function isAboutBefore(text: string, declaration: ts.Declaration, end: number): boolean {
  return !/[{(<[]/.test(text[declaration.pos - 1] ?? "") && /^[ \t]*[\r\n]/.test(text.slice(end, declaration.end));
}

const textOf = (comment: ts.JSDocTag["comment"]): string => ts.getTextOfJSDocComment(comment) ?? "";

const tagOf = (tag: ts.JSDocTag): InlineDoc["tags"][number] => ({ name: tag.tagName.text, text: textOf(tag.comment) });
