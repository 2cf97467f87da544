/**
 * Classifies definitions: op path, kind, access, target, entity, action and hints, from configuration, then annotations, then
 * names, then descriptions.
 */

import { byCodeUnit } from "../../runtime/contract/canonical.js";
import { isSchema } from "../../runtime/contract/json-schema.js";
import type { NormalSchema } from "../../runtime/contract/normal-schema.js";
import type { Annotations, Constraint, JsonObject, JsonValue, Kind } from "../../runtime/contract/registry.js";
import type { ConstraintEntry, OpEntry } from "../../runtime/contract/settings/entries.js";
import type { Config } from "../config/config.js";
import type { Report } from "../core/diagnostic.js";
import type { Classified, NameableDefinition, PackEntry } from "../core/ir.js";
import { nameWords, safeName } from "../core/names.js";
import { definitionSpot } from "./check.js";
import { actingVerbOf, readVerbOf, saysAct } from "./description-verb.js";
import { isDestructive } from "./destructive.js";
import { type NamedPath, type Naming, opEntry, opPaths, packOfOp } from "./op-paths.js";
import { withOwnOps } from "./shared-ops.js";
import { type FoundVerb, type NamedArgument, verbIn, withArguments } from "./verb-of.js";
import { type Verb, verbs } from "./verbs.js";

/** Gives every definition its op; a definition that no rule matches is reported and left out. */
export function classifyDefinitions<One extends NameableDefinition>(
  definitions: readonly One[],
  config: Config,
  report: Report,
): readonly (One & Classified)[] {
  const setting: Naming = { config, vocabulary: verbs(config.vocabulary?.verbs), report };
  const named = withOwnOps(opPaths(definitions, setting), report);
  const drafts = named.map(({ one, path }) => ({ ...one, ...classifyOne(one, path, setting) }));
  return withoutForeignCollisions(drafts, report);
}

/**
 * Leaves out foreign tools whose stated op is taken (letter case ignored, as in some file systems): the first by name is kept, local
 * tools before foreign ones. Two local tools are an error of the next stage.
 */
function withoutForeignCollisions<Draft extends NameableDefinition & Classified>(
  drafts: readonly Draft[],
  report: Report,
): readonly Draft[] {
  const byOp = new Map<string, Draft[]>();
  for (const one of drafts) byOp.set(one.op.toLowerCase(), [...(byOp.get(one.op.toLowerCase()) ?? []), one]);
  const lost = new Set<Draft>();
  for (const same of byOp.values()) {
    const foreign = same.filter((one) => one.origin !== "local").sort((a, b) => byCodeUnit(a.name, b.name));
    for (const one of foreign.slice(foreign.length === same.length ? 1 : 0)) {
      report.addAbout(one, "op-collision", { op: one.op, tools: same.map(definitionSpot), second: one.name });
      lost.add(one);
    }
  }
  return lost.size === 0 ? drafts : drafts.filter((one) => !lost.has(one));
}

function classifyOne(one: NameableDefinition, path: NamedPath, setting: Naming): Classified {
  const { config } = setting;
  const { key, entry } = opEntry(config, one.pack, one.name);
  const pack: PackEntry = config.packs?.[one.pack] ?? {};
  const named = withArguments(verbOf(path.op, one, setting.vocabulary), argumentsOf(one.input), setting.vocabulary);
  const verb = withDescription(named, one, setting.vocabulary);
  const kind = kindOf(one, entry, verb, path.op, setting);
  const inPack = packOfOp(path.op);
  return {
    pack: inPack,
    ...(inPack === one.pack ? {} : { source_pack: one.pack }),
    ...partsOf(path.op),
    ...targetOf(one, entry, pack, path.op, setting.report),
    ...authored(one, entry),
    op: path.op,
    config_key: key,
    op_kind: kind.kind,
    access: entry.access ?? one.declared?.access ?? kind.kind,
    hints: hintsOf(one, entry, kind.kind, path.op, verb),
    named_by: path.by,
    because: [`op ${path.op}: ${path.because}`, `kind ${kind.kind}: ${kind.because}`],
  };
}

/**
 * A word for a read gives way to a description that says of a write ("Trigger a scan of …"), and a word at the end that is as often a noun
 * to one that begins with a read: `data_app_store`, "Read the data of a store".
 */
