/** Chooses the selection set of a field: what the configuration says, else every field to a depth. */

import {
  astFromValue,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLError,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isLeafType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  type SelectionNode,
  type SelectionSetNode,
  validate,
} from "graphql";
import { messageOf } from "../../../runtime/contract/thrown.js";

/** Levels of objects in a selection set, unless the configuration says another number. */
export const DEFAULT_DEPTH = 2;

/** Most fields of a selection set that is chosen by depth. */
const MAX_FIELDS = 400;

type AnyField = GraphQLField<unknown, unknown>;

/** A selection set; undefined for a field without one. */
export interface Selected {
  readonly selection: SelectionSetNode | undefined;
  /** Whether fields were left out because there are too many. */
  readonly isCut: boolean;
}

interface State {
  readonly schema: GraphQLSchema;
  left: number;
  isCut: boolean;
}

/** Every field that needs no argument, to a depth. Deprecated fields are left out. */
export function selectedToDepth(field: AnyField, schema: GraphQLSchema, depth: number): Selected {
  const type = getNamedType(field.type);
  if (isLeafType(type)) return { selection: undefined, isCut: false };
  const state: State = { schema, left: MAX_FIELDS, isCut: false };
  const selection = selectionOf(type, depth, [], state) ?? setOf([fieldNode("__typename")]);
  return { selection, isCut: state.isCut };
}

/** Objects that only lead to others: they count as no level, since their own fields say little. */
const PASSAGE = /(?:Connection|Edge|PageInfo)$/;

function selectionOf(
  type: GraphQLNamedType,
  depth: number,
  above: readonly string[],
  state: State,
): SelectionSetNode | undefined {
  const isPassage = PASSAGE.test(type.name);
  // A passage to itself would never end, since it costs no level.
  if (depth < 1 || (isPassage && above.includes(type.name))) return undefined;
  const levels = isPassage ? depth : depth - 1;
  const path = [...above, type.name];
  const own = isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
  const fields = own.flatMap((one) => chosenField(one, levels, path, state));
  const parts = isAbstractType(type) ? fragments(type, fields, levels, path, state) : [];
  if (fields.length === 0 && parts.length === 0) return undefined;
  return setOf([...(isAbstractType(type) ? [fieldNode("__typename")] : []), ...fields, ...parts]);
}

/** One fragment for each possible type of an interface or a union, with the fields that the type adds. */
function fragments(
  type: GraphQLNamedType,
  shared: readonly FieldNode[],
  levels: number,
  path: readonly string[],
  state: State,
): readonly SelectionNode[] {
  const known = new Set(shared.map(({ name }) => name.value));
  const types = new Map<string, string>();
  const possible = isAbstractType(type) ? state.schema.getPossibleTypes(type) : [];
  return possible.flatMap((part): readonly SelectionNode[] => {
    const fields = Object.values(part.getFields()).filter(({ name }) => !known.has(name));
    const chosen = fields.flatMap((field) => {
      // Fields of one name and two types may not stand beside each other under that name.
      const before = types.get(field.name);
      types.set(field.name, before ?? String(field.type));
      const clashes = before !== undefined && before !== String(field.type);
      const alias = clashes ? `${field.name}_${part.name}` : undefined;
      return chosenField(field, levels, path, state, alias);
    });
    const on = { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: part.name } } as const;
    const selectionSet = setOf(chosen);
    return chosen.length === 0 ? [] : [{ kind: Kind.INLINE_FRAGMENT, typeCondition: on, directives: [], selectionSet }];
  });
}

function chosenField(
  field: AnyField,
  levels: number,
  path: readonly string[],
  state: State,
  alias?: string,
): readonly FieldNode[] {
  const { name, args, deprecationReason } = field;
  const needs = args.some(({ type, defaultValue }) => isNonNullType(type) && defaultValue === undefined);
  if (needs || typeof deprecationReason === "string") return [];
  if (state.left <= 0) {
    state.isCut = true;
    return [];
  }
  const type = getNamedType(field.type);
  if (isLeafType(type)) {
    state.left -= 1;
    return [fieldNode(name, undefined, alias)];
  }
  const below = selectionOf(type, levels, path, state);
  return below ? [fieldNode(name, below, alias)] : [];
}

const setOf = (selections: readonly SelectionNode[]): SelectionSetNode => ({ kind: Kind.SELECTION_SET, selections });

function fieldNode(name: string, selectionSet?: SelectionSetNode, alias?: string): FieldNode {
  return {
    kind: Kind.FIELD,
    name: { kind: Kind.NAME, value: name },
    arguments: [],
    directives: [],
    ...(alias === undefined ? {} : { alias: { kind: Kind.NAME, value: alias } }),
    ...(selectionSet ? { selectionSet } : {}),
  };
}

/** The document of an op: one field, with a variable for each of its arguments. */
export function selectionDocument(
  operation: "query" | "mutation",
  { name, args }: AnyField,
  selection: SelectionSetNode | undefined,
): string {
  const declared = args.map((one) => `$${one.name}: ${variableType(one)}`).join(", ");
  const passed = args.map((one) => `${one.name}: $${one.name}`).join(", ");
  const [variables, values] = args.length === 0 ? ["", ""] : [`(${declared})`, `(${passed})`];
  return `${operation} ${name}${variables} { ${name}${values}${selection ? ` ${print(selection)}` : ""} }`;
}

/**
 * The type of the variable for an argument. The default of an argument that may not be null goes with it, since a variable of such a
 * type is required otherwise; one that has no text of GraphQL is left to the API, which takes it where a variable may be left out.
 */
function variableType({ type, defaultValue, astNode }: GraphQLArgument): string {
  if (!isNonNullType(type) || defaultValue === undefined) return String(type);
  try {
    const value = astNode?.defaultValue ?? astFromValue(defaultValue, type);
    return value ? `${String(type)} = ${print(value)}` : String(type.ofType);
  } catch {
    return String(type.ofType);
  }
}

/** Longest selection set of the configuration, in tokens of GraphQL. */
const MAX_TOKENS = 20_000;

/** Reads a selection set of the configuration, such as `id name`. */
export function selectionIn(text: string): { readonly selection: SelectionSetNode } | { readonly reason: string } {
  try {
    const { definitions } = parse(`{${text}\n}`, { noLocation: true, maxTokens: MAX_TOKENS });
    const [only, more] = definitions as readonly OperationDefinitionNode[];
    return only && !more ? { selection: only.selectionSet } : { reason: "it is more than one selection set" };
  } catch (cause) {
    return { reason: messageOf(cause) };
  }
}

/** Why a document is invalid; undefined if it is valid. */
export function documentFault(document: string, schema: GraphQLSchema): string | undefined {
  const [first] = validate(schema, parse(document)) as readonly GraphQLError[];
  return first?.message;
}
