/** Converts Python's literals to JSON, and type hints to JSON Schema, from the parse tree: no user code runs. */

import type { JsonObject, JsonValue } from "../../runtime/contract/registry.js";
import { stringValue } from "../../runtime/run/languages/python/python-text.js";
import {
  childrenOf,
  type PyNode,
  type PyTree,
  parsePython,
  sourceText,
  withoutParentheses,
} from "../../runtime/run/languages/python/python-tree.js";

/** A node with its tree. */
export interface InTree {
  readonly tree: PyTree;
  readonly node: PyNode;
}

/** The type names that a file defines. */
export interface TypeNames {
  /** Value of `Name = ...`. */
  readonly aliases: ReadonlyMap<string, InTree>;
  /** Classes of the file. */
  readonly classes: ReadonlyMap<string, InTree>;
}

/** Levels of hints and literals that are parsed. */
const MAX_HINT_DEPTH = 8;

/** The value of a literal; undefined for any other expression, and for a value that JSON cannot hold. */
export function literalOf(tree: PyTree, given: PyNode, depth = 0): JsonValue | undefined {
  const node = withoutParentheses(given);
  if (depth > MAX_HINT_DEPTH) return undefined;
  const read = LITERALS.get(node.name);
  return read?.(tree, node, depth);
}

const LITERALS: ReadonlyMap<string, (tree: PyTree, node: PyNode, depth: number) => JsonValue | undefined> = new Map([
  ["None", () => null],
  ["Boolean", (tree: PyTree, node: PyNode) => sourceText(tree, node) === "True"],
  ["Number", (tree: PyTree, node: PyNode) => numberOf(sourceText(tree, node))],
  ["UnaryExpression", negative],
  ["String", (tree: PyTree, node: PyNode) => stringValue(sourceText(tree, node))],
  ["ContinuedString", continued],
  ["ArrayExpression", listOf],
  ["TupleExpression", listOf],
  ["DictionaryExpression", dictOf],
]);

function numberOf(text: string): number | undefined {
  const plain = text.replaceAll("_", "");
  const value = /^(?:0[xob][0-9a-f]+|[\d.]+(?:e[+-]?\d+)?)$/i.test(plain) ? Number(plain) : Number.NaN;
  const exact = /[.e]/i.test(plain) && !/^0x/i.test(plain) ? Number.isFinite(value) : Number.isSafeInteger(value);
  return exact ? value : undefined;
}

function negative(tree: PyTree, node: PyNode): JsonValue | undefined {
  const [sign, operand] = childrenOf(node);
  const value = operand?.name === "Number" ? numberOf(sourceText(tree, operand)) : undefined;
  return sign && sourceText(tree, sign) === "-" && value !== undefined ? -value : undefined;
}

function continued(tree: PyTree, node: PyNode): JsonValue | undefined {
  const parts = childrenOf(node).map((one) => stringValue(sourceText(tree, one)));
  return parts.includes(undefined) ? undefined : parts.join("");
}

const MARKS: ReadonlySet<string> = new Set(["(", ")", "[", "]", "{", "}", ","]);

const membersOf = (node: PyNode): readonly PyNode[] => childrenOf(node).filter(({ name }) => !MARKS.has(name));

function listOf(tree: PyTree, node: PyNode, depth: number): JsonValue | undefined {
  const values = membersOf(node).map((one) => literalOf(tree, one, depth + 1));
  return values.some((one) => one === undefined) ? undefined : (values as JsonValue[]);
}

function dictOf(tree: PyTree, node: PyNode, depth: number): JsonValue | undefined {
  const members = membersOf(node);
  const entries: [string, JsonValue][] = [];
  for (let at = 0; at < members.length; at += 3) {
    const [key, colon, value] = members.slice(at, at + 3);
    const name = key && literalOf(tree, key, depth + 1);
    const read = value && literalOf(tree, value, depth + 1);
    if (typeof name !== "string" || colon?.name !== ":" || read === undefined) return undefined;
    entries.push([name, read]);
  }
  return Object.fromEntries(entries);
}

/** Parses the hints of one file; `unknown` is called with unknown names, for which any value is accepted. */
export interface HintReader {
  readonly names: TypeNames;
  /** Schemas of names of the file; inside itself, a recursive name accepts any value. */
  readonly known: Map<string, JsonObject>;
  unknown(name: string): void;
}

