/** What is said of names that are those of no op. */

import { byCodeUnit } from "../../../contract/canonical.js";
import { REFUSED } from "../../engine/engine.js";
import { shownMembers } from "../../packs.js";
import type { CallableNames, CallFailure, PackTree } from "../language.js";
import type { BuiltinException } from "./exceptions.js";

const raised = (exception: BuiltinException, message: string): CallFailure => ({ ...REFUSED, exception, message });

/** The exception for a path without an op. */
export function unknownPath(
  path: readonly string[],
  { packs, hidden, projects }: CallableNames,
  ambiguous: ReadonlyMap<string, readonly string[]>,
): CallFailure {
  const [first = ""] = path;
  const several = ambiguous.get(first);
  if (path.length === 1 && several) return raised("NameError", ambiguity(first, several));
  if (path.length > 1 && first === "proj" && projects.size > 0)
    return raised("AttributeError", noProject(path[1] ?? "", { packs, hidden, projects }));
  let at: PackTree | null | undefined = packs;
  let depth = 0;
  for (; depth < path.length - 1 && at?.get(path[depth] ?? ""); depth++) at = at.get(path[depth] ?? "");
  if (depth === 0 && !packs.has(first)) return raised("NameError", `name '${first}' is not defined`);
  const name = path[depth] ?? "";
  const held = path.slice(0, depth);
  if (at?.has(name) || depth === 0) return raised("TypeError", `'${path.join(".")}' is a pack, not a function`);
  return raised("AttributeError", noFunction(held, name, at ?? new Map(), hidden));
}

/** Functions that a message lists; of more, it says how to find one. */
const MAX_AVAILABLE = 60;

/** Message about an unknown function of a pack. */
export function noFunction(
  path: readonly string[],
  name: string,
  pack: PackTree,
  hidden: ReadonlySet<string> | undefined,
): string {
  const all = [...shownMembers(pack, path, hidden)].sort(byCodeUnit);
  const words = JSON.stringify({ path: name.replaceAll("_", " ").trim() });
  const available =
    all.length > MAX_AVAILABLE ? `${all.length} functions, which tool_help ${words} finds` : all.join(", ");
  return `pack '${path.join(".")}' has no function '${name}'. Available: ${available}`;
}

/** Message about an ambiguous bare name. */
export const ambiguity = (name: string, paths: readonly string[]): string =>
  `name '${name}' is ambiguous: ${paths.join(", ")}`;

/** Message about an unknown project, with functions in the order of the pack's help page. */
export function noProject(name: string, { packs, hidden, projects }: CallableNames): string {
  const functions = [...shownMembers(packs.get("proj") ?? new Map(), ["proj"], hidden)]
    .sort(byCodeUnit)
    .reverse()
    .join(", ");
  const names = [...projects.keys()].sort(byCodeUnit).join(", ");
  return `proj has no function or project '${name}'. Functions: ${functions}. Projects: ${names}`;
}
