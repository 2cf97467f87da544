/** Makes the home page, the search page, and the lists of ops by entity and by action. */

import { nameWords } from "../../generator/core/names.js";
import { inMarkdown } from "../../generator/core/printer.js";
import { verbIn } from "../../generator/pass/verb-of.js";
import { verbs } from "../../generator/pass/verbs.js";
import { counted } from "../../runtime/contract/message-text.js";
import type { Tool } from "../../runtime/contract/registry.js";
import { fileName, linkTo, twinFile } from "./addresses.js";
import { guideIndex } from "./guide-pages.js";
import { llmsIndex } from "./machine-files.js";
import { groupedBy } from "./pack-groups.js";
import { aboutPack, itemLine, type ListedGroup, opListItem } from "./pack-pages.js";
import type { Site, SitePage } from "./site-model.js";

/** The lists of ops by entity and by action; a list that would have no heading is left out. */
export const listPages = (site: Site): readonly SitePage[] => [
  ...pagesOfList(site, {
    folder: "by-entity",
    title: "By entity",
    about: "Every op, by the entity that it works on.",
    keyOf: (one) => one.entity,
  }),
  ...pagesOfList(site, {
    folder: "by-action",
    title: "By action",
    about: "Every op, by what it does.",
    keyOf: verbOf,
  }),
];

/** The page of the search. */
export const searchPage: SitePage = {
  folder: "search",
  title: "Search",
  about: "Search every page by its name, its text and the arguments of ops.",
  template: "search",
  data: () => ({}),
};

/** The page that leads to all others. */
export function homePage(site: Site): SitePage {
  const { registry, addresses, render } = site;
  const members = groupedBy(registry.tools, (one) => one.group);
  const counts = `${counted(registry.tools.length, "op")} in ${counted(registry.packs.length, "pack")}`;
  const index = guideIndex(site);
  return {
    folder: "",
    title: site.title,
    about: index?.about || `${counts}: how to call each, and when.`,
    template: "home",
    data: () => ({
      counts,
      index: index?.html ?? "",
      guides: index ? [] : site.guides.filter((one) => one.group === ""),
      packs: registry.packs.map((pack) => {
        const tools = members.get(pack.name) ?? [];
        const about = render.inline(aboutPack(pack, tools));
        return { name: pack.name, folder: addresses.pack(pack.name), about, ops: counted(tools.length, "op") };
      }),
      snippets: site.index.snippets.map(({ name, description }) => ({
        name: `$${name}`,
        folder: addresses.snippet(name),
        about: render.inline(description),
      })),
      aliases: site.index.aliases.map(({ name, target }) => ({ name, folder: addresses.alias(name), target })),
    }),
    markdown: () => llmsIndex(site),
  };
}

const VERBS = verbs(undefined);

/** The verb of an op: the verb of its action, else the action itself if it is one word. */
const verbOf = ({ action = "", group }: Tool): string | undefined => {
  const known = verbIn(action, VERBS, group);
  return known?.by === "verb" ? known.word : nameWords(action).length === 1 ? action.toLowerCase() : undefined;
};

/** Heading for ops that are alone in their group: a heading for each would be longer than the list. */
const LONE = "Others";

/** A list of ops under headings. */
interface List {
  readonly folder: string;
  readonly title: string;
  readonly about: string;
  readonly keyOf: (tool: Tool) => string | undefined;
}

type Grouped = readonly (readonly [title: string, tools: readonly Tool[]])[];

/** Most ops on one page of a list. */
const MAX_ON_PAGE = 200;

/** The pages of a list: one, or for many ops one of the headings and some for each heading. */
function pagesOfList(site: Site, list: List): readonly SitePage[] {
  const groups = groupsOf(site.registry.tools, list.keyOf);
  if (groups.length === 0) return [];
  const { folder, title, about } = list;
  if (site.registry.tools.length <= MAX_ON_PAGE) return [listPage(site, { folder, title, about }, groups, [])];
  const taken = new Set<string>();
  const parts = groups.map(([key, tools]) => {
    const name = freeAddress(fileName(key.toLowerCase()), taken);
    const chunks = Array.from({ length: Math.ceil(tools.length / MAX_ON_PAGE) }, (_, at) =>
      tools.slice(at * MAX_ON_PAGE, (at + 1) * MAX_ON_PAGE),
    );
    const places = chunks.map((_, at) => ({
      title: `${at + 1}`,
      folder: `${folder}/${name}${at === 0 ? "" : `/${at + 1}`}`,
    }));
    const pages = chunks.map((some, at) => {
      const page = {
        folder: places[at]?.folder ?? "",
        title: `${title}: ${key}`,
        about: `${counted(tools.length, "op")}.`,
      };
      return listPage(site, page, [[key, some]], places.length > 1 ? places : []);
    });
    return { link: { title: key, folder: places[0]?.folder ?? "", count: tools.length }, pages };
  });
  return [
    listPage(
      site,
      { folder, title, about },
      [],
      parts.map((one) => one.link),
    ),
    ...parts.flatMap((one) => one.pages),
  ];
}

function freeAddress(name: string, taken: Set<string>): string {
  let free = name;
  for (let count = 2; taken.has(free); count++) free = `${name}~${count}`;
  taken.add(free);
  return free;
}

/** Ops by heading, sorted; empty if no heading has two ops. */
function groupsOf(tools: readonly Tool[], keyOf: List["keyOf"]): Grouped {
  const keys = new Map(tools.map((one) => [one.op, keyOf(one)]));
  const groups = groupedBy(tools, ({ op }) => keys.get(op) ?? LONE);
  const shared = [...groups].filter(([key, members]) => key !== LONE && members.length > 1);
  if (shared.length === 0) return [];
  const known = new Set(shared.map(([key]) => key));
  const lone = tools.filter(({ op }) => !known.has(keys.get(op) ?? LONE));
  const sorted = shared.sort(([a], [b]) => (a < b ? -1 : 1));
  return lone.length > 0 ? [...sorted, [LONE, lone]] : sorted;
}

/** A page of a list; `links` lead to its other pages. */
function listPage(
  site: Site,
  { folder, title, about }: Pick<SitePage, "folder" | "title" | "about">,
  groups: Grouped,
  links: readonly { readonly title: string; readonly folder: string; readonly count?: number }[],
): SitePage {
  return {
    folder,
    title,
    about,
    template: "list",
    data: () => ({
      links: links.map((one) => ({ ...one, count: one.count ?? "" })),
      groups: groups.map(
        ([key, tools], at): ListedGroup => ({ title: key, id: `group-${at + 1}`, items: tools.map(opListItem(site)) }),
      ),
    }),
    markdown: () => {
      const line = itemLine(site, twinFile(folder));
      const from = twinFile(folder).split("/").slice(0, -1).join("/");
      const further = links.map((one) => `- [${inMarkdown(one.title)}](${linkTo(from, twinFile(one.folder))})`);
      const sections = groups.map(([key, tools]) => `## ${inMarkdown(key)}\n\n${tools.map(line).join("\n")}`);
      return `${[`# ${title}`, about, ...sections, ...(further.length > 0 ? [further.join("\n")] : [])].join("\n\n")}\n`;
    },
  };
}
