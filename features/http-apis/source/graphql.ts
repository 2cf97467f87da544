/** The Source for GraphQL APIs: every field of the query type is a read, every field of the mutation type a write. */

import {
  buildASTSchema,
  buildClientSchema,
  GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getLocation,
  getNamedType,
  type IntrospectionQuery,
  isCompositeType,
  parse,
  validateSchema,
} from "graphql";
import type { Place, Report } from "../../../generator/core/diagnostic.js";
import type { Definition } from "../../../generator/core/ir.js";
import type { SourceFile } from "../../../generator/source/source.js";
import { topicOf } from "../../../generator/source/topic.js";
import { isRecord } from "../../../runtime/contract/json.js";
import { messageOf } from "../../../runtime/contract/thrown.js";
import { reportApiFault } from "../diagnostics.js";
import { fieldInput, fieldResult } from "./graphql-schema.js";
import { DEFAULT_DEPTH, documentFault, selectedToDepth, selectionDocument, selectionIn } from "./graphql-selection.js";
import { reportCredentials } from "./openapi-security.js";
import { reportAddress } from "./openapi-server.js";

/** Most tokens of a schema. */
const MAX_TOKENS = 2_000_000;

/** Reads one schema, as SDL or as the JSON of an introspection query. */
export function readGraphql(file: SourceFile, report: Report): readonly Definition[] {
  const schema = schemaIn(file, report);
  if (!schema) return [];
  const { entry, place } = file;
  if (entry.url !== undefined) reportAddress("url", entry.url, place, report);
  reportCredentials(new Set(), entry, place, report);
  const roots = rootsOf(schema);
  const names = new Set(roots.map(({ field }) => field.name));
  for (const name of Object.keys(entry.selections ?? {}))
    if (!names.has(name)) reportApiFault(report, "selection-unmatched", place, { name, file: file.file });
  reportSubscriptions(schema, file, report);
  if (roots.length === 0 && !entry.allow_empty)
    reportApiFault(report, "no-operations", startOf(file), {
      file: file.file,
      form: "add fields to its query or mutation type",
    });
  return roots.flatMap((root) => definitionOf(root, schema, file, report));
}

