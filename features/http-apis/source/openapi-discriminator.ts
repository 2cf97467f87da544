/**
 * Reads what a `discriminator` says: which values of a property mean which schema. Validators do not know the keyword, so that each
 * branch gets the values as `const` or `enum`.
 */

import { isRecord } from "../../../runtime/contract/json.js";
import type { JsonSchema, JsonValue } from "../../../runtime/contract/registry.js";
import type { LocatedObject, OpenApiObject, OpenapiDocument } from "./openapi-document.js";

/** A schema that a reference leads to. */
export type BranchTarget = LocatedObject & { readonly key: string };

/** A schema that a discriminator may mean, and what its branch says beside it. */
export interface DiscriminatorBranch {
  readonly target: BranchTarget;
  /** Absent where the schema itself has the values. */
  readonly mark?: JsonSchema;
  /** The values of the mark. */
  readonly values?: readonly JsonValue[];
  /** Whether the values of the property are known. */
  readonly isDecided: boolean;
}

/** Reads the discriminators of one document. */
export interface Discriminators {
  /** The branch of a union for one of its references; undefined if it has no discriminator or the reference leads nowhere. */
  readonly branchOf: (union: OpenApiObject, file: string, ref: string) => DiscriminatorBranch | undefined;
  /** The schemas that a parent stands for: those that extend it, and itself if it has a value; undefined if it is no parent. */
  readonly familyOf: (parent: BranchTarget) => readonly DiscriminatorBranch[] | undefined;
  /** What a schema that extends a parent says of its own values, those of its children among them; undefined if it says so itself. */
  readonly ownMark: (child: BranchTarget) => JsonSchema | undefined;
  /** Whether `allOf` of a schema extends a parent, in place of using it. */
  readonly isExtension: (schema: OpenApiObject, parent: BranchTarget) => boolean;
}

/** Opens the discriminators of a document. */
export function discriminatorsOf(document: OpenapiDocument): Discriminators {
  const families = new Map<string, readonly DiscriminatorBranch[] | undefined>();
  let index: ReadonlyMap<string, readonly BranchTarget[]> | undefined;
  const familyOf: Discriminators["familyOf"] = (parent) => {
    const discriminator = discriminatorOf(parent.node);
    if (!discriminator || isUnion(parent.node)) return undefined;
    if (!families.has(parent.key)) {
      index ??= childrenIn(document);
      families.set(parent.key, readFamily(parent, discriminator, index, document));
    }
    return families.get(parent.key);
  };
  return {
    branchOf: (union, file, ref) => {
      const discriminator = discriminatorOf(union);
      const target = discriminator && document.find(ref, file);
      if (!discriminator || !target) return undefined;
      const isBeside = memberOf({ node: union, file }, discriminator.property, document, 0).isDeclared;
      return branchOf(discriminator, mappedIn(discriminator, file, document), target, document, isBeside);
    },
    familyOf,
    ownMark: (child) => {
      const parent = parentOf(child, document);
      const family = parent && familyOf(parent);
      if (!family) return undefined;
      index ??= childrenIn(document);
      const keys = new Set([child.key, ...descendantsOf(child, index).map(({ key }) => key)]);
      return joined(
        discriminatorOf(parent.node)?.property ?? "",
        family.filter(({ target }) => keys.has(target.key)),
      );
    },
    isExtension: (schema, parent) =>
      isRecord(schema["properties"]) ||
      (Array.isArray(schema["allOf"]) && schema["allOf"].length > 1) ||
      familyOf(parent)?.some(({ target }) => target.node === schema) === true,
  };
}

/** The nearest schema with a discriminator of its own that a schema extends. */
function parentOf(child: BranchTarget, document: OpenapiDocument): BranchTarget | undefined {
  const seen = new Set([child.key]);
  const waiting = [child];
  for (let at = waiting.shift(); at && seen.size <= MAX_ANCESTORS; at = waiting.shift()) {
    if (at !== child && discriminatorOf(at.node) && !isUnion(at.node)) return at;
    const next = extendedBy(at, document).filter(({ key }) => !seen.has(key));
    waiting.push(...next);
    for (const { key } of next) seen.add(key);
  }
  return undefined;
}

