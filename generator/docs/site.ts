/**
 * Makes the documentation site as a list of files. Pure: the same input gives the same bytes.
 *
 * The inputs are `generated/registry.json` and `generated/help/`. A file is made when its text is requested, so that a large site
 * is never in memory as a whole.
 */

import { docsUrl } from "../../runtime/contract/docs-address.js";
import { shortVersion } from "../../runtime/contract/help.js";
import { UsageError } from "../core/usage-error.js";
import { addressesOf, linkTo, opsByName, pageFile, parentsOf, twinFile } from "./addresses.js";
import { changePages } from "./change-page.js";
import { listPages } from "./list-pages.js";
import { llmsFull, llmsIndex } from "./machine-files.js";
import { namePages } from "./name-pages.js";
import { opPages } from "./op-pages.js";
import { packPages } from "./pack-pages.js";
import { searchIndex } from "./search-index.js";
import type { Page, Site, SiteFile, SiteInput } from "./site-model.js";
import { createLayout } from "./templates.js";
import { createRenderer } from "./text.js";

/** All files of the site, without duplicates. @throws UsageError if two pages have the same address */
export function siteFiles(input: SiteInput): readonly SiteFile[] {
  const known = opsByName(input.registry, input.index);
  const site: Site = {
    ...input,
    addresses: addressesOf(input.registry, input.slugs),
    render: createRenderer(),
    opOf: (name) => known.get(name),
    hasChanges: input.changes !== undefined,
    hasEntities: input.registry.tools.some((one) => one.entity !== undefined),
  };
  const pages = [...listPages(site), ...changePages(site), ...packPages(site), ...opPages(site), ...namePages(site)];
  const files = [
    ...pageFiles(site, pages),
    { path: "search/index.js", text: () => searchIndex(site) },
    { path: "llms.txt", text: () => llmsIndex(site) },
    { path: "llms-full.txt", text: () => llmsFull(site) },
    ...[...input.assets].map(([path, text]): SiteFile => ({ path, text: () => text })),
  ];
  refuseTwins(files);
  return files;
}

function pageFiles(site: Site, pages: readonly Page[]): readonly SiteFile[] {
  const layOut = createLayout(site.templates);
  return pages.flatMap((page): readonly SiteFile[] => {
    const { markdown } = page;
    const html = { path: pageFile(page.folder), text: () => layOut(page.template, contextOf(site, page)) };
    return markdown ? [html, { path: twinFile(page.folder), text: markdown }] : [html];
  });
}

/** Data for a layout: that of the page, and that of the site. */
function contextOf(site: Site, { folder, title, about, data, markdown }: Page): object {
  const { registry, base } = site;
  return {
    ...data(),
    title,
    about,
    folder,
    link: (file: string) => linkTo(folder, file),
    page: (of: string) => linkTo(folder, pageFile(of)),
    twin: markdown ? linkTo(folder, twinFile(folder)) : "",
    canonical: /^https?:\/\//.test(base) ? docsUrl(base, folder) : "",
    version: shortVersion(registry.registry_version),
    ops: registry.tools.length,
    has_changes: site.hasChanges,
    has_entities: site.hasEntities,
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
