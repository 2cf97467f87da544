/**
 * Renders Markdown of foreign text. Tokens of the parser become elements of a fixed list, so that no text is ever markup: there is no
 * HTML, no image, no attribute of the text's own, and no link but to http and https.
 */

import markdownIt from "markdown-it";
import type { ComponentChildren } from "preact";
import { CodeFrame } from "./code.js";
import { Foreign, Linked, SiteLink } from "./text.js";

type Token = ReturnType<ReturnType<typeof markdownIt>["parse"]>[number];

/** Deepest nesting of lists and quotes. */
const MAX_DEPTH = 12;
/** Longest text that is read as Markdown, in characters; a longer one is shown as it is. */
const MAX_LENGTH = 60_000;

const parser = markdownIt({ html: false, linkify: false, breaks: true, maxNesting: MAX_DEPTH * 5 });
parser.disable(["html_inline", "html_block", "image"]);
parser.validateLink = (url) => /^https?:\/\//i.test(url);

/** A text in Markdown; long text is cut until you ask for the rest. */
export const Markdown = ({ text }: { readonly text: string }) => (
  <Foreign text={text} class="markdown">
    {(shown) => (shown.length > MAX_LENGTH ? <Linked text={shown} /> : rendered(parser.parse(shown, {})))}
  </Foreign>
);

/** A list of texts; nothing if it is empty. */
export const Lines = ({ lines }: { readonly lines: readonly string[] | undefined }) =>
  lines && lines.length > 0 ? (
    <ul>
      {lines.map((line) => (
        <li key={line}>
          <Markdown text={line} />
        </li>
      ))}
    </ul>
  ) : null;

/** An element with the content so far. */
interface Open {
  readonly token: Token | undefined;
  readonly children: ComponentChildren[];
}

function rendered(tokens: readonly Token[]): ComponentChildren {
  const stack: Open[] = [{ token: undefined, children: [] }];
  const add = (child: ComponentChildren): void => void stack.at(-1)?.children.push(child);
  for (const [at, token] of tokens.entries()) {
    if (token.nesting === 1) stack.push({ token, children: [] });
    else if (token.nesting === 0 && (token.type !== "inline" || token.content !== "")) add(leaf(token, at));
    else if (stack.length > 1) {
      const { token: opened, children } = stack.pop() as Open;
      add(element(opened as Token, children, at));
    }
  }
  return stack[0]?.children;
}

/** Elements whose token has their name; all others are left out, and their content stays. */
const TAGS = ["p", "ul", "ol", "li", "blockquote", "strong", "em", "s", "thead", "tbody", "tr", "th", "td"] as const;

function element(token: Token, children: ComponentChildren[], key: number): ComponentChildren {
  // Paragraphs of short lists have no element.
  if (token.hidden) return children;
  // A heading of foreign text is no heading of the page.
  if (token.type === "heading_open")
    return (
      <p key={key} class="heading">
        {children}
      </p>
    );
  if (token.type === "link_open")
    return (
      <SiteLink key={key} address={String(token.attrGet("href") ?? "")}>
        {children}
      </SiteLink>
    );
  if (token.type === "table_open")
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable with the keyboard.
      <section key={key} class="scroll" tabIndex={0} aria-label="Table">
        <table>{children}</table>
      </section>
    );
  // A screen reader reads a heading without text as nothing.
  const tag = token.tag === "th" && children.length === 0 ? "td" : token.tag;
  const Tag = TAGS.find((one) => one === tag);
  return Tag ? <Tag key={key}>{children}</Tag> : children;
}

function leaf(token: Token, key: number): ComponentChildren {
  switch (token.type) {
    case "inline":
      return rendered(token.children ?? []);
    case "code_inline":
      return <code key={key}>{token.content}</code>;
    case "fence":
    case "code_block":
      return (
        <CodeFrame key={key} text={token.content.replace(/\n$/, "")} label="Code" language={languageOf(token.info)} />
      );
    case "hardbreak":
    case "softbreak":
      return <br key={key} />;
    case "hr":
      return <hr key={key} />;
    default:
      return <Linked key={key} text={token.content} />;
  }
}

const languageOf = (info: string): string => info.trim().split(/\s/)[0]?.toLowerCase() ?? "";
