/** Makes the home page, the lists of ops by entity and by action, and the search page. */

import { counted } from "../../runtime/contract/counted.js";
import type { Tool } from "../../runtime/contract/registry.js";
import { wordsOf } from "../core/names.js";
import { inMarkdown } from "../core/printer.js";
import { verbIn } from "../pass/verb-of.js";
import { verbs } from "../pass/verbs.js";
import { twinFile } from "./addresses.js";
import { llmsIndex } from "./machine-files.js";
import { groupedBy } from "./neighbours.js";
import { aboutPack, itemLine, itemOf, type ListedGroup } from "./pack-pages.js";
import type { Page, Site } from "./site-model.js";

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
  const members = groupedBy(registry.tools, (one) => one.group);
  return {
    folder: "",
    title: "Tool reference",
    about: `${counted(registry.tools.length, "op")} in ${counted(registry.packs.length, "pack")}: how to call each, and when.`,
    template: "home",
    data: () => ({
      packs: registry.packs.map((pack) => {
        const tools = members.get(pack.name) ?? [];
        const about = render.inline(aboutPack(pack, tools));
        return { name: pack.name, folder: addresses.pack(pack.name), about, ops: counted(tools.length, "op") };
      }),
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

const VERBS = verbs(undefined);

/** The verb of an op: the verb of its action, else the action itself if it is one word. */
const verbOf = ({ action = "", group }: Tool): string | undefined => {
  const known = verbIn(action, VERBS, group);
  return known?.by === "verb" ? known.word : wordsOf(action).length === 1 ? action.toLowerCase() : undefined;
};

/** Heading for ops that are alone in their group: a heading for each would be longer than the list. */
const LONE = "Others";

function listPage(
  site: Site,
  folder: string,
  title: string,
  about: string,
  keyOf: (tool: Tool) => string | undefined,
): Page {
  const grouped = () => {
    const keys = new Map(site.registry.tools.map((one) => [one.op, keyOf(one)]));
    const groups = groupedBy(site.registry.tools, ({ op }) => keys.get(op) ?? LONE);
    if (groups.size === 1 && groups.has(LONE)) return [];
    const shared = [...groups].filter(([key, tools]) => key !== LONE && tools.length > 1);
    const known = new Set(shared.map(([key]) => key));
    const lone = site.registry.tools.filter(({ op }) => !known.has(keys.get(op) ?? LONE));
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
