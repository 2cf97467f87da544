/** `util.web.search`: hits of a search provider behind one interface. */

import type { Context, FieldError, Handler } from "../../contract/handler.js";
import { fieldError, invalid } from "../refusal.js";

/** Arguments of the op, complete with defaults. */
export interface SearchArgs {
  readonly query: string;
  readonly search_depth: "basic" | "advanced";
  readonly max_results: number;
  readonly include_answer: boolean;
  readonly include_domains?: readonly string[];
  readonly exclude_domains?: readonly string[];
}

/** What a provider is asked. */
export interface SearchQuery {
  readonly text: string;
  readonly advanced: boolean;
  /** Hits that are wanted; a provider gives more where some may be filtered out afterwards. */
  readonly count: number;
  readonly answer: boolean;
  /** Host names; a host below one of them counts as well. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** A hit as a provider gives it, the best first. */
export interface Hit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/** What a provider finds. */
export interface Found {
  readonly hits: readonly Hit[];
  readonly answer?: string;
}

/** A search provider; it fails with the codes of the envelope. */
export interface SearchProvider {
  search(query: SearchQuery, ctx: Context): Promise<Found>;
}

/** What the op answers. */
export interface SearchAnswer {
  readonly answer?: string;
  /** `score` follows from the rank: 1, 0.5, 0.33, and so on; providers tell no other. */
  readonly results: readonly (Hit & { readonly score: number })[];
}

/** Makes the handler. Domains are filtered here too, since providers take them as advice. */
export function webSearch(provider: SearchProvider): Handler<SearchArgs, SearchAnswer> {
  return async (args, ctx) => {
    const include = hosts("include_domains", args.include_domains);
    const exclude = hosts("exclude_domains", args.exclude_domains);
    const errors = [...include.errors, ...exclude.errors];
    if (errors.length > 0) invalid(errors);
    const { hits, answer } = await provider.search(
      {
        text: args.query,
        advanced: args.search_depth === "advanced",
        count: args.max_results,
        answer: args.include_answer,
        include: include.names,
        exclude: exclude.names,
      },
      ctx,
    );
    const wanted = distinct(hits).filter(({ url }) => isWanted(url, include.names, exclude.names));
    const results = wanted.slice(0, args.max_results).map((hit, rank) => ({ ...hit, score: scoreOf(rank) }));
    return args.include_answer && answer !== undefined ? { answer, results } : { results };
  };
}

const scoreOf = (rank: number): number => Math.round(100 / (rank + 1)) / 100;

const distinct = (hits: readonly Hit[]): readonly Hit[] =>
  hits.filter((hit, rank) => hits.findIndex(({ url }) => url === hit.url) === rank);

function isWanted(url: string, include: readonly string[], exclude: readonly string[]): boolean {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  const below = (domain: string): boolean => hostname === domain || hostname.endsWith(`.${domain}`);
  return (include.length === 0 || include.some(below)) && !exclude.some(below);
}

interface Hosts {
  readonly names: readonly string[];
  readonly errors: readonly FieldError[];
}

/** Domains as host names: people also send `https://example.com/`, `*.example.com` and names in their own script. */
function hosts(argument: string, domains: readonly string[] = []): Hosts {
  const read = domains.map((domain, index) => ({ name: hostOf(domain), domain, path: `${argument}[${index}]` }));
  return {
    names: read.flatMap(({ name }) => (name === undefined ? [] : [name])),
    errors: read.flatMap(({ name, domain, path }) =>
      name === undefined
        ? [fieldError(path, "format", `${path} is no domain`, "a domain such as example.com", domain)]
        : [],
    ),
  };
}

function hostOf(domain: string): string | undefined {
  const bare = domain
    .trim()
    .replace(/^https?:\/\//i, "")
    .replace(/^\*?\./, "")
    .replace(/\/.*$/, "");
  if (!URL.canParse(`http://${bare}`)) return undefined;
  const { hostname } = new URL(`http://${bare}`);
  return /^[a-z0-9_][a-z0-9_-]*(?:\.[a-z0-9_-]+)*$/.test(hostname) ? hostname : undefined;
}
