/**
 * Compares what texts hold and how: encoding, media type, and the schema of the content. Validators take a text all the same, so that no proof
 * and no value says anything of it; every place of both schemas is looked at, conditions and patterns included.
 */

import { listOrEmpty } from "../../runtime/contract/json.js";
import { isSchema, itemSchemas } from "../../runtime/contract/json-schema.js";
import type { JsonSchema } from "../../runtime/contract/registry.js";
import { matchBranches } from "./match.js";
import { schemasByName } from "./node.js";
import { acceptedText, resolve, type ShapeBranch, shapeBranches } from "./shape.js";
import { belowSpot, propertySpot, recordEvent, type Spot, type Walk } from "./walk.js";

const PLAIN = "plain text";
const BYTES = "application/octet-stream";
/** Encodings of transfer that leave the text as it is. */
const IDENTITY: ReadonlySet<string> = new Set(["7bit", "8bit", "binary"]);

/** How the content of a text arrives; the formats of OpenAPI 3.0 in the words of JSON Schema. */
function contentOf({ format, contentEncoding, contentMediaType, contentSchema }: JsonSchema): string {
  const said = typeof contentEncoding === "string" ? contentEncoding.toLowerCase() : format === "byte" ? "base64" : "";
  const encoding = IDENTITY.has(said) ? "" : said;
  const named = typeof contentMediaType === "string" ? contentMediaType.toLowerCase() : "";
  const isBytes = encoding === "" && (format === "binary" || named === BYTES);
  const media = named === "" && isBytes ? BYTES : named;
  const held = isSchema(contentSchema) ? `schema ${acceptedText(contentSchema)}` : "";
  const carrier = isBytes ? "bytes" : encoding || PLAIN;
  return [carrier, media, held].filter((text) => text !== "").join(" of ");
}

/** Contents that a value may have where it is a text. */
function contentsOf(branches: readonly ShapeBranch[]): ReadonlySet<string> {
  const found = branches.flatMap(({ kind, schema, values }): readonly string[] => {
    const content = contentOf(schema);
    const isText = kind === "string" || values.some((one) => typeof one === "string");
    return isText || (kind === "any" && content !== PLAIN) ? [content] : [];
  });
  return new Set(found);
}

/** State of the comparison: pairs that were met, and how many may still be. */
interface State {
  readonly walk: Walk;
  readonly met: WeakMap<object, WeakSet<object>>;
  left: number;
}

/** Most pairs of one schema, and the depth; only hostile schemas have more. */
const MAX_PAIRS = 20_000;
const MAX_DEPTH = 64;

/** Reports every place whose texts hold something else. @throws RangeError if the schema exceeds the limits */
export function compareContents(walk: Walk, before: JsonSchema, after: JsonSchema, spot: Spot): void {
  // Most schemas say nothing of contents.
  if (![before, after].some((one) => SPEAKS.test(JSON.stringify(one)))) return;
  comparePair({ walk, met: new WeakMap(), left: MAX_PAIRS }, before, after, spot, 0);
}

const SPEAKS = /"content(?:Encoding|MediaType|Schema)":|"format":"(?:byte|binary)"/;

function comparePair(state: State, before: unknown, after: unknown, spot: Spot, depth: number): void {
  if (!isSchema(before) || !isSchema(after)) return;
  const { walk } = state;
  const [old, now] = [resolve(before, walk.before), resolve(after, walk.after)];
  const others = state.met.get(old) ?? new WeakSet();
  if (others.has(now)) return;
  state.met.set(old, others.add(now));
  if (state.left-- <= 0 || depth > MAX_DEPTH) throw new RangeError("too large to compare");
  const branches = [shapeBranches(before, walk.before), shapeBranches(after, walk.after)] as const;
  compareSets(state, contentsOf(branches[0]), contentsOf(branches[1]), spot);
  compareMembers(state, old, now, spot, depth);
  for (const pair of matchBranches(...branches).pairs)
    if (pair.before.schema !== old || pair.after.schema !== now)
      compareMembers(state, pair.before.schema, pair.after.schema, spot, depth);
}