function withDescription(
  found: FoundVerb | undefined,
  { name, pack, description }: NameableDefinition,
  vocabulary: ReadonlyMap<string, Verb>,
): FoundVerb | undefined {
  if (found?.by !== "verb" || found.verb.given) return found;
  if (found.verb.kind === "write")
    return isNounOf(found, name, pack) && readVerbOf(description, vocabulary) ? undefined : found;
  const own = nameWords(name).find((word) => !nameWords(pack).includes(word)) ?? "";
  const acting = actingVerbOf(description, found.word, own, vocabulary);
  if (acting === undefined) return found;
  const known = vocabulary.get(acting);
  const verb: Verb = known?.kind === "write" ? known : { kind: "write", grade: "sure" };
  return { by: "verb", word: acting, verb, because: `${found.because}, but its description says ${acting}` };
}

/** Whether a word is as often a noun, and ends a name that begins with another word. */
const isNounOf = ({ word, verb }: FoundVerb, name: string, pack: string): boolean =>
  verb.grade === "either" &&
  nameWords(name)
    .filter((one) => !nameWords(pack).includes(one))
    .indexOf(word) > 0 &&
  nameWords(name).at(-1) === word;

/** Arguments with the texts that they may be. */
const argumentsOf = (input: NormalSchema): readonly NamedArgument[] =>
  input.kind === "object" ? input.properties.map(({ name, schema }) => ({ name, values: textsIn(schema) })) : [];

const textsIn = (schema: NormalSchema): readonly string[] => {
  if (schema.kind === "union") return schema.members.flatMap(textsIn);
  return schema.kind === "literal" ? schema.values.filter((one) => typeof one === "string") : [];
};

/** Entity and action: the second segment of three or more, and the last one. */
function partsOf(op: string): Pick<Classified, "entity" | "action"> {
  const segments = op.split(".");
  const [, entity] = segments;
  return { ...(segments.length > 2 && entity ? { entity } : {}), action: segments.at(-1) ?? "" };
}

function targetOf(
  one: NameableDefinition,
  entry: OpEntry,
  pack: PackEntry,
  op: string,
  report: Report,
): Pick<Classified, "target" | "project_from"> {
  const target = entry.target ?? one.declared?.target ?? pack.target ?? "global";
  if (target === "global") return { target };
  const project_from = entry.project_from ?? one.declared?.project_from ?? projectArgument(one);
  if (project_from !== undefined) return { target, project_from };
  report.add("target-without-project", one.place, { op });
  return { target };
}

/** The parts of an `ops` entry that no rule derives. */
const authored = (one: NameableDefinition, entry: OpEntry) => ({
  aliases: entry.aliases ?? [],
  dry_run: entry.dry_run ?? false,
  renames: entry.arguments ?? {},
  author_notes: entry.notes ?? [],
  author_examples: (entry.examples ?? one.declared?.examples ?? []) as readonly JsonObject[],
  constraints: (entry.constraints ?? []).map((item) => constraintOf(item, one)),
});

/** The deciding word: a joined write in the name, else the verb of the op, else the verb of the name. */
function verbOf(op: string, one: NameableDefinition, vocabulary: ReadonlyMap<string, Verb>): FoundVerb | undefined {
  const action = op.split(".").at(-1) ?? "";
  const named = verbIn(one.name, vocabulary, one.pack);
  if (named?.by === "joint") return named;
  const given = action.includes("_") ? vocabulary.get(action.toLowerCase()) : undefined;
  if (given) return { by: "verb", word: action, verb: given, because: `verb ${action}` };
  const acted = action === safeName(one.name) ? undefined : verbIn(action, vocabulary);
  return acted?.by === "verb" ? acted : (named ?? acted);
}

function kindOf(
  one: NameableDefinition,
  entry: OpEntry,
  found: FoundVerb | undefined,
  op: string,
  { report, vocabulary }: Naming,
): { readonly kind: Kind; readonly because: string } {
  const { readOnlyHint, destructiveHint } = one.annotations;
  if (!entry.kind && readOnlyHint === true && destructiveHint === true)
    report.add("annotations-contradict", one.place, { op });
  if (entry.kind === "write" && readOnlyHint === true) report.add("kind-annotation-mismatch", one.place, { op });
  const said = statedKind(one, entry, isOtherThanMethod(one, found, vocabulary));
  if (said) {
    const { kind, by } = said;
    const name = saidBy(found);
    // Declarations of a shipped pack are not reported to its users.
    const isOurs = one.shipped && !entry.kind;
    if (found && found.verb.kind !== kind && !isOurs) report.add("kind-differs", one.place, { op, kind, by, name });
    return { kind, because: `${by}; its name says ${name}` };
  }
  if (found && found.by !== "noun") return { kind: found.verb.kind, because: found.because };
  if (one.kind) return { kind: one.kind, because: "default of its source" };
  const described = readVerbOf(one.description, vocabulary);
  // `zap_logs` may zap them: a noun is no evidence without a description.
  if (found && described !== undefined) return { kind: found.verb.kind, because: found.because };
  if (described !== undefined) {
    report.add("kind-described", one.place, { tool: one.name, op, verb: described });
    return { kind: "read", because: `no verb in its name; its description begins with ${described}` };
  }
  report.add("kind-unknown", one.place, { tool: one.name, op });
  return { kind: "write", because: "no word of its name is a known verb, so a write" };
}

