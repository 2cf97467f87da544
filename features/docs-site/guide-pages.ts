/** Makes the pages of the guides, and the list of them. */

import { posix } from "node:path";
import { inMarkdown, textBeginning } from "../../generator/core/printer.js";
import { byCodeUnit } from "../../runtime/contract/canonical.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import { fileName, linkTo, pageFile } from "./addresses.js";
import { GUIDES, type Guide, type LinkTarget, parseGuide } from "./guide-text.js";
import type { GuideFolder, Site, SitePage } from "./site-model.js";
import type { Html, SyntaxColouring } from "./text.js";

/** Characters of the sentence that lists show of a guide. */
const MAX_ABOUT_LENGTH = 200;

/** The beginning of a text, up to the end of a word. */
const shortened = (text: string): string =>
  text.length <= MAX_ABOUT_LENGTH ? text : `${textBeginning(text, MAX_ABOUT_LENGTH).replace(/\s+\S*$/, "")} …`;

/** Most dead links that one message lists. */
const MAX_LISTED = 20;

/**
 * Reads the guides, in the order in which the `index.md` of their folder leads to them; others follow by name.
 *
 * @throws UsageError for links to guides or headings that do not exist, and for HTML elements that are not closed
 */
export function guidesOf({ name, guides, files }: GuideFolder, colours: SyntaxColouring): readonly Guide[] {
  const read = guides.map(({ file, text }): Guide => {
    const parsed = parseGuide(text, titled(posix.basename(file).replace(/\.md$/i, "")), colours);
    const { title, sections } = parsed;
    const about = shortened(parsed.about);
    return { file, folder: folderOf(file), group: groupOf(file), title, about, sections, text, parsed };
  });
  const byFile = new Map(read.map((one) => [one.file, one]));
  const faults = read.flatMap((guide) => faultsOf(guide, byFile, files).map((one) => `${name}/${guide.file}:${one}`));
  if (faults.length > 0) {
    const more = faults.length > MAX_LISTED ? `\n${faults.length - MAX_LISTED} more` : "";
    throw new UsageError(`the guides cannot be built:\n${faults.slice(0, MAX_LISTED).join("\n")}${more}`);
  }
  return inOrder(read);
}

/** `api-keys` as a title: `Api keys`. */
const titled = (name: string): string => {
  const words = name.replace(/[-_]+/g, " ").trim();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
};

const isIndex = (file: string): boolean => /(?:^|\/)(?:index|readme)\.md$/i.test(file);

function folderOf(file: string): string {
  const path = isIndex(file) ? posix.dirname(file) : file.replace(/\.md$/i, "");
  return [
    GUIDES,
    ...path
      .split("/")
      .filter((one) => one !== "." && one !== "")
      .map(fileName),
  ].join("/");
}

function groupOf(file: string): string {
  const folder = posix.dirname(file);
  return folder === "." ? "" : folder.split("/").map(titled).join(" / ");
}

