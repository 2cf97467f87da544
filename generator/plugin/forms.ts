/** The forms of what a plugin gives: its description, the result of a source, the files of an emitter. */

import { isRecord } from "../../runtime/contract/json.js";
import type { Shape } from "../../runtime/contract/settings/setting.js";
import { Report } from "../core/diagnostic.js";
import { checkShape } from "../core/shape.js";
import { FUNCTION } from "./worker-program.js";

const text: Shape = { type: "string" };
const filled: Shape = { type: "string", minLength: 1 };
const count: Shape = { type: "integer", minimum: 1 };
const anyMap: Shape = { type: "object", additionalProperties: {} };
const list = (items: Shape): Shape => ({ type: "array", items });
const oneOf = (...values: readonly string[]): Shape => ({ type: "string", enum: values });
const closed = (properties: Readonly<Record<string, Shape>>, required: readonly string[]): Shape => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

/** The default export of a plugin; functions are {@link FUNCTION}. */
export const PLUGIN_FORM = closed(
  {
    name: filled,
    sources: list(closed({ kind: filled, options: anyMap, read: oneOf(FUNCTION) }, ["kind", "read"])),
    emitters: list(closed({ name: filled, options: anyMap, emit: oneOf(FUNCTION) }, ["name", "emit"])),
    settings: list(closed({ key: filled, schema: anyMap, preset: {}, about: filled }, ["key", "schema", "about"])),
    serve: oneOf(FUNCTION),
    commands: {
      type: "object",
      additionalProperties: closed({ operands: filled, about: filled, run: oneOf(FUNCTION) }, ["about", "run"]),
    },
  },
  ["name"],
);

/** Result of `read`. */
export const OUTPUT_FORM = closed(
  {
    definitions: list(
      closed(
        {
          name: filled,
          description: text,
          parameters: anyMap,
          result: anyMap,
          annotations: closed(
            {
              title: text,
              readOnlyHint: { type: "boolean" },
              destructiveHint: { type: "boolean" },
              idempotentHint: { type: "boolean" },
              openWorldHint: { type: "boolean" },
            },
            [],
          ),
          kind: oneOf("read", "write"),
          op: filled,
          pack: filled,
          file: filled,
          line: count,
          column: count,
        },
        ["name", "description", "parameters", "file"],
      ),
    ),
    diagnostics: list(
      closed(
        {
          severity: oneOf("error", "warning", "info"),
          message: filled,
          fix: filled,
          file: filled,
          line: count,
          column: count,
        },
        ["severity", "message", "fix", "file"],
      ),
    ),
  },
  ["definitions"],
);

/** Most files of an emitter. */
const MAX_FILES = 10_000;

/** Result of `emit`. */
export const FILES_FORM = list(closed({ path: filled, text }, ["path", "text"]));

/** What is wrong with a value; undefined if it has the form. */
export function wrongWith(value: unknown, form: Shape): string | undefined {
  if (value === undefined) return "it gives nothing that JSON can hold";
  if (form === FILES_FORM && Array.isArray(value) && value.length > MAX_FILES)
    return `it gives ${value.length} files, and may give ${MAX_FILES}`;
  const place = { file: "", line: 0, column: 0 };
  const report = new Report();
  checkShape(value, form, [], { place: () => place, report });
  const [first] = report.sorted();
  return first?.message
    .replace(/^the file must/, "the value must")
    .replaceAll(`one of ${FUNCTION}`, "a function")
    .replaceAll(JSON.stringify(FUNCTION), "a function");
}

/** Keywords of a schema of options, each with the form of its value. Schemas below it are checked by themselves. */
const KEYWORDS: Readonly<Record<string, Shape>> = {
  type: {},
  properties: anyMap,
  required: list(text),
  additionalProperties: {},
  items: anyMap,
  enum: list(text),
  minimum: { type: "number" },
  maximum: { type: "number" },
  minLength: { type: "integer", minimum: 0 },
  format: oneOf("date"),
  description: text,
};
const TYPES = ["object", "array", "string", "integer", "number", "boolean", "null"];
/** Deepest nesting of a schema of options. */
const MAX_SCHEMA_DEPTH = 20;

/** What is wrong with a schema of options, or of a value (`depth` 1); undefined if it is one. */
export function wrongSchema(schema: unknown, path = "options", depth = 0): string | undefined {
  if (!isRecord(schema)) return `${path} must be a schema`;
  if (depth > MAX_SCHEMA_DEPTH) return `${path} is nested more than ${MAX_SCHEMA_DEPTH} levels deep`;
  const { type, properties, items, additionalProperties: rest } = schema;
  const wrong = wrongWith(schema, closed(KEYWORDS, []));
  if (wrong !== undefined) return `in ${path}, ${wrong}`;
  const types = type === undefined ? [] : [type].flat();
  if (!types.every((one) => TYPES.includes(one as string))) return `${path}.type must be one of ${TYPES.join(", ")}`;
  if (depth === 0 && type !== "object") return `${path}.type must be object`;
  const below: readonly (readonly [string, unknown])[] = [
    ...Object.entries(isRecord(properties) ? properties : {}).map(
      ([name, one]) => [`properties.${name}`, one] as const,
    ),
    ...(items === undefined ? [] : [["items", items] as const]),
    ...(rest === undefined || rest === false ? [] : [["additionalProperties", rest] as const]),
  ];
  return below.map(([name, one]) => wrongSchema(one, `${path}.${name}`, depth + 1)).find((one) => one !== undefined);
}

/** Longest path of a file below `generated/`, in characters. */
const MAX_PATH_LENGTH = 200;
/** Names that Windows keeps for devices, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Why a path cannot be a file of `generated/`; undefined if it can. */
export function wrongPath(path: string): string | undefined {
  if (path.length > MAX_PATH_LENGTH) return `it has ${path.length} characters, and may have ${MAX_PATH_LENGTH}`;
  if (/[\\:*?"<>|\p{Cc}\p{Surrogate}]/u.test(path))
    return "it has a backslash or another character that not every system takes";
  const names = path.split("/");
  if (names.some((one) => one === ".." || one === ".")) return "it leads out of its folder";
  if (names.some((one) => one === "")) return "it is absolute, or a part of it is empty";
  if (names.some((one) => DEVICE.test(one) || /[. ]$/.test(one))) return "not every system takes such a name";
  return undefined;
}
