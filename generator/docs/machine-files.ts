/** Makes the files for models: `llms.txt`, which lists the Markdown pages, and `llms-full.txt`, which contains them. */

import { inMarkdown } from "../core/printer.js";
import { twinFile } from "./addresses.js";
import { itemLine } from "./pack-pages.js";
import type { Site } from "./site-model.js";

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
  const sections = [
    ["Packs", packs],
    ["Ops", registry.tools.map(itemLine(site, "llms.txt"))],
    ["Snippets", snippets],
    ["Aliases", aliases],
    ["Optional", ["- [everything in one file](llms-full.txt)"]],
  ] as const;
  const about = `> ${registry.tools.length} ops in ${registry.packs.length} packs. Registry ${registry.registry_version}.`;
  const shown = sections.filter(([, lines]) => lines.length > 0);
  return `${["# Tool reference", about, ...shown.map(([title, lines]) => `## ${title}\n\n${lines.join("\n")}`)].join("\n\n")}\n`;
}

const line = (text: string): string => inMarkdown(text.trim()).replaceAll("\n", " ");

/** `llms-full.txt`: the help page of every op. */
export const llmsFull = ({ registry, page }: Site): string =>
  registry.tools
    .map(({ op }) => page(op).trimEnd())
    .join("\n\n---\n\n")
    .concat("\n");
