/** Finds the base address of requests: the one in the description, unless the configuration names another. */

import type { Place, Report } from "../../../generator/core/diagnostic.js";
import type { SourceFile } from "../../../generator/source/source.js";
import { isRecord } from "../../../runtime/contract/json.js";
import { reportApiFault } from "../diagnostics.js";
import type { OpenApiObject, OpenapiDocument } from "./openapi-document.js";
import type { Operation } from "./openapi-operation.js";

/** The base address of an operation with its variables filled in; undefined if the description has no complete one. */
export function serverOf(
  { item, node }: Operation,
  document: OpenapiDocument,
  file: SourceFile,
  report: Report,
): string | undefined {
  const [server] = [node, ...[...item].reverse(), document.root].flatMap(({ node: { servers } }) =>
    Array.isArray(servers) && isRecord(servers[0]) ? [servers[0]] : [],
  );
  const url = server && filled(server);
  if (url !== undefined) return url;
  if (file.entry.server === undefined)
    reportApiFault(report, "server-missing", file.place, {
      file: file.file,
      found: server ? JSON.stringify(server["url"]) : "none",
    });
  return undefined;
}

/** Reports a `server` that is not a usable address. Values of variables are known only at run time. */
export function reportServer({ entry: { server }, place }: SourceFile, report: Report): void {
  if (server !== undefined) reportAddress("server", server, place, report);
}

/** Reports a configured address that is not usable. */
export function reportAddress(path: "server" | "url", server: string, place: Place, report: Report): void {
  const plain = server.replace(VARIABLE, "");
  if (plain === server ? isAddress(server) : !/[{}\s]/.test(plain)) return;
  const credentials = /\/\/[^/]*@/.test(server);
  report.add("config-invalid", place, {
    path,
    expected: credentials
      ? "an address without credentials, which belong under `auth`"
      : "a whole http or https address, such as https://api.example.com/v1",
    received: credentials ? "some" : JSON.stringify(server.slice(0, 200)),
  });
}

const VARIABLE = /\$\{[A-Za-z_][A-Za-z0-9_]*(?::-[^}]*)?\}/g;

/** Whether a text is a complete address: without placeholders, query or fragment, so that a path can follow. */
function isAddress(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text) || /[{}\s?#]/.test(text)) return false;
  const { username, password } = new URL(text);
  return username === "" && password === "";
}

function filled({ url, variables }: OpenApiObject): string | undefined {
  if (typeof url !== "string") return undefined;
  const values = isRecord(variables) ? variables : {};
  const text = url.replace(/\{([^}]*)\}/g, (whole, name: string) => {
    const variable = Object.hasOwn(values, name) ? values[name] : undefined;
    const fallback = isRecord(variable) ? variable["default"] : undefined;
    return typeof fallback === "string" || typeof fallback === "number" ? String(fallback) : whole;
  });
  return isAddress(text) ? text.replace(/\/+$/, "") : undefined;
}