/** What is accepted as it was, and what results may be that they could be, is no change. */
function compareSets({ walk }: State, old: ReadonlySet<string>, now: ReadonlySet<string>, spot: Spot): void {
  if (old.size === 0 || now.size === 0) return;
  const [kept, within] = walk.direction === "input" ? [old, now] : [now, old];
  if ([...kept].every((one) => within.has(one))) return;
  recordEvent(walk, "encoding-changed", spot, { before: [...old].join(" or "), after: [...now].join(" or ") });
}

/** The places of a value, and the schemas that hold for it beside the types. */
function compareMembers(state: State, old: JsonSchema, now: JsonSchema, spot: Spot, depth: number): void {
  const below = (a: unknown, b: unknown, at: Spot): void => comparePair(state, a, b, at, depth + 1);
  for (const [name, a, b] of shared(old, now, "properties")) below(a, b, propertySpot(spot, name));
  for (const [name, a, b] of shared(old, now, "patternProperties")) below(a, b, belowSpot(spot, "", `.${name}`));
  below(old["additionalProperties"], now["additionalProperties"], belowSpot(spot, "/additionalProperties", ".*"));
  const [items, others] = [itemSchemas(old), itemSchemas(now)];
  const fixed = Math.max(items.tuple.length, others.tuple.length);
  for (let i = 0; i < fixed; i++)
    below(items.tuple[i] ?? items.rest, others.tuple[i] ?? others.rest, belowSpot(spot, `/prefixItems/${i}`, `[${i}]`));
  below(items.rest, others.rest, belowSpot(spot, "/items", "[]"));
  for (const keyword of ["contains", "unevaluatedItems", "unevaluatedProperties"] as const)
    below(old[keyword], now[keyword], spot);
  for (const [a, b] of applied(old, now, state.walk)) below(a, b, spot);
}

const shared = (
  old: JsonSchema,
  now: JsonSchema,
  keyword: string,
): readonly (readonly [string, unknown, unknown])[] => {
  const [a, b] = [schemasByName(old[keyword]), schemasByName(now[keyword])];
  return Object.entries(a).flatMap(([name, one]) => (Object.hasOwn(b, name) ? [[name, one, b[name]] as const] : []));
};

const CONDITIONAL = ["then", "else"] as const;
const UNIONS = ["anyOf", "oneOf"] as const;

/** Schemas of the same value that hold on some condition; where one side has none, the schema itself counts. */
function applied(old: JsonSchema, now: JsonSchema, { before, after }: Walk): readonly (readonly [unknown, unknown])[] {
  const plain = [old, now].map(({ if: _, then: __, else: ___, dependentSchemas: ____, ...rest }) => rest) as [
    JsonSchema,
    JsonSchema,
  ];
  const isSaid = (keyword: string): boolean => old[keyword] !== undefined || now[keyword] !== undefined;
  const names = new Set([
    ...Object.keys(schemasByName(old["dependentSchemas"])),
    ...Object.keys(schemasByName(now["dependentSchemas"])),
  ]);
  const of = (schema: JsonSchema, name: string): unknown => {
    const held = schemasByName(schema["dependentSchemas"]);
    return Object.hasOwn(held, name) ? held[name] : undefined;
  };
  const isBeside = ({ kind, schema }: ShapeBranch): boolean => kind === "any" || isSchema(schema["properties"]);
  const beside = UNIONS.flatMap((keyword) =>
    [...shapeBranches(old, before), ...shapeBranches(now, after)].some(isBeside)
      ? listOrEmpty(old[keyword]).map((one, i) => [one, listOrEmpty(now[keyword])[i]] as const)
      : [],
  );
  return [
    ...CONDITIONAL.filter(isSaid).map((one) => [old[one] ?? plain[0], now[one] ?? plain[1]] as const),
    ...[...names].map((name) => [of(old, name) ?? plain[0], of(now, name) ?? plain[1]] as const),
    ...beside,
  ];
}
