/** Makes the files for machines: `llms.txt`, which lists the Markdown pages, `llms-full.txt`, which contains them, and `sitemap.xml`. */

import { inMarkdown } from "../../generator/core/printer.js";
import { docsUrl } from "../../runtime/contract/help.js";
import { twinFile } from "./addresses.js";
import { GUIDES } from "./guide-text.js";
import { itemLine } from "./pack-pages.js";
import type { Site, SitePage } from "./site-model.js";

/** `llms.txt`. */
export function llmsIndex(site: Site): string {
  const { registry, addresses, index } = site;
  const packs = registry.packs.map(
    ({ name, summary }) => `- [${inMarkdown(name)}](${twinFile(addresses.pack(name))}): ${line(summary)}`,
  );
  const snippets = index.snippets.map(
    ({ name, description }) =>
      `- [${inMarkdown(`$${name}`)}](${twinFile(addresses.snippet(name))}): ${line(description)}`,
  );
  const aliases = index.aliases.map(
    ({ name, target }) => `- [${inMarkdown(name)}](${twinFile(addresses.alias(name))}): stands for ${line(target)}`,
  );
  const guides = site.guides.map(
    ({ title, file, about }) =>
      `- [${inMarkdown(title)}](${GUIDES}/${encodeURI(file)})${about === "" ? "" : `: ${line(about)}`}`,
  );
  const sections = [
    ["Guides", guides],
    ["Packs", packs],
    ["Ops", registry.tools.map(itemLine(site, "llms.txt"))],
    ["Snippets", snippets],
    ["Aliases", aliases],
    ["Optional", ["- [every guide and op in one file](llms-full.txt)"]],
  ] as const;
  const about = `> ${registry.tools.length} ops in ${registry.packs.length} packs. Registry ${registry.registry_version}.`;
  const shown = sections.filter(([, lines]) => lines.length > 0);
  return `${[`# ${line(site.title)}`, about, ...shown.map(([title, lines]) => `## ${title}\n\n${lines.join("\n")}`)].join("\n\n")}\n`;
}

const line = (text: string): string => inMarkdown(text.trim()).replaceAll("\n", " ");

/** `llms-full.txt`: every guide, and the help page of every op. */
export const llmsFull = ({ registry, guides, page }: Site): string =>
  [...guides.map(({ text }) => text), ...registry.tools.map(({ op }) => page(op))]
    .map((one) => one.trimEnd())
    .join("\n\n---\n\n")
    .concat("\n");

/** `sitemap.xml`: the address of every page but the search. */
export function sitemap(address: string, pages: readonly SitePage[]): string {
  const listed = pages.filter(({ template }) => template !== "search");
  const urls = listed.map(({ folder }) => `<url><loc>${inXml(docsUrl(address, folder))}</loc></url>\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join("")}</urlset>\n`;
}

const inXml = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
