/** Mutators after changes of real APIs: schemas that move, split or take another form. Narrow ones and ones that keep the meaning. */

import type { Json } from "../../../../test/support/project.js";
import { shuffled } from "../../../../test/support/random.js";
import type { Narrow } from "./narrowing.js";
import type { Rewrite } from "./neutral.js";

/** The keyword, spelled so that no linter takes the schema for a promise. */
const THEN = "then";

const pick = <T>(items: readonly T[], random: () => number): T => items[Math.floor(random() * items.length)] as T;
const isPlain = (node: Json): boolean => node.enum === undefined && node.const === undefined;
const isOnly = (node: Json, ...types: readonly string[]): boolean =>
  typeof node.type === "string" && types.includes(node.type) && isPlain(node);
const lacks = (node: Json, ...keywords: readonly string[]): boolean => keywords.every((one) => node[one] === undefined);
const namesOf = (node: Json): readonly string[] => Object.keys(node.properties ?? {});
const optionalOf = (node: Json): readonly string[] =>
  namesOf(node).filter((one) => !(node.required ?? []).includes(one));
const isPatterned = (one: string): boolean => /^[a-z]\w*$/i.test(one);

const replace = (node: Json, by: Json): true => {
  for (const key of Object.keys(node)) delete node[key];
  Object.assign(node, by);
  return true;
};

const without = (node: Json, ...names: readonly string[]): Json => {
  const properties = { ...node.properties };
  for (const one of names) delete properties[one];
  const required = (node.required ?? []).filter((one: string) => !names.includes(one));
  return { ...node, properties, required };
};

const forms: Readonly<Record<string, Narrow>> = {
  enumToOneOf: (node) => {
    if (!Array.isArray(node.enum) || node.enum.length < 2 || !lacks(node, "oneOf")) return undefined;
    const [lost, ...kept] = node.enum;
    delete node.enum;
    node.oneOf = kept.map((one: unknown) => ({ const: one, title: String(one) }));
    return [lost];
  },
  enumRespelled: (node) => {
    const texts = (node.enum ?? []).filter((one: unknown) => typeof one === "string" && /^[a-z]+$/.test(one));
    if (texts.length === 0) return undefined;
    node.enum = node.enum.map((one: unknown) => (one === texts[0] ? texts[0].toUpperCase() : one));
    return [texts[0]];
  },
  typesReorderedAndLess: (node, random) => {
    if (!Array.isArray(node.type) || node.type.length < 2) return undefined;
    node.type = shuffled(node.type as string[], random).slice(1);
    return [null, "x", 3, 0.5, true, [], {}];
  },
  textToList: (node) => {
    if (!isOnly(node, "string", "integer")) return undefined;
    const was = node.type;
    replace(node, { type: "array", items: { ...node } });
    return [was === "string" ? "x" : 3];
  },
  constAdded: (node) => {
    if (!isOnly(node, "string", "integer") || !lacks(node, "allOf")) return undefined;
    node.allOf = [{ const: node.type === "string" ? "alpha" : 7 }];
    return ["beta", 8];
  },
  int32: (node) => {
    if (!isOnly(node, "integer") || !lacks(node, "format")) return undefined;
    node.format = "int32";
    return [2 ** 31, -(2 ** 31) - 1];
  },
  formatToPattern: (node) => {
    if (!isOnly(node, "string") || node.format !== "date-time" || !lacks(node, "pattern")) return undefined;
    node.pattern = "Z$";
    return ["2026-01-15T09:00:00+02:00"];
  },
  exclusiveFlag: (node) => {
    if (!isOnly(node, "integer", "number") || typeof node.minimum !== "number" || !lacks(node, "exclusiveMinimum"))
      return undefined;
    node.exclusiveMinimum = true;
    return [node.minimum];
  },
  fineStep: (node) => {
    if (!isOnly(node, "number") || !lacks(node, "multipleOf")) return undefined;
    node.multipleOf = 0.25;
    return [0.1, 1.3, 0.5 + 2 ** -20];
  },
  besideRef: (node, random) => {
    if (typeof node.$ref !== "string" || !lacks(node, "not")) return undefined;
    node.not = pick([{ type: ["string", "number"] }, { maxProperties: 1 }, { type: "object", required: [] }], random);
    return ["x", 1, {}, { value: 1 }];
  },
  notSeveral: (node) => {
    if (!isOnly(node, "string") || !lacks(node, "not")) return undefined;
    node.not = { anyOf: [{ enum: ["all", "none"] }, { minLength: 30 }] };
    return ["all", "x".repeat(30)];
  },
};

