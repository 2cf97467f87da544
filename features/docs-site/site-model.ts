/** Types of the documentation site: its input, its pages before layout, and its files. */
import type { Finding } from "../../runtime/contract/finding.js";
import type { HelpIndex } from "../../runtime/contract/help.js";
import type { Registry, Tool } from "../../runtime/contract/registry.js";
import type { Addresses } from "./addresses.js";
import type { Guide } from "./guide-text.js";
import type { TemplateName } from "./templates.js";
import type { Renderer } from "./text.js";

/** A file of the site. */
export interface SiteFile {
  /** Relative to the folder of the site, with forward slashes. */
  readonly path: string;
  readonly text: () => string;
}

/** Input of a site. */
export interface SiteInput {
  readonly registry: Registry;
  readonly index: HelpIndex;
  /** `generated/help/<op>.md`. */
  readonly page: (op: string) => string;
  /** Address at which the site is served; empty if unknown. */
  readonly base: string;
  readonly slugs: ReadonlyMap<string, string>;
  /** Languages of programs, the first one first. */
  readonly languages: readonly string[];
  /** Title of the site. */
  readonly title: string;
  readonly guides: GuideFolder;
  readonly changes?: BaselineChanges;
  /** Layouts, by name. */
  readonly templates: Readonly<Record<TemplateName, string>>;
  /** Style and scripts: files of the site, by path. */
  readonly assets: ReadonlyMap<string, string>;
}

/** The guides of a project, as they are on the disk. */
export interface GuideFolder {
  /** The folder, from the root of the project. */
  readonly name: string;
  /** Markdown files, by path from the folder. */
  readonly guides: readonly { readonly file: string; readonly text: string }[];
  /** Every file of the folder. */
  readonly files: ReadonlySet<string>;
}

/** A page before it is laid out. */
export interface SitePage {
  /** Its folder: its address below the base. */
  readonly folder: string;
  readonly title: string;
  /** One sentence. */
  readonly about: string;
  readonly template: TemplateName;
  readonly data: () => object;
  /** The page in Markdown, for machines; absent if it would be empty. */
  readonly markdown?: () => string;
  /** File of the page in Markdown, if it is not beside the page. */
  readonly twin?: string;
  /** The pack that the page is about. */
  readonly pack?: string;
  /** The op that the page is about. */
  readonly tool?: Tool;
}

/** The input with derived data, from which pages are made. */
export interface Site extends Omit<SiteInput, "guides"> {
  readonly addresses: Addresses;
  readonly render: Renderer;
  /** The op of a name. */
  readonly opOf: (name: string) => string | undefined;
  readonly guides: readonly Guide[];
  /** Every file of the folder of the guides. */
  readonly guideFiles: ReadonlySet<string>;
}

/** Changes since a baseline. */
export interface BaselineChanges {
  /** The baseline: a git reference or a file name. */
  readonly since: string;
  readonly version: string;
  readonly findings: readonly Finding[];
}