/** A link from a guide as an address of the site. */
function targetOf(
  from: Guide,
  href: string,
  byFile: ReadonlyMap<string, Guide>,
  files: ReadonlySet<string>,
): LinkTarget {
  const [path = "", anchor] = decoded(href).split("#");
  const file = path === "" ? from.file : posix.normalize(posix.join(posix.dirname(from.file), path));
  if (file.startsWith("../") || posix.isAbsolute(path)) return undefined;
  const folder = file.replace(/\/?$/, "/");
  const guide =
    byFile.get(file) ?? ["index.md", "README.md"].map((one) => byFile.get(posix.join(folder, one))).find(Boolean);
  if (!guide) return files.has(file) ? undefined : { fault: `${href} leads to no file: mend the link` };
  if (anchor !== undefined && anchor !== "" && !guide.sections.some((one) => one.id === anchor)) {
    const known = guide.sections.flatMap(({ id }) => (id === "" ? [] : [`#${id}`]));
    return { fault: `${href} leads to no heading of ${guide.file}: it has ${known.join(", ") || "none"}` };
  }
  const page = guide === from && path === "" ? "" : linkTo(from.folder, pageFile(guide.folder));
  return { href: encodeURI(`${page}${anchor ? `#${anchor}` : ""}`) };
}

function decoded(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}

function faultsOf(guide: Guide, byFile: ReadonlyMap<string, Guide>, files: ReadonlySet<string>): readonly string[] {
  const dead = guide.parsed.links.flatMap(({ href, line }) => {
    const target = targetOf(guide, href, byFile, files);
    return target && "fault" in target ? [`${line}: ${target.fault}`] : [];
  });
  return [...dead, ...guide.parsed.faults.map(({ line, message }) => `${line}: ${message}`)];
}

function inOrder(guides: readonly Guide[]): readonly Guide[] {
  const byFile = new Map(guides.map((one) => [one.file, one]));
  const linked = (guide: Guide): readonly string[] =>
    guide.parsed.links.map(({ href }) => posix.join(posix.dirname(guide.file), decoded(href).split("#")[0] ?? ""));
  const indexes = guides.filter(({ file }) => isIndex(file));
  const named = [...new Set(indexes.flatMap((one) => [one.file, ...linked(one)]))].flatMap(
    (one) => byFile.get(one) ?? [],
  );
  const others = guides.filter((one) => !named.includes(one));
  // The guides at the top first, then folder by folder.
  const groups = [...new Set([...named, ...others].map((one) => one.group))].sort(
    (a, b) => Number(a !== "") - Number(b !== "") || byCodeUnit(a, b),
  );
  return groups.flatMap((group) => [...named, ...others].filter((one) => one.group === group));
}

/** A page for each guide, and a list of them if no `index.md` is one. */
export function guidePages(site: Site): readonly SitePage[] {
  const { guides } = site;
  if (guides.length === 0) return [];
  const byFile = new Map(guides.map((one) => [one.file, one]));
  const pages = guides.map((guide) => guidePage(site, guide, byFile));
  return guides.some((one) => one.folder === GUIDES) ? pages : [listOfGuides(site), ...pages];
}

/** What the `index.md` of the guides says, for the first page of the site; undefined without one. */
export function guideIndex(site: Site): { readonly about: string; readonly html: Html } | undefined {
  const found = site.guides.find((one) => one.folder === GUIDES);
  if (!found) return undefined;
  const byFile = new Map(site.guides.map((one) => [one.file, one]));
  const here = { ...found, folder: "" };
  const html = found.parsed.rest((href) => targetOf(here, href, byFile, site.guideFiles), addressOf(site, ""));
  return { about: found.about, html };
}

/** Returns a function that finds the page of an op, as a link from a folder. */
const addressOf =
  (site: Site, folder: string) =>
  (name: string): string | undefined => {
    const op = site.opOf(name);
    return op === undefined ? undefined : linkTo(folder, pageFile(site.addresses.op(op)));
  };

function guidePage(site: Site, guide: Guide, byFile: ReadonlyMap<string, Guide>): SitePage {
  const { folder, title, about, text, parsed } = guide;
  return {
    folder,
    title,
    about: about || `${title}.`,
    template: "guide",
    markdown: () => text,
    twin: `${GUIDES}/${guide.file}`,
    data: () => ({
      has_title: parsed.hasTitle,
      html: parsed.html((href) => targetOf(guide, href, byFile, site.guideFiles), addressOf(site, folder)),
      ...neighboursOf(site.guides, guide),
    }),
  };
}

/** The guides before and after one. */
const neighboursOf = (guides: readonly Guide[], guide: Guide): object => {
  const at = guides.indexOf(guide);
  return { before: guides[at - 1] ?? false, after: guides[at + 1] ?? false };
};

const listOfGuides = ({ guides }: Site): SitePage => ({
  folder: GUIDES,
  title: "Guides",
  about: "Every guide of this project.",
  template: "guides",
  data: () => ({ guides }),
  markdown: () =>
    `# Guides\n\n${guides.map((one) => `- [${inMarkdown(one.title)}](${GUIDES}/${one.file})`).join("\n")}\n`,
});
