/** Makes the page of each pack: its purpose, and its ops by group. */

import { inMarkdown } from "../../generator/core/printer.js";
import { counted } from "../../runtime/contract/message-text.js";
import type { Pack, Tool } from "../../runtime/contract/registry.js";
import { linkTo, twinFile } from "./addresses.js";
import { groupedBy, packGroups, type TitledOps } from "./pack-groups.js";
import type { Site, SitePage } from "./site-model.js";
import type { Html } from "./text.js";

/** Packs with fewer ops have no filter. */
const MIN_FILTERED = 10;

/** A page for each pack. */
export function packPages(site: Site): readonly SitePage[] {
  const tools = groupedBy(site.registry.tools, (one) => one.group);
  const groupsOf = packGroups(site.registry);
  return site.registry.packs.map((pack): SitePage => {
    const folder = site.addresses.pack(pack.name);
    const members = tools.get(pack.name) ?? [];
    const instructions = site.index.packs[pack.name]?.instructions?.trim() ?? "";
    return {
      folder,
      title: pack.name,
      about: pack.summary || `The pack ${pack.name}.`,
      template: "pack",
      pack: pack.name,
      data: () => ({
        pack,
        summary: site.render.block(pack.summary),
        counts: countsOf(members),
        instructions: instructions === "" ? "" : site.render.block(instructions),
        groups: groupsOf(pack.name, members).map(listedGroup(site)),
        hasFilter: members.length >= MIN_FILTERED,
      }),
      markdown: () => packText(site, pack, instructions, members),
    };
  });
}

/** A group of ops in a list. */
export interface ListedGroup {
  readonly title: string;
  readonly id: string;
  readonly items: readonly {
    readonly name: string;
    readonly folder: string;
    readonly kind: string;
    readonly about: Html;
  }[];
}

const listedGroup =
  (site: Site) =>
  ([title, members]: TitledOps, at: number): ListedGroup => ({
    title,
    id: `group-${at + 1}`,
    items: members.map(opListItem(site)),
  });

/** An op as a line of a list. */
export const opListItem =
  (site: Site) =>
  (tool: Tool): ListedGroup["items"][number] => ({
    name: tool.op,
    folder: site.addresses.op(tool.op),
    kind: tool.kind,
    about: site.render.inline(tool.summary),
  });

/** `48 ops: 25 read, 23 write.` */
function countsOf(tools: readonly Tool[]): string {
  const reads = tools.filter((one) => one.kind === "read").length;
  const kinds = [`${reads} read`, `${tools.length - reads} write`].filter((one) => !one.startsWith("0 "));
  return `${counted(tools.length, "op")}: ${kinds.join(", ")}.`;
}

/** Most ops that describe a pack without a summary. */
const MAX_NAMED = 4;

/** Purpose of a pack: its summary, else its first ops without the name of the pack. */
export function aboutPack({ name, summary }: Pack, tools: readonly Tool[]): string {
  if (summary !== "") return summary;
  const first = tools.slice(0, MAX_NAMED).map(({ op }) => op.slice(name.length + 1));
  return inMarkdown(`${first.join(", ")}${tools.length > MAX_NAMED ? " …" : ""}`);
}

function packText(site: Site, { name, summary }: Pack, instructions: string, tools: readonly Tool[]): string {
  const said = [summary, instructions].map((one) => inMarkdown(one.trim())).filter((one) => one !== "");
  const head = [`# ${inMarkdown(name)}`, ...said];
  return `${[...head, tools.map(itemLine(site, twinFile(site.addresses.pack(name)))).join("\n")].join("\n\n")}\n`;
}

/** An op as a line of Markdown in a file of the site. */
export const itemLine =
  (site: Site, file: string) =>
  ({ op, kind, summary }: Tool): string => {
    const from = file.split("/").slice(0, -1).join("/");
    return `- [${inMarkdown(op)}](${linkTo(from, twinFile(site.addresses.op(op)))}) (${kind}): ${inMarkdown(summary).replaceAll("\n", " ")}`;
  };
