/** Keeps how Swagger 2.0 writes lists in forms, which the converter drops: `collectionFormat` as the `encoding` of OpenAPI 3.0. */

import { isRecord } from "../../runtime/contract/json.js";
import type { Node } from "./openapi-document.js";
import { NOTE } from "./openapi-left-out.js";

/** Styles by `collectionFormat`; `multi` is how OpenAPI writes lists anyway. */
const STYLES: Readonly<Record<string, string>> = { csv: "form", ssv: "spaceDelimited", pipes: "pipeDelimited" };

/** The converted description with the encoding of lists in forms. */
export function withFormStyles(converted: Node, swagger: Node): Node {
  const paths = membersOf(swagger["paths"]).map(([path, item]) => {
    const target = memberOf(converted["paths"], path);
    const methods = membersOf(target).map(([method, one]) => {
      const operation = memberOf(item, method);
      const lists = [...listOf(item["parameters"]), ...listOf(operation["parameters"])]
        .map((parameter) => resolved(parameter, swagger))
        .filter((parameter) => parameter["in"] === "formData" && parameter["type"] === "array");
      return [method, lists.length === 0 ? one : withEncoding(one, lists)] as const;
    });
    return [path, { ...target, ...Object.fromEntries(methods) }] as const;
  });
  return { ...converted, paths: { ...(converted["paths"] as Node), ...Object.fromEntries(paths) } };
}

function withEncoding(operation: Node, lists: readonly Node[]): Node {
  const formats = lists.map((one) => [String(one["name"]), String(one["collectionFormat"] ?? "csv")] as const);
  const styled = formats.filter(([, format]) => Object.hasOwn(STYLES, format));
  const encoding = Object.fromEntries(
    styled.map(([name, format]) => [name, { style: STYLES[format], explode: false }] as const),
  );
  const lost = formats.filter(([, format]) => format !== "multi" && !Object.hasOwn(STYLES, format));
  const body = memberOf(operation, "requestBody");
  const content = membersOf(body["content"]).map(
    ([media, one]) => [media, { ...one, encoding: { ...memberOf(one, "encoding"), ...encoding } }] as const,
  );
  return {
    ...operation,
    ...(content.length > 0 ? { requestBody: { ...body, content: Object.fromEntries(content) } } : {}),
    ...(lost.length > 0 ? { [NOTE]: lost.map(([name, format]) => `${name} is not sent as ${format}`).join("; ") } : {}),
  };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const memberOf = (value: unknown, key: string): Node => {
  const member = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return isRecord(member) ? member : {};
};
const membersOf = (value: unknown): readonly (readonly [string, Node])[] =>
  Object.entries(isRecord(value) ? value : {}).flatMap(([key, one]) => (isRecord(one) ? [[key, one] as const] : []));

/** A parameter, or the shared one that it refers to. */
function resolved(parameter: unknown, swagger: Node): Node {
  if (!isRecord(parameter)) return {};
  const [, name] = /^#\/parameters\/([^/]+)$/.exec(String(parameter["$ref"] ?? "")) ?? [];
  return name === undefined ? parameter : memberOf(swagger["parameters"], name);
}
