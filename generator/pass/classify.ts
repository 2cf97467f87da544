/** Classifies definitions: op path, kind, access, target, entity, action, hints. Configuration, then annotations, then names. */

import {
  type Annotations,
  type Constraint,
  isSchema,
  type JsonObject,
  type JsonValue,
  type Kind,
} from "toolwright/codegen";
import type { Config, ConstraintEntry, OpEntry, PackEntry } from "../config.js";
import type { Report } from "../diagnostic.js";
import type { Draft, NormalizedDefinition } from "../ir.js";
import { isOpPath, safeName, wordsOf } from "../names.js";
import { deriveOp, type OpPath } from "./op-path.js";
import { type Verb, verbs } from "./verbs.js";

/** First segments that help uses for itself (`gateway.md` (c)). */
const RESERVED_PACKS: ReadonlySet<string> = new Set(["root", "session", "read", "write"]);

interface Setting {
  readonly config: Config;
  readonly vocabulary: ReadonlyMap<string, Verb>;
  readonly report: Report;
}

/** Gives every definition its op; one that no rule matches is reported and left out. */
export function classify(
  definitions: readonly NormalizedDefinition[],
  config: Config,
  report: Report,
): readonly Draft[] {
  const setting: Setting = { config, vocabulary: verbs(config.vocabulary?.verbs), report };
  return definitions.flatMap((one) => {
    const draft = classifyOne(one, setting);
    return draft ? [draft] : [];
  });
}

/** The entry of `ops` for a tool: `<pack>/<tool>` before the bare name. */
function opEntry(config: Config, pack: string, tool: string): { readonly key: string; readonly entry: OpEntry } {
  const ops = config.ops ?? {};
  const key = Object.hasOwn(ops, `${pack}/${tool}`) ? `${pack}/${tool}` : tool;
  return { key, entry: (Object.hasOwn(ops, key) ? ops[key] : undefined) ?? {} };
}

function classifyOne(one: NormalizedDefinition, setting: Setting): Draft | undefined {
  const { config } = setting;
  const { key, entry } = opEntry(config, one.pack, one.name);
  const pack: PackEntry = config.packs?.[one.pack] ?? {};
  const path = pathOf(one, key, entry, pack, setting);
  if (!path) return undefined;
  const verb = verbOf(path, one.name, setting.vocabulary);
  const kind = kindOf(one, entry, verb, path.op, setting);
  return {
    ...one,
    ...partsOf(path.op),
    ...targetOf(one, entry, pack, path.op, setting.report),
    ...authored(one, entry),
    op: path.op,
    config_key: key,
    op_kind: kind.kind,
    access: entry.access ?? one.declared?.access ?? kind.kind,
    hints: hintsOf(one, entry, kind.kind, verb?.verb),
    because: [`op ${path.op}: ${path.because}`, `kind ${kind.kind}: ${kind.because}`],
  };
}

/** Entity and action: the second segment of three or more, and the last one. */
function partsOf(op: string): Pick<Draft, "entity" | "action"> {
  const segments = op.split(".");
  const [, entity] = segments;
  return { ...(segments.length > 2 && entity ? { entity } : {}), action: segments.at(-1) ?? "" };
}

function targetOf(
  one: NormalizedDefinition,
  entry: OpEntry,
  pack: PackEntry,
  op: string,
  report: Report,
): Pick<Draft, "target" | "project_from"> {
  const target = entry.target ?? one.declared?.target ?? pack.target ?? "global";
  if (target === "global") return { target };
  const project_from = entry.project_from ?? one.declared?.project_from ?? projectArgument(one);
  if (project_from !== undefined) return { target, project_from };
  report.add("target-without-project", one.place, { op });
  return { target };
}

/** What the entry of `ops` says that no rule derives. */
const authored = (one: NormalizedDefinition, entry: OpEntry) => ({
  aliases: entry.aliases ?? [],
  dry_run: entry.dry_run ?? false,
  renames: entry.arguments ?? {},
  author_notes: entry.notes ?? [],
  author_examples: (entry.examples ?? one.declared?.examples ?? []) as readonly JsonObject[],
  constraints: (entry.constraints ?? []).map((item) => constraintOf(item, one)),
});