const members: Readonly<Record<string, Narrow>> = {
  renamed: (node, random) => {
    if (!isOnly(node, "object") || namesOf(node).length === 0) return undefined;
    const name = pick(namesOf(node), random);
    const next = without(node, name);
    next.properties[`${name}_id`] = node.properties[name];
    if ((node.required ?? []).includes(name)) next.required.push(`${name}_id`);
    replace(node, next);
    return [];
  },
  intoObject: (node) => {
    const names = namesOf(node).slice(0, 2);
    if (!isOnly(node, "object") || names.length === 0 || namesOf(node).includes("options")) return undefined;
    const inner = Object.fromEntries(names.map((one) => [one, node.properties[one]]));
    const next = without(node, ...names);
    next.properties.options = { type: "object", properties: inner, additionalProperties: false };
    replace(node, { ...next, additionalProperties: false });
    return [];
  },
  mapClosed: (node) => {
    if (!isOnly(node, "object") || typeof node.additionalProperties !== "object") return undefined;
    node.additionalProperties = false;
    return [];
  },
  mapNarrower: (node) => {
    if (!isOnly(node, "object") || typeof node.additionalProperties !== "object") return undefined;
    node.additionalProperties = { allOf: [node.additionalProperties, { not: { enum: ["", 0, false] } }] };
    return [{ k: "" }, { k: 0 }, { k: false }];
  },
  patternOverlaps: (node, random) => {
    const names = optionalOf(node).filter(isPatterned);
    if (!isOnly(node, "object") || names.length === 0 || !lacks(node, "patternProperties", "additionalProperties"))
      return undefined;
    node.patternProperties = { [`^${pick(names, random).slice(0, 2)}`]: { not: { type: ["string", "number"] } } };
    return [];
  },
  requiredInBranches: (node) => {
    const [a, b, c] = optionalOf(node);
    if (!isOnly(node, "object") || b === undefined || !lacks(node, "anyOf", "oneOf")) return undefined;
    node.anyOf = [{ required: [a, b] }, { required: [c ?? b] }, { required: [`${a}_new`] }];
    return [];
  },
  branchDemands: (node) => {
    const list = node.anyOf ?? node.oneOf;
    const at = Array.isArray(list) ? list.findIndex((one: Json) => one?.type === "object") : -1;
    if (at < 0) return undefined;
    list[at] = { ...list[at], required: [...(list[at].required ?? []), "version"] };
    return [{}];
  },
  otherwise: (node, random) => {
    const [a, b] = shuffled(optionalOf(node), random);
    if (!isOnly(node, "object") || b === undefined || !lacks(node, "if")) return undefined;
    Object.assign(node, { if: { required: [a] }, [THEN]: {}, else: { required: [b] } });
    return [];
  },
  branchEvaluates: (node, random) => {
    const [a, b] = shuffled(optionalOf(node), random);
    if (!isOnly(node, "object") || b === undefined || !lacks(node, "anyOf", "additionalProperties")) return undefined;
    const held = node.properties[a as string];
    replace(node, without(node, a as string));
    Object.assign(node, { anyOf: [{ properties: { [a as string]: held }, required: [b] }, true] });
    node.unevaluatedProperties = false;
    return [];
  },
  dependentDemands: (node, random) => {
    const [a, b] = shuffled(optionalOf(node), random);
    if (!isOnly(node, "object") || b === undefined || !lacks(node, "dependentSchemas")) return undefined;
    node.dependentSchemas = { [a as string]: { properties: { [b]: { not: { type: ["string", "number"] } } } } };
    return [];
  },
  nameLengths: (node) => {
    const names = optionalOf(node).filter((one) => one.length > 2);
    if (!isOnly(node, "object") || names.length === 0 || !lacks(node, "propertyNames")) return undefined;
    node.propertyNames = { maxLength: Math.max(...names.map((one) => one.length)) - 1 };
    return [];
  },
};

