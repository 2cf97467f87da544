/** Syntax colours: Python by its grammar, TypeScript and JSON by their tokens. */

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

/** A comment, a text, a number, a word of the language, or a name that is called. */
const TYPESCRIPT_TOKEN = new RegExp(
  [
    String.raw`(?<comment>\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))`,
    String.raw`(?<string>"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|\x60(?:\\[\s\S]|[^\x60\\])*\x60?)`,
    String.raw`(?<number>(?<![\w$.])\d[\w.]*)`,
    String.raw`(?<keyword>(?<![\w$.])(?:as|async|await|break|case|catch|class|const|continue|default|delete|do|else|extends|false|finally|for|from|function|if|in|instanceof|interface|let|new|null|of|return|satisfies|static|super|switch|this|throw|true|try|type|typeof|undefined|var|void|while|yield)(?![\w$]))`,
    String.raw`(?<call>(?<![\w$])[A-Za-z_$][\w$]*(?=\s*\())`,
  ].join("|"),
  "g",
);

const typescriptStretches = (text: string): readonly Stretch[] =>
  [...text.matchAll(TYPESCRIPT_TOKEN)].map(({ 0: token, groups = {}, index: from }) => {
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined);
    return { from, to: from + token.length, kind: `syn-${kind}` };
  });

const LANGUAGES: ReadonlyMap<string, (text: string) => readonly Stretch[]> = new Map([
  ["python", pythonStretches],
  ["py", pythonStretches],
  ...["typescript", "ts", "javascript", "js"].map((name) => [name, typescriptStretches] as const),
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
