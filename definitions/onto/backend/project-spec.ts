/** Reads and validates the input of `onto.project.create`, and reports all errors together. Pure. */

import { type FieldError, fieldError } from "toolwright/codegen";
import type { ProjectCreateArgs } from "./args.js";
import { CONTEXT_DOCUMENT_TYPE_DEFAULT, type EdgeKind, FACETS, KINDS } from "./model.js";
import { readNew } from "./read-fields.js";
import type { Values } from "./rows.js";
import { sizedProps } from "./values.js";

/** An entity to create. */
export interface SpecEntity {
  readonly tempId: string;
  readonly kind: EdgeKind;
  readonly values: Values;
}

/** A link between two entities of the input. */
export interface SpecLink {
  readonly from: SpecEntity;
  readonly to: SpecEntity;
  readonly rel: string | undefined;
  readonly intent: string | undefined;
  readonly path: string;
}

/** The parsed input. */
export interface ProjectSpec {
  readonly project: Values;
  readonly entities: readonly SpecEntity[];
  readonly links: readonly SpecLink[];
  readonly context: Values | undefined;
}

/** Errors and warnings. */
interface Report {
  readonly errors: FieldError[];
  readonly warnings: string[];
}

type Members = Readonly<Record<string, unknown>>;
const members = (value: object): Members => Object.fromEntries(Object.entries(value));
const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Columns that this op requires although the kind does not. */
const NEEDED: Readonly<Partial<Record<EdgeKind, readonly string[]>>> = { milestone: ["due_at"] };

function readEntity(entity: object, index: number, report: Report): SpecEntity | undefined {
  const { temp_id: tempId, kind } = members(entity);
  const path = `entities[${index}]`;
  if (typeof tempId !== "string" || tempId === "") {
    report.errors.push(fieldError(`${path}.temp_id`, "required", `${path}.temp_id is missing`, "string", tempId));
    return undefined;
  }
  if (!KINDS.some((known) => known === kind)) {
    report.errors.push(fieldError(`${path}.kind`, "enum", `${path}.kind is no kind`, KINDS.join("|"), kind));
    return undefined;
  }
  const read = readNew(kind as EdgeKind, entity, path, ["temp_id", "kind"], NEEDED[kind as EdgeKind]);
  report.errors.push(...read.errors);
  report.warnings.push(...read.warnings);
  return { tempId, kind: kind as EdgeKind, values: read.values };
}

function readEntities(given: readonly object[], report: Report): readonly SpecEntity[] {
  const seen = new Set<string>();
  return given.flatMap((entity, index) => {
    const read = readEntity(entity, index, report);
    if (!read) return [];
    if (seen.has(read.tempId)) {
      const path = `entities[${index}].temp_id`;
      report.errors.push(fieldError(path, "uniqueItems", `${path} occurs twice`, "a temp_id of its own", read.tempId));
      return [];
    }
    seen.add(read.tempId);
    return [read];
  });
}

/** One end of a relationship: a temp_id, with its kind if given. */
interface Reference {
  readonly tempId: unknown;
  readonly kind: unknown;
  readonly path: string;
}

function resolveEnd(
  { tempId, kind, path }: Reference,
  entities: ReadonlyMap<string, SpecEntity>,
  report: Report,
): SpecEntity | undefined {
  const entity = typeof tempId === "string" ? entities.get(tempId) : undefined;
  if (kind === "project") {
    const message = `${path} is the project, which holds its entities without a relationship`;
    report.errors.push(fieldError(`${path}.kind`, "enum", message, KINDS.join("|"), kind));
    return undefined;
  }
  if (!entity) {
    report.errors.push(fieldError(path, "unknown_reference", `${path} is no temp_id in entities`, "a temp_id", tempId));
    return undefined;
  }
  if (kind === undefined || kind === entity.kind) return entity;
  const message = `${path}.kind is not the kind of ${entity.tempId}`;
  report.errors.push(fieldError(`${path}.kind`, "const", message, entity.kind, kind));
  return undefined;
}

