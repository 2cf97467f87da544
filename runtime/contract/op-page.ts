/** The help page of one op, and of one part of its arguments or result. Every way to help shows it. */

import { publishedSchema } from "./accepted-names.js";
import {
  type HelpArgument,
  type HelpCall,
  type HelpDocument,
  type HelpOptions,
  type OpHelp,
  shortVersion,
  UNKNOWN,
} from "./help.js";
import { dereference, isSchema } from "./json-schema.js";
import { learnedFrom, resultSchema } from "./known-result.js";
import type { JsonSchema, JsonValue, Tool } from "./registry.js";
import { argumentSchemas, type DescribedTool, placeAtPath, resultPath, type SchemaPlace } from "./schema-place.js";
import { type ShapeText, shapeOf } from "./shape-text.js";

/** Longest shapes of an argument, of a result, and of one part that is asked for, in characters. */
const ARGUMENT_CHARACTERS = 1000;
const RESULT_CHARACTERS = 600;
/** Characters of all arguments together in short help, and the longest shapes that are tried until they are kept. */
const SHORT_CHARACTERS = 600;
const SHORTER = [300, 150, 80] as const;
/** Longest shape without members: it is not cut to make room. */
const FLAT_CHARACTERS = 200;
const PART_CHARACTERS = 2000;

/** Longest path of a part, in characters. */
export const MAX_AT_LENGTH = 200;

/** A tool of the registry, as its page shows it. */
type PageTool = DescribedTool & Pick<Tool, "op">;

/** The shapes of the arguments of a tool, by their names in Python. */
export function argumentShapes(tool: DescribedTool, characters = ARGUMENT_CHARACTERS): ReadonlyMap<string, ShapeText> {
  const schemas = argumentSchemas(tool);
  const root = tool.parameters_schema;
  return new Map(
    tool.parameters.map(({ name, original, type }) => {
      const schema = schemas.get(name);
      return [name, schema ? shapeOf(schema, root, characters, original) : { text: type }];
    }),
  );
}

/** The shapes of the arguments in short help: those with members are cut until all of them are short together. */
function shortShapes(tool: DescribedTool): ReadonlyMap<string, ShapeText> {
  const whole = argumentShapes(tool);
  const isFlat = ({ text }: ShapeText): boolean => text.length <= FLAT_CHARACTERS && !text.includes("{");
  let shapes = whole;
  for (const characters of SHORTER) {
    if ([...shapes.values()].reduce((sum, { text }) => sum + text.length, 0) <= SHORT_CHARACTERS) break;
    const cut = argumentShapes(tool, characters);
    shapes = new Map([...whole].map(([name, one]) => [name, isFlat(one) ? one : (cut.get(name) ?? one)]));
  }
  return shapes;
}

/** The shape of the result of a tool, with where it is from if it was learned; undefined if nothing is known of it. */
export function resultShape(tool: DescribedTool, characters = RESULT_CHARACTERS): ShapeText | undefined {
  const schema = resultSchema(tool);
  if (!schema) return undefined;
  const { learned_result: learned, result_schema: declared } = tool;
  const shape = shapeOf(schema, schema, characters, resultPath(tool));
  return learned && !declared ? { ...shape, text: `${shape.text} (${learnedFrom(learned)})` } : shape;
}

/**
 * The page of one op: short by default, plus the requested parts.
 *
 * Shared by the runtime, which serves it, and the generator, which counts its tokens.
 */
export function opHelp(tool: PageTool, registryVersion: string, document: HelpDocument, options: HelpOptions): OpHelp {
  const full = options.format === "full";
  const { policy } = document;
  const bare = policy && { do: policy.do, dont: policy.dont, edge_cases: policy.edge_cases };
  const shapes = full ? argumentShapes(tool) : shortShapes(tool);
  const inPython = new Map(tool.parameters.map(({ name, original }) => [original, name]));
  const shapeText = ({ name, type }: HelpArgument): string => shapes.get(inPython.get(name) ?? name)?.text ?? type;
  const result = resultShape(tool);
  const returns = result?.text ?? document.returns;
  const next = nextOf(tool.op, [...shapes.values(), ...(result ? [result] : [])]);
  return {
    type: "op",
    path: tool.op,
    registry_version: shortVersion(registryVersion),
    kind: document.kind,
    summary: document.summary,
    ...(full ? { description: document.description } : {}),
    usage: document.usage,
    args: document.args.map((one) => argumentEntry(one, shapeText(one), full)),
    notes: document.notes,
    ...(bare ? { policy: full && policy ? { ...bare, source: policy.source } : bare } : {}),
    ...(full || returns !== UNKNOWN ? { returns } : {}),
    ...(full ? { errors: document.errors, see_also: document.see_also, constraints: document.constraints } : {}),
    ...(options.include_examples ? { examples: examplesOf(document, full) } : {}),
    ...(options.include_schemas ? { schema: publishedSchema(tool.parameters_schema) } : {}),
    ...(next ? { next } : {}),
  };
}

