/**
 * The registry: the frozen, JSON-serialisable value that the generator writes and all other parts read.
 *
 * `generated/registry.json` is exactly a {@link Registry}.
 */

/**
 * Any value that JSON can hold.
 *
 * @example
 * const values: readonly JsonValue[] = [null, true, 1, "a", [], { a: 1 }];
 */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/**
 * A JSON object. Keys may be hostile: read own keys only.
 *
 * @example
 * const args: JsonObject = { project_id: "p1", limit: 5 };
 */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/**
 * A JSON Schema whose root is an object, as its author wrote it.
 *
 * @example
 * const schema: JsonSchema = { type: "object", properties: { limit: { type: "integer", minimum: 1 } } };
 */
export interface JsonSchema {
  readonly [keyword: string]: JsonValue | undefined;
}

/** Lower-case hexadecimal sha256 of canonical JSON. */
export type Digest = string;

/**
 * Whether an op changes anything.
 *
 * @example
 * const kind: Kind = "read";
 */
export type Kind = "read" | "write";

/**
 * The level that a grant needs for an op.
 *
 * @example
 * const needed: Level = "write";
 */
export type Level = "read" | "write" | "admin";

/** Whether an op acts on one project, which the grant must cover, or on the whole installation. */
export type TargetScope = "global" | "project";

/**
 * One definition in OpenAI's function-tool form, as written in `definitions/`.
 *
 * @example
 * export const TOOLS: readonly ChatToolDefinition[] = [
 *   {
 *     type: "function",
 *     function: {
 *       name: "list_tasks",
 *       description: "List tasks, newest change first.",
 *       parameters: { type: "object", properties: { limit: { type: "integer", minimum: 1 } } },
 *     },
 *   },
 * ];
 */
export interface ChatToolDefinition {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description?: string;
    readonly parameters?: JsonSchema;
    /** The type of the result. */
    readonly outputSchema?: JsonSchema;
    readonly strict?: boolean;
  };
}

/** A call that fits the op's input. Values of the form `<name>` are placeholders to fill in. */
export interface Example {
  readonly title?: string;
  readonly op: string;
  readonly args: JsonObject;
}

/** The line span in the description that a policy rule was extracted from; lines count from 1. */
export interface PolicySpan {
  /** Which rule: `do[0]`, `dont[2]`, `edge_cases[1]`. */
  readonly rule: string;
  readonly line_start: number;
  readonly line_end: number;
}

/** Compact behavioural rules of one op. `source` is empty for a pinned policy. */
export interface Policy {
  readonly do: readonly string[];
  readonly dont: readonly string[];
  readonly edge_cases: readonly string[];
  readonly source: readonly PolicySpan[];
}

/** A rule across arguments, kept outside the schema because providers refuse a top-level `anyOf`. */
export type Constraint =
  /** At least one of these arguments must be given. */
  | { readonly kind: "at_least_one_change"; readonly of: readonly string[] }
  /** Exactly one branch is given, completely. */
  | { readonly kind: "one_of"; readonly branches: readonly (readonly string[])[] }
  /** If `argument` is given (and equals `equals`, if that is set), all of `needs` must be given. */
  | {
      readonly kind: "requires";
      readonly argument: string;
      readonly equals?: JsonValue;
      readonly needs: readonly string[];
    };

/** One argument in signature order: required ones first, then as declared. */
export interface Parameter {
  /** Python-safe identifier. */
  readonly name: string;
  /** The property name in `parameters_schema`, which handlers and upstream servers get. */
  readonly original: string;
  readonly required: boolean;
  /** Other names that a caller may use for this argument; each use is a warning. */
  readonly aliases: readonly string[];
  /** Compact type as help shows it: `id<task>`, `integer 1..50`, `todo|done`. */
  readonly type: string;
  readonly default?: JsonValue;
  readonly description?: string;
}

/**
 * The behavioural hints of MCP, with every value present.
 *
 * @example
 * const hints: Partial<Annotations> = { title: "List tasks", readOnlyHint: true };
 */
