/** Makes the list of pages that stands beside every page: guides, packs with the ops of one of them, and the lists. */

import { posix } from "node:path";
import type { Tool } from "../../runtime/contract/registry.js";
import { linkTo, pageFile } from "./addresses.js";
import { GUIDES } from "./guide-text.js";
import { groupedBy, packGroups, type TitledOps } from "./pack-groups.js";
import type { Site, SitePage } from "./site-model.js";
import type { PageLayout } from "./templates.js";

/** Most packs that every page lists; of more, a page lists its own, so that a site grows linearly. */
const MAX_PACKS = 30;
/** Most guides that every page lists; of more, a guide lists those of its folder. */
const MAX_GUIDES = 60;

/** A link of the list. */
interface Entry {
  readonly name: string;
  readonly folder: string;
}

/** What stands beside a page. */
export interface PageAside {
  readonly guides: readonly {
    readonly title: string;
    readonly entries: readonly (Entry & { readonly parts: readonly (Entry & { readonly id: string })[] })[];
  }[];
  readonly packs: readonly (Entry & { readonly groups: readonly Group[] })[];
  /** How many packs the list leaves out. */
  readonly more: number;
  readonly lists: readonly Entry[];
  /** Title of the group of the op that the page is about; empty if it has none. */
  readonly group: string;
}

/** Returns a function that makes the list beside a page; `lists` are the pages that list ops. */
export function pageAsides(site: Site, lists: readonly SitePage[]): (page: SitePage) => PageAside {
  const opsBeside = neighbours(site);
  const members = groupedBy(site.registry.tools, (one) => one.group);
  const first = (pack: string): Tool | undefined => {
    const tools = members.get(pack) ?? [];
    return tools.length <= MAX_NEIGHBOURS ? tools[0] : undefined;
  };
  const { packs } = site.registry;
  return ({ folder, pack, tool }) => {
    const shown = packs.length <= MAX_PACKS ? packs : packs.filter(({ name }) => name === pack);
    return {
      guides: guideGroups(site, folder),
      packs: shown.map(({ name }) => {
        const near = name === pack ? (tool ?? first(name)) : undefined;
        return { name, folder: site.addresses.pack(name), groups: near ? opsBeside(near) : [] };
      }),
      group: tool ? (opsBeside(tool).find(({ tools }) => tools.some(({ op }) => op === tool.op))?.title ?? "") : "",
      more: packs.length - shown.length,
      lists: lists.map(({ title, folder }) => ({ name: title, folder })),
    };
  };
}

function guideGroups({ guides }: Site, folder: string): PageAside["guides"] {
  const own = guides.find((one) => one.folder === folder);
  const shown =
    guides.length <= MAX_GUIDES ? guides : guides.filter((one) => one.folder === GUIDES || one.group === own?.group);
  return [...groupedBy(shown, (one) => one.group)].map(([title, members]) => ({
    title,
    entries: members.map((one) => ({
      name: one.title,
      folder: one.folder,
      parts:
        one.folder === folder
          ? one.sections.filter(({ level }) => level === 2).map(({ title, id }) => ({ name: title, folder, id }))
          : [],
    })),
  }));
}

/** Makes the links to the ops of a group that stand beside a page, as HTML. */
export type GroupLinks = (page: Pick<SitePage, "folder" | "title">, group: Group, pack: string) => string;

/** The links of a group are the same on all pages of a folder, but for those to the page itself and below it. They are made once for each folder. */
export function groupLinks(layout: PageLayout): GroupLinks {
  const made = new WeakMap<Group, Map<string, readonly string[]>>();
  return ({ folder, title }, group, pack) => {
    const linkFrom = (from: string) => (one: Group["tools"][number]) =>
      layout.link({
        name: one.op.startsWith(`${pack}.`) ? one.op.slice(pack.length + 1) : one.op,
        href: linkTo(from, pageFile(one.folder)),
        isCurrent: from === folder && one.op === title,
      });
    const parent = posix.dirname(folder);
    const folders = made.get(group) ?? new Map<string, readonly string[]>();
    const shared = folders.get(parent) ?? group.tools.map(linkFrom(posix.join(parent, ANY_PAGE)));
    made.set(group, folders.set(parent, shared));
    const isOwn = (one: Group["tools"][number]): boolean => `${one.folder}/`.startsWith(`${folder}/`);
    return group.tools.map((one, at) => (isOwn(one) ? linkFrom(folder)(one) : shared[at])).join("");
  };
}

/** Stands for the name of a page; no page has it. */
const ANY_PAGE = "*";

/** Most ops beside a page. */
export const MAX_NEIGHBOURS = 60;

/** A group of ops under a heading. */
export interface Group {
  readonly title: string;
  readonly tools: readonly { readonly op: string; readonly folder: string; readonly kind: string }[];
}

/** Returns a function that finds the ops beside the page of a tool: those of a small pack, else those near it in its group. */
export function neighbours(site: Site): (tool: Tool) => readonly Group[] {
  const packs = groupedBy(site.registry.tools, (one) => one.group);
  const groupsOf = packGroups(site.registry);
  const made = new Map<string, readonly Group[]>();
  const madeOf = (pack: string): readonly Group[] => {
    const known = made.get(pack);
    if (known) return known;
    const tools = packs.get(pack) ?? [];
    const groups = groupsOf(pack, tools).map(groupOf(site));
    const shown = tools.length <= MAX_NEIGHBOURS ? groups : groups.flatMap(inParts);
    made.set(pack, shown);
    return shown;
  };
  return ({ op, group }) => {
    const groups = madeOf(group);
    if ((packs.get(group) ?? []).length <= MAX_NEIGHBOURS) return groups;
    return groups.filter(({ tools }) => tools.some((one) => one.op === op));
  };
}

const groupOf =
  (site: Site) =>
  ([title, members]: TitledOps): Group => ({
    title,
    tools: members.map(({ op, kind }) => ({ op, kind, folder: site.addresses.op(op) })),
  });

const inParts = ({ title, tools }: Group): readonly Group[] =>
  Array.from({ length: Math.ceil(tools.length / MAX_NEIGHBOURS) }, (_, at) => ({
    title,
    tools: tools.slice(at * MAX_NEIGHBOURS, (at + 1) * MAX_NEIGHBOURS),
  }));
