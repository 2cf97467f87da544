/** Packs as objects for Monty: they have no members, and every method call goes to the host. */

import { isOp } from "../packs.js";
import type { PackTree } from "./engine.js";

/** The pack with projects as attributes. */
export const PROJ = "proj";

/** The method by which code calls the op of a pack that is an op too. */
export const OWN_OP_METHOD = "call_own_op__";

const IDENTIFIER = /^[A-Za-z_]\w*$/;

/** The packs of one run. */
export interface Packs {
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Dotted path of a pack object that the guest returned. */
  pathOf(value: unknown): readonly string[] | undefined;
  /** Whether there is an op at this path. */
  isOp(path: readonly string[]): boolean;
}

const made = [new WeakMap<PackTree, Packs>(), new WeakMap<PackTree, Packs>()] as const;

/** The objects for a tree of packs, made once for each; `proj` accepts attributes, all others are frozen. */
export function packsOf(tree: PackTree, withProjects: boolean): Packs {
  const known = made[withProjects ? 1 : 0];
  const packs = known.get(tree) ?? newPacks(tree, withProjects);
  known.set(tree, packs);
  return packs;
}

function newPacks(tree: PackTree, withProjects: boolean): Packs {
  const paths = new Map<bigint, readonly string[]>();
  const inputs: Record<string, unknown> = Object.create(null);
  const object = (path: readonly string[], node: PackTree): unknown => {
    const typeId = BigInt(paths.size + 1);
    paths.set(typeId, path);
    const fields: Record<string, unknown> = Object.create(null);
    for (const [name, below] of node) if (below !== null) fields[name] = object([...path, name], below);
    return {
      __monty_type__: "Dataclass",
      name: path.join("."),
      typeId,
      fieldNames: Object.keys(fields),
      fields,
      frozen: path[0] !== PROJ,
    };
  };
  for (const [name, below] of tree) if (below !== null && IDENTIFIER.test(name)) inputs[name] = object([name], below);
  if (withProjects && !(PROJ in inputs)) inputs[PROJ] = object([PROJ], new Map());
  const pathOf = (value: unknown): readonly string[] | undefined => {
    const { __monty_type__: kind, typeId } = (value ?? {}) as { __monty_type__?: unknown; typeId?: unknown };
    return kind === "Dataclass" && typeof typeId === "bigint" ? paths.get(typeId) : undefined;
  };
  return { inputs, pathOf, isOp: (path) => isOp(tree, path) };
}
