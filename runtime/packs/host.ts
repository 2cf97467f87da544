/**
 * The interface between shipped packs and the running gateway: the context of their functions, and how their modules
 * are found.
 */

import type { Keys } from "../access/keys.js";
import type { CallRecord, HandlerContext } from "../call/call.js";
import type { Project } from "../catalog/project.js";
import type { RegistryView } from "../catalog/registry.js";
import type { LlmSettings } from "../config/settings.js";
import type { Binding, ErrorCode, Principal, Transaction } from "../contract/handler.js";
import type { OwnWords } from "../contract/learned-words.js";
import type { JsonObject, JsonValue } from "../contract/registry.js";
import type { Snippet } from "../contract/snippet.js";
import type { Stats, StatsQuery } from "../contract/statistics.js";
import type { Tables } from "../contract/tables.js";
import type { ShownRun } from "../run/kept/run-table.js";
import type { WaitingCall } from "../run/kept/waiting-calls.js";
import type { ResultStore } from "../run/results.js";
import type { RunReport } from "../run/run-answer.js";

/** State of a server: `idle` means not needed so far. */
export type ServerState = "connected" | "idle" | "disconnected";

/** A call of an op from code. */
export interface HostedCall {
  /** Its path, or an alias. */
  readonly op: string;
  /** By parameter name or an unambiguous beginning of it. */
  readonly args: JsonObject;
}

/** Result of a call: its value, or the exception that code would see. */
export type Hosted = { readonly value: JsonValue } | { readonly error: string };

/** Figures with their report, both of the same moment. */
export interface StatsReport {
  readonly stats: Stats;
  /** HTML. */
  readonly page: string;
  /** What identifies a file as a report, within its first bytes. */
  readonly mark: { readonly text: string; readonly within: number };
}

/** Recorded statistics. */
export interface Statistics {
  /** Figures including every call that was answered before. */
  read(query: StatsQuery): Promise<Stats>;
  /** The figures, with a page that shows them. */
  report(query: StatsQuery): Promise<StatsReport>;
  /** Counts bytes of a stored result that were read later. */
  handedOut(bytes: number): void;
}

/** The running gateway, as shipped packs see it. */
export interface Host {
  /** `projects`: name to absolute path. */
  readonly projects: ReadonlyMap<string, string>;
  readonly project: Project;
  /** The endpoint of the pack `llm`. */
  readonly llm: LlmSettings;
  readonly now: () => Date;
  /** The words by which the caller itself has looked for ops; absent if no words are learned. */
  ownWords?(principal: Principal): OwnWords;
  /** The ops that the caller may see. */
  view(principal: Principal): RegistryView;
  /** Snippets that the caller may see, by name. */
  snippets(principal: Principal): Promise<ReadonlyMap<string, Snippet>>;
  /** Version of Python, such as `3.14`. */
  python(): Promise<string>;
  /** Enabled servers by name. */
  servers(): ReadonlyMap<string, ServerState>;
  /** Absent if statistics are disabled. */
  readonly statistics?: Statistics;
  /** Makes calls for the caller, at most `limits.parallel_calls` at once; the answers are in the order of the calls. */
  callAll(calls: readonly HostedCall[], ctx: HostContext): Promise<readonly Hosted[]>;
  /** Does work on the tables of a pack in a transaction of its own, for ops that do more than that. */
  transaction<T>(
    { principal, tables }: { readonly principal: Principal; readonly tables: Tables },
    mode: "read" | "write",
    work: (tx: Transaction) => Promise<T>,
  ): Promise<T>;
  /** Results that were too large for their reply. */
  readonly results: Pick<ResultStore, "read" | "keep">;
  /** The ids of a caller: its own, and those of the keys that its key has replaced. */
  idsOf(principal: Principal): Promise<readonly string[]>;
  /** Programs that have written something. */
  readonly runs: {
    /** The runs of a caller, the latest first, and its calls that wait for a person. */
    list(
      principal: Principal,
    ): Promise<{ readonly runs: readonly ShownRun[]; readonly waiting: readonly WaitingCall[] }>;
    /** Goes on with a run of the caller, which goes on when the call has ended, too. */
    resume(id: string, ctx: HostContext, waitMs: number): Promise<RunReport>;
    /** What has become of a run of the caller, and what waits in it; undefined if there is none. */
    standing(id: string, principal: Principal): Promise<JsonObject | undefined>;
  };
  /** API keys: create, list and revoke, but not verify. */
  readonly keys: Pick<Keys, "still" | "create" | "revoke" | "list">;
  /** Reloads configuration and registry: `OK: …`, or `Error: …` without any change. */
  reload(): Promise<string>;
  /** Definition files changed since the last `generate`, relative to the root. */
  stale(): readonly string[];
}

/** The context of a shipped pack's function. */
export interface HostContext extends HandlerContext {
  readonly host: Host;
  /** Records the calls of the code that made this call, if any. */
  readonly record?: CallRecord;
  /** Bytes of a page of a stored result; default: those that a run may print. */
  readonly pageBytes?: number | undefined;
  /** Says that the value that is returned is the text of an error: programs get the text, other callers a failure. */
  readonly failedAs?: (code: ErrorCode, details?: JsonObject) => void;
}

/** Bindings of a shipped pack's functions by name; a pack exports them as `bindings`. */
export type ShippedBindings = Readonly<
  Record<
    string,
    Omit<Binding<never, never>, "plan"> & {
      readonly plan?: (args: never, ctx: HostContext) => Promise<unknown>;
    }
  >
>;

/** Imports the module of a shipped pack, which exports its functions; `undefined` for an unknown pack. */
export type ShippedModules = (pack: string) => Promise<object> | undefined;
