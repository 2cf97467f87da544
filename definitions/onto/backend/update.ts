/** The update ops: omitted columns are kept, equal values are ignored, links of a task are replaced. */

import { type FieldError, fieldError, invalid } from "toolwright/codegen";
import type { TaskUpdateArgs, UpdateArgs } from "./args.js";
import { dropEdge, type End, ensureEdge } from "./edges.js";
import { refuse } from "./errors.js";
import { FIELDS, fieldOf } from "./fields.js";
import type { EdgeKind } from "./model.js";
import { readFields } from "./read-fields.js";
import { propsOf, type Shown, showRow } from "./render.js";
import { expectVersion, updateEntity } from "./rows.js";
import type { EntityRow, Value } from "./schema.js";
import { getRow, projectOf, type Store, type Work } from "./store.js";
import { parseValue, sizedProps } from "./values.js";

/** The column that `append` extends. */
const appended = (kind: EdgeKind): string => (kind === "document" ? "content" : "description");

/** Link arguments of a task: argument, kind of the end, rel. */
const TASK_LINKS = [
  ["goal_id", "goal", "supports_goal"],
  ["supporting_milestone_id", "milestone", "targets_milestone"],
] as const;

const LINK_NAMES: readonly string[] = TASK_LINKS.map(([name]) => name);

/** The arguments that request a change. */
function changesOf(kind: EdgeKind, args: object): Readonly<Record<string, unknown>> {
  const writable = FIELDS[kind].filter(({ by }) => by.includes("update")).map(({ name }) => name);
  const names = kind === "task" ? [...writable, ...LINK_NAMES] : writable;
  return Object.fromEntries(
    Object.entries(args).filter(([name, value]) => names.includes(name) && value !== undefined),
  );
}

function checkRequest(kind: EdgeKind, changes: Readonly<Record<string, unknown>>, append: boolean): void {
  if (Object.keys(changes).length === 0)
    invalid([fieldError("", "at_least_one_change", "nothing to change was given", "at least one field", undefined)]);
  const name = appended(kind);
  const text = changes[name];
  if (append && (typeof text !== "string" || text.trim() === ""))
    invalid([fieldError(name, "requires", `append needs ${name}, the text to add`, "string", text)]);
}

/** The stored text followed by a blank line and the new text. */
const append = (before: Value | undefined, text: Value | undefined): string =>
  before ? `${before}\n\n${text}` : String(text ?? "");

/** Props merged at the top level; null removes a key. */
function mergedProps(row: EntityRow, given: object): object {
  const merged = new Map(Object.entries({ ...propsOf(row), ...given }));
  return Object.fromEntries([...merged].filter(([, value]) => value !== null));
}

function newValues(kind: EdgeKind, row: EntityRow, changes: Readonly<Record<string, unknown>>, appends: boolean) {
  const read = readFields(kind, changes);
  const values: Record<string, Value> = { ...read.values };
  const errors: FieldError[] = [...read.errors];
  if (values["props"] !== undefined) {
    const merged = sizedProps(mergedProps(row, propsOf({ props: String(values["props"]) })), "props");
    if (merged.ok) values["props"] = merged.value;
    else errors.push(merged.error);
  }
  const name = appended(kind);
  const field = fieldOf(kind, name);
  if (appends && field && values[name] !== undefined) {
    const whole = parseValue(append(row[name], values[name]), { kind, field, path: name });
    if (whole.ok) values[name] = whole.value;
    else errors.push(whole.error);
  }
  return { values, errors, warnings: read.warnings };
}

/** Replaces the links of one rel with the given one, or none; whether that changed anything. */
async function relink(store: Store, task: EntityRow, rel: string, end: End | null, path: string): Promise<boolean> {
  const projectId = projectOf("task", task);
  if (end) {
    const row = await getRow(store, end.kind, end.id, path);
    if (row["project_id"] !== projectId)
      invalid([fieldError(path, "ref", `${path} is in another project`, `${end.kind} of ${projectId}`, end.id)]);
  }
  const links = await store.db
    .selectFrom("onto_edges")
    .selectAll()
    .where("src_id", "=", task.id)
    .where("rel", "=", rel)
    .where("hidden", "=", 0)
    .execute();
  const old = links.filter(({ dst_id }) => dst_id !== end?.id);
  for (const edge of old) await dropEdge(store, edge);
  if (!end || old.length < links.length) return old.length > 0;
  await ensureEdge(store, projectId, { src: { kind: "task", id: task.id }, rel, dst: end, props: {} });
  return true;
}

async function relinkTask(store: Store, task: EntityRow, args: TaskUpdateArgs): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const [name, kind, rel] of TASK_LINKS) {
    const id = args[name];
    if (id === undefined) continue;
    if (await relink(store, task, rel, id === null ? null : { kind, id }, name)) changed.push(name);
  }
  return changed;
}

async function update(store: Store, kind: EdgeKind, id: string, args: UpdateArgs) {
  const before = await getRow(store, kind, id);
  const changes = changesOf(kind, args);
  const appends = args.update_strategy === "append";
  checkRequest(kind, changes, appends);
  await expectVersion(store, before, args.expected_version);
  const { values, errors, warnings } = newValues(kind, before, changes, appends);
  refuse(errors);
  for (const warning of warnings) store.ctx.warn(warning);
  const links = kind === "task" ? await relinkTask(store, before, args as TaskUpdateArgs) : [];
  return updateEntity(store, kind, before, values, links);
}

/** The update op of a kind: returns the current entity, and the names of the changes. */
export const updateOf =
  <K extends EdgeKind, A extends UpdateArgs>(
    kind: K,
    idOf: (args: A) => string,
  ): Work<A, Readonly<Record<K, Shown>> & { readonly changed: readonly string[] }> =>
  async (store, args) => {
    const { row, changed } = await update(store, kind, idOf(args), args);
    return { [kind]: showRow(kind, row), changed } as Readonly<Record<K, Shown>> & { changed: readonly string[] };
  };
