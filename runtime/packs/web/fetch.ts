/**
 * Pages of the pack `web`: reads one or several with the reader of `util.web.visit`, with retries for temporary
 * failures.
 */

import type { Context, Handler } from "../../contract/handler.js";
import { parallelMap } from "./parallel-map.js";
import { type Patience, withRetries } from "./retry.js";
import type { PageEntry, Pages, ReadingArgs, WebPage } from "./types.js";
import { type Visit, type VisitArgs, webVisit } from "./visit.js";

const PATIENCE: Patience = { attempts: 3, attemptMs: 15_000 };
/** Pages of a batch that are read in parallel. */
const MAX_PARALLEL_PAGES = 4;

type Reading = ReadingArgs & { readonly max_chars: number };

/** Reads pages, and caches them for five minutes. */
export interface PageReader {
  one(args: Reading & { readonly url: string }, ctx: Context): Promise<WebPage>;
  several(args: Reading & { readonly urls: readonly string[] }, ctx: Context): Promise<Pages>;
}

/** Creates a reader with an empty cache. */
export function pageReader(): PageReader {
  const visit = webVisit();
  return {
    one: (args, ctx) => pageOf(visit, args, ctx),
    async several({ urls, ...reading }, ctx) {
      const pieces = await parallelMap(ctx, urls, MAX_PARALLEL_PAGES, (url, own) =>
        pageOf(visit, { ...reading, url }, own),
      );
      const results = pieces.map((piece, index): PageEntry => {
        const url = urls[index] ?? "";
        return "error" in piece ? { url, error: piece.error } : { url, page: piece.value };
      });
      const failed = results.filter(({ error }) => error !== undefined).length;
      return { results, succeeded: results.length - failed, failed };
    },
  };
}

async function pageOf(
  visit: Handler<VisitArgs, Visit>,
  args: Reading & { readonly url: string },
  ctx: Context,
): Promise<WebPage> {
  const { url, format = "markdown", mode = "auto", include_links = false, refresh = false, language } = args;
  const visiting: VisitArgs = {
    url,
    mode,
    max_chars: args.max_chars,
    output_format: format,
    include_links,
    allow_redirects: true,
    force_refresh: refresh,
    ...(language === undefined ? {} : { prefer_language: language }),
  };
  const server = URL.canParse(url) ? new URL(url).host : url;
  const { links, ...page } = await withRetries(ctx, server, PATIENCE, (attempt) => visit(visiting, attempt));
  return { ...page, length: page.content.length, ...(links ? { links: [...links] } : {}) };
}
