/** Lays out pages with nunjucks. Escaping is on; only HTML from `text.ts` is inserted unescaped. */

import nunjucks from "nunjucks";
import { type Html, withVisibleMarks } from "./text.js";

/** The layouts, each in a file `site/<name>.njk`; `base` encloses all others, `parts` holds shared macros. */
export const TEMPLATES = [
  "base",
  "parts",
  "home",
  "op",
  "pack",
  "list",
  "name",
  "snippet",
  "changes",
  "guide",
  "guides",
  "missing",
  "search",
] as const;

/** A layout. */
export type TemplateName = (typeof TEMPLATES)[number];

/** An op in a list of links. */
export interface OpLink {
  readonly name: string;
  /** Relative link to its page. */
  readonly href: string;
  /** Whether the list stands on that page. */
  readonly isCurrent: boolean;
}

/** Lays out pages and parts of them as HTML. */
export interface PageLayout {
  /** A page. An undefined name in the layout is an error. */
  readonly page: (template: TemplateName, context: object) => string;
  /** An item of a list of links. Every page has many, so it needs no template, which takes ten times as long. */
  readonly link: (link: OpLink) => string;
}

/** Makes a layout of these templates. */
export function createLayout(templates: Readonly<Record<TemplateName, string>>): PageLayout {
  const loader = {
    getSource: (name: string) => ({ src: templates[name as TemplateName], path: name, noCache: false }),
  };
  const options = { autoescape: true, throwOnUndefined: true, trimBlocks: true, lstripBlocks: true };
  const environment = new nunjucks.Environment(loader, options);
  const escaped: (text: string) => Html = environment.getFilter("escape");
  /** A name that may wrap after each of its words. */
  const breaks = (name: string): string => String(escaped(name)).replace(/[._/-]+(?=\w)/g, "$&<wbr>");
  environment.addFilter("breaks", (name: string) => new nunjucks.runtime.SafeString(breaks(name)));
  return {
    page: (template, context) => withVisibleMarks(environment.render(template, context)),
    link: ({ name, href, isCurrent }) =>
      `<li><a href="${escaped(href)}"${isCurrent ? ' aria-current="page"' : ""}>${breaks(name)}</a></li>\n`,
  };
}