function pathOf(
  one: NormalizedDefinition,
  key: string,
  entry: OpEntry,
  pack: PackEntry,
  { config, report }: Setting,
): OpPath | undefined {
  const refuse = (op: string, reason: string): undefined => {
    report.add("op-invalid", entry.op === undefined ? one.place : config.place("ops", key, "op"), { op, reason });
    return undefined;
  };
  if (RESERVED_PACKS.has(one.pack))
    return refuse(`${one.pack}.${safeName(one.name)}`, `is in a pack called ${one.pack}, a word that help reserves`);
  const given = entry.op ?? one.declared?.op;
  if (given !== undefined) {
    if (!isOpPath(given)) return refuse(given, "is no dotted path of identifiers that Python allows");
    if (!given.startsWith(`${one.pack}.`)) return refuse(given, `does not begin with its pack, ${one.pack}`);
    return { op: given, because: entry.op === undefined ? "declared, @op" : `configured, ops.${key}.op` };
  }
  const derived = deriveOp(one.name, one.pack, pack);
  if (derived.op !== undefined) return derived;
  const near = derived.nearest === undefined ? "" : `; nearest entity ${derived.nearest}`;
  report.add("op-unmatched", one.place, { tool: one.name, pack: one.pack, tried: derived.tried + near });
  return undefined;
}

function verbOf(
  path: OpPath,
  name: string,
  vocabulary: ReadonlyMap<string, Verb>,
): { readonly word: string; readonly verb: Verb } | undefined {
  const action = path.op.split(".").at(-1) ?? "";
  // A verb stands where the op or the name begins. Words further in say what it acts on: user_list_delete lists nothing.
  const words = [
    ...joined(name, vocabulary),
    path.verb ?? "",
    action,
    wordsOf(action)[0] ?? "",
    wordsOf(name)[0] ?? "",
  ];
  const found = words.flatMap((word) => {
    const verb = vocabulary.get(word);
    return verb ? [{ word, verb }] : [];
  });
  return found[0];
}

/** Words behind `and`, `or` and `then` that write: `find_and_remove` is as much a write as `remove`. */
function joined(name: string, vocabulary: ReadonlyMap<string, Verb>): readonly string[] {
  const words = wordsOf(name);
  return words.filter((word, i) => JOINTS.has(words[i - 1] ?? "") && vocabulary.get(word)?.kind === "write");
}

const JOINTS: ReadonlySet<string> = new Set(["and", "or", "then"]);

function kindOf(
  one: NormalizedDefinition,
  entry: OpEntry,
  found: ReturnType<typeof verbOf>,
  op: string,
  { report }: Setting,
): { readonly kind: Kind; readonly because: string } {
  const { readOnlyHint } = one.annotations;
  const annotated: Kind | undefined = readOnlyHint === undefined ? undefined : readOnlyHint ? "read" : "write";
  const declared = entry.kind ?? one.declared?.kind ?? annotated;
  const by = entry.kind ? "configuration" : one.declared?.kind ? "its source" : "annotation";
  if (entry.kind === "write" && readOnlyHint === true) report.add("kind-annotation-mismatch", one.place, { op });
  if (declared) {
    if (found && found.verb.kind !== declared)
      report.add("kind-differs", one.place, { op, kind: declared, by, verb: `${found.word} is a ${found.verb.kind}` });
    return { kind: declared, because: by };
  }
  if (found) return { kind: found.verb.kind, because: `verb ${found.word}` };
  if (one.kind) return { kind: one.kind, because: "default of its source" };
  report.add("kind-unknown", one.place, { tool: one.name, op });
  return { kind: "write", because: "unknown verb, so a write (decision D18)" };
}

function hintsOf(one: NormalizedDefinition, entry: OpEntry, kind: Kind, verb: Verb | undefined): Annotations {
  const { title, destructiveHint, idempotentHint, openWorldHint } = one.annotations;
  const read = kind === "read";
  return {
    ...(title === undefined ? {} : { title }),
    readOnlyHint: read,
    destructiveHint: !read && (entry.destructive ?? destructiveHint ?? verb?.destructive ?? false),
    idempotentHint:
      read || (entry.idempotent ?? idempotentHint ?? (verb?.kind === "write" && verb.idempotent) ?? false),
    openWorldHint: entry.open_world ?? openWorldHint ?? one.origin !== "local",
  };
}

/** `project_id` where there is one, else the first required id. */
function projectArgument(one: NormalizedDefinition): string | undefined {
  const properties = isSchema(one.parameters["properties"]) ? one.parameters["properties"] : {};
  if (Object.hasOwn(properties, "project_id")) return "project_id";
  const required = Array.isArray(one.parameters["required"]) ? one.parameters["required"] : [];
  return Object.keys(properties).find((name) => {
    const schema = properties[name];
    return required.includes(name) && isSchema(schema) && typeof schema["x-id"] === "string";
  });
}

function constraintOf(item: ConstraintEntry, one: NormalizedDefinition): Constraint {
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
