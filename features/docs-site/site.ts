/**
 * Makes the documentation site as a list of files. Pure: the same input gives the same bytes.
 *
 * The inputs are `generated/registry.json`, `generated/help/` and the guides. A file is made when its text is requested, so that a
 * large site is never in memory as a whole.
 */

import { docsUrl, shortVersion } from "../../runtime/contract/help.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import { addressesOf, linkTo, opsByAnyName, pageFile, parentsOf, twinFile } from "./addresses.js";
import { changePages } from "./change-page.js";
import { guidePages, guidesOf } from "./guide-pages.js";
import { homePage, listPages, searchPage } from "./list-pages.js";
import { llmsFull, llmsIndex, sitemap } from "./machine-files.js";
import { namePages } from "./name-pages.js";
import { opPages } from "./op-pages.js";
import { packPages } from "./pack-pages.js";
import { searchIndex } from "./search-index.js";
import { type Group, groupLinks, type PageAside, pageAsides } from "./side.js";
import type { Site, SiteFile, SiteInput, SitePage } from "./site-model.js";
import { createLayout } from "./templates.js";
import { createColours, createRenderer } from "./text.js";

/**
 * All files of the site, without duplicates.
 *
 * @throws UsageError if two pages have the same address, and for dead links in guides
 */
export function siteFiles(input: SiteInput): readonly SiteFile[] {
  const known = opsByAnyName(input.registry, input.index);
  const colours = createColours();
  const site: Site = {
    ...input,
    addresses: addressesOf(input.registry, input.slugs),
    render: createRenderer(colours),
    opOf: (name) => known.get(name),
    guides: guidesOf(input.guides, colours),
    guideFiles: input.guides.files,
  };
  const lists = [...listPages(site), ...changePages(site)];
  const pages = [
    ...[homePage(site), searchPage, ...lists, ...guidePages(site)],
    ...[...packPages(site), ...opPages(site), ...namePages(site)],
  ];
  const address = siteAddress(site);
  const files = [
    ...pageFiles(
      site,
      pages,
      pageAsides(
        site,
        lists.filter(({ folder }) => !folder.includes("/")),
      ),
    ),
    { path: "search/index.js", text: () => searchIndex(site) },
    { path: "llms.txt", text: () => llmsIndex(site) },
    { path: "llms-full.txt", text: () => llmsFull(site) },
    ...(address === "" ? [] : [{ path: "sitemap.xml", text: () => sitemap(address, pages) }]),
    ...[...input.assets].map(([path, text]): SiteFile => ({ path, text: () => text })),
  ];
  refuseTwins(files);
  return files;
}

/** The address of the site; empty if it is not known. */
const siteAddress = ({ base }: Site): string => (/^https?:\/\//.test(base) ? docsUrl(base, "") : "");

const twinOf = ({ folder, twin }: SitePage): string => twin ?? twinFile(folder);

function pageFiles(site: Site, pages: readonly SitePage[], sideOf: (page: SitePage) => PageAside): readonly SiteFile[] {
  const layout = createLayout(site.templates);
  const linksOf = groupLinks(layout);
  const made = pages.flatMap((page): readonly SiteFile[] => {
    const { markdown, folder } = page;
    const opLinks = (group: Group, pack: string): string => linksOf(page, group, pack);
    const context = () => ({ ...contextOf(site, page, sideOf(page), (file) => linkTo(folder, file)), opLinks });
    const html = { path: pageFile(folder), text: () => layout.page(page.template, context()) };
    return markdown ? [html, { path: twinOf(page), text: markdown }] : [html];
  });
  return [...made, { path: "404.html", text: () => layout.page("missing", missingPage(site, sideOf)) }];
}

/** The page for an address that does not exist. It is shown at any depth, so its links start at the root of the host. */
function missingPage(site: Site, sideOf: (page: SitePage) => PageAside): object {
  const address = siteAddress(site);
  const root = address === "" ? "/" : new URL(address).pathname;
  const about = "There is no page at this address.";
  const page: SitePage = { folder: "404", title: "Page not found", about, template: "missing", data: () => ({}) };
  return { ...contextOf(site, page, sideOf(page), (file) => `${root}${file}`), canonical: "" };
}

/** Data for a layout: that of the page, and that of the site. */
function contextOf(site: Site, page: SitePage, side: PageAside, link: (file: string) => string): object {
  const { folder, title, about, data, markdown } = page;
  const { registry, base } = site;
  return {
    ...data(),
    title,
    about,
    folder,
    link,
    side,
    page: (of: string) => link(pageFile(of)),
    twin: markdown ? link(twinOf(page)) : "",
    canonical: siteAddress(site) === "" ? "" : docsUrl(base, folder),
    brand: site.title,
    version: shortVersion(registry.registry_version),
    ops: registry.tools.length,
  };
}

/** Refuses two pages with one address, and a page at the address of another file; letter case is ignored, as on some disks. */
function refuseTwins(files: readonly SiteFile[]): void {
  const remedy = "rename one, or give the pack another address under docs.slugs in definitions/toolwright.yaml";
  const seen = new Set<string>();
  for (const { path } of files) {
    const key = path.toLowerCase();
    if (seen.has(key)) throw new UsageError(`two pages of the site would be ${path}: ${remedy}`);
    seen.add(key);
  }
  for (const { path } of files) {
    const blocked = parentsOf(path).find((one) => seen.has(one.toLowerCase()));
    if (blocked !== undefined)
      throw new UsageError(`${blocked} is a file of the site and would be the folder of ${path}: ${remedy}`);
  }
}
