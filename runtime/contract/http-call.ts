/** Describes the HTTP request behind an op: the content of `generated/http/<pack>.json`, by op. */

/**
 * The position of an argument in the request, and how a list or an object is written (OpenAPI's `style` and
 * `explode`).
 */
export interface HttpArgument {
  /** Name of the argument. */
  readonly argument: string;
  /** Name in the request; absent where it is the same. */
  readonly name?: string;
  readonly in: "path" | "query" | "header" | "cookie";
  /** Absent: `simple` in path and header, `form` in the query. */
  readonly style?: "simple" | "label" | "matrix" | "form" | "spaceDelimited" | "pipeDelimited" | "deepObject";
  /** Absent: true for `form`, else false. */
  readonly explode?: boolean;
  /** Whether reserved characters are left unescaped in the query. */
  readonly reserved?: true;
  /** Whether the value is written as JSON. */
  readonly json?: true;
}

/** Whether a media type is JSON: `application/json`, `text/json`, `application/x-json`, and all that end in `+json`. */
export const isJsonMedia = (media: string): boolean =>
  /^\s*(?:(?:application|text)\/(?:x-)?json\b|[\w.!#$&^*-]+\/[\w.!#$&^*+-]*\+json\b)/i.test(media);

/** How a list or an object is written in a field of a form. */
export type FieldStyle = Pick<HttpArgument, "style" | "explode" | "reserved">;

/** How a part of a multipart form is sent. */
export interface FormPart {
  /** Its media types. The first one is sent, unless the file name ends as another one says. */
  readonly media?: readonly string[];
  /** The argument with the name of the file, or with the names of a list of files. */
  readonly filename?: string;
  /** Headers of the part, and the arguments that give their values. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Content of the body: one argument as a whole, or a field for each of several. */
export interface HttpBody {
  readonly media: string;
  readonly encoding: "json" | "form" | "multipart" | "text" | "base64";
  /** The argument that is the body. */
  readonly whole?: string;
  /** Argument to field, where the body is an object. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Fields that hold base64 and are sent as files. */
  readonly files?: readonly string[];
  /** How fields of a form are written, where it differs: by default lists are repeated fields, and objects are JSON. */
  readonly styles?: Readonly<Record<string, FieldStyle>>;
  /** How parts of a multipart form are sent, where it is not by their values: objects as JSON, files as bytes. */
  readonly parts?: Readonly<Record<string, FormPart>>;
}

/** One request. */
export interface HttpCall {
  /** The entry of `sources` as written; it holds `server` and `auth`. */
  readonly source: string;
  readonly method: string;
  /** The document's own base address, if it names one. */
  readonly server?: string;
  readonly path: string;
  readonly accept: string;
  /** The document says that the operation needs no authentication: no credentials are sent. */
  readonly anonymous?: true;
  readonly arguments: readonly HttpArgument[];
  readonly body?: HttpBody;
  /** Present if the request is a GraphQL operation; its arguments are the variables. */
  readonly graphql?: GraphqlCall;
}

/** One GraphQL operation, of one field. */
export interface GraphqlCall {
  readonly operation: "query" | "mutation";
  readonly field: string;
  readonly document: string;
}

/** Whether a request may change something. */
export const mayChange = ({ method, graphql }: HttpCall): boolean =>
  graphql ? graphql.operation === "mutation" : method !== "GET" && method !== "HEAD";
