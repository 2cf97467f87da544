/** Types of the configuration as written in `toolwright.yaml`, after its shape was checked. */
import type { FindingLevel } from "../../runtime/contract/finding.js";
import type { Kind, Level, TargetScope, Tombstone } from "../../runtime/contract/registry.js";
import type { PackEntry } from "../core/ir.js";

/** `learn`, which the runtime reads. */
type LearnValue = "on" | "off" | { readonly types?: "on" | "off"; readonly words?: "on" | "off" };

/** One entry of `sources`. Exactly one kind is set: one of these six, or a kind of a plugin under its own key. */
export interface SourceEntry {
  readonly "chat-tools"?: string;
  readonly functions?: string;
  readonly graphql?: string;
  readonly mcp?: string;
  readonly module?: string;
  readonly openapi?: string;
  readonly exports?: readonly string[];
  readonly pack?: string;
  readonly kind?: Kind;
  /** Whether files of which nothing is read are meant. */
  readonly allow_empty?: boolean;
  readonly handlers?: string;
  /** Base address of an HTTP API; overrides the one in its description. */
  readonly server?: string;
  /** Address of a GraphQL API. */
  readonly url?: string;
  /** Levels of objects that a GraphQL op asks for. */
  readonly depth?: number;
  /** Selection sets of a GraphQL API, by the name of the query or mutation. */
  readonly selections?: Readonly<Record<string, string>>;
  /** Whether requests to an HTTP API hold the defaults of optional parameters. */
  readonly send_defaults?: boolean;
  /** The header in which an HTTP API takes the idempotency key of a write. */
  readonly idempotency?: { readonly header: string };
  readonly auth?: AuthEntry;
  /** Options of a kind that a plugin adds. */
  readonly options?: Readonly<Record<string, unknown>>;
}

/** `sources[].auth`: credentials of an HTTP API. Values name variables, which are resolved at run time. */
export interface AuthEntry {
  readonly bearer?: string;
  readonly basic?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** The client as which tokens are asked for, where `auth` has a mode. */
  readonly client?: { readonly secret?: string };
}

/** One item of `ops.<tool>.constraints`: exactly one key is set. */
export interface ConstraintEntry {
  readonly at_least_one_change?: { readonly except?: readonly string[]; readonly of?: readonly string[] };
  readonly one_of?: readonly (readonly string[])[];
  readonly requires?: { readonly argument: string; readonly equals?: unknown; readonly needs: readonly string[] };
}

/** `ops.<tool>`: overrides for one tool. */
export interface OpEntry {
  readonly op?: string;
  readonly kind?: Kind;
  readonly access?: Level;
  readonly target?: TargetScope;
  readonly project_from?: string;
  readonly aliases?: readonly string[];
  readonly arguments?: Readonly<Record<string, string>>;
  readonly enums?: Readonly<Record<string, readonly unknown[]>>;
  readonly notes?: readonly string[];
  readonly examples?: readonly Readonly<Record<string, unknown>>[];
  readonly constraints?: readonly ConstraintEntry[];
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  readonly open_world?: boolean;
  readonly deadline_ms?: number;
  readonly dry_run?: boolean;
  readonly hidden?: boolean;
  readonly learn?: LearnValue;
}

/** `policies.<op>`: a pinned policy. */
export interface PolicyEntry {
  readonly do?: readonly string[];
  readonly dont?: readonly string[];
  readonly edge_cases?: readonly string[];
  readonly source_hash?: string;
}

/** `breaking`: how findings are judged. */
export interface BreakingEntry {
  readonly profile?: "wire" | "code" | "all";
  readonly fail_on?: FindingLevel;
  /** Rule to level. */
  readonly level?: RuleLevels;
  /** Rule to globs of ops. */
  readonly ignore?: Readonly<Record<string, readonly string[]>>;
}

/** Rule to level. */
export type RuleLevels = Readonly<Record<string, FindingLevel | "off">>;

/** `diagnostics`: a rule to its level, or a pattern of tools, which has a slash, to such a map. */
export type DiagnosticLevels = Readonly<Record<string, FindingLevel | "off" | RuleLevels>>;

/** `servers.<name>`: an upstream MCP server. */
export interface ServerEntry {
  readonly type?: "stdio" | "http";
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The tools of which there are ops, by exact name. */
  readonly tools?: { readonly only?: readonly string[]; readonly except?: readonly string[] };
  /** Seconds. */
  readonly timeout?: number;
  readonly enabled?: boolean;
  readonly lazy?: boolean;
  readonly sanitize?: boolean;
  readonly snapshot?: { readonly every?: string; readonly principal?: string };
  readonly learn?: LearnValue;
}

/** `expose.resources.<address>`, `expose.prompts.<name>`: the op that provides it; the runtime reads the other keys. */
export interface ExposedEntry {
  readonly op: string;
}

/** Names of `surfaces`. */
export type SurfaceName = "skill" | "openai" | "anthropic" | "typescript" | "python";

/** An entry of `approve`, which the runtime reads. */
export interface ApproveEntry {
  readonly ops?: readonly string[];
  readonly kind?: "write";
  readonly destructive?: boolean;
}

/** The configuration as written. Keys that only the runtime reads are typed there. */
export interface ConfigValues {
  readonly approve?: readonly ApproveEntry[];
  /** Files, relative to `definitions/` and beginning with `./` or `../`, or names of packages. */
  readonly plugins?: readonly string[];
  /** Options of emitters of plugins, by the name of the emitter. */
  readonly emitters?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly use?: readonly string[];
  readonly sources: readonly SourceEntry[];
  readonly packs?: Readonly<Record<string, PackEntry>>;
  readonly vocabulary?: { readonly verbs?: Readonly<Record<string, Kind>> };
  readonly ops?: Readonly<Record<string, OpEntry>>;
  readonly policies?: Readonly<Record<string, PolicyEntry>>;
  readonly synonyms?: Readonly<Record<string, string>>;
  readonly breaking?: BreakingEntry;
  readonly diagnostics?: DiagnosticLevels;
  readonly reserved?: readonly Tombstone[];
  /** What clients see; also read by the runtime. */
  readonly expose?: {
    readonly gateway?: boolean;
    readonly run?: boolean;
    readonly hot?: readonly string[];
    readonly signatures?: number;
    readonly answer_bytes?: number;
    readonly run_preview?: "always" | "writes" | "never";
    readonly resources?: Readonly<Record<string, ExposedEntry>>;
    readonly prompts?: Readonly<Record<string, ExposedEntry>>;
  };
  readonly budget?: { readonly tool?: number; readonly help_short?: number; readonly exposed?: number };
  /** What is emitted to `generated/surfaces/`. */
  readonly surfaces?: readonly SurfaceName[];
  readonly aliases?: Readonly<Record<string, string>>;
  readonly projects?: Readonly<Record<string, string>>;
  readonly servers?: Readonly<Record<string, ServerEntry>>;
  readonly access?: { readonly allow_write?: boolean; readonly local?: Level };
  readonly state?: string | { readonly url?: string; readonly pool?: number; readonly listen_url?: string };
  readonly limits?: { readonly call_timeout_ms?: number };
  readonly docs?: {
    readonly base?: string;
    readonly guides?: string;
    readonly slugs?: Readonly<Record<string, string>>;
    readonly title?: string;
  };
  readonly log?: { readonly level?: string; readonly file?: string | null };
  /** Where `${NAME}` is looked up. */
  readonly secrets?: { readonly from?: readonly string[]; readonly names?: readonly string[] };
}