const lists: Readonly<Record<string, Narrow>> = {
  containsMore: (node) => {
    if (!isOnly(node, "array") || node.contains === undefined) return undefined;
    node.minContains = (node.minContains ?? 1) + 1;
    return [[1], [1, "x"]];
  },
  containsFewer: (node) => {
    if (!isOnly(node, "array") || node.contains !== undefined) return undefined;
    Object.assign(node, { contains: { type: ["string", "object"] }, minContains: 0, maxContains: 1 });
    return [["x", "y"]];
  },
  tupleClosed: (node) => {
    if (!isOnly(node, "array") || !Array.isArray(node.prefixItems) || node.items !== undefined) return undefined;
    node.items = false;
    return [];
  },
  tupleLonger: (node) => {
    if (!isOnly(node, "array") || !Array.isArray(node.prefixItems) || node.items === false) return undefined;
    node.prefixItems = [...node.prefixItems, { type: "null" }];
    return [];
  },
  fixedLength: (node) => {
    if (!isOnly(node, "array") || node.maxItems !== undefined) return undefined;
    Object.assign(node, { minItems: node.minItems ?? 0, maxItems: Math.max(2, node.minItems ?? 0) });
    return [];
  },
};

/** Mutators that make a schema accept less. */
export const RESHAPING: Readonly<Record<string, Narrow>> = { ...forms, ...members, ...lists };

/** Those whose narrow form also takes values that the wide one refuses. */
export const RESHAPING_ONE_WAY: readonly string[] = [
  "enumRespelled",
  "textToList",
  "renamed",
  "intoObject",
  "requiredInBranches",
  "branchEvaluates",
];

