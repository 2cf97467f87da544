/** Freezes the registry: sorts the tools, computes digests and token counts, and makes the value immutable. */

import { byCodeUnit, canonicalJson, digest, digestText } from "../../runtime/contract/canonical.js";
import type { HelpDocument } from "../../runtime/contract/help.js";
import { isSchema } from "../../runtime/contract/json-schema.js";
import { opHelp } from "../../runtime/contract/op-page.js";
import type {
  Constraint,
  JsonObject,
  JsonSchema,
  JsonValue,
  Pack,
  Registry,
  Tool,
  ToolRequest,
} from "../../runtime/contract/registry.js";
import { withoutKeywords } from "../../runtime/contract/schema-copy.js";
import { registryFile, type SharedDefinitions, sharedDefinitions } from "../../runtime/contract/shared-definitions.js";
import { signatureLine } from "../../runtime/contract/signature-index.js";
import type { Config } from "../config/config.js";
import type { Extracted } from "../core/ir.js";
import { isHidden } from "./expose.js";
import { helpDocument } from "./help-document.js";
import { toolRequest } from "./request.js";

/** Counts o200k tokens of a text. */
export type CountTokens = (text: string) => number;

/** The registry and its help documents by op. */
export interface Frozen {
  readonly registry: Registry;
  readonly help: ReadonlyMap<string, HelpDocument>;
}

/** Version of the rules by which {@link classifyDefinitions} reads kinds and hints from names; raise it with them. */
const CLASSIFICATION = 2;

/** Placeholder for the version while tokens are counted, so that a change of one tool does not affect the counts of others. */
const NO_VERSION = "0".repeat(64);

/** Makes the registry of all extracted tools. */
export function freeze(tools: readonly Extracted[], config: Config, countTokens: CountTokens): Frozen {
  const sorted = [...tools].sort((a, b) => byCodeUnit(a.op, b.op));
  const listed = new Map(
    sorted.filter((one) => !isHidden(config, one.source_pack ?? one.pack, one.name)).map((one) => [one.op, one]),
  );
  const help = new Map(sorted.map((one) => [one.op, helpDocument(one, listed)]));
  const shared = sharedDefinitions(
    sorted.map(({ pack: group, parameters: parameters_schema }) => ({ group, parameters_schema })),
  );
  const countDefinition = definitionCounter(shared, countTokens);
  const frozen = sorted.map((one) => {
    const request = toolRequest(one, config);
    return toolOf(one, help.get(one.op) as HelpDocument, request, { countTokens, countDefinition });
  });
  const packs = packsOf(sorted, config);
  const reserved = [...(config.reserved ?? [])].sort((a, b) => byCodeUnit(a.op, b.op));
  const registry: Registry = {
    ir_version: 1,
    registry_version: NO_VERSION,
    classification: CLASSIFICATION,
    tools: frozen,
    packs,
    reserved,
  };
  return { registry: deepFreeze({ ...registry, registry_version: versionOf(registry) }), help };
}

/** Counts the tokens of texts and of definitions. */
interface Counters {
  readonly countTokens: CountTokens;
  readonly countDefinition: (tool: Extracted) => number;
}

/** Counts the tokens of a definition as models see it; definitions that ops share are counted once for all of them. */
function definitionCounter(shared: SharedDefinitions, countTokens: CountTokens): Counters["countDefinition"] {
  const known = new Map<unknown, number>();
  const countShared = (name: string, schema: unknown): number => {
    const count = known.get(schema) ?? countTokens(`${JSON.stringify(name)}:${JSON.stringify(schema)},`);
    known.set(schema, count);
    return count;
  };
  return ({ name, description, pack, parameters }) => {
    const own = Object.hasOwn(shared, pack) ? (shared[pack] ?? {}) : {};
    const { $defs = {}, ...root } = parameters;
    const members = Object.entries(isSchema($defs) ? $defs : {});
    const apart = members.filter(([key, schema]) => own[key] === schema);
    if (apart.length === 0) return countTokens(JSON.stringify({ name, description, parameters }));
    const rest = Object.fromEntries(members.filter(([key, schema]) => own[key] !== schema));
    const text = JSON.stringify({ name, description, parameters: { ...root, $defs: rest } });
    return apart.reduce((sum, [key, schema]) => sum + countShared(key, schema), countTokens(text));
  };
}

function toolOf(
  one: Extracted,
  document: HelpDocument,
  request: ToolRequest | undefined,
  { countTokens, countDefinition }: Counters,
): Tool {
  const base: Omit<Tool, "tokens" | "digest"> = {
    op: one.op,
    tool_name: one.name,
    description: one.description,
    parameters_schema: one.parameters,
    group: one.pack,
    kind: one.op_kind,
    ...(one.entity === undefined ? {} : { entity: one.entity }),
    action: one.action,
    examples: one.examples,
    ...(one.policy ? { policy: one.policy } : {}),
    access: one.access,
    target: one.target,
    ...(one.project_from === undefined ? {} : { project_from: one.project_from }),
    aliases: one.aliases,
    summary: one.summary,
    signature: one.signature,
    parameters: one.parameter_list,
    ...(one.result ? { result_schema: one.result } : {}),
    ...(one.learned ? { learned_result: one.learned } : {}),
    ...(one.words ? { learned_words: one.words } : {}),
    annotations: one.hints,
    constraints: one.constraints,
    notes: one.notes,
    source: sourceOf(one),
    ...(request ? { request } : {}),
    ...(one.lifecycle ? { lifecycle: one.lifecycle } : {}),
    ...(one.topic === undefined ? {} : { topic: one.topic }),
  };
  const short = opHelp(base, NO_VERSION, document, {
    format: "short",
    include_examples: true,
    include_schemas: false,
  });
  const tokens = {
    definition: countDefinition(one),
    help: countTokens(JSON.stringify(short)),
    signature: countTokens(`${signatureLine(base)}\n`),
  };
  return { ...base, tokens, digest: digestsOf(base) };
}

