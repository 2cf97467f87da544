/** Arguments and results of the pack `web`. */

import type { PageLink } from "./html.js";
import type { PieceError } from "./parallel-map.js";

/** Options of reading pages. */
export interface ReadingArgs {
  /**
   * Form of the content.
   * @default markdown
   */
  format?: "markdown" | "text";
  /**
   * Reader keeps the main text, raw all of it; auto decides.
   * @default auto
   */
  mode?: "auto" | "reader" | "raw";
  /**
   * Add the links of the page.
   * @default false
   */
  include_links?: boolean;
  /**
   * Load anew what was loaded in the last five minutes.
   * @default false
   */
  refresh?: boolean;
  /**
   * Language to ask for, such as en or pt-BR.
   * @pattern ^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$
   * @maxLength 35
   * @example en
   */
  language?: string;
}

/** A page that was read. */
export interface WebPage {
  url: string;
  /** Where redirects led. */
  final_url: string;
  title: string;
  content: string;
  /** Characters of the content. @integer */
  length: number;
  /** Whether the page holds more. */
  truncated: boolean;
  links?: PageLink[];
}

/** One address of a batch, with its page or its error. */
export interface PageEntry {
  url: string;
  page?: WebPage;
  error?: PieceError;
}

/** Results of a batch; entries are in the order of the addresses. */
export interface Pages {
  results: PageEntry[];
  /** @integer */
  succeeded: number;
  /** @integer */
  failed: number;
}