function schemaIn(file: SourceFile, report: Report): GraphQLSchema | undefined {
  const refuse = (place: Place, reason: string): undefined =>
    reportApiFault(report, "graphql-invalid", place, { reason }) as undefined;
  try {
    const schema = /^\ufeff?\s*\{/.test(file.text) ? introspected(file.text) : described(file.text);
    const [fault] = validateSchema(schema);
    return fault ? refuse(placeOf(fault, file), fault.message) : schema;
  } catch (cause) {
    const reason = cause instanceof RangeError ? "it nests too deeply" : messageOf(cause).split("\n", 1)[0];
    return refuse(cause instanceof GraphQLError ? placeOf(cause, file) : startOf(file), reason ?? "");
  }
}

/** Directives of other tools need no declaration. */
const described = (text: string): GraphQLSchema =>
  buildASTSchema(parse(text, { maxTokens: MAX_TOKENS }), { assumeValidSDL: true });

function introspected(text: string): GraphQLSchema {
  const value: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
  const data = isRecord(value) && isRecord(value["data"]) ? value["data"] : value;
  return buildClientSchema(data as IntrospectionQuery);
}

const startOf = ({ file }: SourceFile): Place => ({ file, line: 1, column: 1 });

function placeOf({ locations, nodes }: GraphQLError, { file }: SourceFile): Place {
  const loc = nodes?.[0]?.loc;
  const { line, column } = locations?.[0] ?? (loc ? getLocation(loc.source, loc.start) : { line: 1, column: 1 });
  return { file, line, column };
}

interface Root {
  readonly operation: "query" | "mutation";
  readonly field: GraphQLField<unknown, unknown>;
  /** Name of the tool. */
  readonly name: string;
}

const fieldsOf = (type: GraphQLObjectType | null | undefined): readonly GraphQLField<unknown, unknown>[] =>
  Object.values(type?.getFields() ?? {});

/** The fields that are ops. A mutation with the name of a query is called `mutation_<name>`. */
function rootsOf(schema: GraphQLSchema): readonly Root[] {
  const queries = fieldsOf(schema.getQueryType());
  const taken = new Set(queries.map(({ name }) => name.toLowerCase()));
  return [
    ...queries.map((field): Root => ({ operation: "query", field, name: field.name })),
    ...fieldsOf(schema.getMutationType()).map((field): Root => {
      const name = taken.has(field.name.toLowerCase()) ? `mutation_${field.name}` : field.name;
      return { operation: "mutation", field, name };
    }),
  ];
}

function reportSubscriptions(schema: GraphQLSchema, file: SourceFile, report: Report): void {
  const names = fieldsOf(schema.getSubscriptionType()).map(({ name }) => name);
  if (names.length === 0) return;
  const parts = `${names.length} subscription${names.length === 1 ? "" : "s"} (${names.slice(0, 5).join(", ")}${names.length > 5 ? ", …" : ""})`;
  reportApiFault(report, "api-left-out", startOf(file), { file: file.file, parts });
}

function definitionOf(root: Root, schema: GraphQLSchema, file: SourceFile, report: Report): readonly Definition[] {
  const { operation, field, name } = root;
  const { loc } = field.astNode?.name ?? {};
  const at = loc ? getLocation(loc.source, loc.start) : { line: 1, column: 1 };
  const place = { file: file.file, line: at.line, column: at.column };
  const chosen = selectionOf(root, schema, file, { ...place, report });
  if (!chosen) return [];
  const { selection, document } = chosen;
  return [
    {
      name,
      description: textOf(field) || `The ${operation} ${field.name}.`,
      parameters: fieldInput(field.args),
      result: fieldResult(field.type, selection, schema),
      annotations: {},
      declared: { kind: operation === "query" ? "read" : "write" },
      http: {
        source: file.entry.graphql ?? "",
        method: "POST",
        path: "",
        accept: "application/graphql-response+json, application/json;q=0.9",
        arguments: [],
        graphql: { operation, field: field.name, document },
      },
      ...(typeof field.deprecationReason === "string" ? { lifecycle: { deprecated: true as const } } : {}),
      ...typeTopic(field),
      pack: file.pack,
      origin: "http",
      place,
    },
  ];
}

/** The type that a field gives, without the names of pages; none for scalars and for answers of one mutation only. */
function typeTopic({ type }: GraphQLField<unknown, unknown>): Pick<Definition, "topic"> {
  const named = getNamedType(type);
  if (!isCompositeType(named) || /(?:Payload|Result|Response)$/.test(named.name)) return {};
  return topicOf(named.name.replace(/(?:Connection|Edge)$/, ""));
}

function textOf({ description, deprecationReason }: GraphQLField<unknown, unknown>): string {
  const deprecated = typeof deprecationReason === "string" ? `Deprecated: ${deprecationReason}` : "";
  return [description?.trim() ?? "", deprecated].filter((text) => text !== "").join("\n\n");
}

/** The selection set of an op and its document; undefined, with a diagnostic, if the configured one is invalid. */
function selectionOf(
  { operation, field, name }: Root,
  schema: GraphQLSchema,
  { entry, place }: SourceFile,
  { report, ...own }: Place & { readonly report: Report },
) {
  const { selections = {}, depth = DEFAULT_DEPTH } = entry;
  const text = Object.hasOwn(selections, field.name) ? selections[field.name] : undefined;
  const given = text === undefined ? selectedToDepth(field, schema, depth) : selectionIn(text);
  if ("isCut" in given && given.isCut) reportApiFault(report, "selection-cut", own, { tool: name });
  const document = "reason" in given ? "" : selectionDocument(operation, field, given.selection);
  const fault = "reason" in given ? given.reason : documentFault(document, schema);
  if (fault === undefined && "selection" in given) return { selection: given.selection, document };
  reportApiFault(report, "selection-invalid", text === undefined ? own : place, { tool: name, reason: fault ?? "" });
  return undefined;
}
