/** Arrays of edge lengths, with each value of their items. */

import { isSchema } from "../../runtime/contract/json-schema.js";
import type { JsonValue } from "../../runtime/contract/registry.js";
import { itemNode, tupleAndRest } from "./accepts.js";
import { type Facts, greatestLimit, itemFacts, leastLimit } from "./facts.js";
import type { ValuePlace, ValuesOf } from "./node.js";
import { isSchemaNode, type RootedSchema, rootedSchema } from "./node.js";
import { differingSchemas, newViews, viewsOf } from "./views.js";

/** Longest array that is made, and longest tuple and array of different items. */
const MAX_ITEMS = 1100;
const MAX_VARIED_ITEMS = 40;

/** Arrays that the facts may accept. */
export function arrayValues(facts: Facts, views: Facts, place: ValuePlace, valuesOf: ValuesOf): readonly JsonValue[] {
  const fixed = Math.min(
    Math.max(...[...facts, ...views].map(({ schema }) => tupleAndRest(schema).tuple.length), 0),
    MAX_ITEMS,
  );
  const later = newViews(viewsOf(place.facts), place.later);
  const at = (index: number): readonly JsonValue[] => {
    const known = itemFacts(facts, index);
    const news = differingSchemas(
      known,
      later.flatMap((one): readonly RootedSchema[] => [itemNode(one, index), ...containedBy(one)]),
    );
    return valuesOf({ ...place, facts: known, later: news, depth: place.depth + 1, given: [] });
  };
  const items = Array.from({ length: fixed + 1 }, (_, i) => at(i));
  const fewest = greatestLimit(facts, "minItems", 0);
  const rest = differentItems(items.at(-1) ?? [], facts, views);
  const of = (length: number, distinct: boolean): readonly JsonValue[] | undefined => {
    const made = Array.from({ length }, (_, i): JsonValue | undefined => {
      const all = i < fixed ? items[i] : rest;
      return all?.[distinct && i >= fixed ? (i - fixed) % Math.max(1, all.length) : 0];
    });
    return made.every((one) => one !== undefined) ? (made as readonly JsonValue[]) : undefined;
  };
  const lengths = lengthsOf(facts, views, fixed, fewest);
  const sized = lengths.flatMap((one) => (one > MAX_VARIED_ITEMS ? [of(one, true)] : [of(one, true), of(one, false)]));
  const base = fewest > MAX_VARIED_ITEMS ? undefined : of(Math.max(fewest, fixed, 1), true);
  const varied =
    base === undefined ? [] : base.flatMap((_, i) => (items[Math.min(i, fixed)] ?? []).map((one) => base.with(i, one)));
  const uniform = base === undefined ? [] : fixed > 0 ? diagonals(base, items) : rest.map((one) => base.map(() => one));
  const short = rest.length > 0 && fixed === 0 && fewest <= 1 ? rest.map((one) => [one]) : [];
  const held = containing(facts, views, { ...place, later }, valuesOf);
  return [
    ...held,
    ...sized.slice(0, 4),
    ...short,
    ...varied,
    ...uniform,
    ...sized,
    ...(rest.length > 1 ? [rest] : []),
  ].filter((one) => one !== undefined);
}

/** Tuples that differ at every place: the second value of each, then the third, and so on. */
const diagonals = (base: readonly JsonValue[], items: readonly (readonly JsonValue[])[]): readonly JsonValue[] =>
  Array.from({ length: MAX_DIAGONALS }, (_, k) =>
    base.map((one, i) => {
      const all = items[Math.min(i, items.length - 1)] ?? [];
      return all[(k + 1) % Math.max(1, all.length)] ?? one;
    }),
  );

const MAX_DIAGONALS = 4;

/** As many different items as a bound asks for where none may repeat: texts that grow, numbers that follow. */
function differentItems(items: readonly JsonValue[], facts: Facts, views: Facts): readonly JsonValue[] {
  if (!facts.some(({ schema }) => schema["uniqueItems"] === true)) return items;
  const wanted = Math.max(0, ...boundsIn([...facts, ...views]).filter((one) => one < MAX_VARIED_ITEMS)) + 1;
  const text = items.find((one) => typeof one === "string" && one !== "");
  const number = items.find((one) => typeof one === "number");
  const more = Array.from({ length: Math.max(0, wanted - items.length) }, (_, i) =>
    typeof text === "string" ? text + text.slice(-1).repeat(i + 1) : typeof number === "number" ? number + i + 1 : null,
  );
  const known = new Set(items);
  return [...items, ...more.filter((one) => one !== null && !known.has(one))];
}

/** Arrays of items that `contains` of either side asks for: as many as each bound, the same one or different ones, then one that is not asked for. */
function containing(facts: Facts, views: Facts, place: ValuePlace, valuesOf: ValuesOf): readonly JsonValue[] {
  const counts = [
    ...new Set([1, 2, ...boundsIn([...facts, ...views]).flatMap((one) => [one - 1, one, one + 1])]),
  ].filter((one) => one > 0 && one <= MAX_VARIED_ITEMS);
  const known = itemFacts(facts, 0);
  const news = place.later.flatMap((one) => (isSchemaNode(one) ? [itemNode(one, 0), ...containedBy(one)] : []));
  const asking = [...facts, ...place.later.filter(isSchemaNode)].flatMap(containedBy);
  return asking.flatMap((wanted) => {
    const asked = [...known, wanted];
    const below = { ...place, depth: place.depth + 1, given: [] };
    const items = valuesOf({ ...below, facts: asked, later: differingSchemas(asked, news) });
    const [other] = valuesOf({ ...below, facts: [...known, rootedSchema(wanted, { not: wanted.schema })], later: [] });
    const made = counts.flatMap((count) => [
      ...(count <= items.length ? [items.slice(0, count)] : []),
      ...items.map((one) => Array.from({ length: count }, () => one)),
    ]);
    return other === undefined ? made : [...made, ...made.slice(0, items.length).map((one) => [...one, other])];
  });
}

/** The schema of `contains`: its edges are edges of the items. */
const containedBy = (node: Facts[number]): readonly RootedSchema[] =>
  isSchema(node.schema["contains"]) ? [rootedSchema(node, node.schema["contains"])] : [];

const COUNTS = ["minItems", "maxItems", "minContains", "maxContains"] as const;

const boundsIn = (views: Facts): readonly number[] =>
  views
    .flatMap(({ schema }) => COUNTS.map((one) => schema[one]))
    .filter((one): one is number => typeof one === "number");

function lengthsOf(facts: Facts, views: Facts, fixed: number, fewest: number): readonly number[] {
  const bounds = boundsIn([...facts, ...views]);
  const all = [fewest, 1, 2, 0, fixed, fixed + 1, ...bounds.flatMap((one) => [one - 1, one, one + 1])];
  const most = Math.min(leastLimit(facts, "maxItems"), MAX_ITEMS);
  return [...new Set(all)].filter((one) => one >= fewest && one <= most);
}
