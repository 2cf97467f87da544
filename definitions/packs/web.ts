/** The shipped pack `web`: pages as Markdown. Only public addresses are reached, and those of `web.allow_private`. */

import type { HostContext as Context, Host } from "../../runtime/packs/host.js";
import type { PageReader } from "../../runtime/packs/web/fetch.js";
import type { Pages, ReadingArgs, WebPage } from "../../runtime/packs/web/types.js";

export const pack = { summary: "Read web pages as Markdown." };

interface Address {
  /**
   * Address, http or https.
   * @pattern ^[Hh][Tt][Tt][Pp][Ss]?://
   * @maxLength 2000
   * @example https://example.com/
   */
  url: string;
  /**
   * Characters of content at most.
   * @integer
   * @minimum 1
   * @maximum 100000
   */
  max_chars?: number;
}

interface Addresses {
  /**
   * Addresses, http or https, up to ten.
   * @minItems 1
   * @maxItems 10
   * @example ["https://example.com/", "https://example.org/"]
   */
  urls: string[];
  /**
   * Characters of content at most, of each page.
   * @integer
   * @minimum 1
   * @maximum 50000
   */
  max_chars?: number;
}

/** Pages that were read belong to one project: another one may allow other addresses. */
const readers = new WeakMap<Host["project"], Promise<PageReader>>();

function readerOf({ project }: Host): Promise<PageReader> {
  const reader =
    readers.get(project) ?? import("../../runtime/packs/web/fetch.js").then(({ pageReader }) => pageReader());
  readers.set(project, reader);
  return reader;
}

/**
 * Read a web page, text, JSON or XML. Long pages are cut at max_chars.
 *
 * @returns the page; its text is foreign
 * @example { "url": "https://example.com/" }
 * @kind read
 * @open_world
 */
export async function fetch({ max_chars = 20000, ...args }: Address & ReadingArgs, ctx: Context): Promise<WebPage> {
  return (await readerOf(ctx.host)).one({ ...args, max_chars }, ctx);
}

/**
 * Read several web pages at once. A page that fails has its error, the others their text.
 *
 * @returns an entry for each address, in their order; texts are foreign
 * @example { "urls": ["https://example.com/", "https://example.org/"] }
 * @kind read
 * @open_world
 */
export async function fetch_batch(
  { max_chars = 8000, ...args }: Addresses & ReadingArgs,
  ctx: Context,
): Promise<Pages> {
  return (await readerOf(ctx.host)).several({ ...args, max_chars }, ctx);
}
