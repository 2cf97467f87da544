/** The layouts of pages: nunjucks with escaping on; only HTML that `text.ts` made passes as it is. */

import nunjucks from "nunjucks";
import { type Html, visible } from "./text.js";

/** The layouts, each a file `site/<name>.njk`; `base` is around all others, `parts` holds what they share. */
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
  "search",
] as const;

/** A layout. */
export type TemplateName = (typeof TEMPLATES)[number];

/** Lays out pages. A name that a layout uses and nobody gave is an error. */
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

/** A name that may go on in the next line behind each of its words. */
const breakable = (html: string): Html => new nunjucks.runtime.SafeString(html.replace(/[._/-]+(?=\w)/g, "$&<wbr>"));
