/** Writes the shape of a result in one line: `{ id: number; owner: { login: string; … }; … }[]`. */

import { isExact } from "../contract/exact-number.js";
import { isObject } from "../contract/json.js";
import type { JsonObject } from "../contract/registry.js";

/** Items of a list that are looked at, members of an object that are shown, and levels. */
const MAX_ITEMS = 50;
const MAX_MEMBERS = 40;
const MAX_DEPTH = 6;
/** Names that are shown: any other may be data. */
const NAME = /^[A-Za-z_][\w-]{0,39}$/;

/** What values at one place have in common. */
interface Shape {
  /** `string`, `number`, `boolean`, `null`; `any` if nothing is known. */
  readonly scalars: Set<string>;
  /** Objects that were seen, and their members. */
  objects: number;
  readonly members: Map<string, { readonly shape: Shape; seen: number }>;
  /** Set if an object had members that are not shown. */
  isCut: boolean;
  items: Shape | undefined;
}

const emptyShape = (): Shape => ({
  scalars: new Set(),
  objects: 0,
  members: new Map(),
  isCut: false,
  items: undefined,
});

/**
 * The shape of a value.
 *
 * @param length most characters of the text
 * @example valueShape([{ id: 1 }, { id: 2, name: "a" }], 200) // "{ id: number; name?: string }[]"
 */
export function valueShape(value: unknown, length: number): string {
  const shape = emptyShape();
  observe(value, shape, 0);
  return shapeText(shape, length);
}

function observe(value: unknown, shape: Shape, depth: number): void {
  if (Array.isArray(value)) {
    const items = itemsOf(shape);
    for (const item of value.slice(0, MAX_ITEMS)) observe(item, items, depth + 1);
  } else if (isObject(value) && !isExact(value)) observeObject(value, shape, depth);
  else shape.scalars.add(isExact(value) ? "number" : value === null ? "null" : typeof value);
}

function observeObject(value: JsonObject, shape: Shape, depth: number): void {
  shape.objects++;
  for (const [name, member] of Object.entries(value)) {
    const at = memberAt(shape, name, depth);
    if (!at) continue;
    at.seen++;
    observe(member, at.shape, depth + 1);
  }
}

function itemsOf(shape: Shape): Shape {
  shape.items ??= emptyShape();
  return shape.items;
}

/** The member of a name; undefined if it is not shown. */
function memberAt(shape: Shape, name: string, depth: number): { readonly shape: Shape; seen: number } | undefined {
  const known = shape.members.get(name);
  if (known) return known;
  if (!NAME.test(name) || shape.members.size >= MAX_MEMBERS || depth >= MAX_DEPTH) {
    shape.isCut = true;
    return undefined;
  }
  const made = { shape: emptyShape(), seen: 0 };
  shape.members.set(name, made);
  return made;
}

/** As many levels as fit; of the objects of the first level that does not fit, as many members as fit. */
function shapeText(shape: Shape, length: number): string {
  let text = written(shape, 1, 0);
  for (let levels = 1; levels <= MAX_DEPTH; levels++) {
    for (let members = MAX_MEMBERS; members > 0; members--) {
      const more = written(shape, levels, members);
      if (more.length > length) continue;
      if (more === text || members < MAX_MEMBERS) return more;
      text = more;
      break;
    }
  }
  return text;
}

/** @param members most members of an object on the last level */
function written(shape: Shape, levels: number, members: number): string {
  const { scalars, objects, items } = shape;
  const kinds = [
    ...(items ? [listText(written(items, levels, members))] : []),
    ...(objects > 0 ? [objectText(shape, levels, members)] : []),
    ...scalars,
  ];
  return kinds.length === 0 ? "any" : kinds.join(" | ");
}

const listText = (item: string): string => (/ \| (?![^{]*\})/.test(item) ? `(${item})[]` : `${item}[]`);

function objectText({ members, objects, isCut }: Shape, levels: number, most: number): string {
  if (levels === 0) return members.size > 0 || isCut ? "{ … }" : "{}";
  const shown = [...members].slice(0, levels === 1 ? most : MAX_MEMBERS).map(([name, { shape, seen }]) => {
    return `${name}${seen < objects ? "?" : ""}: ${written(shape, levels - 1, most)}`;
  });
  const parts = [...shown, ...(isCut || members.size > shown.length ? ["…"] : [])];
  return parts.length === 0 ? "{}" : `{ ${parts.join("; ")} }`;
}