function argumentEntry({ description, ...said }: HelpArgument, type: string, full: boolean): HelpArgument {
  return { ...said, type, ...(full && description !== undefined ? { description } : {}) };
}

const examplesOf = ({ examples }: HelpDocument, full: boolean): HelpDocument["examples"] =>
  full ? examples : examples.slice(0, 1).map(({ op, args }) => ({ op, args }));

/** The call that shows the first part which some shapes leave out. */
function nextOf(path: string, shapes: readonly ShapeText[]): HelpCall | undefined {
  const at = shapes.find(({ cut }) => cut !== undefined)?.cut;
  if (at === undefined) return undefined;
  return at.length <= MAX_AT_LENGTH ? { path, at } : { path, include_schemas: true };
}

/**
 * The page of one part of an op: its shape; in full its description, and the members of an object with theirs.
 *
 * @returns undefined if the op has no such part
 */
export function partHelp(
  tool: PageTool,
  at: string,
  registryVersion: string,
  { kind }: Pick<HelpDocument, "kind">,
  { format, include_schemas }: HelpOptions,
): OpHelp | undefined {
  const place = placeAtPath(tool, at);
  if (!place) return undefined;
  const full = format === "full";
  const shape = shapeOf(place.schema, place.root, PART_CHARACTERS, at);
  const { description, default: preset } = dereference(place.schema, place.root);
  const members = full ? membersOf(place) : [];
  return {
    type: "op",
    path: tool.op,
    registry_version: shortVersion(registryVersion),
    kind,
    at,
    ...(typeof description === "string" ? { description } : {}),
    shape: shape.text,
    ...(preset === undefined ? {} : { default: preset }),
    ...(members.length > 0 ? { args: members } : {}),
    ...(include_schemas ? { schema: withDefinitions(place) } : {}),
    ...partNext(tool.op, at, shape, full, include_schemas),
  };
}

/** What a cut shape of a part leaves out: a deeper part, else all members, else the schema. */
function partNext(
  path: string,
  at: string,
  { cut }: ShapeText,
  full: boolean,
  hasSchema: boolean,
): { readonly next?: HelpCall } {
  if (cut === undefined) return {};
  const isDeeper = cut !== at && cut.length <= MAX_AT_LENGTH;
  if (isDeeper) return { next: { path, at: cut } };
  if (!full) return { next: { path, at, format: "full" } };
  return hasSchema ? {} : { next: { path, at, include_schemas: true } };
}

/** The members of an object, and of the objects in a list. */
function membersOf({ schema, root }: SchemaPlace): readonly HelpArgument[] {
  const said = dereference(schema, root);
  const { properties, required, items } = said;
  if (!isSchema(properties)) return isSchema(items) ? membersOf({ schema: items, root }) : [];
  const needed = Array.isArray(required) ? required : [];
  return Object.entries(properties).map(([name, member]) => {
    const { description, default: preset } = isSchema(member) ? dereference(member, root) : ({} as JsonSchema);
    return {
      name,
      type: shapeOf(member, root, ARGUMENT_CHARACTERS).text,
      ...(needed.includes(name) ? { required: true as const } : {}),
      ...(preset === undefined ? {} : { default: preset }),
      ...(typeof description === "string" ? { description } : {}),
    };
  });
}

/** The schema, with the definitions that it may refer to. */
function withDefinitions({ schema, root }: SchemaPlace): JsonSchema {
  const shared = ["$defs", "definitions"].flatMap((key): readonly (readonly [string, JsonValue])[] => {
    const definitions = root[key];
    return isSchema(definitions) ? [[key, definitions as JsonValue]] : [];
  });
  return schema === root || !JSON.stringify(schema).includes('"$ref"')
    ? schema
    : { ...schema, ...Object.fromEntries(shared) };
}
