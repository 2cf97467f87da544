/** Inputs of the generator bench: GitHub's API description with the tools made of it, or this project's own tools. */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject, JsonSchema, JsonValue } from "toolwright/codegen";

/** A function tool in OpenAI's form. */
export interface FunctionTool {
  readonly type: "function";
  readonly function: { readonly name: string; readonly description: string; readonly parameters: JsonSchema };
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const METHODS = ["get", "post", "put", "patch", "delete"];
/** Keywords of OpenAPI alone; none of the peers reads them here. */
const DROPPED: ReadonlySet<string> = new Set(["example", "examples", "nullable", "responses"]);
/** References followed below each other; GitHub's inputs hold none deeper. */
const DEEPEST = 6;

/** One tool an operation of an OpenAPI description, references written out: input C. */
export function toolsOf(description: string): readonly FunctionTool[] {
  const document = JSON.parse(readFileSync(description, "utf8")) as JsonObject;
  const full = (value: JsonValue | undefined): JsonObject => {
    const made = inlined(value, document, 0);
    return isObject(made) ? made : {};
  };
  return Object.values(full({ paths: document["paths"] ?? {} })["paths"] as JsonObject).flatMap((item) =>
    METHODS.flatMap((method) => {
      const operation = isObject(item) ? item[method] : undefined;
      return isObject(item) && isObject(operation) ? [toolOf(operation, item["parameters"])] : [];
    }),
  );
}

function toolOf(operation: JsonObject, shared: JsonValue | undefined): FunctionTool {
  const parameters = [shared, operation["parameters"]]
    .flatMap((one) => (Array.isArray(one) ? one : []))
    .filter(isObject);
  const schemas = parameters.map((one) => [String(one["name"]), one["schema"] ?? {}] as const);
  const body = bodyOf(operation);
  const required = parameters.flatMap((one) => (one["required"] === true ? [String(one["name"])] : []));
  const inBody = Array.isArray(body["required"]) ? body["required"].map(String) : [];
  const properties = { ...Object.fromEntries(schemas), ...(isObject(body["properties"]) ? body["properties"] : {}) };
  return {
    type: "function",
    function: {
      name: String(operation["operationId"]).replace(/[^A-Za-z0-9]+/g, "_"),
      description: String(operation["description"] ?? ""),
      parameters: {
        type: "object",
        properties,
        required: [...new Set([...required, ...inBody])],
        additionalProperties: false,
      },
    },
  };
}

function bodyOf(operation: JsonObject): JsonObject {
  const at = (value: JsonValue | undefined, key: string): JsonValue | undefined =>
    isObject(value) ? value[key] : undefined;
  const schema = at(at(at(operation["requestBody"], "content"), "application/json"), "schema");
  return isObject(schema) ? schema : {};
}

function inlined(value: JsonValue | undefined, root: JsonObject, depth: number): JsonValue {
  if (Array.isArray(value)) return value.map((one: JsonValue) => inlined(one, root, depth));
  if (!isObject(value)) return value ?? null;
  if (typeof value["$ref"] === "string")
    return depth < DEEPEST ? inlined(pointed(value["$ref"], root), root, depth + 1) : {};
  const entries = Object.entries(value).filter(([key]) => !DROPPED.has(key));
  return Object.fromEntries(entries.map(([key, member]) => [key, inlined(member, root, depth)]));
}

const pointed = (ref: string, root: JsonObject): JsonValue | undefined =>
  ref
    .slice(2)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<JsonValue | undefined>((at, part) => (isObject(at) ? at[part] : undefined), root);

/** A project of function tools in one TypeScript module; what was there is gone. */
export function project(folder: string, tools: readonly FunctionTool[]): string {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "definitions"), { recursive: true });
  writeTools(folder, tools);
  writeFileSync(
    join(folder, "definitions", "toolwright.yaml"),
    "sources:\n  - chat-tools: tools.ts\n    pack: github\n    kind: read\n",
  );
  return folder;
}

/** Replaces the tools of such a project. */
export const writeTools = (folder: string, tools: readonly FunctionTool[]): void =>
  writeFileSync(join(folder, "definitions", "tools.ts"), `export const TOOLS = ${JSON.stringify(tools, null, 1)};\n`);
