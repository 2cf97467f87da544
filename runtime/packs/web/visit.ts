/** `util.web.visit`: returns a page as Markdown or text. */

import type { Context, Handler } from "../../contract/handler.js";
import { decodeText } from "../../http-client/charset.js";
import { readBody, refuseStatus, refuseUrl, sendGet } from "../../http-client/client.js";
import type { PageLink } from "./html.js";

/** Arguments of the op with defaults. */
export interface VisitArgs {
  readonly url: string;
  readonly mode: "auto" | "reader" | "raw";
  readonly max_chars: number;
  readonly output_format: "markdown" | "text";
  readonly include_links: boolean;
  readonly allow_redirects: boolean;
  readonly force_refresh: boolean;
  readonly prefer_language?: string;
}

/** The answer of the op. */
export interface Visit {
  readonly url: string;
  /** Where redirects led. */
  readonly final_url: string;
  readonly title: string;
  readonly content: string;
  /** Whether the page contains more than `content`. */
  readonly truncated: boolean;
  readonly links?: readonly PageLink[];
}

/** Time limit for preparing one page, in milliseconds; it blocks the thread. */
const LAYOUT_MS = 2000;

/** Readable media types. Any other type is refused before its body is read. */
const READABLE: readonly (readonly [pattern: RegExp, kind: LoadedPage["kind"]])[] = [
  [/^(?:text\/html|application\/xhtml\+xml)$/, "html"],
  [/^text\/./, "text"],
  [/^application\/(?:json|ld\+json|x-ndjson|xml|yaml|x-yaml|toml|javascript|ecmascript)$/, "text"],
  [/^[a-z]+\/[a-z0-9.+-]+\+(?:json|xml|yaml)$/, "text"],
  [/^$/, "unknown"],
];

/**
 * Creates the handler; it caches pages for five minutes.
 *
 * @param clock - milliseconds since the epoch
 */
export function webVisit(clock: () => number = Date.now): Handler<VisitArgs, Visit> {
  const cache = pageCache(clock);
  return async (args, ctx) => {
    const source = await sourceOf(args, ctx, cache, clock);
    return source.kind === "html" ? readPage(args, ctx, source) : readText(args, source);
  };
}

async function sourceOf(args: VisitArgs, ctx: Context, cache: PageCache, clock: () => number): Promise<LoadedPage> {
  const key = JSON.stringify([args.url, args.prefer_language?.toLowerCase() ?? "", args.allow_redirects]);
  const kept = args.force_refresh ? undefined : cache.get(key);
  if (kept) return kept;
  const [source, keep] = await load(args, ctx, clock);
  if (keep) cache.set(key, source);
  return source;
}

async function load(args: VisitArgs, ctx: Context, clock: () => number): Promise<readonly [LoadedPage, boolean]> {
  const response = await sendGet(ctx, args.url, headersOf(args), args.allow_redirects ? "follow" : "manual");
  const finalUrl = response.url || args.url;
  await refuseStatus(response, finalUrl, clock());
  const location = response.headers.get("location");
  if (response.status >= 300 && location !== null) {
    await response.body?.cancel();
    const target = URL.canParse(location, finalUrl) ? new URL(location, finalUrl).href : location;
    ctx.warn(`redirect_not_followed: the page redirects (${response.status}) to ${target}`);
    return [{ kind: "text", text: "", finalUrl, cut: false }, false];
  }
  const contentType = response.headers.get("content-type") ?? "";
  const kind = await kindOf(response, contentType, args.url);
  const { bytes, cut } = await readBody(response, ctx);
  const text = decodeText(bytes, contentType);
  const storable = !/\bno-store\b/i.test(response.headers.get("cache-control") ?? "");
  return [{ kind: kind === "unknown" ? sniffed(text, args.url) : kind, text, finalUrl, cut }, storable];
}

