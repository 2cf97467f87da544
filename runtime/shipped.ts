/** The packs that come with the package, at run time: what their functions get beside a handler's context, and where they are. */

import type { Keys } from "./access/keys.js";
import type { Binding, ErrorCode, Principal, Transaction } from "./contract/handler.js";
import type { JsonObject, JsonValue } from "./contract/registry.js";
import type { CallContext } from "./dispatch/job.js";
import type { RegistryView } from "./registry.js";
import type { Snippet } from "./run/snippets.js";
import type { LlmSettings, Project } from "./settings.js";
import type { Stats, StatsQuery } from "./stats/figures.js";
import type { ChartFigures, ReportFigures } from "./stats/report/figures.js";

/** How a server stands: `idle` has not been needed so far. */
export type ServerState = "connected" | "idle" | "disconnected";

/** What the calls of a run have done so far. */
export interface CallRecord {
  /** Ops that were carried out or are under way, with how often. */
  readonly counts: Map<string, number>;
  /** Ops whose results were sanitised, stored, and read again. */
  readonly foreign: Set<string>;
}

/** One call of an op, as code makes it. */
export interface HostedCall {
  /** Its path, or an alias of it. */
  readonly op: string;
  /** By the names of its parameters, or what they begin with. */
  readonly args: JsonObject;
}

/** What came of a call: its value, or the exception that code would meet. */
export type Hosted = { readonly value: JsonValue } | { readonly error: string };

/** What was recorded. */
export interface Statistics {
  /** Figures that hold every call that was answered before. */
  read(query: StatsQuery): Promise<Stats>;
  /** The same, with what a report shows beside them. */
  figures(query: StatsQuery): Promise<ReportFigures>;
  /** The same, with what charts are drawn from, of one caller where one is given. */
  charts(query: StatsQuery): Promise<ChartFigures>;
  /** Counts bytes of a stored result that were handed out after all. */
  handedOut(bytes: number): void;
}

/** The running product, as shipped packs see it. */
export interface Host {
  /** `projects`: name to absolute path. */
  readonly projects: ReadonlyMap<string, string>;
  readonly project: Project;
  /** The endpoint of the pack `llm`. */
  readonly llm: LlmSettings;
  readonly now: () => Date;
  /** What the caller may see. */
  view(principal: Principal): RegistryView;
  /** Snippets that the caller may see, by name. */
  snippets(principal: Principal): Promise<ReadonlyMap<string, Snippet>>;
  /** Language version of the engine that runs any Python: `3.14`. */
  python(): Promise<string>;
  /** Enabled servers by name. */
  servers(): ReadonlyMap<string, ServerState>;
  /** Absent where they are switched off. */
  readonly statistics?: Statistics;
  /** Makes calls in the caller's name, at most `limits.parallel_calls` at once; the order of the answers is that of the calls. */
  callAll(calls: readonly HostedCall[], ctx: HostContext): Promise<readonly Hosted[]>;
  /** The caller's work in a transaction of its own, for ops that do more than that. */
  transaction<T>(principal: Principal, mode: "read" | "write", run: (tx: Transaction) => Promise<T>): Promise<T>;
  /** API keys: made, listed and ended, never verified. */
  readonly keys: Pick<Keys, "still" | "create" | "revoke" | "list">;
  /** Reads configuration and registry again and swaps them for those in force: `OK: …`, or `Error: …` and nothing changes. */
  reload(): Promise<string>;
  /** Definition files that changed since the last `generate`, relative to the root. */
  stale(): readonly string[];
}

/** The context of a shipped pack's function. */
export interface HostContext extends CallContext {
  readonly host: Host;
  /** Where the calls of the code behind this call are written down, if any is. */
  readonly record?: CallRecord;
  /** Counts this call as failed in the statistics although it answers with a value: the text of an error. */
  readonly failedAs?: (code: ErrorCode) => void;
}

/** How functions of a shipped pack are bound, by name; a pack exports it as `bindings`. */
export type ShippedBindings = Readonly<
  Record<
    string,
    Omit<Binding<never, never>, "plan"> & {
      readonly plan?: (args: never, ctx: HostContext) => Promise<unknown>;
    }
  >
>;

/** Imports the module of a shipped pack, whose exports are its functions; undefined for a name that this version does not ship. */
export type ShippedModules = (pack: string) => Promise<object> | undefined;