type Args = readonly InTree[];
type Reading = (args: Args, reader: HintReader, depth: number) => JsonObject;

const first: Reading = ([one], reader, depth) => (one ? schemaOf(one, reader, depth) : {});
const array: Reading = ([items], reader, depth) => ({
  type: "array",
  ...(items ? { items: schemaOf(items, reader, depth) } : {}),
});
const set: Reading = (args, reader, depth) => ({ ...array(args, reader, depth), uniqueItems: true });
const union: Reading = (args, reader, depth) => typeUnion(args.map((one) => schemaOf(one, reader, depth)));

function object([, values]: Args, reader: HintReader, depth: number): JsonObject {
  const member = values ? schemaOf(values, reader, depth) : {};
  return { type: "object", ...(Object.keys(member).length > 0 ? { additionalProperties: member } : {}) };
}

function tuple(args: Args, reader: HintReader, depth: number): JsonObject {
  if (args.length === 0 || args[1]?.node.name === "Ellipsis") return array(args, reader, depth);
  const prefixItems = args.map((one) => schemaOf(one, reader, depth));
  return { type: "array", prefixItems, minItems: prefixItems.length, maxItems: prefixItems.length };
}

function literal(args: Args): JsonObject {
  const values = args.map(({ tree, node }) => literalOf(tree, node));
  return values.some((one) => one === undefined) ? {} : { enum: values as JsonValue[] };
}

function annotated([type, ...notes]: Args, reader: HintReader, depth: number): JsonObject {
  const schema = first(type ? [type] : [], reader, depth);
  const texts = notes.map(({ tree, node }) => literalOf(tree, node)).filter((one) => typeof one === "string");
  return texts.length > 0 ? { ...schema, description: texts.join(" ") } : schema;
}

const SCALARS: Readonly<Record<string, JsonObject>> = {
  str: { type: "string" },
  int: { type: "integer" },
  float: { type: "number" },
  bool: { type: "boolean" },
  Any: {},
  object: {},
};

const each = (names: string, reading: Reading): readonly (readonly [string, Reading])[] =>
  names.split(" ").map((name) => [name, reading]);

/** Types with type parameters, which may be left out. */
const GENERICS: ReadonlyMap<string, Reading> = new Map([
  ...each("list List Sequence MutableSequence Iterable Iterator Collection", array),
  ...each("set Set frozenset FrozenSet AbstractSet", set),
  ...each("tuple Tuple", tuple),
  ...each("dict Dict Mapping MutableMapping", object),
  ...each("Optional", (args, reader, depth) => typeUnion([first(args, reader, depth), { type: "null" }])),
  ...each("Union", union),
  ...each("Literal", literal),
  ...each("Annotated", annotated),
  ...each("Required NotRequired ReadOnly Final Awaitable Coroutine", first),
]);

/** A union without repetitions; a member that accepts any value makes the union accept any value. */
export function typeUnion(members: readonly JsonObject[]): JsonObject {
  const flat = members.flatMap((one) => (Array.isArray(one["anyOf"]) ? (one["anyOf"] as JsonObject[]) : [one]));
  const texts = new Map(flat.map((one) => [JSON.stringify(one), one]));
  const [only, second] = texts.values();
  if (texts.has("{}") || !only) return {};
  return second ? { anyOf: [...texts.values()] } : only;
}

/** The schema of a type hint; `{}` accepts any value. */
export function schemaOf({ tree, node: given }: InTree, reader: HintReader, depth = 0): JsonObject {
  const node = withoutParentheses(given);
  if (depth > MAX_HINT_DEPTH) return {};
  const inside = (one: PyNode): InTree => ({ tree, node: one });
  if (node.name === "None") return { type: "null" };
  if (node.name === "String") return quoted(stringValue(sourceText(tree, node)), reader, depth + 1);
  if (node.name === "BinaryExpression") return union(membersOfUnion(tree, node).map(inside), reader, depth + 1);
  if (node.name === "MemberExpression" && node.children.some(({ name }) => name === "[")) {
    const [base, ...args] = membersOf(node);
    const generic = base && GENERICS.get(lastName(tree, base));
    if (generic) return generic(args.map(inside), reader, depth + 1);
  }
  return named(sourceText(tree, node), lastName(tree, node), reader, depth + 1);
}

