/** Rows of the tables of programs that have written something, and of what they wait for. */

/** A run of a program that has written something. Times are ISO 8601 in UTC. */
export interface RunRow {
  readonly id: string;
  readonly caller: string;
  /** JSON: the principal that the program runs for. */
  readonly principal: string;
  /** Sealed. */
  readonly command: string;
  readonly code_hash: string;
  readonly engine: string;
  /** JSON: the seed and the start. */
  readonly origin: string;
  /** JSON: the ops that it has called, with digests of what they are; and sealed titles of what waits. */
  readonly record: string;
  readonly status: "running" | "done" | "failed" | "stopped";
  /** Counts the servers that have taken it over. */
  readonly epoch: number;
  /** Until when a server works on it. */
  readonly lease_until: string;
  /** Sealed. */
  readonly answer: string | null;
  readonly created_at: string;
  readonly expires_at: string;
  /** Why it goes on only if somebody asks for it; null: a job goes on with it when it can. */
  readonly halted: string | null;
  /** The run that has gone on after it, if it failed: at most one does. */
  readonly next_run: string | null;
}

/** A call of a run; its answer is sealed, and null while the call is under way. */
export interface RunCallRow {
  readonly run_id: string;
  readonly ordinal: number;
  readonly asked: string;
  readonly op: string;
  readonly answer: string | null;
  readonly expires_at: string;
}

/** The approval of a call of a run, which is bound to its arguments. */
export interface ApprovalRow {
  readonly run_id: string;
  /** Ordinals of the call and of the calls that make it: `3`, or `3.1` of a batch. */
  readonly place: string;
  readonly op: string;
  /** Sealed. */
  readonly args: string;
  readonly args_hash: string;
  /** `withdrawn`: its run was stopped. */
  readonly status: "waiting" | "approved" | "rejected" | "withdrawn";
  readonly asked_at: string;
  readonly decided_by: string | null;
  readonly decided_at: string | null;
  readonly reason: string | null;
  /** Until when it may be decided. */
  readonly expires_at: string;
  /** When the row is deleted. */
  readonly kept_until: string;
  /** The rule that asks for it, and the digest of what the rule says. */
  readonly rule: string;
  readonly rule_hash: string;
  /** Where a person may decide: words with spaces between them. */
  readonly deciders: string;
  /** Sealed JSON: the entries of the plan from which the call differs; null for a call that differs from no plan. */
  readonly planned: string | null;
}

/** A part of what the program of a tool has received, whose call is at a place of a run. */
export interface RunInnerRow {
  readonly run_id: string;
  readonly place: string;
  /** Counted from 0. */
  readonly seq: number;
  /** Sealed JSON. */
  readonly body: string;
  readonly expires_at: string;
}

/** The plan of a run. */
export interface RunPlanRow {
  readonly run_id: string;
  /** Sealed JSON. */
  readonly body: string;
  /** Sealed JSON: the entries that were made; null before the first one. */
  readonly progress: string | null;
  readonly expires_at: string;
}

/** A write of a run with an unknown outcome. */
export interface OutcomeRow {
  readonly run_id: string;
  /** As in {@link ApprovalRow}. */
  readonly place: string;
  readonly op: string;
  /** Sealed. */
  readonly args: string;
  /** What a person has said: it happened, it is to be sent again, the run is to stop. */
  readonly status: "waiting" | "happened" | "retry" | "stop";
  readonly asked_at: string;
  readonly decided_by: string | null;
  readonly decided_at: string | null;
  readonly reason: string | null;
  readonly expires_at: string;
  /** When the row is deleted. */
  readonly kept_until: string;
}

/** Deliveries of a run, as JSON, from the place `seq` on. */
export interface RunDeliveriesRow {
  readonly run_id: string;
  readonly seq: number;
  readonly body: string;
  readonly expires_at: string;
}
