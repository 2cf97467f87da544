/** Where requests go: the base address of a description, unless configuration names another. */

import type { Report } from "../diagnostic.js";
import { isRecord } from "./json-file.js";
import type { Operation } from "./openapi-call.js";
import type { Node, OpenapiDocument } from "./openapi-document.js";
import type { SourceFile } from "./source.js";

/** The base address of an operation, its variables filled in; undefined where the description names none that is whole. */
export function serverOf(
  { item, node }: Operation,
  document: OpenapiDocument,
  file: SourceFile,
  report: Report,
): string | undefined {
  const [server] = [node.node, item.node, document.root.node].flatMap(({ servers }) =>
    Array.isArray(servers) && isRecord(servers[0]) ? [servers[0]] : [],
  );
  const url = server && filled(server);
  if (url !== undefined) return url;
  if (file.entry.server === undefined)
    report.add("server-missing", file.place, {
      file: file.file,
      found: server ? JSON.stringify(server["url"]) : "none",
    });
  return undefined;
}

function filled({ url, variables }: Node): string | undefined {
  if (typeof url !== "string") return undefined;
  const values = isRecord(variables) ? variables : {};
  const text = url.replace(/\{([^}]*)\}/g, (whole, name: string) => {
    const variable = Object.hasOwn(values, name) ? values[name] : undefined;
    const fallback = isRecord(variable) ? variable["default"] : undefined;
    return typeof fallback === "string" || typeof fallback === "number" ? String(fallback) : whole;
  });
  return /^https?:\/\//i.test(text) && URL.canParse(text) && !/[{}]/.test(text) ? text.replace(/\/+$/, "") : undefined;
}
