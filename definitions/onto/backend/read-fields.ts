/** Parses arguments to column values and collects all errors. Pure. */

import { closest, type FieldError, fieldError } from "toolwright/codegen";
import { FIELDS, type Field, fieldOf } from "./fields.js";
import { type EdgeKind, LABELS, STATE_TIMES } from "./model.js";
import type { Value } from "./schema.js";
import { defaultOf, parseValue } from "./values.js";

/** Column values, errors, and warnings for the envelope. */
export interface Read {
  readonly values: Readonly<Record<string, Value>>;
  readonly errors: readonly FieldError[];
  readonly warnings: readonly string[];
}

/** Names under which models may send a label by mistake. */
const LABEL_ALIASES = ["title", "name", "text"];

const join = (base: string, name: string): string => (base === "" ? name : `${base}.${name}`);

/** Parses the columns among `given`; `base` is the path of their object. */
export function readFields(kind: EdgeKind, given: object, base = ""): Read {
  const values: Record<string, Value> = {};
  const errors: FieldError[] = [];
  const warnings: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    const field = fieldOf(kind, name);
    if (!field || value === undefined) continue;
    const parsed = parseValue(value, { kind, field, path: join(base, name) });
    if (!parsed.ok) errors.push(parsed.error);
    else {
      values[name] = parsed.value;
      if (parsed.warning) warnings.push(parsed.warning);
    }
  }
  return { values, errors, warnings };
}

const unknownColumn = (kind: EdgeKind, name: string, base: string, writable: readonly Field[]): FieldError => {
  const path = join(base, name);
  const error = fieldError(
    path,
    "additionalProperties",
    `${path} is no column of a ${kind}`,
    "a declared column",
    name,
  );
  const near = closest(
    name,
    writable.map((field) => field.name),
  );
  return near ? { ...error, did_you_mean: near } : error;
};

/** Renames a label that was sent under another kind's name, unless the right one is present. */
function relabel(kind: EdgeKind, given: ReadonlyMap<string, unknown>, base: string) {
  const label = LABELS[kind];
  const alias = given.has(label) ? undefined : LABEL_ALIASES.find((name) => given.has(name) && !fieldOf(kind, name));
  if (alias === undefined) return { given, warnings: [] };
  const renamed = new Map([...given].map(([name, value]) => [name === alias ? label : name, value]));
  return { given: renamed, warnings: [`arg_renamed: ${join(base, alias)} was read as ${label}`] };
}

/**
 * Parses a new entity: every column gets a value; unknown columns and missing required ones are errors.
 *
 * @param besides - names in `given` that are not columns and that the caller handles
 * @param needed - columns that this caller requires although the kind does not
 */
export function readNew(
  kind: EdgeKind,
  entity: object,
  base = "",
  besides: readonly string[] = [],
  needed: readonly string[] = [],
): Read {
  const { given, warnings } = relabel(kind, new Map<string, unknown>(Object.entries(entity)), base);
  const writable = FIELDS[kind].filter(({ by }) => by.includes("create") || by.includes("project"));
  const names = new Set([...writable.map(({ name }) => name), ...besides]);
  const columns = Object.fromEntries([...given].filter(([name]) => writable.some((field) => field.name === name)));
  const read = readFields(kind, columns, base);
  const unknown = [...given.keys()].filter((name) => !names.has(name) && given.get(name) !== undefined);
  const missing = writable.filter(
    ({ name, required }) => (required || needed.includes(name)) && (given.get(name) ?? undefined) === undefined,
  );
  return {
    values: {
      ...Object.fromEntries(FIELDS[kind].map((field) => [field.name, defaultOf(kind, field)])),
      ...read.values,
    },
    errors: [
      ...missing.map(({ name }) =>
        fieldError(join(base, name), "required", `${join(base, name)} is missing`, name, undefined),
      ),
      ...read.errors.filter(({ path }) => !missing.some(({ name }) => join(base, name) === path)),
      ...unknown.map((name) => unknownColumn(kind, name, base, writable)),
    ],
    warnings: [...warnings, ...read.warnings],
  };
}

/** The time column of a state change from `before` to `after`, with its value; empty if that change sets no time. */
export function stateTime(
  kind: EdgeKind,
  before: Value | undefined,
  after: Value | undefined,
  now: string,
): Readonly<Record<string, Value>> {
  const rule = (STATE_TIMES as Readonly<Record<string, { state: string; column: string }>>)[kind];
  if (!rule || after === undefined || before === after) return {};
  if (after === rule.state) return { [rule.column]: now };
  return before === rule.state ? { [rule.column]: null } : {};
}
