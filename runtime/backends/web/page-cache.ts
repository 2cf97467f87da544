/** Pages of the last minutes, so that reading on in one does not load it again. */

/** A page as it was loaded. */
export interface Source {
  /** How it is read; `unknown` until its beginning was looked at. */
  readonly kind: "html" | "text" | "unknown";
  readonly text: string;
  readonly finalUrl: string;
  /** Whether the body went on. */
  readonly cut: boolean;
}

/** Keeps pages by key. */
export interface PageCache {
  get(key: string): Source | undefined;
  set(key: string, source: Source): void;
}

const KEPT_MS = 300_000;
const MOST_PAGES = 32;
/** Characters of all pages together. */
const MOST_CHARS = 10_000_000;

/**
 * Makes an empty cache: 32 pages and ten million characters at most, the oldest leave first.
 *
 * @param clock milliseconds since the epoch
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
        if (pages.size <= MOST_PAGES && size() <= MOST_CHARS) return;
        pages.delete(oldest);
      }
    },
  };
}