export interface Annotations {
  readonly title?: string;
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/**
 * How a function of the project is called: the name of its export, and the order of its arguments unless it takes one object. `tool`
 * is the name of an object with a handler, which the export is or holds.
 */
export interface FunctionCall {
  readonly export: string;
  readonly positional?: readonly string[];
  readonly tool?: string;
}

/** Where a tool comes from: a definition of this project, a proxied MCP server, or an operation of an HTTP API. */
export interface ToolSource {
  readonly kind: "local" | "proxy" | "http";
  readonly server?: string;
  /** Relative to the root. */
  readonly file: string;
  /** Set for a function that is its own handler. */
  readonly call?: FunctionCall;
  /** Set for a function of a pack that ships with the package. */
  readonly shipped?: true;
  /** The pack of the source, if the op is in another one: its handler is bound with those of that pack. */
  readonly pack?: string;
  /** Digest of the file of a Python extension tool: a run that has called it does not go on with another one. */
  readonly code?: string;
}

/**
 * Where calls of an op go, and what goes along, as far as `breaking` compares it. `generated/http/` and the configuration have the rest.
 *
 * @example
 * const hostOf = ({ send }: ToolRequest): string | undefined => /\/\/([^/]+)/.exec(send)?.[1];
 */
export interface ToolRequest {
  /** `POST https://api.example.com/tasks/{id}`; of an MCP server, its address, or its command with the arguments. */
  readonly send: string;
  /** Credentials and settings that go along, values by the names of their variables: `bearer ${API_TOKEN}`. */
  readonly auth?: readonly string[];
  /** How arguments are sent that are not plain parts of the path, the body, or the query of a request without a body. */
  readonly args?: Readonly<Record<string, string>>;
  /** Media type of the body; of a GraphQL operation, its kind and field. */
  readonly body?: string;
  /** The media type that is asked for, if it is not JSON. */
  readonly accept?: string;
  /** What the description demands of callers: alternatives of schemes with their scopes. */
  readonly security?: readonly string[];
  /** Further success answers that the result does not describe: the status, and the digest of its schema. */
  readonly answers?: readonly string[];
}

/** Stands among {@link ToolRequest.security} for calls without credentials. */
export const NO_SECURITY = "none";

/** What an API description says of the future of an op. */
export interface Lifecycle {
  readonly deprecated?: true;
  /** The day from which the op may be gone. */
  readonly sunset?: string;
  /** A stage such as `alpha`, `beta` or `stable`. */
  readonly stability?: string;
}

/**
 * One tool of the registry. The op identifies it; a tool name may repeat across packs.
 *
 * @example
 * const lineOf = ({ op, signature, summary }: Tool): string => `${op}${signature.typescript}: ${summary}`;
 */
export interface Tool {
  readonly op: string;
  readonly tool_name: string;
  readonly description: string;
  readonly parameters_schema: JsonSchema;
  /** The pack: first segment of the op. */
  readonly group: string;
  readonly kind: Kind;
  readonly entity?: string;
  readonly action?: string;
  readonly examples: readonly Example[];
  readonly policy?: Policy;
  readonly access: Level;
  readonly target: TargetScope;
  /** The argument from which a project op gets its project. */
  readonly project_from?: string;
  /** Other op paths of this op. */
  readonly aliases: readonly string[];
  /** One sentence. */
  readonly summary: string;
  readonly signature: { readonly python: string; readonly typescript: string };
  readonly parameters: readonly Parameter[];
  readonly result_schema?: JsonSchema;
  /** Only without `result_schema`. */
  readonly learned_result?: LearnedResult;
  readonly learned_words?: LearnedWords;
  readonly annotations: Annotations;
  readonly constraints: readonly Constraint[];
  readonly notes: readonly string[];
  readonly source: ToolSource;
  /** Absent for a tool with a handler of this project. */
  readonly request?: ToolRequest;
  readonly lifecycle?: Lifecycle;
  /** What the source says it is about, as one word: the first tag of an operation, or the type that a field gives. Groups long lists in help. */
  readonly topic?: string;
  /** o200k tokens of the wire definition, of the short help, and of the line in the index of signatures. */
  readonly tokens: { readonly definition: number; readonly help: number; readonly signature?: number };
  readonly digest: { readonly input: Digest; readonly docs: Digest; readonly op: Digest };
}

/**
 * The type of an op's results as calls showed it. Advice only: the server promised nothing.
 *
 * @example
 * const learned: LearnedResult = {
 *   level: "locked",
 *   calls: "100+",
 *   news: "≤1%",
 *   schema: { type: "object", properties: { title: { type: "string" } }, required: ["title"] },
 * };
 */
export interface LearnedResult {
  /** `locked`: programs are checked against it. `hint`: help shows it. */
  readonly level: "hint" | "locked";
  /** Calls with different arguments, as the lower end of a band: `30+`. */
  readonly calls: string;
  /** Calls that showed something which no other call did. */
  readonly news: "≤1%" | "≤10%" | ">10%";
  /** The combinations of enum and boolean arguments that the calls had, if there are several. */
  readonly variants?: readonly string[];
  /** Whether the definition of the op has changed since. */
  readonly stale?: true;
  /** Whether a person wrote it. */
  readonly pinned?: true;
  readonly schema: JsonSchema;
}

/**
 * Words by which callers looked for an op, as a person has reviewed them.
 *
 * @example
 * const learned: LearnedWords = { words: { pr: "30+", review: "3+" } };
 */
export interface LearnedWords {
  /** Stem to the lower end of a band of queries. */
  readonly words: { readonly [stem: string]: string };
  /** Whether the input of the op has changed since. */
  readonly stale?: true;
}

/** A pack: the first segment of its ops, with the facts that the name rules use. */
export interface Pack {
  readonly name: string;
  readonly summary: string;
  readonly source: "local" | "proxy";
  /** Entity to plural. */
  readonly entities: { readonly [entity: string]: string };
  readonly topics: readonly string[];
}

/** A reserved name of a removed tool. Dates are `YYYY-MM-DD`. */
export interface Tombstone {
  readonly tool: string;
  readonly op: string;
  readonly since: string;
  readonly sunset?: string;
  readonly use?: string;
}

/**
 * The frozen IR, sorted by op in code-unit order.
 *
 * @example
 * const writes = ({ tools }: Registry): readonly string[] => tools.filter(({ kind }) => kind === "write").map(({ op }) => op);
 */
export interface Registry {
  readonly ir_version: 1;
  readonly registry_version: Digest;
  /** Version of the rules that read kinds and hints from names; absent in registries of the first rules. */
  readonly classification?: number;
  readonly tools: readonly Tool[];
  readonly packs: readonly Pack[];
  readonly reserved: readonly Tombstone[];
}

/**
 * Version of the interface between generated code and the runtime. Generated code names the version it was made for.
 */
export const CODEGEN_VERSION = 1;

/**
 * A generated, typed handle on one op. `A` is the type of its arguments, `R` of its result.
 *
 * @example
 * const pathOf = (desc: ToolDesc<string, unknown>): readonly string[] => desc.op.split(".");
 */
export interface ToolDesc<Op extends string, A, R = unknown> {
  readonly op: Op;
  readonly tool: string;
  readonly kind: Kind;
  /** Digest of the input schema that the types were made from. */
  readonly input: string;
  /** Never present at run time; carries the types. */
  readonly types?: { readonly args: A; readonly result: R };
}

/**
 * A generated registry: descriptors by op.
 *
 * @example
 * const writes = ({ tools }: RegistryDesc<Record<string, ToolDesc<string, unknown>>>): readonly string[] =>
 *   Object.values(tools).flatMap(({ op, kind }) => (kind === "write" ? [op] : []));
 */
export interface RegistryDesc<T extends Record<string, ToolDesc<string, unknown>>> {
  readonly codegen: number;
  readonly registry_version: string;
  readonly tools: T;
}

/**
 * Arguments of a descriptor's op.
 *
 * @example
 * type ListArgs = ArgsOf<ToolDesc<"orders.list", { day: string }>>;
 * const args: ListArgs = { day: "2026-11-02" };
 */
export type ArgsOf<D> = D extends ToolDesc<string, infer A, unknown> ? A : never;

/**
 * Makes one descriptor. Pure, so that bundlers drop the ones that are not used.
 *
 * @example
 * const list: ToolDesc<"orders.list", { day: string }> = tool({
 *   ...{ op: "orders.list", tool: "list_orders", kind: "read" },
 *   input: digest({ type: "object", properties: { day: { type: "string" } }, required: ["day"] }),
 * });
 */
export function tool<Op extends string, A, R = unknown>(desc: Omit<ToolDesc<Op, A, R>, "types">): ToolDesc<Op, A, R> {
  return Object.freeze(desc);
}

/**
 * Makes the registry value of `generated/registry.ts`.
 *
 * @throws Error if the code was generated for another version of the interface than this package has
 * @example
 * const list = tool<"orders.list", { day: string }>({ op: "orders.list", tool: "list_orders", kind: "read", input: "…" });
 * const orders = registry({ codegen: 1, registry_version: "…", tools: { "orders.list": list } });
 */
export function registry<T extends Record<string, ToolDesc<string, unknown>>>(desc: RegistryDesc<T>): RegistryDesc<T> {
  if (desc.codegen !== CODEGEN_VERSION)
    throw new Error(
      `generated code is for codegen version ${desc.codegen}, this toolwright has ${CODEGEN_VERSION}: run "toolwright generate" with the installed version`,
    );
  return Object.freeze(desc);
}
