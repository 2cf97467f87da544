/** Converts a Swagger 2.0 description, with the files that it refers to, to OpenAPI 3.0. Nothing is downloaded. */

import { $RefParser } from "@apidevtools/json-schema-ref-parser";
import { convertObj } from "swagger2openapi";
import { isRecord } from "../../runtime/contract/json.js";
import { messageOf } from "../../runtime/contract/thrown.js";
import type { Converted, Node, OpenapiDocument } from "./openapi-document.js";
import { NOTE } from "./openapi-left-out.js";
import { withFormStyles } from "./swagger-forms.js";

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
    return { node: withFormStyles(openapi as unknown as Node, before) };
  } catch (cause) {
    return { reason: messageOf(cause).split("\n", 1)[0] ?? "" };
  }
}

/** The description with https first among its schemes, whose order means nothing; the first one is called. */
function prepared(node: Node): Node {
  const { schemes } = node;
  return Array.isArray(schemes) && schemes.includes("https")
    ? { ...node, schemes: ["https", ...schemes.filter((one) => one !== "https")] }
    : node;
}

/** A made-up address below which the library sees the files of the project. */
const PROJECT = "project:/";

/** The description in one file; undefined, with diagnostics, if a reference has no target. */
async function oneFile(document: OpenapiDocument): Promise<Node | undefined> {
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
  })) as Node;
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
