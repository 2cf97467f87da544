/** The plugin for footnotes, which has no types. */
declare module "markdown-it-footnote" {
  import type markdownIt from "markdown-it";

  const footnotes: (markdown: ReturnType<typeof markdownIt>) => void;

  export { footnotes as default };
}
