/** What the console shows of the registry: `GET /api/registry`, the index, and `GET /api/op`, one op. */

import { mayAdminister } from "../../access/principal.js";
import type { RegistryIndex, RegistryView } from "../../catalog/registry.js";
import { digest } from "../../contract/canonical.js";
import { grantKey, overallGrant } from "../../contract/grant.js";
import { groupsIn, type HelpLevel } from "../../contract/groups.js";
import type { Principal } from "../../contract/handler.js";
import type { Level, Tool } from "../../contract/registry.js";
import { clip } from "../../contract/scrub.js";

/** The caller, as far as a page needs it. */
export interface SeenCaller {
  readonly kind: Principal["kind"];
  /** Id of the key, which calls use to name their caller. */
  readonly id: string;
  /** What the identity provider calls a user who has signed in. */
  readonly name?: string;
  readonly level: Level;
  /** Whether the caller may do more than `level` with some ops. */
  readonly more?: boolean;
  /** Whether the caller may see and change what concerns all callers. */
  readonly administers?: boolean;
  /** Whether all projects are accessible. */
  readonly projects: "all" | "some";
  readonly allow_write: boolean;
}

/** An op in the index, as short as thousands of them need: its path, `r` or `w`, its summary, and the place of its group in `groups`. */
export type IndexedOp = readonly [op: string, kind: "r" | "w", summary: string, group?: number];

/** A pack with its ops. */
export interface VisiblePack {
  readonly name: string;
  readonly summary: string;
  /** Paths of its groups without the name of the pack, in the order of the directories of `tool_help`. */
  readonly groups: readonly string[];
  readonly ops: readonly IndexedOp[];
}

/** The registry of a caller: what lists show. {@link seenTool} has the rest of an op. */
export interface SeenRegistry {
  readonly registry_version: string;
  readonly caller: SeenCaller;
  /** Languages of programs, as `run.languages` has them. */
  readonly languages: readonly string[];
  readonly packs: readonly VisiblePack[];
}

/** An op as its page shows it. */
export type SeenTool = Omit<Tool, "source">;

/** Longest summary in the index, in characters; the page of an op has the whole one. */
const MAX_SUMMARY_LENGTH = 140;

/** Entity tag over everything that the answer depends on; weak, since its bytes depend on the accepted encoding. */
export const registryTag = (
  { version }: RegistryIndex,
  { kind, id, grant, allowWrite }: Principal,
  languages: readonly string[],
  name = "",
): string =>
  `W/"${version}-${digest([kind, id, grantKey(grant), name, ...languages]).slice(0, TAG_LENGTH)}-${allowWrite ? "w" : "r"}"`;

/** Length of a digest in a tag. */
const TAG_LENGTH = 32;

/** The listed ops by pack, and the caller. */
export function seenRegistry(
  { version, registry, view }: RegistryIndex,
  principal: Principal,
  languages: readonly string[],
  name?: string,
): SeenRegistry {
  const { kind, id, grant, allowWrite } = principal;
  const { level, projects, more } = overallGrant(grant);
  const seen = view(grant);
  const packs = new Map<string, Tool[]>();
  for (const tool of seen.listed) {
    const tools = packs.get(tool.group);
    if (tools) tools.push(tool);
    else packs.set(tool.group, [tool]);
  }
  const names = [...registry.packs.map(({ name }) => name), ...packs.keys()];
  const summaryOf = (pack: string): string => registry.packs.find(({ name }) => name === pack)?.summary ?? "";
  return {
    registry_version: version,
    caller: {
      kind,
      id,
      ...(name === undefined ? {} : { name }),
      level,
      projects: projects === "*" ? "all" : "some",
      allow_write: allowWrite,
      ...(more ? { more: true } : {}),
      ...(mayAdminister(principal) ? { administers: true } : {}),
    },
    languages,
    packs: [...new Set(names)].flatMap((name) => {
      const tools = packs.get(name);
      return tools ? [{ name, summary: summaryOf(name), ...grouped(seen, { path: name, tools }) }] : [];
    }),
  };
}

function grouped(view: RegistryView, pack: HelpLevel): Pick<VisiblePack, "groups" | "ops"> {
  const groups = groupsIn(view, pack).filter(({ path }) => path !== pack.path);
  const places = new Map(groups.flatMap(({ tools }, at) => tools.map(({ op }) => [op, at] as const)));
  return {
    groups: groups.map(({ path }) => path.slice(pack.path.length + 1)),
    ops: pack.tools.map((tool) => indexed(tool, places.get(tool.op))),
  };
}

function indexed({ op, kind, summary }: Tool, group: number | undefined): IndexedOp {
  const short = clip(summary, MAX_SUMMARY_LENGTH);
  const mark = kind === "read" ? "r" : "w";
  return group === undefined ? [op, mark, short] : [op, mark, short, group];
}

/** One listed op without its source; undefined if the caller may not see it. */
export function seenTool({ view }: RegistryIndex, { grant }: Principal, op: string): SeenTool | undefined {
  const seen = view(grant);
  const tool = seen.isListed(op) ? seen.exact(op) : undefined;
  if (!tool) return undefined;
  const { source: _, ...rest } = tool;
  return rest;
}