interface Ends {
  readonly references: readonly Reference[];
  readonly rel?: unknown;
  readonly intent?: unknown;
}

function endsOf(relationship: object, path: string): Ends {
  if (Array.isArray(relationship))
    return {
      references: [0, 1].map((i) => {
        const end: unknown = relationship[i];
        const { temp_id, kind } = isObject(end) ? members(end) : { temp_id: end };
        return { tempId: temp_id, kind, path: `${path}[${i}]` };
      }),
    };
  const { from, to, rel, intent } = members(relationship);
  const reference = (end: unknown, name: string): Reference => ({
    tempId: end,
    kind: undefined,
    path: `${path}.${name}`,
  });
  return { references: [reference(from, "from"), reference(to, "to")], rel, intent };
}

function readLink(
  relationship: object,
  index: number,
  entities: ReadonlyMap<string, SpecEntity>,
  report: Report,
): readonly SpecLink[] {
  const path = `relationships[${index}]`;
  const { references, rel, intent } = endsOf(relationship, path);
  const [from, to] = references.map((reference) => resolveEnd(reference, entities, report));
  if (!from || !to) return [];
  if (from === to) {
    report.errors.push(
      fieldError(path, "cycle", `${path} joins ${from.tempId} to itself`, "two entities", from.tempId),
    );
    return [];
  }
  if (Array.isArray(relationship) && relationship.every((end) => typeof end === "string"))
    report.warnings.push(`refs_expanded: ${path} was read as a pair of {temp_id, kind}`);
  const word = (value: unknown) => (typeof value === "string" ? value : undefined);
  return [{ from, to, rel: word(rel), intent: word(intent), path }];
}

function checkFacets(props: unknown, path: string, report: Report): void {
  const facets = isObject(props) ? members(props)["facets"] : undefined;
  if (!isObject(facets)) return;
  for (const [name, value] of Object.entries(facets)) {
    const values: readonly string[] | undefined = new Map<string, readonly string[]>(Object.entries(FACETS)).get(name);
    const at = `${path}.facets.${name}`;
    if (!values) report.errors.push(fieldError(at, "additionalProperties", `${at} is no facet`, "a facet", name));
    else if (!values.includes(String(value)))
      report.errors.push(fieldError(at, "enum", `${at} is not one of its values`, values.join("|"), value));
  }
}

function readProject({ project, meta }: ProjectCreateArgs, report: Report): Values {
  const { values, errors, warnings } = readNew("project", project, "project");
  report.errors.push(...errors);
  report.warnings.push(...warnings);
  const given = members(project)["props"];
  checkFacets(given, "project.props", report);
  if (!meta) return values;
  const props = sizedProps({ ...(isObject(given) ? given : {}), meta }, "project.props");
  if (props.ok) return { ...values, props: props.value };
  report.errors.push(props.error);
  return values;
}

function readContext(context: object | undefined, report: Report): Values | undefined {
  if (!context) return undefined;
  const { errors, warnings, values } = readNew(
    "document",
    { type_key: CONTEXT_DOCUMENT_TYPE_DEFAULT, ...context },
    "context_document",
  );
  report.errors.push(...errors);
  report.warnings.push(...warnings);
  return values;
}

/** Parses the input and collects all errors and warnings. The input is usable only without errors. */
export function readSpec(args: ProjectCreateArgs): ProjectSpec & Report {
  const report: Report = { errors: [], warnings: [] };
  const project = readProject(args, report);
  const entities = readEntities(args.entities, report);
  const byId = new Map(entities.map((entity) => [entity.tempId, entity]));
  if (args.relationships.length > 0 && args.entities.length === 0)
    report.errors.push(fieldError("entities", "minItems", "relationships need entities", "at least one entity", "[]"));
  const links = args.relationships.flatMap((relationship, index) => readLink(relationship, index, byId, report));
  return { project, entities, links, context: readContext(args.context_document, report), ...report };
}
