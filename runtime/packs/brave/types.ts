/** Arguments and results of the pack `brave`. */

import type { PieceError } from "../web/parallel-map.js";

/** A search query. */
export interface Query {
  /**
   * What to look for; operators such as site: and "quotes" count.
   * @minLength 1
   * @maxLength 400
   * @pattern \S
   * @example tide tables Bremerhaven
   */
  query: string;
}

/** Number of hits. */
export interface Count {
  /**
   * Hits at most.
   * @integer
   * @minimum 1
   * @maximum 20
   */
  count?: number;
}

/** Country and language of the hits. */
export interface Region {
  /**
   * Country whose results come first: two letters, or ALL.
   * @pattern ^([A-Za-z]{2}|ALL|all)$
   * @example DE
   */
  country?: string;
  /**
   * Language of the results, such as en or pt-br.
   * @pattern ^[A-Za-z]{2,3}(-[A-Za-z]{2,4})?$
   * @example en
   */
  search_lang?: string;
}

/** Filters of the pages. */
export interface Filters {
  /**
   * Only pages of this time: pd past day, pw week, pm month, py year, or days as 2026-01-31to2026-02-28.
   * @pattern ^(p[dwmy]|\d{4}-\d{2}-\d{2}to\d{4}-\d{2}-\d{2})$
   * @example pw
   */
  freshness?: string;
  /** How adult content is filtered; Brave's default is moderate for the web and strict for news. */
  safesearch?: "off" | "moderate" | "strict";
  /**
   * Page of results, from 0.
   * @integer
   * @minimum 0
   * @maximum 9
   * @default 0
   */
  offset?: number;
  /**
   * Add further excerpts to each hit, where the plan of the key has them.
   * @default false
   */
  extra_snippets?: boolean;
}

/** Units of places. */
export interface Units {
  /** Units of distances. */
  units?: "metric" | "imperial";
}

/** A found page. */
export interface WebHit {
  title: string;
  url: string;
  /** Plain text. */
  description: string;
  /** For people, such as "2 days ago". */
  age?: string;
  /** When the page was published or last changed, as Brave says it. */
  published?: string;
  language?: string;
  extra_snippets?: string[];
}

/** A found article. */
export interface NewsHit extends WebHit {
  /** Name of the publisher. */
  source?: string;
  breaking?: boolean;
}

/** A found place. */
export interface FoundPlace {
  /** Good for eight hours, at Brave only. */
  id: string;
  name: string;
  url?: string;
  address?: string;
  phone?: string;
  email?: string;
  /** Latitude and longitude. */
  coordinates?: number[];
  rating?: number;
  /** What the rating is out of. */
  rating_best?: number;
  /** @integer */
  reviews?: number;
  price_range?: string;
  categories?: string[];
  /** One line a day, such as "Monday 09:00-17:00". */
  opening_hours?: string[];
  timezone?: string;
  /** Such as "1.2 km". */
  distance?: string;
  /** Written by Brave's model. */
  description?: string;
}

/** Hits of one search, the best first. */
export interface WebFound {
  query: string;
  /** What was searched for instead, where the spelling was mended. */
  altered?: string;
  results: WebHit[];
  /** Whether a higher offset gives more. */
  more: boolean;
}

/** Articles of one search. */
export interface NewsFound {
  query: string;
  altered?: string;
  results: NewsHit[];
}

/** Places of one search. */
export interface PlacesFound {
  query: string;
  results: FoundPlace[];
}

/** One query of a batch, with its hits or its error. */
export interface BatchedQuery {
  query: string;
  altered?: string;
  results?: WebHit[];
  error?: PieceError;
}

/** Results of a batch; entries are in the order of the queries. */
export interface BatchFound {
  results: BatchedQuery[];
  /** @integer */
  succeeded: number;
  /** @integer */
  failed: number;
}
