/**
 * The Source for HTTP APIs: every operation of an OpenAPI 3 description is a tool, which the HTTP handler of the runtime calls. A
 * fault in one operation leaves out only that one.
 */

import type { Report } from "../../../generator/core/diagnostic.js";
import type { Definition } from "../../../generator/core/ir.js";
import { safeName } from "../../../generator/core/names.js";
import type { SourceFile } from "../../../generator/source/source.js";
import { topicOf } from "../../../generator/source/topic.js";
import type { HttpCall } from "../../../runtime/contract/http-call.js";
import { isRecord } from "../../../runtime/contract/json.js";
import type { Annotations, Lifecycle } from "../../../runtime/contract/registry.js";
import { reportApiFault } from "../diagnostics.js";
import { operationCall } from "./openapi-call.js";
import { type LocatedObject, type OpenApiObject, openDocument } from "./openapi-document.js";
import { conversionNotes, reportLeftOut } from "./openapi-left-out.js";
import type { OpenApiContext, Operation, Skipped } from "./openapi-operation.js";
import { type Answer, operationResult } from "./openapi-result.js";
import { schemaConverter } from "./openapi-schema.js";
import { credentialsOf, reportSecurity, securityOf } from "./openapi-security.js";
import { reportServer, serverOf } from "./openapi-server.js";

const MAX_SUMMARY_LENGTH = 200;

const METHODS = ["get", "head", "post", "put", "patch", "delete", "options"] as const;

/** Reads one description. */
export async function readOpenapi(file: SourceFile, report: Report): Promise<readonly Definition[]> {
  const document = await openDocument(file, report, async (one) => (await import("./swagger.js")).convertSwagger(one));
  if (!document) return [];
  const { root } = document;
  const skipped = new Map<Skipped, readonly string[]>();
  const reading: OpenApiContext = {
    document,
    schemas: schemaConverter(document, report),
    credentials: credentialsOf(document, file.entry),
    leftOut: () => undefined,
    undeclared: () => undefined,
    skipped: (kind, name) => void skipped.set(kind, [...(skipped.get(kind) ?? []), name]),
  };
  const operations = operationsOf(reading);
  reportPaths(reading, report);
  reportOthers(reading, report);
  if (operations.length === 0 && !file.entry.allow_empty)
    reportApiFault(report, "no-operations", document.placeOf(), { file: file.file, form: "add some under `paths`" });
  reportSecurity(document, file, report);
  reportServer(file, report);
  const { info } = root.node;
  const title = isRecord(info) ? (info["summary"] ?? info["title"]) : undefined;
  const summary = typeof title === "string" ? (title.trim().split(/[\r\n]/)[0] ?? "").slice(0, MAX_SUMMARY_LENGTH) : "";
  const pack_entry = summary === "" ? undefined : { summary };
  const definitions = withoutRepetition(operations, reading, report).flatMap(({ operation, name }) => {
    const before = document.endless();
    const definition = definitionOf(operation, name, reading, file, report);
    return document.endless() > before ? [] : [{ ...definition, ...(pack_entry ? { pack_entry } : {}) }];
  });
  reportLeftOut(operations, reading, skipped, file, report);
  return definitions;
}

/** Keys of a path item that are not reported as unknown methods: the supported methods and the keys without an operation. */
const NO_OPERATIONS: ReadonlySet<string> = new Set([
  ...METHODS,
  "$ref",
  "summary",
  "description",
  "servers",
  "parameters",
]);

/** Half of a surrogate pair. */
const HALF = /\p{Surrogate}/u;

/** Reports paths that cannot be sent. */
function reportPaths(reading: OpenApiContext, report: Report): void {
  for (const { path } of pathsOf(reading))
    if (HALF.test(path))
      reportApiFault(report, "operation-left-out", reading.document.placeOf("paths", path), {
        operation: JSON.stringify(path.slice(0, 80)),
        reason: "its path holds half of a surrogate pair, which is no character",
      });
}

/** Reports operations with an unsupported method. */
function reportOthers(reading: OpenApiContext, report: Report): void {
  for (const { path, parts } of pathsOf(reading))
    for (const { node: item } of parts) {
      const { additionalOperations: more, ...own } = item;
      for (const [method, node] of Object.entries({ ...own, ...(isRecord(more) ? more : {}) }))
        if (isRecord(node) && !NO_OPERATIONS.has(method) && !method.startsWith("x-"))
          reportApiFault(report, "operation-left-out", reading.document.placeOf("paths", path, method), {
            operation: `${method.slice(0, 40).toUpperCase()} ${path}`,
            reason: `only ${METHODS.join(", ")} are sent`,
          });
    }
}

