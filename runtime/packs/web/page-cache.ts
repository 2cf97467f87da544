/** Caches recent pages, so that reading further does not load them again. */

/** A page as loaded. */
export interface Source {
  /** How it is read; `unknown` until its beginning is inspected. */
  readonly kind: "html" | "text" | "unknown";
  readonly text: string;
  readonly finalUrl: string;
  /** Whether the body was longer. */
  readonly cut: boolean;
}

/** Caches pages by key. */
export interface PageCache {
  get(key: string): Source | undefined;
  set(key: string, source: Source): void;
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
  const pages = new Map<string, { readonly source: Source; readonly until: number }>();
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
