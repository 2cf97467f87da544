/** Puts members that stand beside the object they belong to back into it: `parent_id`, `parent.id`, all members of the only list. */

import { isExact, objectOf } from "../../contract/exact-number.js";
import { isObject, own } from "../../contract/json.js";
import { dereference, isSchema, itemSchemas } from "../../contract/json-schema.js";
import type { JsonObject, JsonSchema, JsonValue, Tool } from "../../contract/registry.js";
import { withoutPlural, wordsIn } from "../../contract/typo.js";
import { branchesOf } from "../arguments/branch.js";
import { admits, mayHave, propertiesOf, requiredOf } from "../arguments/schema.js";
import { nearestArgument } from "./argument-names.js";

/** Declared arguments that are compared with a name. */
const MAX_ARGUMENTS = 200;

/** An argument that holds members, itself or in each of its items. */
interface Holder {
  readonly name: string;
  readonly members: JsonSchema;
  readonly isList: boolean;
}

/** The arguments with members in the objects that declare them; as they are where that would need a guess, or where a name means another argument. */
export function nestMembers(args: JsonObject, schema: JsonSchema): JsonObject {
  const declared = propertiesOf(schema);
  const unknown = Object.keys(args).filter((name) => !declared.has(name) && !isObject(args[name]));
  if (unknown.length === 0 || declared.size > MAX_ARGUMENTS) return args;
  const holders = [...declared].flatMap(([name, property]) => holderOf(name, property, schema));
  const free = [...declared.keys()].filter((name) => !Object.hasOwn(args, name));
  const meant = new Map(unknown.map((name) => [name, nearestArgument(name, free)]));
  const holdersOf = (...names: readonly string[]): readonly Holder[] =>
    holders.filter((holder) => names.every((name) => [undefined, holder.name].includes(meant.get(name))));
  return (
    whole(args, unknown, holdersOf(...unknown)) ??
    unknown.reduce((at, name) => prefixed(at, name, holdersOf(name)), args)
  );
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

/** The argument that holds a whole request body: a name that is no argument can only be one of its members. */
const BODY = "body";

/** Moves members that are no arguments into the body, if the body can have them and none resembles another argument. */
export function putIntoBody(args: JsonObject, { parameters, parameters_schema: root }: Tool): JsonObject {
  const declared = propertiesOf(root);
  const property = declared.get(BODY);
  const given = own(args, BODY) ?? {};
  if (!property || !admits(property, {}, root) || !isObject(given) || isExact(given)) return args;
  const branches = branchesOf(property, root);
  const known = new Set(parameters.flatMap(({ name, aliases }) => [name, ...aliases]));
  const free = [...declared.keys()].filter((name) => name !== BODY && !Object.hasOwn(args, name));
  const isMember = (name: string): boolean =>
    branches.some((branch) => propertiesOf(branch).has(name)) ||
    (branches.some((branch) => mayHave(branch, name)) && nearestArgument(name, free) === undefined);
  const unknown = Object.keys(args).filter((name) => !declared.has(name) && !known.has(name));
  const members = unknown.filter((name) => isMember(name) && !Object.hasOwn(given, name));
  if (members.length === 0) return args;
  const body = objectOf([...Object.entries(given), ...members.map((name) => [name, args[name] ?? null] as const)]);
  const kept = Object.entries(args).filter(([name]) => name !== BODY && !members.includes(name));
  return objectOf([...kept, [BODY, body] as const]);
}

/** `id` for the only argument that the op requires and that is the id of what it is about: `order_id` of `get_order`. */
export function nameOwnId(args: JsonObject, { op, parameters, parameters_schema: root }: Tool): JsonObject {
  if (!Object.hasOwn(args, "id") || propertiesOf(root).has("id")) return args;
  const words = new Set(wordsIn(op).map(withoutPlural));
  const fitting = parameters.filter(({ original, required }) => {
    const before = wordsIn(original).slice(0, -1);
    const isOwn =
      wordsIn(original).at(-1) === "id" && before.length > 0 && before.every((word) => words.has(withoutPlural(word)));
    return required && isOwn && !Object.hasOwn(args, original);
  });
  const [target] = fitting;
  if (!target || fitting.length > 1) return args;
  return objectOf(
    Object.entries(args).map(([name, value]) => [name === "id" ? target.original : name, value] as const),
  );
}
