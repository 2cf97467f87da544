/**
 * The Source for HTTP APIs: every operation of an OpenAPI 3 description is a tool, which the HTTP handler of the runtime calls. A
 * fault in one operation leaves out only that one.
 */

import type { HttpCall } from "../../runtime/contract/http-call.js";
import { isRecord } from "../../runtime/contract/merge.js";
import type { Annotations } from "../../runtime/contract/registry.js";
import type { Report } from "../core/diagnostic.js";
import type { Definition } from "../core/ir.js";
import { safeName } from "../core/names.js";
import { callOf } from "./openapi-call.js";
import { type Node, openDocument } from "./openapi-document.js";
import type { Operation, Reading } from "./openapi-operation.js";
import { resultOf } from "./openapi-result.js";
import { schemaConverter } from "./openapi-schema.js";
import { credentialsOf, reportSecurity } from "./openapi-security.js";
import { reportServer, serverOf } from "./openapi-server.js";
import type { SourceFile } from "./source.js";

const MAX_SUMMARY_LENGTH = 200;

const METHODS = ["get", "head", "post", "put", "patch", "delete", "options"] as const;

/** Reads one description. */
export function readOpenapi(file: SourceFile, report: Report): readonly Definition[] {
  const document = openDocument(file, report);
  if (!document) return [];
  const { root } = document;
  const reading: Reading = {
    document,
    schemas: schemaConverter(document, report),
    credentials: credentialsOf(document, file.entry),
    leftOut: () => undefined,
    undeclared: () => undefined,
  };
  const operations = operationsOf(reading);
  reportOthers(reading, report);
  if (operations.length === 0) report.add("no-operations", document.placeOf(), { file: file.file });
  reportSecurity(document, file, report);
  reportServer(file, report);
  const { info } = root.node;
  const title = isRecord(info) ? (info["summary"] ?? info["title"]) : undefined;
  const summary = typeof title === "string" ? (title.trim().split(/[\r\n]/)[0] ?? "").slice(0, MAX_SUMMARY_LENGTH) : "";
  const pack_entry = summary === "" ? undefined : { summary };
  return withoutRepetition(operations, reading, report).map(({ operation, name }) => {
    const definition = definitionOf(operation, name, reading, file, report);
    return { ...definition, ...(pack_entry ? { pack_entry } : {}) };
  });
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

/** Reports operations with an unsupported method. */
function reportOthers({ document }: Reading, report: Report): void {
  const { root } = document;
  const paths = isRecord(root.node["paths"]) ? root.node["paths"] : {};
  for (const [path, one] of Object.entries(paths)) {
    const item = path.startsWith("/") ? document.follow(one, root.file)?.node : undefined;
    const { additionalOperations: more, ...own } = item ?? {};
    for (const [method, node] of Object.entries({ ...own, ...(isRecord(more) ? more : {}) }))
      if (isRecord(node) && !NO_OPERATIONS.has(method) && !method.startsWith("x-"))
        report.add("operation-left-out", document.placeOf("paths", path, method), {
          operation: `${method.slice(0, 40).toUpperCase()} ${path}`,
          reason: `only ${METHODS.join(", ")} are sent`,
        });
  }
}

function operationsOf({ document }: Reading): readonly Operation[] {
  const { root } = document;
  const paths = isRecord(root.node["paths"]) ? root.node["paths"] : {};
  return Object.entries(paths).flatMap(([path, one]) => {
    const item = path.startsWith("/") ? document.follow(one, root.file) : undefined;
    if (!item) return [];
    return METHODS.flatMap((method): readonly Operation[] => {
      const node = isRecord(item.node[method]) ? item.node[method] : undefined;
      return node ? [{ method, path, item, node: { node, file: item.file } }] : [];
    });
  });
}

interface Named {
  readonly operation: Operation;
  readonly name: string;
}

/** Operations with unique names; one whose name is taken is reported with the other one, and left out. */
function withoutRepetition(operations: readonly Operation[], { document }: Reading, report: Report): readonly Named[] {
  const first = new Map<string, Operation>();
  return operations.flatMap((operation) => {
    const name = nameOf(operation);
    const before = first.get(safeName(name));
    if (!before) {
      first.set(safeName(name), operation);
      return [{ operation, name }];
    }
    const place = document.placeOf("paths", operation.path, operation.method);
    report.add("operation-collision", place, { name, operations: [shown(before), shown(operation)] });
    return [];
  });
}

const shown = ({ method, path }: Operation): string => `${method.toUpperCase()} ${path}`;

/** `operationId`, else `get_users_by_id_keys` for `GET /users/{id}/keys`. */
function nameOf({ method, path, node }: Operation): string {
  const { operationId } = node.node;
  if (typeof operationId === "string" && operationId.trim() !== "") return operationId.trim();
  const parts = path.split(/[/{}]+/).filter((part) => part !== "");
  const names = path
    .split("/")
    .flatMap((part) => part.split(/(\{[^}]*\})/))
    .filter((part) => part !== "")
    .map((part) => (part.startsWith("{") ? `by_${part.slice(1, -1)}` : part));
  return [method, ...(parts.length === 0 ? ["root"] : names)].map(safeName).join("_").replace(/_{2,}/g, "_");
}

const READS: ReadonlySet<string> = new Set(["get", "head"]);

function definitionOf(
  operation: Operation,
  name: string,
  reading: Reading,
  file: SourceFile,
  report: Report,
): Definition {
  const { method, path, node } = operation;
  const place = { ...reading.document.placeOf("paths", path, method), file: file.file };
  const leftOut: Reading["leftOut"] = (parameter, reason) =>
    report.add("parameter-left-out", place, { tool: name, parameter, reason });
  const undeclared: Reading["undeclared"] = (parameter, nearest) =>
    report.add(
      "path-parameter-undeclared",
      { ...reading.document.placeOf("paths", path), file: file.file },
      { tool: name, parameter, nearest },
    );
  const call = callOf(operation, { ...reading, leftOut, undeclared });
  const { result, accept } = resultOf(operation, reading);
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
    pack: file.pack,
    origin: "http",
    place,
  };
}

function hintsOf(method: string): Partial<Annotations> {
  if (READS.has(method)) return {};
  return { destructiveHint: method === "delete", idempotentHint: method === "put" || method === "delete" };
}

const isAnonymous = ({ security }: Node): boolean =>
  Array.isArray(security) && security.every((one) => isRecord(one) && Object.keys(one).length === 0);

/** Summary and description, unless one begins with the other. */
function descriptionOf({ summary, description, deprecated }: Node): string {
  const [short, long] = [summary, description].map((one) => (typeof one === "string" ? one.trim() : ""));
  const texts = long?.startsWith(short ?? "") ? [long] : [short, long];
  return [...texts, deprecated === true ? "Deprecated." : ""].filter((text) => text).join("\n\n");
}
