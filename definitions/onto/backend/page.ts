/** Pagination of lists and searches. Pure. */

import type { PageArgs } from "./args.js";

/** Position of a page. */
export interface Pagination {
  readonly offset: number;
  readonly limit: number;
  readonly returned: number;
  readonly total: number;
  readonly has_more: boolean;
  readonly next_offset?: number;
}

/** Items with their position. */
export interface Page<T> {
  readonly items: T[];
  readonly pagination: Pagination;
}

const DEFAULT_LIMIT = 20;

/** The bounds of a page, with defaults for ops that declare none. */
export const boundsOf = ({
  limit = DEFAULT_LIMIT,
  offset = 0,
}: PageArgs): { readonly limit: number; readonly offset: number } => ({
  limit,
  offset,
});

/** A page of items that are already cut to its bounds. */
export function page<T>(items: readonly T[], bounds: { limit: number; offset: number }, total: number): Page<T> {
  const next = bounds.offset + items.length;
  const more = next < total && items.length > 0;
  return {
    items: [...items],
    pagination: {
      ...bounds,
      returned: items.length,
      total,
      has_more: more,
      ...(more ? { next_offset: next } : {}),
    },
  };
}
