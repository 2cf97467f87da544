/** Mutators that make a schema accept less. Read backwards, from the narrow form to the wide one, each makes it accept more. */

import type { Json } from "../../../../test/support/project.js";

/** The keyword, spelled so that no linter takes the schema for a promise. */
const THEN = "then";

/** Values of one place that the wide form takes and the narrow one should refuse; the oracle tries them. */
export type Witnesses = readonly unknown[];

/** Changes a node in place. Returns witnesses, or undefined where the mutator does not apply. */
export type Narrow = (node: Json, random: () => number, root: Json) => Witnesses | undefined;

const typesOf = (node: Json): readonly string[] => [node.type ?? []].flat();
const only = (node: Json, ...types: readonly string[]): boolean =>
  typeof node.type === "string" && types.includes(node.type);
const isPlain = (node: Json): boolean => node.enum === undefined && node.const === undefined;
const isText = (node: Json): boolean => only(node, "string") && isPlain(node);
const isNumber = (node: Json): boolean => only(node, "number", "integer") && isPlain(node);
const isObject = (node: Json): boolean => only(node, "object") && isPlain(node);
const isArray = (node: Json): boolean => only(node, "array") && isPlain(node);
const namesOf = (node: Json): readonly string[] => Object.keys(node.properties ?? {});
const optionalOf = (node: Json): readonly string[] =>
  namesOf(node).filter((one) => !(node.required ?? []).includes(one));
const pick = <T>(items: readonly T[], random: () => number): T => items[Math.floor(random() * items.length)] as T;

/** Adds a conjunct: in place if the keyword is free, else in `allOf`. */
function also(node: Json, extra: Json): void {
  if (Object.keys(extra).every((key) => node[key] === undefined)) Object.assign(node, extra);
  else node.allOf = [...(node.allOf ?? []), extra];
}

const adding =
  (fits: (node: Json) => boolean, extra: (node: Json, random: () => number) => Json, ...witnesses: unknown[]): Narrow =>
  (node, random) => {
    if (!fits(node)) return undefined;
    also(node, extra(node, random));
    return witnesses;
  };

const scalars: Readonly<Record<string, Narrow>> = {
  minimum: (node) => {
    if (!isNumber(node)) return undefined;
    const was = node.minimum ?? -5;
    node.minimum = was + 1;
    return [was, was + 0.5];
  },
  maximum: (node) => {
    if (!isNumber(node)) return undefined;
    const was = node.maximum ?? 1000;
    node.maximum = was - 1;
    return [was, was - 0.5];
  },
  exclusive: (node) => {
    if (!isNumber(node) || typeof node.minimum !== "number") return undefined;
    node.exclusiveMinimum = node.minimum;
    return [node.minimum];
  },
  multipleOf: adding(isNumber, (_, random) => ({ multipleOf: pick([2, 3, 7], random) }), 1, 5, 11),
  integer: (node) => {
    if (!only(node, "number") || !isPlain(node)) return undefined;
    node.type = "integer";
    return [0.5, 1.5, 10.25];
  },
  minLength: (node) => {
    if (!isText(node)) return undefined;
    const was = node.minLength ?? 0;
    node.minLength = was + 1;
    return ["x".repeat(was)];
  },
  maxLength: (node, random) => {
    if (!isText(node)) return undefined;
    const was = node.maxLength ?? pick([2, 17, 200], random) + 1;
    node.maxLength = was - 1;
    return ["x".repeat(was)];
  },
  pattern: adding(
    isText,
    (_, random) => ({ pattern: pick(["^[a-z]+$", "^\\d{4}-\\d{2}$", "^(?:a|bc)?$", "\\.txt$"], random) }),
    "A 1",
    "??",
  ),
  patternStricter: (node) => {
    if (!isText(node) || typeof node.pattern !== "string") return undefined;
    node.allOf = [...(node.allOf ?? []), { pattern: "^.?.?$" }];
    return [];
  },
  format: adding(
    isText,
    (_, random) => ({ format: pick(["date", "uuid", "email", "uri", "date-time", "ipv4", "hostname"], random) }),
    "plain text",
    "\u0000 x",
  ),
  formatOther: (node) => {
    if (!isText(node) || !["date-time", "uri", "date"].includes(node.format)) return undefined;
    node.format = node.format === "date" ? "time" : "date";
    return ["2026-01-15T09:00:00Z", "https://example.com/a", "2026-01-15"];
  },
  becameEnum: (node) => {
    if (!isText(node)) return undefined;
    node.enum = ["alpha", "beta"];
    return ["gamma"];
  },
  typeChanged: (node, random) => {
    if (!only(node, "string", "integer", "number", "boolean") || !isPlain(node)) return undefined;
    const was = node.type;
    node.type = was === "boolean" ? "integer" : pick(["boolean", "array"], random);
    return [was === "string" ? "x" : was === "boolean" ? true : 3];
  },
  notConst: (node) => {
    if (!isText(node) && !isNumber(node)) return undefined;
    const value = isText(node) ? "all" : 7;
    also(node, { not: { const: value } });
    return [value];
  },
  notPattern: adding(isText, () => ({ not: { pattern: "^-" } }), "-x", "-"),
  boundsWithoutType: (node) => {
    if (node.type !== undefined || !isPlain(node) || node.$ref || node.anyOf || node.oneOf || node.properties)
      return undefined;
    also(node, { minLength: 3 });
    return ["ab"];
  },
};

