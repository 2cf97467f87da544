/** Converts a Swagger 2.0 description, with the files that it refers to, to OpenAPI 3.0. Nothing is downloaded. */

import { $RefParser } from "@apidevtools/json-schema-ref-parser";
import { convertObj } from "swagger2openapi";
import { isRecord, listOrEmpty } from "../../../runtime/contract/json.js";
import { messageOf } from "../../../runtime/contract/thrown.js";
import type { Converted, OpenApiObject, OpenapiDocument } from "./openapi-document.js";
import { NOTE } from "./openapi-left-out.js";

/** Converts a description. References without a target are reported. */
export async function convertSwagger(document: OpenapiDocument): Promise<Converted> {
  try {
    const whole = await oneFile(document);
    if (!whole) return {};
    // The converter changes what it is given.
    const before = structuredClone(whole);
    const { openapi } = await convertObj(prepared(whole) as never, {
      patch: true,
      warnOnly: true,
      warnProperty: NOTE,
      anchors: true,
      resolve: false,
      text: " ",
    });
    return { node: withFormStyles(openapi as unknown as OpenApiObject, before) };
  } catch (cause) {
    return { reason: messageOf(cause).split("\n", 1)[0] ?? "" };
  }
}

/** The description with https first among its schemes, whose order means nothing; the first one is called. */
function prepared(node: OpenApiObject): OpenApiObject {
  const { schemes } = node;
  return Array.isArray(schemes) && schemes.includes("https")
    ? { ...node, schemes: ["https", ...schemes.filter((one) => one !== "https")] }
    : node;
}

/** A made-up address below which the library sees the files of the project. */
const PROJECT = "project:/";

/** The description in one file; undefined, with diagnostics, if a reference has no target. */
async function oneFile(document: OpenapiDocument): Promise<OpenApiObject | undefined> {
  const files = filesOf(document);
  if (!files) return undefined;
  const { root } = document;
  if (files.size === 1) return structuredClone(root.node);
  const contents = new Map([...files].map(([file, content]) => [PROJECT + file, structuredClone(content)]));
  const project = {
    order: 1,
    canRead: true,
    read: ({ url }: { readonly url: string }) => contents.get(decodeURIComponent(url)) as never,
  };
  const parsed = { order: 1, canParse: true, parse: ({ data }: { readonly data: unknown }) => data as never };
  return (await $RefParser.bundle(PROJECT + root.file, structuredClone(root.node) as never, {
    resolve: { file: false, http: false, project },
    parse: { json: false, yaml: false, text: false, binary: false, parsed },
  })) as OpenApiObject;
}

/** The files that a description reaches, with their contents; undefined, with diagnostics, if a reference has no target. */
function filesOf(document: OpenapiDocument): ReadonlyMap<string, unknown> | undefined {
  const { root } = document;
  const files = new Map<string, unknown>([[root.file, root.node]]);
  const waiting: (readonly [unknown, string])[] = [[root.node, root.file]];
  let whole = true;
  for (let at = waiting.pop(); at; at = waiting.pop()) {
    const [value, file] = at;
    const ref = isRecord(value) ? value["$ref"] : undefined;
    const target = typeof ref === "string" ? document.target(ref, file) : undefined;
    const holder =
      target && target.file !== file ? document.target(String(ref).split("#", 1)[0] ?? "", file) : undefined;
    whole &&= typeof ref !== "string" || target !== undefined;
    if (holder && !files.has(holder.file)) {
      files.set(holder.file, holder.node);
      waiting.push([holder.node, holder.file]);
    }
    waiting.push(...membersOf(value).map((one) => [one, file] as const));
  }
  return whole ? files : undefined;
}

/** The members of an object or a list that may hold references. */
const membersOf = (value: unknown): readonly unknown[] =>
  Object.entries(typeof value === "object" && value !== null ? value : {}).flatMap(([key, one]) =>
    VALUES.has(key) ? [] : [one],
  );

/** Keys that hold values of the API, in which `$ref` is a member like any other. */
const VALUES: ReadonlySet<string> = new Set(["example", "examples", "default", "enum"]);

/** Styles by `collectionFormat`; `multi` is how OpenAPI writes lists anyway. */
const STYLES: Readonly<Record<string, string>> = { csv: "form", ssv: "spaceDelimited", pipes: "pipeDelimited" };

/**
 * The converted description with the encoding of lists in forms, which the converter drops: `collectionFormat` as the `encoding` of
 * OpenAPI 3.0.
 */
export function withFormStyles(converted: OpenApiObject, swagger: OpenApiObject): OpenApiObject {
  const paths = recordsIn(swagger["paths"]).map(([path, item]) => {
    const target = memberOf(converted["paths"], path);
    const methods = recordsIn(target).map(([method, one]) => {
      const operation = memberOf(item, method);
      const lists = [...listOrEmpty(item["parameters"]), ...listOrEmpty(operation["parameters"])]
        .map((parameter) => resolved(parameter, swagger))
        .filter((parameter) => parameter["in"] === "formData" && parameter["type"] === "array");
      return [method, lists.length === 0 ? one : withEncoding(one, lists)] as const;
    });
    return [path, { ...target, ...Object.fromEntries(methods) }] as const;
  });
  return { ...converted, paths: { ...(converted["paths"] as OpenApiObject), ...Object.fromEntries(paths) } };
}

function withEncoding(operation: OpenApiObject, lists: readonly OpenApiObject[]): OpenApiObject {
  const formats = lists.map((one) => [String(one["name"]), String(one["collectionFormat"] ?? "csv")] as const);
  const styled = formats.filter(([, format]) => Object.hasOwn(STYLES, format));
  const encoding = Object.fromEntries(
    styled.map(([name, format]) => [name, { style: STYLES[format], explode: false }] as const),
  );
  const lost = formats.filter(([, format]) => format !== "multi" && !Object.hasOwn(STYLES, format));
  const body = memberOf(operation, "requestBody");
  const content = recordsIn(body["content"]).map(
    ([media, one]) => [media, { ...one, encoding: { ...memberOf(one, "encoding"), ...encoding } }] as const,
  );
  return {
    ...operation,
    ...(content.length > 0 ? { requestBody: { ...body, content: Object.fromEntries(content) } } : {}),
    ...(lost.length > 0 ? { [NOTE]: lost.map(([name, format]) => `${name} is not sent as ${format}`).join("; ") } : {}),
  };
}

const memberOf = (value: unknown, key: string): OpenApiObject => {
  const member = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return isRecord(member) ? member : {};
};
const recordsIn = (value: unknown): readonly (readonly [string, OpenApiObject])[] =>
  Object.entries(isRecord(value) ? value : {}).flatMap(([key, one]) => (isRecord(one) ? [[key, one] as const] : []));

/** A parameter, or the shared one that it refers to. */
function resolved(parameter: unknown, swagger: OpenApiObject): OpenApiObject {
  if (!isRecord(parameter)) return {};
  const [, name] = /^#\/parameters\/([^/]+)$/.exec(String(parameter["$ref"] ?? "")) ?? [];
  return name === undefined ? parameter : memberOf(swagger["parameters"], name);
}