function headersOf({ prefer_language: language, force_refresh: fresh }: VisitArgs): Readonly<Record<string, string>> {
  const broad = language?.split("-")[0] ?? "";
  return {
    accept: "text/html,application/xhtml+xml,text/markdown;q=0.9,text/plain;q=0.9,application/json;q=0.8,*/*;q=0.5",
    ...(language === undefined ? {} : { "accept-language": `${language},${broad};q=0.8,*;q=0.5` }),
    ...(fresh ? { "cache-control": "no-cache" } : {}),
  };
}

async function kindOf(response: Response, contentType: string, url: string): Promise<LoadedPage["kind"]> {
  const type = (contentType.split(";")[0] ?? "").trim().toLowerCase();
  const kind = READABLE.find(([pattern]) => pattern.test(type))?.[1];
  if (kind !== undefined) return kind;
  await response.body?.cancel();
  return refuseType(type, url);
}

const refuseType = (type: string, url: string): never =>
  refuseUrl("content_type", `url is ${type}, which cannot be read as text`, "a page, text, JSON or XML", url);

/** The kind of a body without a content type. */
function sniffed(text: string, url: string): LoadedPage["kind"] {
  const start = text.slice(0, 1000);
  if (start.includes("\0")) return refuseType("of no declared type and binary", url);
  return /^\s*(?:<!--|<!doctype html|<html|<head|<body)/i.test(start) ? "html" : "text";
}

async function readPage(args: VisitArgs, ctx: Context, source: LoadedPage): Promise<Visit> {
  const { layOut } = await import("./page.js");
  const page = await layOut(source.text, source.finalUrl, {
    mode: args.mode,
    format: args.output_format,
    maxChars: args.max_chars,
    ms: Math.min(LAYOUT_MS, Math.max(1, ctx.deadline - Date.now())),
  });
  for (const remark of page.remarks) ctx.warn(remark);
  const content = clipped(page.content, args.max_chars);
  return {
    url: args.url,
    final_url: source.finalUrl,
    title: page.title,
    content,
    truncated: source.cut || page.cut || content.length < page.content.length,
    ...(args.include_links ? { links: page.links } : {}),
  };
}

function readText(args: VisitArgs, { text, finalUrl, cut }: LoadedPage): Visit {
  const content = clipped(text, args.max_chars);
  const truncated = cut || content.length < text.length;
  return {
    url: args.url,
    final_url: finalUrl,
    title: "",
    content,
    truncated,
    ...(args.include_links ? { links: [] } : {}),
  };
}

/** The beginning of a text, without splitting a character. */
function clipped(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return text.slice(0, limit).replace(/[\ud800-\udbff]$/, "");
}

/** A page as loaded. */
export interface LoadedPage {
  /** How it is read; `unknown` until its beginning is inspected. */
  readonly kind: "html" | "text" | "unknown";
  readonly text: string;
  readonly finalUrl: string;
  /** Whether the body was longer. */
  readonly cut: boolean;
}

/** Caches pages by key. */
export interface PageCache {
  get(key: string): LoadedPage | undefined;
  set(key: string, source: LoadedPage): void;
}

const KEPT_MS = 300_000;
const MAX_PAGES = 32;
/** Most characters of all pages together. */
const MAX_CACHED_LENGTH = 10_000_000;

/**
 * Creates an empty cache: at most 32 pages and ten million characters; the oldest are removed first.
 *
 * @param clock - milliseconds since the epoch
 */
export function pageCache(clock: () => number): PageCache {
  const pages = new Map<string, { readonly source: LoadedPage; readonly until: number }>();
  const size = (): number => [...pages.values()].reduce((sum, { source }) => sum + source.text.length, 0);
  return {
    get(key) {
      const page = pages.get(key);
      return page && clock() < page.until ? page.source : undefined;
    },
    set(key, source) {
      pages.delete(key);
      pages.set(key, { source, until: clock() + KEPT_MS });
      for (const oldest of pages.keys()) {
        if (pages.size <= MAX_PAGES && size() <= MAX_CACHED_LENGTH) return;
        pages.delete(oldest);
      }
    },
  };
}