const values: Readonly<Record<string, Narrow>> = {
  enumLess: (node) => {
    if (!Array.isArray(node.enum) || node.enum.length < 2) return undefined;
    return [node.enum.pop()];
  },
  enumToConst: (node) => {
    if (!Array.isArray(node.enum) || node.enum.length < 2) return undefined;
    const [first, ...rest] = node.enum;
    delete node.enum;
    node.const = first;
    return rest;
  },
  enumLength: (node) => {
    const texts = (node.enum ?? []).filter((one: unknown) => typeof one === "string") as string[];
    const longest = Math.max(...texts.map((one) => [...one].length));
    if (texts.every((one) => [...one].length === longest)) return undefined;
    also(node, { maxLength: longest - 1 });
    return texts.filter((one) => [...one].length === longest);
  },
  enumPattern: (node) => {
    const texts = (node.enum ?? []).filter((one: unknown) => typeof one === "string" && /^\w/.test(one)) as string[];
    const first = texts[0]?.[0];
    if (first === undefined || texts.every((one) => one.startsWith(first))) return undefined;
    also(node, { pattern: `^${first}` });
    return texts.filter((one) => !one.startsWith(first));
  },
  enumBound: (node) => {
    const numbers = (node.enum ?? []).filter((one: unknown) => typeof one === "number") as number[];
    const most = Math.max(...numbers);
    if (numbers.length < 2) return undefined;
    also(node, { exclusiveMaximum: most });
    return [most];
  },
  nullLost: (node) => {
    if (node.nullable === true && typeof node.type === "string") {
      delete node.nullable;
      return [null];
    }
    if (!typesOf(node).includes("null") || !Array.isArray(node.type)) return undefined;
    node.type = node.type.filter((one: string) => one !== "null");
    return [null];
  },
  typeLost: (node) => {
    if (!Array.isArray(node.type) || node.type.length < 2) return undefined;
    const lost = node.type.pop();
    return [{ string: "x", integer: 3, number: 0.5, boolean: true, null: null, array: [], object: {} }[lost as string]];
  },
  branchLost: (node) => {
    const list = node.anyOf ?? node.oneOf;
    if (!Array.isArray(list) || list.length < 2) return undefined;
    list.pop();
    return [null, "x", 3, true, [], {}, 0.5];
  },
  oneOfOverlap: (node) => {
    if (!Array.isArray(node.oneOf) || node.oneOf.length < 1) return undefined;
    node.oneOf.push({ type: ["string", "integer", "boolean", "null"] });
    return ["x", 3, true, null];
  },
  anyToOne: (node) => {
    if (!Array.isArray(node.anyOf) || node.oneOf) return undefined;
    node.oneOf = [...node.anyOf, { type: ["string", "object", "array"], minLength: 0 }];
    delete node.anyOf;
    return ["x", {}, []];
  },
};