/** The stated kind and its origin: configuration before the definition, unless its method is misused, before the annotation. */
function statedKind(
  { declared, annotations: { readOnlyHint, destructiveHint } }: NameableDefinition,
  entry: OpEntry,
  misused: boolean,
): { readonly kind: Kind; readonly by: string } | undefined {
  if (entry.kind) return { kind: entry.kind, by: "configuration" };
  if (declared?.kind && !misused) return { kind: declared.kind, by: "its source" };
  // A destructive tool is not a read, even if the server declares it read-only.
  if (destructiveHint === true) return { kind: "write", by: "annotation" };
  return readOnlyHint === undefined ? undefined : { kind: readOnlyHint ? "read" : "write", by: "annotation" };
}

/**
 * Whether the name and the description of an HTTP operation both contradict its method: `POST searchOrders`, "Search orders", is a
 * read, and `GET apps.uninstall`, "Uninstalls your app", a write.
 */
function isOtherThanMethod(
  { name, http, description }: NameableDefinition,
  found: FoundVerb | undefined,
  vocabulary: ReadonlyMap<string, Verb>,
): boolean {
  if (http?.method === "POST") return found?.verb.kind === "read" && readVerbOf(description, vocabulary) !== undefined;
  // `getAccountLogin` gets a login.
  const begins = vocabulary.get(nameWords(name)[0] ?? "")?.kind;
  const acts = http?.method === "GET" && begins !== "read" && found?.verb.kind === "write";
  return acts && saysAct(description, vocabulary);
}

const saidBy = (found: FoundVerb | undefined): string => (found ? `${found.verb.kind} (${found.because})` : "nothing");

function hintsOf(
  one: NameableDefinition,
  entry: OpEntry,
  kind: Kind,
  op: string,
  found: FoundVerb | undefined,
): Annotations {
  const verb = found?.verb;
  const { title, destructiveHint, idempotentHint, openWorldHint } = one.annotations;
  const read = kind === "read";
  return {
    ...(title === undefined ? {} : { title }),
    readOnlyHint: read,
    destructiveHint: !read && (entry.destructive ?? destructiveHint ?? isDestructive(one, op, found)),
    idempotentHint:
      read || (entry.idempotent ?? idempotentHint ?? (verb?.kind === "write" && verb.idempotent) ?? false),
    openWorldHint: entry.open_world ?? openWorldHint ?? one.origin !== "local",
  };
}

/** `project_id` if there is one, else the first required id. */
function projectArgument(one: NameableDefinition): string | undefined {
  const properties = isSchema(one.parameters["properties"]) ? one.parameters["properties"] : {};
  if (Object.hasOwn(properties, "project_id")) return "project_id";
  const required = Array.isArray(one.parameters["required"]) ? one.parameters["required"] : [];
  return Object.keys(properties).find((name) => {
    const schema = properties[name];
    return required.includes(name) && isSchema(schema) && typeof schema["x-id"] === "string";
  });
}

function constraintOf(item: ConstraintEntry, one: NameableDefinition): Constraint {
  if (item.one_of) return { kind: "one_of", branches: item.one_of };
  if (item.requires) {
    const { argument, equals, needs } = item.requires;
    return { kind: "requires", argument, ...(equals === undefined ? {} : { equals: equals as JsonValue }), needs };
  }
  const { of, except = [] } = item.at_least_one_change ?? {};
  const optional =
    one.input.kind === "object" ? one.input.properties.filter((p) => !p.required).map((p) => p.name) : [];
  return { kind: "at_least_one_change", of: of ?? optional.filter((name) => !except.includes(name)) };
}