/** The members of `a | b | c`, which nests to the left. Any other operator does not make a type. */
function membersOfUnion(tree: PyTree, given: PyNode): readonly PyNode[] {
  const members: PyNode[] = [];
  let node: PyNode | undefined = given;
  while (node?.name === "BinaryExpression") {
    const [left, operator, right]: readonly PyNode[] = childrenOf(node);
    if (!left || !right || !operator || sourceText(tree, operator) !== "|") return [];
    members.push(right);
    node = left;
  }
  return [...(node ? [node] : []), ...members.reverse()];
}

function named(text: string, name: string, reader: HintReader, depth: number): JsonObject {
  const { known, names } = reader;
  const before = known.get(name);
  if (before) return before;
  const alias = names.aliases.get(name);
  if (alias || names.classes.has(name)) known.set(name, {});
  const found = alias ? schemaOf(alias, reader, depth) : typedDict(name, reader, depth);
  if (found) {
    known.set(name, found);
    return found;
  }
  const scalar = Object.hasOwn(SCALARS, name) ? SCALARS[name] : GENERICS.get(name)?.([], reader, depth);
  if (!scalar) reader.unknown(text);
  return scalar ?? {};
}

/** `typing.Optional` is `Optional`. */
const lastName = (tree: PyTree, node: PyNode): string => /(\w+)$/.exec(sourceText(tree, node))?.[1] ?? "";

function quoted(text: string | undefined, reader: HintReader, depth: number): JsonObject {
  const tree = parsePython(text ?? "");
  const [statement, more] = tree.root.children;
  const node = statement?.name === "ExpressionStatement" && !more ? statement.children[0] : undefined;
  return node && tree.faults.length === 0 ? schemaOf({ tree, node }, reader, depth) : {};
}

/** A member of a TypedDict. */
interface Field {
  readonly name: string;
  readonly schema: JsonObject;
  readonly isRequired: boolean;
}

/** The object that a TypedDict of the file describes; undefined for any other class. */
function typedDict(name: string, reader: HintReader, depth: number): JsonObject | undefined {
  const fields = fieldsOf(name, reader, depth);
  if (!fields) return undefined;
  const required = fields.filter(({ isRequired }) => isRequired).map((one) => one.name);
  return {
    type: "object",
    properties: Object.fromEntries(fields.map((one) => [one.name, one.schema])),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

/** Fields of a class, starting with those of its bases; undefined if one of these is not a TypedDict. */
function fieldsOf(name: string, reader: HintReader, depth: number): readonly Field[] | undefined {
  if (name === "TypedDict") return [];
  const { tree, node } = reader.names.classes.get(name) ?? {};
  const list = node?.children.find((one) => one.name === "ArgList");
  if (!tree || !node || !list || depth > MAX_HINT_DEPTH) return undefined;
  const bases = membersOf(list).filter((one) => one.name === "VariableName" || one.name === "MemberExpression");
  const names = bases.map((one) => lastName(tree, one)).filter((one) => one !== "total");
  const inherited = names.map((one) => fieldsOf(one, reader, depth + 1));
  if (inherited.length === 0 || inherited.includes(undefined)) return undefined;
  const isTotal = !/\btotal\s*=\s*False\b/.test(sourceText(tree, list));
  return [...inherited.flatMap((one) => one ?? []), ...ownFields({ tree, node }, isTotal, reader, depth)];
}

function ownFields({ tree, node }: InTree, isTotal: boolean, reader: HintReader, depth: number): readonly Field[] {
  const body = node.children.find(({ name }) => name === "Body");
  return (body?.children ?? []).flatMap((one): readonly Field[] => {
    const [name, hint] = one.name === "AssignStatement" ? childrenOf(one) : [];
    const type = hint?.name === "TypeDef" ? childrenOf(hint)[1] : undefined;
    if (name?.name !== "VariableName" || !type) return [];
    const word = /^(?:\w+\.)?(Required|NotRequired)\[/.exec(sourceText(tree, type))?.[1];
    const isRequired = word === undefined ? isTotal : word === "Required";
    return [{ name: sourceText(tree, name), schema: schemaOf({ tree, node: type }, reader, depth), isRequired }];
  });
}
