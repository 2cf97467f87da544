/** Other names of arguments: aliases (`x-aliases`, `Parameter.aliases`), and the same letters with other separators or in another case. */

import { acceptedNames } from "../../contract/accepted-names.js";
import { canonicalJson } from "../../contract/canonical.js";
import { objectOf } from "../../contract/exact-number.js";
import type { JsonObject, JsonSchema, Parameter } from "../../contract/registry.js";
import { withoutSeparators } from "../../contract/typo.js";
import { effectField } from "../corrections/effect.js";
import { claimedTwice, type RepairNotes } from "./notes.js";
import { joinPath, mayHave, propertiesOf } from "./schema.js";

/** The argument of an alias, and whether its use goes without a warning. */
interface Meaning {
  readonly name: string;
  readonly quiet: boolean;
}

/** Renames other names whose argument is absent; two names for one argument become an error naming both. */
export function renameAliases(
  args: JsonObject,
  schema: JsonSchema,
  path: string,
  notes: RepairNotes,
  parameters: readonly Parameter[] = [],
): JsonObject {
  const meanings = new Map([...respelled(args, schema, path), ...aliasesOf(schema, parameters)]);
  if (!Object.keys(args).some((name) => meanings.has(name))) return args;
  const claims = new Map<string, string[]>();
  for (const name of Object.keys(args)) {
    const meant = meanings.get(name)?.name ?? name;
    claims.set(meant, [...(claims.get(meant) ?? []), name]);
  }
  const members = [...claims].map(([meant, names]) => {
    const kept = names.includes(meant) ? meant : (names[0] ?? meant);
    const other = names.find((name) => name !== kept);
    if (other !== undefined) {
      notes.errors.push(claimedTwice(joinPath(path, other), [kept, other], args[other]));
      const values = [...new Map(names.map((name) => [canonicalJson(args[name]), args[name] ?? null])).values()];
      if (values.length > 1) notes.undecided.push({ path: joinPath(path, meant), values });
    } else if (kept !== meant && meanings.get(kept)?.quiet !== true)
      notes.warnings.push(`arg_renamed: ${joinPath(path, kept)} was read as ${joinPath(path, meant)}`);
    return [meant, args[kept]] as const;
  });
  return objectOf(members.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])));
}

/**
 * The names in the arguments that a schema does not accept, and that have the letters of one declared name: `projectId` is `project_id`.
 * The flags of a call are not meant for sure.
 */
function respelled(args: JsonObject, schema: JsonSchema, path: string): ReadonlyMap<string, Meaning> {
  const properties = propertiesOf(schema);
  const isOther = (name: string): boolean => !properties.has(name) && effectField(name) === undefined;
  const isRefused = (name: string): boolean =>
    path === "" ? !acceptedNames(schema).accepts(name) : !mayHave(schema, name);
  const others = Object.keys(args).filter((name) => isOther(name) && isRefused(name));
  if (others.length === 0) return new Map();
  const declared = path === "" ? acceptedNames(schema).declared : properties;
  const byLetters = new Map<string, string[]>();
  for (const name of declared.keys()) {
    const letters = withoutSeparators(name);
    byLetters.set(letters, [...(byLetters.get(letters) ?? []), name]);
  }
  return new Map(
    others.flatMap((other) => {
      const [name, ...more] = byLetters.get(withoutSeparators(other)) ?? [];
      return name === undefined || more.length > 0 ? [] : [[other, { name, quiet: false }] as const];
    }),
  );
}

/** Alias to argument. A declared argument is never an alias; the first argument with an alias keeps it. */
export function aliasesOf(schema: JsonSchema, parameters: readonly Parameter[]): ReadonlyMap<string, Meaning> {
  const properties = propertiesOf(schema);
  const originals = new Set(parameters.map(({ original }) => original));
  const meanings = new Map<string, Meaning>();
  const claim = (alias: string, name: string, quiet = false): void => {
    if (!properties.has(alias) && !originals.has(alias) && !meanings.has(alias)) meanings.set(alias, { name, quiet });
  };
  // Help shows the safe name, so using it is not a mistake.
  for (const { name, original } of parameters) if (name !== original) claim(name, original, true);
  for (const { aliases, original } of parameters) for (const alias of aliases) claim(alias, original);
  for (const [name, property] of properties) {
    const declared = property["x-aliases"];
    if (Array.isArray(declared)) for (const alias of declared) claim(String(alias), name);
  }
  return meanings;
}