/** The schemas that `allOf` of a schema refers to. */
const extendedBy = ({ node: { allOf }, file }: LocatedObject, document: OpenapiDocument): readonly BranchTarget[] =>
  (Array.isArray(allOf) ? allOf : []).flatMap((part) => {
    const ref = isRecord(part) ? part["$ref"] : undefined;
    return (typeof ref === "string" ? document.find(ref, file) : undefined) ?? [];
  });

/** Most schemas that are looked at for the parent of one. */
const MAX_ANCESTORS = 64;

function descendantsOf(
  parent: BranchTarget,
  index: ReadonlyMap<string, readonly BranchTarget[]>,
): readonly BranchTarget[] {
  const found = new Map<string, BranchTarget>();
  const waiting = [parent];
  for (let at = waiting.shift(); at; at = waiting.shift())
    for (const child of index.get(at.key) ?? [])
      if (child.key !== parent.key && !found.has(child.key)) {
        found.set(child.key, child);
        waiting.push(child);
      }
  return [...found.values()];
}

/** The marks of several branches as one; undefined if one is not decided, or none has a mark. */
function joined(property: string, branches: readonly DiscriminatorBranch[]): JsonSchema | undefined {
  if (branches.length === 0 || !branches.every(({ isDecided, mark }) => isDecided && mark)) return undefined;
  return markOf(property, [...new Set(branches.flatMap(({ values = [] }) => values))]);
}

function markOf(property: string, values: readonly JsonValue[]): JsonSchema {
  const [only] = values;
  const said = values.length === 1 ? { const: only as JsonValue } : { enum: values };
  return { type: "object", properties: { [property]: said }, required: [property] };
}

interface Discriminator {
  readonly property: string;
  readonly mapping: OpenApiObject;
}

/** The discriminator of a schema. One with a default for other values decides nothing. */
function discriminatorOf({ discriminator }: OpenApiObject): Discriminator | undefined {
  if (!isRecord(discriminator) || typeof discriminator["propertyName"] !== "string") return undefined;
  const { propertyName, mapping, defaultMapping } = discriminator;
  if (defaultMapping !== undefined || propertyName === "__proto__") return undefined;
  return { property: propertyName, mapping: isRecord(mapping) ? mapping : {} };
}

const isUnion = ({ oneOf, anyOf }: OpenApiObject): boolean => Array.isArray(oneOf) || Array.isArray(anyOf);

/** The values of a mapping by the schema that they mean. One that leads nowhere means nothing. */
function mappedIn(
  { mapping }: Discriminator,
  file: string,
  document: OpenapiDocument,
): ReadonlyMap<string, { readonly target: BranchTarget; readonly values: readonly string[] }> {
  const found = new Map<string, { readonly target: BranchTarget; readonly values: readonly string[] }>();
  for (const [value, to] of Object.entries(mapping)) {
    if (typeof to !== "string") continue;
    const named = document.find(`#/components/schemas/${to}`, document.root.file);
    const target = named ?? document.find(to, file);
    if (target) found.set(target.key, { target, values: [...(found.get(target.key)?.values ?? []), value] });
  }
  return found;
}

