/** Types of the documentation site: its input, its pages before layout, and its files. */
import type { Finding } from "../../runtime/contract/finding.js";
import type { HelpIndex } from "../../runtime/contract/help.js";
import type { Registry } from "../../runtime/contract/registry.js";
import type { Addresses } from "./addresses.js";
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
  /** The page in Markdown, for machines; absent if it would be empty. */
  readonly markdown?: () => string;
}

/** The input with derived data, from which pages are made. */
export interface Site extends SiteInput {
  readonly addresses: Addresses;
  readonly render: Renderer;
  /** The op of a name. */
  readonly opOf: (name: string) => string | undefined;
  /** Whether there is a change log. */
  readonly hasChanges: boolean;
  /** Whether any op has an entity. */
  readonly hasEntities: boolean;
}

/** Changes since a baseline. */
export interface Changes {
  /** The baseline: a git reference or a file name. */
  readonly since: string;
  readonly version: string;
  readonly findings: readonly Finding[];
}
