/** Mutators that keep what a schema accepts, and places to put a node into before it is mutated. */

import type { Json } from "../../../../test/support/project.js";
import { shuffled, withShuffledKeys } from "../../../../test/support/random.js";

/** The keyword, spelled so that no linter takes the schema for a promise. */
const THEN = "then";

/** Changes a node in place; false where it does not apply. */
export type Rewrite = (node: Json, random: () => number, root: Json) => boolean;

const replace = (node: Json, by: Json): true => {
  for (const key of Object.keys(node)) delete node[key];
  Object.assign(node, by);
  return true;
};
const isPlain = (node: Json): boolean => node.enum === undefined && node.const === undefined;
const define = (root: Json, name: string, schema: Json): string => {
  root.$defs = { ...(root.$defs ?? {}), [name]: schema };
  return `#/$defs/${name}`;
};

/** Rewrites that change no verdict. */
export const NEUTRAL: Readonly<Record<string, Rewrite>> = {
  described: (node) => replace(node, { ...node, description: "Said otherwise.", title: "T", examples: [1] }),
  keyOrder: (node, random) => replace(node, withShuffledKeys(node, random)),
  enumOrder: (node, random) => {
    if (!Array.isArray(node.enum)) return false;
    node.enum = shuffled(node.enum, random);
    return true;
  },
  nullable: (node) => {
    if (!Array.isArray(node.type) || node.type.length !== 2 || !node.type.includes("null") || !isPlain(node))
      return false;
    const [type] = node.type.filter((one: string) => one !== "null");
    return replace(node, { ...node, type, nullable: true });
  },
  typesToUnion: (node) => {
    if (!Array.isArray(node.type) || !isPlain(node) || node.anyOf) return false;
    const { type, ...rest } = node;
    return replace(node, { ...rest, anyOf: type.map((one: string) => ({ type: one })) });
  },
  constToEnum: (node) => {
    if (node.const === undefined || node.enum) return false;
    const { const: value, ...rest } = node;
    return replace(node, { ...rest, enum: [value] });
  },
  enumToConsts: (node) => {
    if (!Array.isArray(node.enum) || node.anyOf || node.oneOf) return false;
    const { enum: values, ...rest } = node;
    return replace(node, { ...rest, anyOf: values.map((one: unknown) => ({ const: one })) });
  },
  moved: (node, _, root) => {
    if (node === root || node.$ref) return false;
    const ref = define(root, "moved", { ...node });
    return replace(node, { $ref: ref });
  },
  allOf: (node, _, root) => node !== root && !node.$ref && replace(node, { allOf: [{ ...node }] }),
  anyOfOne: (node, _, root) => node !== root && !node.$ref && replace(node, { anyOf: [{ ...node }] }),
  idle: (node) => {
    if (node.type === "string") node.minLength ??= 0;
    else if (node.type === "array") node.minItems ??= 0;
    else if (node.type === "object") node.required ??= [];
    else return false;
    return true;
  },
  saidOpen: (node) => {
    if (node.type !== "object" || node.additionalProperties !== undefined) return false;
    node.additionalProperties = true;
    return true;
  },
  exclusive: (node) => {
    if (node.type !== "integer" || typeof node.minimum !== "number" || !Number.isInteger(node.minimum)) return false;
    const { minimum, ...rest } = node;
    return replace(node, { ...rest, exclusiveMinimum: minimum - 1 });
  },
  typeBesideEnum: (node) => {
    if (!Array.isArray(node.enum) || node.type !== undefined) return false;
    node.type = [
      ...new Set(node.enum.map((one: unknown) => (one === null ? "null" : Array.isArray(one) ? "array" : typeof one))),
    ];
    return true;
  },
  idleBesideEnum: (node) => {
    if (!Array.isArray(node.enum) || !node.enum.every((one: unknown) => typeof one === "string")) return false;
    node.maxLength ??= Math.max(...node.enum.map((one: string) => one.length));
    node.pattern ??= "^[^\\u0000]*$";
    return true;
  },
  notOther: (node) => {
    if (typeof node.type !== "string" || node.not !== undefined) return false;
    node.not = { type: node.type === "array" ? "string" : "array" };
    return true;
  },
  idleIf: (node) => {
    if (node.type !== "object" || node.if !== undefined || !isPlain(node)) return false;
    Object.assign(node, { if: { required: ["zz"] }, [THEN]: { required: ["zz"] } });
    return true;
  },
  optionalAdded: (node) => {
    if (node.type !== "object" || !isPlain(node) || typeof node.additionalProperties === "object") return false;
    node.properties = { ...(node.properties ?? {}), brand_new: { type: "string" } };
    return true;
  },
  unknownFormat: (node) => {
    if (node.type !== "string" || node.format !== undefined) return false;
    node.format = "task-id";
    return true;
  },
  widerPattern: (node) => {
    if (typeof node.pattern !== "string" || !node.pattern.includes("[a-z]")) return false;
    node.pattern = node.pattern.replaceAll("[a-z]", "[a-z0-9]");
    return true;
  },
};

/** Puts a node somewhere else, in place; the node that is then mutated is returned. */
export const CONTEXTS: Readonly<Record<string, (node: Json, root: Json) => Json>> = {
  same: (node) => node,
  items: (node) => {
    const inner = { ...node };
    replace(node, { type: "array", items: inner });
    return inner;
  },
  anyOf: (node) => {
    const inner = { ...node };
    replace(node, { anyOf: [{ type: "boolean" }, inner] });
    return inner;
  },
  oneOf: (node) => {
    const inner = { ...node };
    replace(node, { oneOf: [inner, { type: "array", items: { type: "boolean" }, minItems: 2 }] });
    return inner;
  },
  defs: (node, root) => {
    const inner = { ...node };
    replace(node, { $ref: define(root, "placed", inner) });
    return inner;
  },
  tree: (node, root) => {
    const inner = { ...node };
    const ref = define(root, "tree", {
      type: "object",
      properties: { v: inner, kids: { type: "array", items: { $ref: "#/$defs/tree" } } },
    });
    replace(node, { $ref: ref });
    return inner;
  },
  allOf: (node) => {
    const inner = { ...node };
    replace(node, { allOf: [inner, {}] });
    return inner;
  },
  map: (node) => {
    const inner = { ...node };
    replace(node, { type: "object", additionalProperties: inner });
    return inner;
  },
  patterns: (node) => {
    const inner = { ...node };
    replace(node, { type: "object", patternProperties: { "^k_": inner }, additionalProperties: false });
    return inner;
  },
  [THEN]: (node) => {
    const inner = { ...node };
    replace(node, { if: { type: ["object", "array"] }, else: inner });
    if (inner.type === "object" || inner.type === "array") node.if = { type: "null" };
    return inner;
  },
  tuple: (node) => {
    const inner = { ...node };
    replace(node, { type: "array", prefixItems: [{ type: "string" }, inner] });
    return inner;
  },
  dependent: (node) => {
    const inner = { ...node };
    replace(node, {
      type: "object",
      properties: { a: { type: "string" }, b: {} },
      dependentSchemas: { a: { properties: { b: inner } } },
    });
    return inner;
  },
};
