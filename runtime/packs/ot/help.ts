/** `ot.help`: the page of what the query names, otherwise a search. */

import { DETAILED_OPS, usageLine } from "../../catalog/results-page.js";
import type { RunSettings } from "../../config/run-settings.js";
import type { OwnWords } from "../../contract/learned-words.js";
import type { ProgramLanguage } from "../../contract/program-language.js";
import { snippetSummary } from "../../contract/snippet.js";
import type { HostContext } from "../host.js";
import { type Catalogue, catalogueOf, type SeenAlias } from "./catalogue.js";
import { type Info, infoOf } from "./info.js";
import { packText } from "./lists.js";
import { snippetText } from "./names.js";
import { docsLines, overview, toolPage } from "./pages.js";
import { type SearchEntry, searchOf } from "./search.js";

/** Input of a page. */
interface Asked {
  readonly query: string;
  readonly info: Info;
  readonly catalogue: Catalogue;
  readonly run: RunSettings;
  /** The words of the caller. */
  readonly own: OwnWords | undefined;
}

/** The page of a query. */
export async function helpPage(query: string, level: string, ctx: HostContext): Promise<string> {
  const catalogue = await catalogueOf(ctx);
  const asked: Asked = {
    query: query.trim(),
    info: infoOf(level),
    catalogue,
    run: ctx.host.project.settings.run,
    own: ctx.host.ownWords?.(ctx.principal),
  };
  for (const rule of RULES) {
    const page = await rule(asked);
    if (page !== undefined) return page;
  }
  return `No matches for '${query.trim()}'.\nBrowse with ot.tools(), ot.packs(), ot.snippets(), ot.aliases().`;
}

type Rule = (asked: Asked) => string | undefined | Promise<string | undefined>;

/** The first matching rule applies. */
const RULES: readonly Rule[] = [
  ({ query, catalogue }) => (query === "" ? overview(catalogue.language) : undefined),
  exactTool,
  exactPack,
  exactSnippet,
  exactAlias,
  results,
];

function exactTool({ query, info, catalogue }: Asked): string | undefined {
  const tool = catalogue.byOp.get(query);
  return tool && toolPage(tool, info, catalogue);
}

function exactPack({ query, info, catalogue }: Asked): string | undefined {
  const pack = catalogue.packs.find(({ name }) => name === query);
  if (!pack) return undefined;
  if (info === "list") return pack.tools.map(({ op }) => `- ${op}`).join("\n");
  return [packText(pack), ...docsLines(pack.name, catalogue.docs)].join("\n");
}

async function exactSnippet({ query, info, catalogue, run }: Asked): Promise<string | undefined> {
  const snippet = query.startsWith("$") ? catalogue.snippets.find(({ name }) => name === query.slice(1)) : undefined;
  if (!snippet) return undefined;
  if (info === "list") return `$${snippet.name}`;
  return `# Snippet $${snippet.name}\n${await snippetText(snippet, run)}`;
}

function exactAlias({ query, info, catalogue }: Asked): string | undefined {
  const alias = catalogue.aliases.find(({ name }) => name === query);
  if (!alias) return undefined;
  if (info === "list") return alias.name;
  const { name, target, tool } = alias;
  const head = `# Alias ${name}\nMaps to ${target}.\nCall ${callOf(alias, catalogue.language)}`;
  return `${head}\n${toolPage(tool, "full", catalogue)}`;
}

function callOf({ name, tool }: SeenAlias, language: ProgramLanguage): string {
  const needed = tool.parameters.filter(({ required }) => required);
  return language.call(name, Object.fromEntries(needed.map((one) => [one.name, "..."])));
}

const TITLES = { tool: "## Tools", pack: "## Packs", snippet: "## Snippets", alias: "## Aliases" } as const;

/** Most entries of a group. */
const MAX_ENTRIES: Readonly<Record<Info, number>> = { list: 20, min: 5, full: 5 };
/** How to see more of them. */
const MORE: Readonly<Record<Info, string>> = { list: "", min: ', or pass info="list"', full: ', or pass info="list"' };

function results({ query, info, catalogue, own }: Asked): string | undefined {
  const search = searchOf(catalogue);
  const isSnippet = query.startsWith("$");
  const all = search(isSnippet ? query.slice(1) : query, MAX_ENTRIES[info], own);
  const found = all.filter(({ kind, count }) => count > 0 && (!isSnippet || kind === "snippet"));
  if (found.length === 0) return undefined;
  const lines = [`# Results for '${query}'`];
  for (const { kind, count, best, unknown } of found) {
    lines.push(TITLES[kind]);
    for (const [at, { entry }] of best.entries())
      lines.push(...linesOf(entry, info, at < DETAILED_OPS, catalogue.language));
    if (kind === "tool" && unknown.length > 0) lines.push(`No tool has: ${unknown.join(", ")}`);
    if (count > best.length) lines.push(`... and ${count - best.length} more; narrow the query${MORE[info]}`);
  }
  return lines.join("\n");
}

function linesOf(entry: SearchEntry, info: Info, isDetailed: boolean, language: ProgramLanguage): readonly string[] {
  const { name, about, usage, full = usage } = DESCRIBED[entry.kind](entry as never, language);
  if (info === "list") return [`- ${name}`];
  const detail = (info === "full" ? full : usage)?.trimEnd().split("\n") ?? [];
  return [`- ${name}${about}`, ...(isDetailed ? detail.map((line) => `  ${line}`) : [])];
}

type Of<K extends SearchEntry["kind"]> = Extract<SearchEntry, { readonly kind: K }>;

/** How an entry is shown. */
interface Described {
  readonly name: string;
  /** Next to the name. */
  readonly about: string;
  /** Below the first ones. */
  readonly usage?: string;
  /** In its place at the level full. */
  readonly full?: string;
}

const DESCRIBED: { readonly [K in SearchEntry["kind"]]: (entry: Of<K>, language: ProgramLanguage) => Described } = {
  tool: ({ tool }, language) => ({
    name: tool.op,
    about: `: ${tool.summary}`,
    usage: usageLine(tool),
    full: tool.signature[language.signature],
  }),
  pack: ({ pack }) => ({
    name: pack.name,
    about: ` (${pack.tools.length} ${pack.tools.length === 1 ? "tool" : "tools"})`,
  }),
  snippet: ({ snippet }) => ({
    name: `$${snippet.name}`,
    about: `: ${snippetSummary(snippet)}`,
    full: snippet.body,
  }),
  alias: ({ alias }, language) => ({
    name: alias.name,
    about: ` -> ${alias.target}`,
    full: alias.tool.signature[language.signature],
  }),
};