interface Path {
  readonly path: string;
  readonly parts: readonly LocatedObject[];
}

/** The path items. One that is a `$ref` has two parts: its target, and what stands beside the reference, which wins. */
function pathsOf({ document }: OpenApiContext): readonly Path[] {
  const paths = "paths" in document.root.node ? document.below(document.root, "paths") : undefined;
  if (!paths) return [];
  return Object.entries(paths.node).flatMap(([path, one]) => {
    const item = path.startsWith("/") ? document.follow(one, paths.file) : undefined;
    if (!item) return [];
    const { $ref: _, ...beside } = one as OpenApiObject;
    const parts = item.node === one ? [item] : [item, { node: beside, file: paths.file }];
    return [{ path, parts }];
  });
}

function operationsOf(reading: OpenApiContext): readonly Operation[] {
  const sendable = pathsOf(reading).filter(({ path }) => !HALF.test(path));
  return sendable.flatMap(({ path, parts }) =>
    METHODS.flatMap((method): readonly Operation[] => {
      const part = parts.findLast(({ node }) => isRecord(node[method]));
      const node = part && reading.document.below(part, method);
      return node ? [{ method, path, item: parts, node }] : [];
    }),
  );
}

interface Named {
  readonly operation: Operation;
  readonly name: string;
}

/**
 * Operations with unique names. Upper and lower case count as the same, as in names of files. An operation whose name is taken is
 * named by its method and path; if that is taken too, it is left out.
 */
function withoutRepetition(
  operations: readonly Operation[],
  { document }: OpenApiContext,
  report: Report,
): readonly Named[] {
  const first = new Map<string, Operation>();
  const taken = new Set(operations.map((one) => keyOf(nameOf(one))));
  return operations.flatMap((operation) => {
    const name = nameOf(operation);
    const before = first.get(keyOf(name));
    const other = before && requestName(operation);
    const instead = other !== undefined && !taken.has(keyOf(other)) ? other : undefined;
    if (before) {
      const place = document.placeOf("paths", operation.path, operation.method);
      const operations = [shown(before), shown(operation)];
      reportApiFault(report, "operation-collision", place, {
        name,
        operations,
        ...(instead === undefined ? {} : { instead }),
      });
      if (instead === undefined) return [];
      taken.add(keyOf(instead));
      return [{ operation, name: instead }];
    }
    first.set(keyOf(name), operation);
    return [{ operation, name }];
  });
}

const keyOf = (name: string): string => safeName(name).toLowerCase();

const shown = ({ method, path }: Operation): string => `${method.toUpperCase()} ${path}`;

/** `operationId`, else the name of the request. */
function nameOf(operation: Operation): string {
  const { operationId } = operation.node.node;
  return typeof operationId === "string" && operationId.trim() !== "" ? operationId.trim() : requestName(operation);
}

/** `get_users_by_id_keys` for `GET /users/{id}/keys`. */
function requestName({ method, path }: Operation): string {
  const parts = path.split(/[/{}]+/).filter((part) => part !== "");
  const names = path
    .split("/")
    .flatMap((part) => part.split(/(\{[^}]*\})/))
    .filter((part) => part !== "")
    .map((part) => (part.startsWith("{") ? `by_${part.slice(1, -1)}` : part));
  return [method, ...(parts.length === 0 ? ["root"] : names)].map(safeName).join("_").replace(/_{2,}/g, "_");
}

/** Keys of an operation; each operation has one of them at least. */
const TELLING = ["operationId", "summary", "description", "parameters", "requestBody", "responses"] as const;

const READS: ReadonlySet<string> = new Set(["get", "head"]);

