/** `util.web.search`: searches the web through a provider interface. */

import { fieldError, invalid } from "../../contract/error-body.js";
import type { Context, FieldError, Handler } from "../../contract/handler.js";

/** Arguments of the op with defaults. */
export interface SearchArgs {
  readonly query: string;
  readonly search_depth: "basic" | "advanced";
  readonly max_results: number;
  readonly include_answer: boolean;
  readonly include_domains?: readonly string[];
  readonly exclude_domains?: readonly string[];
}

/** A query for a provider. */
export interface SearchQuery {
  readonly text: string;
  readonly advanced: boolean;
  /** Requested number of hits; a provider returns more if some may be filtered out afterwards. */
  readonly count: number;
  readonly answer: boolean;
  /** Host names; subdomains match too. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** A hit of a provider, best first. */
export interface Hit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/** The hits of a provider. */
export interface ProviderHits {
  readonly hits: readonly Hit[];
  readonly answer?: string;
}

/** A search provider; it fails with the error codes of envelopes. */
export interface SearchProvider {
  search(query: SearchQuery, ctx: Context): Promise<ProviderHits>;
}

/** The answer of the op. */
export interface SearchAnswer {
  readonly answer?: string;
  /** `score` is derived from the rank: 1, 0.5, 0.33, and so on, since providers return none. */
  readonly results: readonly (Hit & { readonly score: number })[];
}

/** Creates the handler. Domains are also filtered here, since providers treat them as advice. */
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

/** Domains as host names: accepts `https://example.com/`, `*.example.com` and internationalized names. */
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
