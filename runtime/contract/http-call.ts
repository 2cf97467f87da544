/** How the HTTP request behind an op is made: what `generated/http/<pack>.json` holds by op. */

/** Where an argument goes, and how a list or an object among them is written (OpenAPI's `style` and `explode`). */
export interface HttpArgument {
  /** Name of the argument. */
  readonly argument: string;
  /** Name in the request; absent where it is the same. */
  readonly name?: string;
  readonly in: "path" | "query" | "header";
  /** Absent: `simple` in path and header, `form` in the query. */
  readonly style?: "simple" | "label" | "matrix" | "form" | "spaceDelimited" | "pipeDelimited" | "deepObject";
  /** Absent: true for `form`, else false. */
  readonly explode?: boolean;
  /** Whether reserved characters go into the query as they are. */
  readonly reserved?: true;
  /** Whether the value is written as JSON. */
  readonly json?: true;
}

/** What the body is made of: one argument whole, or a field for each of several. */
export interface HttpBody {
  readonly media: string;
  readonly encoding: "json" | "form" | "multipart" | "text" | "base64";
  /** The argument that is the body. */
  readonly whole?: string;
  /** Argument to field, where the body is an object. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Fields that hold base64 and are sent as files. */
  readonly files?: readonly string[];
}

/** One request. */
export interface HttpCall {
  /** The entry of `sources` that it comes from, as written: `server` and `auth` stand there. */
  readonly source: string;
  readonly method: string;
  /** The document's own base address; absent where it names none. */
  readonly server?: string;
  readonly path: string;
  readonly accept: string;
  /** The document says that nobody needs to be known: credentials stay at home. */
  readonly anonymous?: true;
  readonly arguments: readonly HttpArgument[];
  readonly body?: HttpBody;
}
