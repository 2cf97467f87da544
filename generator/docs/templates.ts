/** Lays out pages with nunjucks. Escaping is on; only HTML from `text.ts` is inserted unescaped. */

import nunjucks from "nunjucks";
import { type Html, visible } from "./text.js";

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

/** Returns a function that lays out pages. An undefined name in a layout is an error. */
export function createLayout(
  templates: Readonly<Record<TemplateName, string>>,
): (template: TemplateName, context: object) => string {
  const loader = {
    getSource: (name: string) => ({ src: templates[name as TemplateName], path: name, noCache: false }),
  };
  const options = { autoescape: true, throwOnUndefined: true, trimBlocks: true, lstripBlocks: true };
  const environment = new nunjucks.Environment(loader, options);
  const escaped: (text: string) => Html = environment.getFilter("escape");
  environment.addFilter("breaks", (name: string) => breakable(String(escaped(name))));
  return (template, context) => visible(environment.render(template, context));
}

/** A name that may wrap after each of its words. */
const breakable = (html: string): Html => new nunjucks.runtime.SafeString(html.replace(/[._/-]+(?=\w)/g, "$&<wbr>"));
