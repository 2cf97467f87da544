/** `ot.help`: the page of what the query names, otherwise a search. */

import type { OwnWords } from "../../contract/learned-words.js";
import type { HostContext } from "../host.js";
import { type Catalogue, catalogueOf, type SeenAlias } from "./catalogue.js";
import { type Info, infoOf } from "./info.js";
import { packText } from "./lists.js";
import { snippetText } from "./names.js";
import { docsLines, OVERVIEW, toolPage } from "./pages.js";
import { type Entry, searchOf } from "./search.js";
import { literal } from "./tools.js";

/** Input of a page. */
interface Asked {
  readonly query: string;
  readonly info: Info;
  readonly catalogue: Catalogue;
  readonly codeBytes: number;
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
    codeBytes: ctx.host.project.settings.run.codeBytes,
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
  ({ query }) => (query === "" ? OVERVIEW : undefined),
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

async function exactSnippet({ query, info, catalogue, codeBytes }: Asked): Promise<string | undefined> {
  const snippet = query.startsWith("$") ? catalogue.snippets.find(({ name }) => name === query.slice(1)) : undefined;
  if (!snippet) return undefined;
  if (info === "list") return `$${snippet.name}`;
  return `# Snippet $${snippet.name}\n${await snippetText(snippet, codeBytes)}`;
}

function exactAlias({ query, info, catalogue }: Asked): string | undefined {
  const alias = catalogue.aliases.find(({ name }) => name === query);
  if (!alias) return undefined;
  if (info === "list") return alias.name;
  const { name, target, tool } = alias;
  const head = `# Alias ${name}\nMaps to ${target}.\nCall ${callOf(alias)}`;
  return `${head}\n${toolPage(tool, "full", catalogue)}`;
}

function callOf({ name, tool }: SeenAlias): string {
  const needed = tool.parameters.filter(({ required }) => required);
  return `${name}(${needed.map((one) => `${one.name}=${literal("...")}`).join(", ")})`;
}

const TITLES = { tool: "## Tools", pack: "## Packs", snippet: "## Snippets", alias: "## Aliases" } as const;

/** Most entries per group. */
const MAX_ENTRIES_PER_GROUP = 20;

function results({ query, info, catalogue, own }: Asked): string | undefined {
  const search = searchOf(catalogue);
  const isSnippet = query.startsWith("$");
  const all = search(isSnippet ? query.slice(1) : query, MAX_ENTRIES_PER_GROUP, own);
  const found = all.filter(({ kind, count }) => count > 0 && (!isSnippet || kind === "snippet"));
  if (found.length === 0) return undefined;
  const lines = [`# Results for '${query}'`];
  for (const { kind, count, best } of found) {
    lines.push(TITLES[kind]);
    for (const { entry } of best) lines.push(...linesOf(entry, info));
    if (count > best.length) lines.push(`... and ${count - best.length} more; narrow the query`);
  }
  return lines.join("\n");
}

function linesOf(entry: Entry, info: Info): readonly string[] {
  const [name, about, more] = DESCRIBED[entry.kind](entry as never);
  if (info === "list") return [`- ${name}`];
  const line = `- ${name}${about}`;
  return info === "full" && more
    ? [
        line,
        ...more
          .trimEnd()
          .split("\n")
          .map((one) => `  ${one}`),
      ]
    : [line];
}

type Of<K extends Entry["kind"]> = Extract<Entry, { readonly kind: K }>;

/** The name of an entry, the text next to it, and the text below it. */
const DESCRIBED: {
  readonly [K in Entry["kind"]]: (entry: Of<K>) => readonly [name: string, about: string, more: string];
} = {
  tool: ({ tool }) => [tool.op, `: ${tool.summary}`, tool.signature.python],
  pack: ({ pack }) => [pack.name, ` (${pack.tools.length} ${pack.tools.length === 1 ? "tool" : "tools"})`, ""],
  snippet: ({ snippet }) => [`$${snippet.name}`, `: ${snippet.description || "(no description)"}`, snippet.body],
  alias: ({ alias }) => [alias.name, ` -> ${alias.target}`, alias.tool.signature.python],
};
