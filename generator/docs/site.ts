/**
 * The documentation site as a list of files: pure, the same input gives the same bytes.
 *
 * Its only inputs are `generated/registry.json` and `generated/help/`; a file is made when its text is asked for, so that a large site
 * is never in memory as a whole.
 */

import { docsUrl, type HelpIndex, type Registry, shortVersion } from "toolwright/codegen";
import { UsageError } from "../usage-error.js";
import { type Addresses, addressesOf, linkTo, opsByName, pageFile, parentsOf, twinFile } from "./addresses.js";
import { type Changes, changePages } from "./change-page.js";
import { listPages } from "./list-pages.js";
import { llmsFull, llmsIndex } from "./machine-files.js";
import { namePages } from "./name-pages.js";
import { opPages } from "./op-pages.js";
import { packPages } from "./pack-pages.js";
import { searchIndex } from "./search-index.js";
import { createLayout, type TemplateName } from "./templates.js";
import { createRenderer, type Renderer } from "./text.js";

/** A file of the site. */
export interface SiteFile {
  /** Relative to the folder of the site, with forward slashes. */
  readonly path: string;
  readonly text: () => string;
}

/** What a site is made of. */
export interface SiteInput {
  readonly registry: Registry;
  readonly index: HelpIndex;
  /** `generated/help/<op>.md`. */
  readonly page: (op: string) => string;
  /** Where it will be served; empty where nobody knows. */
  readonly base: string;
  readonly slugs: ReadonlyMap<string, string>;
  readonly changes?: Changes;
  /** Layouts, by name. */
  readonly templates: Readonly<Record<TemplateName, string>>;
  /** Style and scripts: files of the site, by path. */
  readonly assets: ReadonlyMap<string, string>;
}

/** A page before it is laid out. */
export interface Page {
  /** Its folder: its address below the base. */
  readonly folder: string;
  readonly title: string;
  /** One sentence. */
  readonly about: string;
  readonly template: TemplateName;
  readonly data: () => object;
  /** The page in Markdown, for machines; absent where it would say nothing. */
  readonly markdown?: () => string;
}

/** What pages are made from. */
export interface Site extends SiteInput {
  readonly addresses: Addresses;
  readonly render: Renderer;
  /** The op that a name stands for. */
  readonly opOf: (name: string) => string | undefined;
  /** Whether there is a change log. */
  readonly hasChanges: boolean;
  /** Whether any op names its entity. */
  readonly hasEntities: boolean;
}

/** Every file of the site, none twice. @throws UsageError where two pages have one address */
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

/** What every layout gets beside the data of its page. */
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

/** Two pages of one address, and a page whose address is a file of the site; letter case apart, as on some disks. */
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