const sourceOf = ({ origin, pack, source_pack, place, call, shipped }: Extracted): Tool["source"] => ({
  kind: origin,
  ...(origin === "proxy" ? { server: source_pack ?? pack } : {}),
  file: place.file,
  ...(call ? { call } : {}),
  ...(shipped ? { shipped } : {}),
  ...(source_pack === undefined ? {} : { pack: source_pack }),
});

/** Three digests: of the input, of the texts, and of the whole contract. */
function digestsOf(tool: Omit<Tool, "tokens" | "digest">): Tool["digest"] {
  const {
    description,
    summary,
    notes,
    policy,
    examples,
    source: _,
    signature: __,
    parameters: ___,
    learned_result: ____,
    learned_words: _____,
    topic: ______,
    ...contract
  } = tool;
  const input = inputDigest(tool.parameters_schema);
  const rules = policy && { do: policy.do, dont: policy.dont, edge_cases: policy.edge_cases };
  return {
    input,
    docs: digestOf(
      { description, summary, notes, rules, examples, schema: tool.parameters_schema },
      tool.parameters_schema,
    ),
    op: digestOf(
      { ...contract, constraints: tool.constraints.map(withoutOrder), parameters_schema: input },
      tool.result_schema,
    ),
  };
}

/** Digest of an input: the same if only its prose differs. */
export function inputDigest(schema: JsonSchema): string {
  const bare = withoutProse(schema);
  return digestOf(bare, bare);
}

/** Stands for definitions in a canonical text, which holds no such character. */
const MARK = "\0";

/** Digest of a value that holds a schema. Definitions, which many schemas hold, are written once and never copied. */
function digestOf(value: unknown, { $defs }: JsonSchema = {}): string {
  if (!isSchema($defs)) return digest(value);
  const pieces = canonicalJson(value, new Map([[$defs, MARK]])).split(MARK);
  return digestText(...pieces.flatMap((one, at) => (at === 0 ? [one] : [textOfAll($defs), one])));
}

const textOf = remembered(canonicalJson);
const textOfAll = remembered(($defs: JsonSchema) =>
  canonicalJson($defs, new Map(Object.values($defs).flatMap((one) => (isSchema(one) ? [[one, textOf(one)]] : [])))),
);

/** Sorts the arguments of `at_least_one_change`, whose order has no meaning. */
const withoutOrder = (one: Constraint): Constraint =>
  one.kind === "at_least_one_change" ? { ...one, of: [...one.of].sort(byCodeUnit) } : one;

const PROSE: ReadonlySet<string> = new Set(["description", "title", "examples", "example", "$comment"]);

/** A schema without prose, and with `required` sorted at every level, since its order has no meaning. */
function withoutProse(schema: JsonSchema): JsonSchema {
  const { $defs, ...root } = schema;
  return isSchema($defs) ? { ...bare(root), $defs: bareDefinitions($defs) } : bare(schema);
}

const bare = (schema: JsonSchema): JsonSchema =>
  sortRequired(withoutKeywords(schema, (key) => PROSE.has(key))) as JsonSchema;

const bareDefinition = remembered(bare);
const bareDefinitions = remembered(
  ($defs: JsonSchema): JsonObject =>
    Object.fromEntries(
      Object.entries($defs).map(([name, one]) => [
        name,
        isSchema(one) ? (bareDefinition(one) as JsonObject) : (one as JsonValue),
      ]),
    ),
);

/** A function that makes its result once for an object, which never changes. */
function remembered<K extends object, V>(make: (of: K) => V): (of: K) => V {
  const known = new WeakMap<K, { readonly value: V }>();
  return (of) => {
    const before = known.get(of) ?? { value: make(of) };
    known.set(of, before);
    return before.value;
  };
}

function sortRequired(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortRequired);
  if (!isSchema(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) =>
      key === "required" && isTexts(member) ? [key, [...member].sort(byCodeUnit)] : [key, sortRequired(member)],
    ),
  );
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

function packsOf(tools: readonly Extracted[], config: Config): readonly Pack[] {
  const names = [...new Set(tools.map((one) => one.pack))].sort(byCodeUnit);
  return names.map((name) => {
    const entry = config.packs?.[name] ?? {};
    const proxied = tools.some((one) => one.pack === name && one.origin !== "local");
    return {
      name,
      summary: entry.summary ?? "",
      source: proxied ? "proxy" : "local",
      entities: entry.entities ?? {},
      topics: entry.topics ?? [],
    };
  });
}

/** Version of the registry: a digest of what help or exec can show, without places, token counts or digests. */
function versionOf(registry: Registry): string {
  const { tools, packs, reserved, definitions } = registryFile(registry);
  const shown = tools.map(({ source: _, tokens: __, digest: ___, policy, ...rest }) => ({
    ...rest,
    policy: policy && { do: policy.do, dont: policy.dont, edge_cases: policy.edge_cases },
  }));
  return digest({ tools: shown, packs, reserved, definitions });
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) deepFreeze(member);
  return value;
}
