/** Notes of an op: at most four, generated in the order of `gateway.md` (c). */

import type { Constraint, Parameter } from "toolwright/codegen";
import type { Draft } from "../ir.js";

const MOST = 4;
const LABELS = ["name", "title"] as const;

/** What notes may refer to: the ops of the same build, by path. */
export type Lookup = ReadonlyMap<string, Draft>;

/** The notes of an op, most important first, cut at four. */
export function notesOf(
  draft: Draft,
  parameters: readonly Parameter[],
  prose: readonly string[],
  all: Lookup,
): readonly string[] {
  const notes = [
    ...draft.author_notes,
    ...draft.constraints.map(constraintText),
    ...labelNote(draft, parameters),
    ...(draft.dry_run ? ["Runs dry unless dry_run is false."] : []),
    ...(draft.hints.destructiveHint ? ["Destructive."] : []),
    ...idNotes(draft, parameters, all),
    ...searchNote(draft, all),
    ...(draft.action === "update" ? nullNote(parameters) : []),
    ...prose,
  ];
  return [...new Set(notes)].slice(0, MOST);
}

/** A constraint in words. */
export function constraintText(constraint: Constraint): string {
  if (constraint.kind === "at_least_one_change") return "Give at least one field to change.";
  if (constraint.kind === "one_of")
    return `Give ${constraint.branches.map((branch) => branch.join(" and ")).join(", or ")}.`;
  const { argument, equals, needs } = constraint;
  return `${argument}${equals === undefined ? "" : `=${JSON.stringify(equals).replaceAll('"', "")}`} needs ${needs.join(" and ")}.`;
}

function labelNote(draft: Draft, parameters: readonly Parameter[]): readonly string[] {
  if (draft.op_kind === "read" || draft.entity === undefined) return [];
  const has = (name: string): boolean => parameters.some((one) => one.original === name);
  const [label, other] = has("name") ? LABELS : ([...LABELS].reverse() as ["title", "name"]);
  return has(label) && !has(other) ? [`The label is \`${label}\`; there is no \`${other}\`.`] : [];
}

/** Where required ids come from, for kinds that another op lists or searches. */
function idNotes(draft: Draft, parameters: readonly Parameter[], all: Lookup): readonly string[] {
  const kinds = parameters.filter((one) => one.required).flatMap((one) => /^id<([a-z_]+)>/.exec(one.type)?.[1] ?? []);
  return [...new Set(kinds)].flatMap((kind) => {
    const finder = [`${draft.pack}.${kind}.search`, `${draft.pack}.${kind}.list`].find(
      (op) => all.has(op) && op !== draft.op,
    );
    return finder ? [`Find ${kind} ids with ${finder}.`] : [];
  });
}

/** Look before you write. */
function searchNote(draft: Draft, all: Lookup): readonly string[] {
  if (draft.action !== "create" || draft.entity === undefined) return [];
  const finder = ["search", "list"]
    .map((action) => `${draft.pack}.${draft.entity}.${action}`)
    .find((op) => all.has(op));
  return finder ? [`Search first: ${finder}.`] : [];
}

function nullNote(parameters: readonly Parameter[]): readonly string[] {
  const nullable = parameters.filter((one) => one.type.endsWith("?") && !one.required).map((one) => one.name);
  return nullable.length > 0 ? [`null clears ${nullable.join(", ")}.`] : [];
}