/** Rewrites that keep what a schema accepts. */
export const KEEPING: Readonly<Record<string, Rewrite>> = {
  enumToOneOf: (node) => {
    if (!Array.isArray(node.enum) || !lacks(node, "oneOf")) return false;
    const { enum: values, ...rest } = node;
    return replace(node, { ...rest, oneOf: [...new Set(values)].map((one) => ({ const: one, title: String(one) })) });
  },
  typesReordered: (node, random) => {
    if (!Array.isArray(node.type)) return false;
    return replace(node, { ...node, type: shuffled(node.type as string[], random) });
  },
  nullToUnion: (node) => {
    if (!Array.isArray(node.type) || !node.type.includes("null") || node.type.length < 2) return false;
    if (!isPlain(node) || !lacks(node, "anyOf", "not", "if")) return false;
    const { type, ...rest } = node;
    const others = type.filter((one: string) => one !== "null");
    return replace(node, {
      anyOf: [{ ...rest, type: others.length === 1 ? others[0] : others }, { type: "null" }],
    });
  },
  scalarOrList: (node) => {
    if (!isOnly(node, "string", "integer") || !lacks(node, "nullable")) return false;
    return replace(node, { anyOf: [{ ...node }, { type: "array", items: { ...node } }] });
  },
  wholeNumber: (node) => {
    if (!isOnly(node, "integer") || !lacks(node, "multipleOf")) return false;
    return replace(node, { ...node, type: "number", multipleOf: 1 });
  },
  rangeToEnum: (node) => {
    if (!isOnly(node, "integer") || !lacks(node, "multipleOf", "exclusiveMinimum", "exclusiveMaximum")) return false;
    const { minimum: low, maximum: high } = node;
    if (!Number.isInteger(low) || !Number.isInteger(high) || high - low > 60 || high < low) return false;
    const { minimum, maximum, ...rest } = node;
    return replace(node, { ...rest, enum: Array.from({ length: high - low + 1 }, (_, i) => low + i) });
  },
  exclusiveFlag: (node) => {
    if (typeof node.exclusiveMinimum !== "number" || node.minimum !== undefined) return false;
    return replace(node, { ...node, minimum: node.exclusiveMinimum, exclusiveMinimum: true });
  },
  patternGrouped: (node) => {
    if (typeof node.pattern !== "string" || !/^\^.*\$$/.test(node.pattern) || node.pattern.includes("|")) return false;
    return replace(node, { ...node, pattern: `^(?:${node.pattern.slice(1, -1)})$` });
  },
  listToTuple: (node) => {
    if (!isOnly(node, "array") || !lacks(node, "prefixItems", "contains", "unevaluatedItems")) return false;
    if (typeof node.items !== "object" || Array.isArray(node.items) || !(node.maxItems <= 6)) return false;
    const { items, maxItems, ...rest } = node;
    return replace(node, { ...rest, prefixItems: Array.from({ length: maxItems }, () => items), items: false });
  },
  memberToPattern: (node, random) => {
    const names = optionalOf(node).filter(isPatterned);
    if (!isOnly(node, "object") || names.length === 0 || !lacks(node, "patternProperties")) return false;
    const name = pick(names, random);
    const { [name]: held, ...properties } = node.properties;
    return replace(node, { ...node, properties, patternProperties: { [`^${name}$`]: held } });
  },
  conditionToUnion: (node) => {
    if (node.if === undefined || node.else !== undefined || node[THEN] === undefined) return false;
    if (!lacks(node, "anyOf", "unevaluatedProperties")) return false;
    const { if: test, [THEN]: held, ...rest } = node;
    return replace(node, { ...rest, anyOf: [{ not: test }, held] });
  },
  dependentToCondition: (node) => {
    const [[name, needs] = []] = Object.entries(node.dependentRequired ?? {});
    if (name === undefined || Object.keys(node.dependentRequired).length > 1 || !lacks(node, "if")) return false;
    const { dependentRequired: _, ...rest } = node;
    return replace(node, { ...rest, if: { required: [name] }, [THEN]: { required: needs } });
  },
  inlined: (node, _, root) => {
    const name = /^#\/\$defs\/(\w+)$/.exec(node.$ref ?? "")?.[1];
    const held = name === undefined ? undefined : root.$defs?.[name];
    if (!held || Object.keys(node).some((one) => one !== "$ref" && one !== "x-mutated")) return false;
    if (JSON.stringify(held).includes("$ref")) return false;
    return replace(node, structuredClone(held));
  },
  oneOfToAnyOf: (node) => {
    if (!Array.isArray(node.oneOf) || node.anyOf !== undefined) return false;
    const { oneOf, ...rest } = node;
    return replace(node, { ...rest, anyOf: oneOf });
  },
  annotated: (node) => {
    if (!isOnly(node, "string")) return false;
    return replace(node, { ...node, title: "Annotated", $comment: "Said to authors.", examples: ["x"] });
  },
  defaultChanged: (node) => {
    if (!isOnly(node, "string", "integer", "boolean")) return false;
    return replace(node, { ...node, default: { string: "d", integer: 1, boolean: true }[node.type as string] });
  },
  requiredRepeated: (node) => {
    if (!isOnly(node, "object") || !lacks(node, "allOf") || !(node.required?.length > 0)) return false;
    return replace(node, { ...node, allOf: [{ required: node.required }, {}], minProperties: node.required.length });
  },
  negatedTwice: (node, _, root) => {
    if (node === root || !isOnly(node, "string", "integer", "boolean")) return false;
    const { type, ...rest } = node;
    return replace(node, { ...rest, not: { not: { type } } });
  },
};

/** Rewrites that only widen: read backwards, they narrow. */
export const KEEPING_ONE_WAY: readonly string[] = ["scalarOrList", "oneOfToAnyOf"];

/** Further places to put a node into before it is mutated; the node that is then mutated is returned. */
export const PLACES: Readonly<Record<string, (node: Json) => Json>> = {
  discriminated: (node) => {
    const inner = { ...node };
    const branch = (kind: string, held: Json): Json => ({
      type: "object",
      properties: { kind: { const: kind }, ...held },
      required: ["kind"],
    });
    replace(node, { oneOf: [branch("a", { v: inner }), branch("b", { w: { type: "string" } })] });
    return inner;
  },
  conditional: (node) => {
    const inner = { ...node };
    replace(node, {
      type: "object",
      properties: { mode: { enum: ["a", "b"] }, v: {} },
      if: { properties: { mode: { const: "a" } }, required: ["mode"] },
      [THEN]: { properties: { v: inner } },
    });
    return inner;
  },
  deepUnion: (node) => {
    const inner = { ...node };
    replace(node, { allOf: [{ anyOf: [{ type: "boolean" }, { allOf: [inner] }] }] });
    return inner;
  },
  evaluated: (node) => {
    const inner = { ...node };
    replace(node, { type: "object", allOf: [{ properties: { v: inner } }], unevaluatedProperties: false });
    return inner;
  },
};
