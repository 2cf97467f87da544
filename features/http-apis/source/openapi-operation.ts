/** Types for reading an operation of an OpenAPI description. */
import type { HttpArgument } from "../../../runtime/contract/http-call.js";
import type { JsonSchema } from "../../../runtime/contract/registry.js";
import type { LocatedObject, OpenapiDocument } from "./openapi-document.js";
import type { SchemaConverter } from "./openapi-schema.js";

/** An operation and its position in the description. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  /** Its path item in parts; a later one wins. */
  readonly item: readonly LocatedObject[];
  readonly node: LocatedObject;
}

/** Parts of operations that are counted, and not reported one by one. */
export type Skipped = "read-only property" | "write-only property" | "further answer";

/** Context in which a description is read. */
export interface OpenApiContext {
  readonly document: OpenapiDocument;
  readonly schemas: SchemaConverter;
  /** Reports a parameter that is left out of the input, with the reason. */
  readonly leftOut: (parameter: string, reason: string) => void;
  /** Counts a part of an operation that its op does not have, for the summary. */
  readonly skipped: (kind: Skipped, name: string) => void;
  /** Reports a parameter of the path that is not declared, with the declared one that is spelled most like it. */
  readonly undeclared: (parameter: string, nearest: string | undefined) => void;
  /** Headers and query parameters that carry credentials, in lower case, as `header x-key`. */
  readonly credentials: ReadonlySet<string>;
}

/** One argument before its final name is known. */
export interface OperationField {
  readonly in: "path" | "query" | "header" | "cookie" | "body";
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
  /** How it is serialised; absent in the body. */
  readonly style?: Omit<HttpArgument, "argument" | "name" | "in">;
}
