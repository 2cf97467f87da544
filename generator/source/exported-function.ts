/** An exported function in the Source for typed functions, and readers for its types and comments. */

import type { ts } from "@ts-morph/common";
import type { Place, Report } from "../core/diagnostic.js";
import { type Complain, type Doc, docOf, documentedKeywords } from "./function-docs.js";
import type { SourceFile } from "./source.js";
import type { TypeReader } from "./type-schema.js";
import type { TypedProject } from "./typed-project.js";

/** One exported function. */
export interface ExportedFunction {
  readonly name: string;
  readonly signature: ts.Signature;
  readonly doc: Doc;
  readonly file: SourceFile;
  readonly project: TypedProject;
  readonly place: Place;
  readonly report: Report;
}

/** Returns a function that reports unusable tags of a function. */
export const complaintsOf =
  ({ report, place, name }: ExportedFunction): Complain =>
  (tag, path, fact) =>
    report.add("tag-invalid", place, { tag, of: path === "" ? name : `${name} ${path}`, fact });

/** The type reader of a function. It reports types that JSON cannot represent; `what` names the part in the message. */
export function readerOf(one: ExportedFunction, what: "argument" | "result"): TypeReader {
  const { project, report, place, name } = one;
  const { checker, isLibrary } = project;
  const complain = complaintsOf(one);
  return {
    checker,
    isLibrary,
    closed: what === "argument",
    documented: (symbol, path, schema) => documentedKeywords(docOf(symbol, checker), path, schema, complain),
    lost: (path, type, node) =>
      report.add("type-unsupported", node ? project.placeOf(node) : place, {
        of: `${name} ${what} ${path}`.trim(),
        type,
      }),
    dated: (path) => {
      if (what === "argument") report.add("date-argument", place, { tool: name, argument: path });
    },
  };
}
