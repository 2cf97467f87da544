/** The first page, the lists of ops by entity and by action, and the page of the search. */

import type { Tool } from "toolwright/codegen";
import { inMarkdown } from "../emit/printer.js";
import { twinFile } from "./addresses.js";
import { llmsIndex } from "./machine-files.js";
import { groupedBy } from "./neighbours.js";
import { itemLine, itemOf, type ListedGroup } from "./pack-pages.js";
import type { Page, Site } from "./site.js";

/** The pages that lead to all others. */
export function listPages(site: Site): readonly Page[] {
  return [
    homePage(site),
    listPage(site, "by-entity", "By entity", "Every op, by the entity that it works on.", (one) => one.entity),
    listPage(site, "by-action", "By action", "Every op, by what it does.", verbOf),
    {
      folder: "search",
      title: "Search",
      about: "Search every op by its name, its description and its arguments.",
      template: "search",
      data: () => ({}),
    },
  ];
}

function homePage(site: Site): Page {
  const { registry, index, addresses, render } = site;
  const counts = groupedBy(registry.tools, (one) => one.group);
  return {
    folder: "",
    title: "Tool reference",
    about: `${registry.tools.length} ops in ${registry.packs.length} packs: how to call each, and when.`,
    template: "home",
    data: () => ({
      packs: registry.packs.map(({ name, summary }) => ({
        name,
        folder: addresses.pack(name),
        summary: render.inline(summary),
        ops: counts.get(name)?.length ?? 0,
      })),
      snippets: index.snippets.map(({ name, description }) => ({
        name: `$${name}`,
        folder: addresses.snippet(name),
        about: render.inline(description),
      })),
      aliases: index.aliases.map(({ name, target }) => ({ name, folder: addresses.alias(name), target })),
    }),
    markdown: () => llmsIndex(site),
  };
}

/** The first word of an action: tools of servers have their whole name as one. */
const verbOf = ({ action }: Tool): string | undefined =>
  action
    ?.replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .split(/[\s_-]+/)
    .find((one) => one !== "")
    ?.toLowerCase();

/** Groups of one op are put together: a heading for each would be longer than the list. */
const LONE = "Others";

function listPage(
  site: Site,
  folder: string,
  title: string,
  about: string,
  keyOf: (tool: Tool) => string | undefined,
): Page {
  const grouped = () => {
    const groups = groupedBy(site.registry.tools, (one) => keyOf(one) ?? LONE);
    const shared = [...groups].filter(([key, tools]) => key !== LONE && tools.length > 1);
    const known = new Set(shared.map(([key]) => key));
    const lone = site.registry.tools.filter((one) => !known.has(keyOf(one) ?? LONE));
    const sorted = shared.sort(([a], [b]) => (a < b ? -1 : 1));
    return lone.length > 0 ? [...sorted, [LONE, lone] as const] : sorted;
  };
  return {
    folder,
    title,
    about,
    template: "list",
    data: () => ({
      groups: grouped().map(
        ([key, tools], at): ListedGroup => ({ title: key, id: `group-${at + 1}`, items: tools.map(itemOf(site)) }),
      ),
    }),
    markdown: () => {
      const line = itemLine(site, twinFile(folder));
      const sections = grouped().map(([key, tools]) => `## ${inMarkdown(key)}\n\n${tools.map(line).join("\n")}`);
      return `${[`# ${title}`, about, ...sections].join("\n\n")}\n`;
    },
  };
}
