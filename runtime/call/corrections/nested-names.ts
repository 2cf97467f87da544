/** Puts members that stand beside the object they belong to back into it: `parent_id`, `parent.id`, all members of the only list. */

import { isExact, objectOf } from "../../contract/exact-number.js";
import { isObject, own } from "../../contract/json.js";
import { dereference, isSchema, itemSchemas } from "../../contract/json-schema.js";
import type { JsonObject, JsonSchema, JsonValue } from "../../contract/registry.js";
import { wordsIn } from "../../contract/typo.js";
import { propertiesOf, requiredOf } from "../arguments/schema.js";

/** Declared arguments that are compared with a name. */
const MAX_ARGUMENTS = 200;

/** An argument that holds members, itself or in each of its items. */
interface Holder {
  readonly name: string;
  readonly members: JsonSchema;
  readonly isList: boolean;
}

/** The arguments with members in the objects that declare them; as they are where that would need a guess. */
export function nestMembers(args: JsonObject, schema: JsonSchema): JsonObject {
  const declared = propertiesOf(schema);
  const unknown = Object.keys(args).filter((name) => !declared.has(name) && !isObject(args[name]));
  if (unknown.length === 0 || declared.size > MAX_ARGUMENTS) return args;
  const holders = [...declared].flatMap(([name, property]) => holderOf(name, property, schema));
  return whole(args, unknown, holders) ?? unknown.reduce((at, name) => prefixed(at, name, holders), args);
}

function holderOf(name: string, property: JsonSchema, root: JsonSchema): readonly Holder[] {
  const said = dereference(property, root);
  if (propertiesOf(said).size > 0) return [{ name, members: said, isList: false }];
  const { rest } = itemSchemas(said);
  const item = isSchema(rest) ? dereference(rest, root) : {};
  return propertiesOf(item).size > 0 ? [{ name, members: item, isList: true }] : [];
}

/** All unknown names are members of one argument that is not given, and make it complete. */
function whole(args: JsonObject, unknown: readonly string[], holders: readonly Holder[]): JsonObject | undefined {
  const fitting = holders.filter(({ name, members }) => {
    const known = propertiesOf(members);
    const required = requiredOf(members);
    const isComplete = required.length > 0 && required.every((one) => unknown.includes(one));
    return !Object.hasOwn(args, name) && isComplete && unknown.every((one) => known.has(one));
  });
  const [holder] = fitting;
  if (!holder || fitting.length > 1) return undefined;
  const value = objectOf(unknown.map((name) => [name, args[name] ?? null] as const));
  const kept = Object.entries(args).filter(([name]) => !unknown.includes(name));
  return objectOf([...kept, [holder.name, holder.isList ? [value] : value] as const]);
}

/** `parent_id` → `parent.id`, if that is the only object with such a member, and says nothing else of it. */
function prefixed(args: JsonObject, name: string, holders: readonly Holder[]): JsonObject {
  const words = wordsIn(name).join(" ");
  const fitting = holders
    .filter(({ isList }) => !isList)
    .flatMap((holder) =>
      [...propertiesOf(holder.members).keys()]
        .filter((member) => words === [...wordsIn(holder.name), ...wordsIn(member)].join(" "))
        .map((member) => ({ name: holder.name, member })),
    );
  const [target] = fitting;
  if (!target || fitting.length > 1) return args;
  const given: JsonValue = own(args, target.name) ?? {};
  if (!isObject(given) || isExact(given) || Object.hasOwn(given, target.member)) return args;
  const inner = objectOf([...Object.entries(given), [target.member, args[name] ?? null] as const]);
  const kept = Object.entries(args).filter(([one]) => one !== name && one !== target.name);
  return objectOf([...kept, [target.name, inner] as const]);
}