const objects: Readonly<Record<string, Narrow>> = {
  becameRequired: (node, random) => {
    const optional = optionalOf(node);
    if (!isObject(node) || optional.length === 0) return undefined;
    node.required = [...(node.required ?? []), pick(optional, random)];
    return [];
  },
  requiredAdded: (node) => {
    if (!isObject(node)) return undefined;
    node.properties = { ...(node.properties ?? {}), brand_new: { type: "string" } };
    node.required = [...(node.required ?? []), "brand_new"];
    return [];
  },
  dropped: (node, random) => {
    const names = namesOf(node);
    if (!isObject(node) || node.additionalProperties !== false || names.length === 0) return undefined;
    const name = pick(names, random);
    delete node.properties[name];
    if (node.required) node.required = node.required.filter((one: string) => one !== name);
    return [];
  },
  droppedIntoSchema: (node, random) => {
    const names = namesOf(node).filter((one) => only(node.properties[one], "string", "boolean", "array"));
    if (!isObject(node) || names.length === 0 || node.additionalProperties === false) return undefined;
    delete node.properties[pick(names, random)];
    node.additionalProperties = { type: "integer" };
    return [];
  },
  closed: (node) => {
    if (!isObject(node) || node.additionalProperties !== undefined || node.unevaluatedProperties !== undefined)
      return undefined;
    node.additionalProperties = false;
    return [];
  },
  unevaluated: (node, random) => {
    const names = namesOf(node);
    if (!isObject(node) || node.additionalProperties !== undefined || names.length === 0) return undefined;
    const name = pick(names, random);
    delete node.properties[name];
    if (node.required) node.required = node.required.filter((one: string) => one !== name);
    node.unevaluatedProperties = false;
    return [];
  },
  propertyNames: (node, random) => {
    const optional = optionalOf(node);
    if (!isObject(node) || optional.length === 0) return undefined;
    also(node, { propertyNames: { not: { const: pick(optional, random) } } });
    return [];
  },
  namePattern: (node) => {
    if (!isObject(node) || !optionalOf(node).some((one) => /_|[A-Z]/.test(one))) return undefined;
    also(node, { propertyNames: { pattern: "^[a-z]+$" } });
    return [];
  },
  dependentRequired: (node, random) => {
    const optional = optionalOf(node);
    if (!isObject(node) || optional.length < 2) return undefined;
    const from = pick(optional, random);
    also(node, {
      dependentRequired: {
        [from]: [
          pick(
            optional.filter((one) => one !== from),
            random,
          ),
        ],
      },
    });
    return [];
  },
  dependentSchemas: (node, random) => {
    const optional = optionalOf(node);
    if (!isObject(node) || optional.length < 2) return undefined;
    const from = pick(optional, random);
    also(node, {
      dependentSchemas: {
        [from]: {
          required: [
            pick(
              optional.filter((one) => one !== from),
              random,
            ),
          ],
        },
      },
    });
    return [];
  },
  ifThen: (node, random) => {
    const listed = namesOf(node).filter((one) => Array.isArray(node.properties[one]?.enum));
    const optional = optionalOf(node);
    if (!isObject(node) || optional.length < 2) return undefined;
    const name = listed.length > 0 ? pick(listed, random) : pick(optional, random);
    const others = optional.filter((one) => one !== name);
    if (others.length === 0) return undefined;
    const test =
      listed.length > 0
        ? { properties: { [name]: { const: pick(node.properties[name].enum, random) } }, required: [name] }
        : { required: [name] };
    also(node, { if: test, [THEN]: { required: [pick(others, random)] } });
    return [];
  },
  oneOfGroups: (node, random) => {
    const optional = optionalOf(node);
    if (!isObject(node) || optional.length < 2 || node.oneOf || node.anyOf) return undefined;
    const [a, b] = [optional[0], optional[1]];
    node[pick(["oneOf", "anyOf"], random)] = [{ required: [a] }, { required: [b] }];
    return [];
  },
  notTogether: (node) => {
    const optional = optionalOf(node);
    if (!isObject(node) || optional.length < 2) return undefined;
    also(node, { not: { required: [optional[0], optional[1]] } });
    return [];
  },
  minProperties: (node) => {
    if (!isObject(node) || optionalOf(node).length === 0) return undefined;
    also(node, { minProperties: (node.required ?? []).length + 1 });
    return [];
  },
  maxProperties: (node) => {
    if (!isObject(node) || namesOf(node).length < 2) return undefined;
    also(node, { maxProperties: namesOf(node).length - 1 });
    return [];
  },
};

const arrays: Readonly<Record<string, Narrow>> = {
  minItems: (node) => {
    if (!isArray(node)) return undefined;
    node.minItems = (node.minItems ?? 0) + 1;
    return [];
  },
  maxItems: (node) => {
    if (!isArray(node)) return undefined;
    node.maxItems = (node.maxItems ?? 4) - 1;
    return [];
  },
  uniqueItems: adding(
    (node) => isArray(node) && node.uniqueItems === undefined,
    () => ({ uniqueItems: true }),
  ),
  contains: adding(
    (node) => isArray(node),
    () => ({ contains: { enum: ["must", 12] } }),
    [],
  ),
  firstItem: (node) => {
    if (!isArray(node) || Array.isArray(node.items) || node.prefixItems) return undefined;
    also(node, { allOf: [{ prefixItems: [{ not: { type: ["string", "number", "boolean", "object"] } }] }] });
    return [];
  },
  unevaluatedItems: (node) => {
    if (!isArray(node) || node.items !== undefined || node.prefixItems) return undefined;
    node.unevaluatedItems = { type: "integer" };
    return [["x"]];
  },
};

/** Every mutator by its name. */
export const NARROWING: Readonly<Record<string, Narrow>> = { ...scalars, ...values, ...objects, ...arrays };

/** Those whose narrow form also takes values that the wide one refuses: read backwards, they may break. */
export const ONE_WAY: ReadonlySet<string> = new Set([
  "droppedIntoSchema",
  "typeChanged",
  "anyToOne",
  "oneOfOverlap",
  "formatOther",
]);