/** Schemas of the components by the keys of those that their `allOf` refers to. */
function childrenIn(document: OpenapiDocument): ReadonlyMap<string, readonly BranchTarget[]> {
  const found = new Map<string, BranchTarget[]>();
  const schemas = document.below(document.root, "components", "schemas");
  for (const [name, node] of Object.entries(schemas?.node ?? {})) {
    if (!schemas || !isRecord(node) || !Array.isArray(node["allOf"])) continue;
    const key = `${schemas.file}#/components/schemas/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const child = { node, file: schemas.file, key };
    for (const parent of extendedBy(child, document)) found.set(parent.key, [...(found.get(parent.key) ?? []), child]);
  }
  return found;
}

function readFamily(
  parent: BranchTarget,
  discriminator: Discriminator,
  index: ReadonlyMap<string, readonly BranchTarget[]>,
  document: OpenapiDocument,
): readonly DiscriminatorBranch[] | undefined {
  const mapped = mappedIn(discriminator, parent.file, document);
  const found = new Map([...mapped.values()].map(({ target }) => [target.key, target]));
  const waiting = [parent];
  for (let at = waiting.shift(); at; at = waiting.shift())
    for (const child of index.get(at.key) ?? [])
      if (child.key !== parent.key && (!found.has(child.key) || mapped.has(child.key)) && !waiting.includes(child)) {
        found.set(child.key, child);
        waiting.push(child);
      }
  found.delete(parent.key);
  if (found.size === 0) return undefined;
  const own = mapped.size === 0 || mapped.has(parent.key) ? [parent] : [];
  return [...own, ...found.values()].map((target) => branchOf(discriminator, mapped, target, document));
}

/**
 * A branch with the values that mean it: those of the mapping, else its name; within what it allows itself. A property that neither
 * the branch nor the union declares (`isBeside`) is not in the value, so that it decides nothing.
 */
function branchOf(
  { property }: Discriminator,
  mapped: ReturnType<typeof mappedIn>,
  target: BranchTarget,
  document: OpenapiDocument,
  isBeside = false,
): DiscriminatorBranch {
  const names = mapped.get(target.key)?.values ?? [nameIn(target.key)];
  const member = memberOf(target, property, document, 0);
  const values = member.values ? withinOwn(names, member) : member.isText ? names : undefined;
  if (!values || !isObjectSchema(target.node) || !(member.isDeclared || isBeside)) return { target, isDecided: false };
  const required = target.node["required"];
  const isOwn = member.isDirect && member.values?.length === values.length;
  if (isOwn && Array.isArray(required) && required.includes(property)) return { target, isDecided: true };
  return { target, mark: markOf(property, values), values, isDecided: true };
}

const isObjectSchema = ({ type }: OpenApiObject): boolean => type === undefined || type === "object";

/** `Cat` for `#/components/schemas/Cat` and for `cats/Cat.yaml`. */
const nameIn = (key: string): string =>
  (key.split(/[/#]/).findLast((part) => part !== "") ?? "")
    .replace(/\.(?:json|ya?ml)$/i, "")
    .replaceAll("~1", "/")
    .replaceAll("~0", "~");

/** What a schema says about a property. */
interface Member {
  /** The values of its `const` or `enum`. */
  readonly values?: readonly JsonValue[];
  /** Whether the schema itself declares them. */
  readonly isDirect: boolean;
  readonly isDeclared: boolean;
  /** Whether it may be a text. */
  readonly isText: boolean;
}

const MAX_DEPTH = 8;

/** What a schema, or a part of its `allOf`, says about a property; the nearest one that lists values counts. */
function memberOf({ node, file }: LocatedObject, property: string, document: OpenapiDocument, depth: number): Member {
  const { properties, allOf } = node;
  const held = isRecord(properties) && Object.hasOwn(properties, property) ? properties[property] : undefined;
  const ref = isRecord(held) ? held["$ref"] : undefined;
  const said = typeof ref === "string" ? document.find(ref, file)?.node : held;
  const { const: only, enum: listed, type } = isRecord(said) ? said : ({} as OpenApiObject);
  const isText = type === undefined || [type].flat().includes("string");
  if (only !== undefined) return { values: [only as JsonValue], isDirect: true, isDeclared: true, isText };
  if (Array.isArray(listed))
    return { values: listed as readonly JsonValue[], isDirect: true, isDeclared: true, isText };
  const isHeld = held !== undefined;
  if (depth === MAX_DEPTH || !Array.isArray(allOf)) return { isDirect: true, isDeclared: isHeld, isText };
  const parts = allOf.flatMap((part): readonly Member[] => {
    if (!isRecord(part)) return [];
    const target = typeof part["$ref"] === "string" ? document.find(part["$ref"], file) : { node: part, file };
    if (!target) return [];
    const found = memberOf(target, property, document, depth + 1);
    return [{ ...found, isDirect: found.isDirect && target.node === part }];
  });
  const direct = parts.find(({ values, isDirect }) => values && isDirect) ?? parts.find(({ values }) => values);
  const isDeclared = isHeld || parts.some((one) => one.isDeclared);
  return direct ?? { isDirect: false, isDeclared, isText: isText && parts.every((one) => one.isText) };
}

/** The values that both the names and the schema allow; names in another case count too, and else what the schema itself lists. */
function withinOwn(names: readonly string[], { values = [], isDirect }: Member): readonly JsonValue[] | undefined {
  const folded = new Set(names.map((name) => name.toLowerCase()));
  const exact = values.filter((value) => names.includes(String(value)));
  const similar = values.filter((value) => folded.has(String(value).toLowerCase()));
  return [exact, similar, isDirect ? values : []].find((some) => some.length > 0);
}