function definitionOf(
  operation: Operation,
  name: string,
  reading: OpenApiContext,
  file: SourceFile,
  report: Report,
): Definition {
  const { method, path, node } = operation;
  for (const reason of conversionNotes(node.node))
    reportApiFault(report, "swagger-converted", reading.document.placeOf("paths", path, method), {
      operation: shown(operation),
      reason,
    });
  if (!TELLING.some((key) => key in node.node))
    reportApiFault(report, "operation-empty", reading.document.placeOf("paths", path, method), {
      operation: shown(operation),
    });
  const place = { ...reading.document.placeOf("paths", path, method), file: file.file };
  const leftOut: OpenApiContext["leftOut"] = (parameter, reason) =>
    reportApiFault(report, "parameter-left-out", place, { tool: name, parameter, reason });
  const undeclared: OpenApiContext["undeclared"] = (parameter, nearest) =>
    reportApiFault(
      report,
      "path-parameter-undeclared",
      { ...reading.document.placeOf("paths", path), file: file.file },
      { tool: name, parameter, nearest },
    );
  const call = operationCall(operation, { ...reading, leftOut, undeclared });
  const { result, accept, others } = file.onlyNames ? NO_ANSWER : operationResult(operation, reading);
  const server = serverOf(operation, reading.document, file, report);
  const http: HttpCall = {
    source: file.entry.openapi ?? "",
    method: method.toUpperCase(),
    ...(server === undefined ? {} : { server }),
    path,
    accept,
    ...(isAnonymous(node.node) ? { anonymous: true as const } : {}),
    arguments: call.arguments,
    ...(call.body ? { body: call.body } : {}),
  };
  return {
    name,
    description: descriptionOf(node.node) || shown(operation),
    parameters: call.parameters,
    ...(result ? { result } : {}),
    annotations: hintsOf(method),
    declared: { kind: READS.has(method) ? "read" : "write" },
    http,
    ...describedBeside(securityOf(node, reading.document), others, lifecycleOf(node.node)),
    ...topicOf(firstTag(node.node)),
    pack: file.pack,
    origin: "http",
    place,
  };
}

const NO_ANSWER: Answer = { accept: "", others: [] };

/** What a description says of an operation that no call needs: changes of it are compared. */
const describedBeside = (
  security: NonNullable<NonNullable<Definition["api"]>["security"]>,
  answers: NonNullable<NonNullable<Definition["api"]>["answers"]>,
  lifecycle: Lifecycle | undefined,
): Pick<Definition, "api" | "lifecycle"> => ({
  api: { ...(security.length > 0 ? { security } : {}), ...(answers.length > 0 ? { answers } : {}) },
  ...(lifecycle ? { lifecycle } : {}),
});

function hintsOf(method: string): Partial<Annotations> {
  if (READS.has(method)) return {};
  const isRemoval = method === "delete";
  return { ...(isRemoval ? { destructiveHint: true } : {}), idempotentHint: isRemoval || method === "put" };
}

/** The first tag of an operation. */
const firstTag = ({ tags }: OpenApiObject): string => (Array.isArray(tags) && isText(tags[0]) ? tags[0] : "");

const isAnonymous = ({ security }: OpenApiObject): boolean =>
  Array.isArray(security) && security.every((one) => isRecord(one) && Object.keys(one).length === 0);

/** What an operation says of its future: `deprecated`, and the extensions of the field for the day and the stage. */
function lifecycleOf({
  deprecated,
  "x-sunset": sunset,
  "x-stability-level": stability,
}: OpenApiObject): Lifecycle | undefined {
  const said: Lifecycle = {
    ...(deprecated === true ? { deprecated } : {}),
    ...(isText(sunset) ? { sunset: sunset.trim().replace(/^(\d{4}-\d\d-\d\d)[T ].*$/s, "$1") } : {}),
    ...(isText(stability) ? { stability: stability.trim().toLowerCase() } : {}),
  };
  return Object.keys(said).length === 0 ? undefined : said;
}

/** Whether an extension is a short text on one line. */
const isText = (value: unknown): value is string => typeof value === "string" && /^[^\p{C}]{1,40}$/u.test(value.trim());

/** Summary and description, unless the description begins with the summary, or the summary only repeats the name. */
function descriptionOf({ operationId, summary, description, deprecated }: OpenApiObject): string {
  const [short = "", long = ""] = [summary, description].map((one) => (typeof one === "string" ? one.trim() : ""));
  const texts = long.startsWith(short) || (long !== "" && short === operationId) ? [long] : [short, long];
  return [...texts, deprecated === true ? "Deprecated." : ""].filter((text) => text).join("\n\n");
}
