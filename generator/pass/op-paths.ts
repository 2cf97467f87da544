/** Gives every definition its op: configured, declared, by a name rule of its pack, or inferred from all names of its pack. */

import type { OpEntry } from "../../runtime/contract/settings/entries.js";
import type { Config } from "../config/config.js";
import type { Report } from "../core/diagnostic.js";
import type { Classified, NameableDefinition, PackEntry } from "../core/ir.js";
import { isOpPath, RESERVED_PACKS, safeName } from "../core/names.js";
import { inferNames } from "./infer-names.js";
import { deriveOp, type OpPath } from "./op-path.js";
import type { Verb } from "./verbs.js";

/** What names depend on beside the definitions. */
export interface Naming {
  readonly config: Config;
  readonly vocabulary: ReadonlyMap<string, Verb>;
  readonly report: Report;
}

/** An op and where it is from. */
export interface NamedPath extends OpPath {
  readonly by: Classified["named_by"];
}

/** A definition with its op. */
export interface Named<One extends NameableDefinition = NameableDefinition> {
  readonly one: One;
  readonly path: NamedPath;
}

/** The pack of an op, its first segment: that of its source, unless the op is given in another one. */
export const packOfOp = (op: string): string => op.slice(0, op.indexOf("."));

/** The entry of `ops` for a tool: `<pack>/<tool>` before the bare name. */
export function opEntry(config: Config, pack: string, tool: string): { readonly key: string; readonly entry: OpEntry } {
  const ops = config.ops ?? {};
  const key = Object.hasOwn(ops, `${pack}/${tool}`) ? `${pack}/${tool}` : tool;
  return { key, entry: (Object.hasOwn(ops, key) ? ops[key] : undefined) ?? {} };
}

const packOf = ({ pack }: NameableDefinition, { config }: Naming): PackEntry => config.packs?.[pack] ?? {};

/** The definitions with their ops, in the same order. A definition whose op is invalid is reported and left out. */
export function opPaths<One extends NameableDefinition>(
  definitions: readonly One[],
  naming: Naming,
): readonly Named<One>[] {
  const fixed = new Map(definitions.map((one) => [one, fixedPath(one, naming)] as const));
  const open = definitions.filter((one) => fixed.get(one) === "open");
  const packs = [...new Set(open.map((one) => one.pack))];
  const taken = [...fixed.values()].flatMap((one) => (typeof one === "object" ? [one.op] : []));
  const inferred = new Map(packs.map((pack) => [pack, inferPack(pack, definitions, open, taken, naming)] as const));
  return definitions.flatMap((one) => {
    const path = fixed.get(one);
    if (path === undefined) return [];
    return [{ one, path: path === "open" ? openPath(one, inferred.get(one.pack), naming) : path }];
  });
}

function inferPack(
  pack: string,
  definitions: readonly NameableDefinition[],
  open: readonly NameableDefinition[],
  taken: readonly string[],
  naming: Naming,
): ReturnType<typeof inferNames> {
  const own = definitions.filter((one) => one.pack === pack && isEvidence(one));
  const names = (all: readonly NameableDefinition[]) => all.map((one) => one.name);
  const entry = naming.config.packs?.[pack] ?? {};
  const needing = open.filter((one) => one.pack === pack);
  return inferNames({ pack, tools: names(own), open: names(needing), taken, entry }, naming.vocabulary);
}

/** Names of upstream servers and HTTP APIs are those of their authors; nothing is inferred from them or for them. */
const isEvidence = (one: NameableDefinition): boolean =>
  one.origin === "local" && !one.shipped && one.declared?.op === undefined;

/** The op that does not depend on other tools; `open` if it does; undefined if it is invalid, which is reported. */
function fixedPath(one: NameableDefinition, naming: Naming): NamedPath | "open" | undefined {
  const { config, report } = naming;
  const { key, entry } = opEntry(config, one.pack, one.name);
  const refuse = (op: string, reason: string, reserved?: string): undefined => {
    const place = entry.op === undefined ? one.place : config.place("ops", key, "op");
    report.add("op-invalid", place, { op, reason, reserved });
    return undefined;
  };
  const given = entry.op ?? one.declared?.op;
  if (given !== undefined && !isOpPath(given))
    return refuse(given, "is no dotted path of identifiers that Python allows");
  const op = given ?? `${one.pack}.${safeName(one.name)}`;
  const pack = packOfOp(op);
  if (RESERVED_PACKS.has(pack)) return refuse(op, `is in a pack called ${pack}, a word that help reserves`, pack);
  if (given !== undefined) {
    return entry.op === undefined
      ? { op: given, because: "declared, @op", by: "declared" }
      : { op: given, because: `configured, ops.${key}.op`, by: "configured" };
  }
  const derived = deriveOp(one.name, one.pack, packOf(one, naming));
  if (derived.op === undefined) return "open";
  if (derived.verb !== undefined) return { ...derived, by: "rule" };
  return isEvidence(one) ? "open" : { ...derived, by: "name" };
}

/** The inferred op, or pack and safe name. In a pack with name rules, the tool that none of them matches is reported. */
function openPath(
  one: NameableDefinition,
  inferred: ReturnType<typeof inferNames> | undefined,
  naming: Naming,
): NamedPath {
  const derived = deriveOp(one.name, one.pack, packOf(one, naming));
  const found = inferred?.get(one.name) ?? { op: `${one.pack}.${safeName(one.name)}`, because: "pack and safe name" };
  if (derived.op === undefined) {
    const near = derived.nearest === undefined ? "" : `; nearest entity ${derived.nearest}`;
    const { op } = found;
    naming.report.add("op-unmatched", one.place, { tool: one.name, pack: one.pack, op, tried: derived.tried + near });
  }
  return { ...found, by: found.noun === undefined ? "name" : "inferred" };
}
