/** Makes the notes of an op: at most four, always including what to read before a write. */

import type { Constraint, Parameter } from "../../runtime/contract/registry.js";
import { isNullable } from "../../runtime/contract/type-text.js";
import type { OpDraft } from "../core/ir.js";
import { safeName } from "../core/names.js";

const MAX_NOTES = 4;
const LABELS = ["name", "title"] as const;

/** The ops of the same build by path, which notes may refer to. */
export type Lookup = ReadonlyMap<string, OpDraft>;

/** The notes of an op, most important first. Of more than four, those on what to read first are kept. */
export function opNotes(
  draft: OpDraft,
  parameters: readonly Parameter[],
  prose: readonly string[],
  all: Lookup,
): readonly string[] {
  const guidance = readFirst(draft, parameters, all);
  const notes = [
    ...draft.author_notes,
    ...draft.constraints.map(constraintText),
    ...labelNote(draft, parameters),
    ...textNote(draft, parameters),
    ...movedNotes(parameters),
    ...(draft.dry_run ? ["Runs dry unless dry_run is false."] : []),
    ...(draft.hints.destructiveHint ? ["Destructive."] : []),
    ...idNotes(draft, parameters, all),
    ...guidance,
    ...(draft.action === "update" ? nullNote(parameters) : []),
    ...prose,
  ];
  const unique = [...new Set(notes)];
  const others = unique.filter((note) => !guidance.includes(note)).slice(0, MAX_NOTES - guidance.length);
  return unique.filter((note) => guidance.includes(note) || others.includes(note));
}

/** A constraint in words. */
export function constraintText(constraint: Constraint): string {
  if (constraint.kind === "at_least_one_change") return "Give at least one field to change.";
  if (constraint.kind === "one_of")
    return `Give ${constraint.branches.map((branch) => branch.join(" and ")).join(", or ")}.`;
  const { argument, equals, needs } = constraint;
  return `${argument}${equals === undefined ? "" : `=${JSON.stringify(equals).replaceAll('"', "")}`} needs ${needs.join(" and ")}.`;
}

/** The argument that names an entity, and the name that it does not have; undefined unless it has exactly one of the two. */
function labelOf(
  draft: OpDraft,
  parameters: readonly Parameter[],
): readonly [label: string, other: string] | undefined {
  if (draft.op_kind === "read" || draft.entity === undefined) return undefined;
  const has = (name: string): boolean => parameters.some((one) => one.original === name);
  const [label, other] = has("name") ? LABELS : ([...LABELS].reverse() as ["title", "name"]);
  return has(label) && !has(other) ? [label, other] : undefined;
}

function labelNote(draft: OpDraft, parameters: readonly Parameter[]): readonly string[] {
  const [label, other] = labelOf(draft, parameters) ?? [];
  return label === undefined ? [] : [`The label is \`${label}\`; there is no \`${other}\`.`];
}

/** The parameters; what the label of an entity is not called, as notes say, is an alias of it. */
export function withLabelAlias(draft: OpDraft, parameters: readonly Parameter[]): readonly Parameter[] {
  const [label, other = ""] = labelOf(draft, parameters) ?? [];
  if (label === undefined || parameters.some((one) => one.name === other || one.aliases.includes(other)))
    return parameters;
  return parameters.map((one) => (one.original === label ? { ...one, aliases: [...one.aliases, other] } : one));
}

/** Arguments whose names differ from those of others in signs only, and gave way to them. */
const movedNotes = (parameters: readonly Parameter[]): readonly string[] =>
  parameters
    .filter(({ name, original }) => name !== safeName(original))
    .map(({ name, original }) => `${name} is ${JSON.stringify(original)}.`);

/** The argument of a search that takes the text: some ops call it `query`, others `search`. */
function textNote({ action }: OpDraft, parameters: readonly Parameter[]): readonly string[] {
  const [text, ...others] = parameters.filter(({ required, type }) => required && type === "string");
  return action === "search" && text && others.length === 0 ? [`The text to look for is \`${text.name}\`.`] : [];
}

/** Kinds of the entities whose ids an op requires. */
const requiredKinds = (parameters: readonly Parameter[]): readonly string[] => [
  ...new Set(parameters.filter((one) => one.required).flatMap((one) => /^id<([a-z_]+)>/.exec(one.type)?.[1] ?? [])),
];

/** The op of the draft's pack that searches a kind of entity, else the one that lists it. */
const finderOf = (draft: OpDraft, kind: string, all: Lookup): string | undefined =>
  [`${draft.pack}.${kind}.search`, `${draft.pack}.${kind}.list`].find((op) => all.has(op) && op !== draft.op);

/** Whether an op changes an existing entity, which the caller should read first. */
const changesExisting = (draft: OpDraft, kinds: readonly string[]): boolean =>
  draft.op_kind === "write" && draft.action !== "create" && draft.entity !== undefined && kinds.includes(draft.entity);

/** Notes on the ops that list or search the required ids. */
function idNotes(draft: OpDraft, parameters: readonly Parameter[], all: Lookup): readonly string[] {
  const kinds = requiredKinds(parameters);
  const isGuided = changesExisting(draft, kinds);
  return kinds
    .filter((kind) => !(isGuided && kind === draft.entity))
    .flatMap((kind) => {
      const finder = finderOf(draft, kind, all);
      return finder ? [`Find ${kind} ids with ${finder}.`] : [];
    });
}

/** Notes on what to read before a write: entities similar to a new one, or the entity that the write changes. */
function readFirst(draft: OpDraft, parameters: readonly Parameter[], all: Lookup): readonly string[] {
  const { pack, entity, action, op_kind } = draft;
  if (entity === undefined || op_kind === "read") return [];
  const finder = finderOf(draft, entity, all);
  if (action === "create") return finder ? [`Search first: ${finder}.`] : [];
  if (!changesExisting(draft, requiredKinds(parameters))) return [];
  const details = `${pack}.${entity}.get`;
  const steps = [
    ...(finder ? [`find ${entity} ids with ${finder}`] : []),
    ...(all.has(details) && details !== draft.op ? [details] : []),
  ];
  return steps.length > 0 ? [`Read first: ${steps.join(", then ")}.`] : [];
}

function nullNote(parameters: readonly Parameter[]): readonly string[] {
  const nullable = parameters.filter((one) => isNullable(one.type) && !one.required).map((one) => one.name);
  return nullable.length > 0 ? [`null clears ${nullable.join(", ")}.`] : [];
}
