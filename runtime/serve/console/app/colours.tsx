/** Syntax colours: Python by its grammar, JSON by its tokens. */

import { highlightTree, tagHighlighter, tags } from "@lezer/highlight";
import { parser } from "@lezer/python";

/** Longest text that is coloured, in characters. */
const MAX_COLOURED_LENGTH = 20_000;

/** A stretch of text and its kind, a class of the style sheet. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly kind: string;
}

const HIGHLIGHTER = tagHighlighter([
  { tag: [tags.keyword, tags.bool, tags.null, tags.self], class: "syn-keyword" },
  { tag: [tags.string, tags.special(tags.string)], class: "syn-string" },
  { tag: tags.number, class: "syn-number" },
  { tag: tags.comment, class: "syn-comment" },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], class: "syn-call" },
]);

function pythonStretches(text: string): readonly Stretch[] {
  const found: Stretch[] = [];
  highlightTree(parser.parse(text), HIGHLIGHTER, (from, to, kind) => void found.push({ from, to, kind }));
  return found;
}

/** A name of a member, another text, a number or a word. */
const JSON_TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false|null)\b/g;

function jsonStretches(text: string): readonly Stretch[] {
  return [...text.matchAll(JSON_TOKEN)].map(({ 0: token, 1: quoted, 2: colon, index: from }) => {
    if (quoted !== undefined) return { from, to: from + quoted.length, kind: colon ? "syn-call" : "syn-string" };
    return { from, to: from + token.length, kind: /^[tfn]/.test(token) ? "syn-keyword" : "syn-number" };
  });
}

const LANGUAGES: ReadonlyMap<string, (text: string) => readonly Stretch[]> = new Map([
  ["python", pythonStretches],
  ["py", pythonStretches],
  ["json", jsonStretches],
]);

/** A text with its syntax colours, if its language has any. */
export function ColouredText({ text, language }: { readonly text: string; readonly language: string }) {
  const read = text.length > MAX_COLOURED_LENGTH ? undefined : LANGUAGES.get(language);
  if (!read) return <>{text}</>;
  let end = 0;
  const parts = read(text).flatMap(({ from, to, kind }) => {
    const before = text.slice(end, from);
    end = to;
    return [
      before,
      <span key={from} class={kind}>
        {text.slice(from, to)}
      </span>,
    ];
  });
  return (
    <>
      {parts}
      {text.slice(end)}
    </>
  );
}
