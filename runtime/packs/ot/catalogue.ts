/** Everything that a caller may see: packs, tools, aliases and snippets in order. */

import { type OpSearch, opSearchOf } from "../../catalog/op-search.js";
import type { RegistryView } from "../../catalog/registry.js";
import type { Docs, Settings } from "../../config/settings.js";
import { byCodeUnit } from "../../contract/canonical.js";
import type { ProgramLanguage } from "../../contract/program-language.js";
import type { Tool } from "../../contract/registry.js";
import type { Snippet } from "../../contract/snippet.js";
import { followAliases } from "../../run/names.js";
import type { HostContext } from "../host.js";

/** A pack with its tools. */
export interface CataloguePack {
  readonly name: string;
  readonly source: "local" | "proxy";
  readonly summary: string;
  readonly instructions: string | undefined;
  readonly tools: readonly Tool[];
}

/** An alias: its declared target, and the tool at the end of the chain. */
export interface SeenAlias {
  readonly name: string;
  readonly target: string;
  readonly tool: Tool;
}

/** A snippet with its name. */
export interface SeenSnippet extends Snippet {
  readonly name: string;
}

/** What a caller may see. */
export interface Catalogue {
  readonly tools: readonly Tool[];
  readonly byOp: ReadonlyMap<string, Tool>;
  readonly packs: readonly CataloguePack[];
  readonly aliases: readonly SeenAlias[];
  readonly snippets: readonly SeenSnippet[];
  readonly docs: Docs;
  /** The first language of programs, in which code is shown. */
  readonly language: ProgramLanguage;
  /** The search over the tools. */
  readonly searchOps: OpSearch;
  readonly synonyms: Settings["synonyms"];
}

/** The language in which code is shown. */
export const shownLanguage = ({ run: { languages } }: Pick<Settings, "run">): ProgramLanguage => languages[0];

/** Whose catalogue it is. */
type CatalogueContext = Pick<HostContext, "host" | "principal">;

const known = new WeakMap<RegistryView, Promise<Catalogue>>();

/** The catalogue of a caller; cached per view. */
export function catalogueOf(ctx: CatalogueContext): Promise<Catalogue> {
  const view = ctx.host.view(ctx.principal);
  const made = known.get(view) ?? build(ctx, view);
  known.set(view, made);
  made.catch(() => known.delete(view));
  return made;
}

async function build({ host, principal }: CatalogueContext, view: RegistryView): Promise<Catalogue> {
  const { registry, settings } = host.project;
  const tools = [...view.listed].sort((a, b) => byCodeUnit(a.op, b.op));
  const groups = new Map<string, Tool[]>();
  for (const tool of tools) groups.set(tool.group, [...(groups.get(tool.group) ?? []), tool]);
  const packs = [...groups].map(([name, members]): CataloguePack => {
    const pack = registry.packs.find((one) => one.name === name);
    const { source = "local", summary = "" } = pack ?? {};
    return { name, source, summary, instructions: settings.packInstructions.get(name), tools: members };
  });
  const snippets = [...(await host.snippets(principal))].map(([name, one]): SeenSnippet => ({ name, ...one }));
  return {
    tools,
    byOp: new Map(tools.map((tool) => [tool.op, tool])),
    packs: sorted(packs),
    aliases: aliasesOf(view, settings.aliases),
    snippets: sorted(snippets),
    docs: settings.docs,
    language: shownLanguage(settings),
    searchOps: (...asked) => opSearchOf(view, host.project)(...asked),
    synonyms: settings.synonyms,
  };
}

const sorted = <T extends { readonly name: string }>(entries: readonly T[]): readonly T[] =>
  [...entries].sort((a, b) => byCodeUnit(a.name, b.name));

/** Aliases of visible tools; a circular alias has no tool. */
function aliasesOf(view: RegistryView, aliases: ReadonlyMap<string, string>): readonly SeenAlias[] {
  const followed = followAliases(aliases);
  if (followed.kind === "cycle") return [];
  const seen = [...aliases].flatMap(([name, target]) => {
    const tool = view.exact(followed.aliases.get(name) ?? "");
    return tool && view.isListed(tool.op) ? [{ name, target, tool }] : [];
  });
  return sorted(seen);
}
