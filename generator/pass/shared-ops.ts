/**
 * Settles which tool keeps an op that several have, and reports ops that would move from one tool to another since the last build.
 */

import { byCodeUnit } from "../../runtime/contract/canonical.js";
import { isRecord } from "../../runtime/contract/json.js";
import type { Report } from "../core/diagnostic.js";
import type { NameableDefinition, NamedDefinition } from "../core/ir.js";
import { safeName } from "../core/names.js";
import type { Named, NamedPath } from "./op-paths.js";

/** Ops that differ in letter case only share a help file on some systems, so they count as one. */
const folded = (op: string): string => op.toLowerCase();

/** Whether configuration or the definition itself gives the op. */
const isStated = ({ by }: Pick<NamedPath, "by">): boolean => by === "configured" || by === "declared";

/** Whether the op ends with the tool's own name, unchanged. */
const isExact = ({ one, path }: Named): boolean =>
  safeName(one.name) === one.name && path.op.slice(path.op.lastIndexOf(".") + 1) === one.name;

/** Whether the op ends with the tool's own name, which has no letter in upper case. */
const isLowerCase = (named: Named): boolean => isExact(named) && folded(named.one.name) === named.one.name;

/** Order in which tools may keep an op that they share: stated ops, local tools, exact names, those in lower case first, then by name. */
function byClaim(a: Named, b: Named): number {
  const claims = [
    ({ path }: Named) => isStated(path),
    ({ one }: Named) => one.origin === "local",
    isLowerCase,
    isExact,
  ];
  for (const has of claims) if (has(a) !== has(b)) return has(a) ? -1 : 1;
  return byCodeUnit(a.one.name, b.one.name);
}

/**
 * The definitions with ops of their own, in the same order. Of tools that share an op, the first by claim keeps it; each further tool
 * of a server or an HTTP API gets a number behind it, unless its op is stated. Two other tools are an error of a later stage.
 */
export function withOwnOps<One extends NameableDefinition>(
  named: readonly Named<One>[],
  report: Report,
): readonly Named<One>[] {
  const groups = new Map<string, Named<One>[]>();
  for (const one of named) {
    const key = folded(one.path.op);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  const taken = new Set(groups.keys());
  const moved = new Map<Named<One>, Named<One>>();
  for (const sharing of groups.values()) {
    const [keeper, ...others] = sharing.length > 1 ? sharing.sort(byClaim) : sharing;
    for (const other of others)
      if (keeper && other.one.origin !== "local" && !isStated(other.path))
        moved.set(other, numbered(other, keeper, taken, report));
  }
  return named.map((one) => moved.get(one) ?? one);
}

function numbered<One extends NameableDefinition>(
  other: Named<One>,
  keeper: Named,
  taken: Set<string>,
  report: Report,
): Named<One> {
  const { one, path } = other;
  const op = freeOp(path.op, taken);
  taken.add(folded(op));
  report.add("op-numbered", one.place, { op: path.op, keeper: keeper.one.name, tool: toolKey(one), other: op });
  return { one, path: { ...path, op, because: `${path.because}; ${path.op} is the op of ${keeper.one.name}` } };
}

function freeOp(op: string, taken: ReadonlySet<string>): string {
  for (let count = 2; ; count++) if (!taken.has(folded(`${op}_${count}`))) return `${op}_${count}`;
}

/** `pack/tool`, the key of a tool under `ops`. */
const toolKey = ({ name, pack }: { readonly name: string; readonly pack: string }): string => `${pack}/${name}`;

const draftKey = ({ name, pack, source_pack }: NamedDefinition): string => toolKey({ name, pack: source_pack ?? pack });

/**
 * Reports each op that `generated/registry.json` gives to one tool and this build to another, while the first tool still exists: an
 * agent that knows the op would call something else. Ops that configuration or a definition states are meant to move.
 *
 * @param committed text of `generated/registry.json`, if there is one
 */
export function reportMovedOps(
  drafts: readonly NamedDefinition[],
  committed: string | undefined,
  report: Report,
): void {
  const before = committedTools(committed, report);
  if (before.size === 0) return;
  const now = new Map(drafts.map((one) => [draftKey(one), one]));
  for (const one of drafts) {
    const committed = before.get(folded(one.op));
    const holder = committed && now.get(committed.tool);
    if (!committed || !holder || holder === one) continue;
    if (isStated({ by: one.named_by }) || isStated({ by: holder.named_by })) continue;
    const { op, tool: from } = committed;
    report.add("op-moved", one.place, { op, from, to: draftKey(one), taken: one.op });
  }
}

/** An op of a registry as it is written there, and its tool. */
interface Committed {
  readonly op: string;
  readonly tool: string;
}

/** The ops of a registry, by op without letter case. */
function committedTools(text: string | undefined, report: Report): ReadonlyMap<string, Committed> {
  const file = "generated/registry.json";
  const tools = text === undefined ? [] : registryTools(text);
  if (!tools) report.add("registry-unreadable", { file, line: 1, column: 1 }, {});
  return new Map(
    (tools ?? []).flatMap((tool) => {
      if (!isRecord(tool)) return [];
      const { op, tool_name: name, group, source } = tool;
      const pack = isRecord(source) && source["pack"] !== undefined ? source["pack"] : group;
      return typeof op === "string" ? [[folded(op), { op, tool: `${pack}/${name}` }] as const] : [];
    }),
  );
}

/** The tools in the text of a registry; undefined if it is none. */
export function registryTools(text: string): readonly unknown[] | undefined {
  try {
    const registry: unknown = JSON.parse(text);
    return isRecord(registry) && Array.isArray(registry["tools"]) ? registry["tools"] : undefined;
  } catch {
    return undefined;
  }
}
