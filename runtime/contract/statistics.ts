/** What statistics of calls are: the answer of `ot.stats`, and what it is asked. A feature records them. */

import type { Transaction } from "./handler.js";

/** Periods and their length in milliseconds; `all` is unlimited. */
export const PERIODS = {
  day: 86_400_000,
  week: 7 * 86_400_000,
  month: 30 * 86_400_000,
  all: Number.POSITIVE_INFINITY,
} as const;

/** Name of a period. */
export type Period = keyof typeof PERIODS;

/** Selection of the statistics. */
export interface StatsQuery {
  readonly period: Period;
  /** Only this op; empty: all ops. */
  readonly op: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Only this caller; absent: all callers. */
  readonly caller?: string;
}

/** Figures of one op. */
export interface OpStats {
  readonly tool: string;
  readonly total_calls: number;
  readonly success_count: number;
  readonly error_count: number;
  /** Per cent, one decimal. */
  readonly success_rate: number;
  readonly chars_in: number;
  readonly chars_out: number;
  readonly total_duration_ms: number;
  readonly avg_duration_ms: number;
  /** Results that differed from the learned type of the op; absent if none did, and for callers who see only their own calls. */
  readonly drifted?: number;
}

/** The answer of `ot.stats()`. */
export interface Stats {
  readonly period: Period;
  readonly start_time: string | null;
  readonly end_time: string | null;
  readonly total_calls: number;
  readonly success_count: number;
  readonly error_count: number;
  readonly success_rate: number;
  readonly runs: RunStats | null;
  readonly tools: readonly OpStats[];
  /** Tokens that the client did not have to read: the sum of the next two; null if these are null. */
  readonly context_saved: number | null;
  readonly definitions: number | null;
  readonly stored: number | null;
  readonly time_saved_ms: number | null;
  readonly method: string;
}

/** Figures of runs. */
export interface RunStats {
  readonly total: number;
  readonly failed: number;
  readonly duration_ms: number;
  readonly chars_in: number;
  readonly chars_out: number;
  /** By language, most programs first; absent for callers who see only their own calls. */
  readonly languages?: readonly LanguageRuns[];
}

/** Figures of the programs of one language. */
export interface LanguageRuns {
  /** As people call it: `TypeScript`. */
  readonly language: string;
  readonly total: number;
  readonly failed: number;
  /** Of the failed ones: those that were refused before they ran. */
  readonly refused: number;
}

/** Whether a period has this name. */
export const isPeriod = (name: string): name is Period => Object.hasOwn(PERIODS, name);

/** Figures of ops that features count: the first word of the counters, by the name of the figure. */
export type OpFigures = Readonly<Partial<Record<"drifted", string>>>;

/** Recorded calls of one op. */
export interface OpUsage {
  readonly calls: number;
  /** Different callers: API keys, and this machine as one. */
  readonly callers: number;
}

/** Recorded calls by op since a time, in milliseconds since the epoch. */
export type ReadUsage = (tx: Transaction, since: number) => Promise<ReadonlyMap<string, OpUsage>>;
