/** Servers that share a state database of either kind, for tests of runs that pause. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe } from "vitest";
import type { Keys } from "../../../../runtime/access/keys.js";
import { approvalRulesOf } from "../../../../runtime/config/approval-settings.js";
import { runSettingsOf } from "../../../../runtime/config/run-settings.js";
import type { Context } from "../../../../runtime/contract/handler.js";
import type { JsonObject } from "../../../../runtime/contract/registry.js";
import type { ApproveEntry } from "../../../../runtime/contract/settings/entries.js";
import type { LoadedFeatures } from "../../../../runtime/gateway/features.js";
import type { Gateway } from "../../../../runtime/gateway/gateway.js";
import { type Decision, decide } from "../../../../runtime/run/kept/approval-table.js";
import { decideCalls } from "../../../../runtime/run/kept/ready-runs.js";
import { listRuns } from "../../../../runtime/run/kept/run-table.js";
import { openState, type State } from "../../../../runtime/state/open.js";
import { queries } from "../../../../runtime/state/schema.js";
import { eachGroup } from "../../../support/each-case.js";
import { lendSnapshots } from "../../../support/run/python-snapshots.js";
import { NO_DATABASE, startSharedDatabase } from "../../../support/shared-database.js";
import { type FixtureOptions, fixture, handler, principal } from "../../gateway/fixture.js";

export const SLOW = 300_000;
export const MINUTE = 60_000;
/** A busy machine takes long to start an interpreter. */
const PATIENT = runSettingsOf({ limits: { wall_ms: SLOW } });

/** Deletions wait for a person. */
export const RULES: readonly ApproveEntry[] = [{ ops: ["onto.*.delete"] }];
export const DELETE = 'onto.task.delete(task_id="task_1")["deleted"]';

/** What a server of a test differs in. */
export interface ServerOptions extends Pick<FixtureOptions, "more" | "handlers" | "project"> {
  /** Beside those of all servers. */
  readonly options?: FixtureOptions["options"];
  readonly approve?: readonly ApproveEntry[];
  readonly settings?: FixtureOptions["settings"];
  /** What the service does with a deletion. */
  readonly onDelete?: (task: unknown, ctx: Context) => Promise<unknown>;
  /** Whether a repeated deletion has no second effect. */
  readonly isRepeatable?: boolean;
  /** The key store. */
  readonly keys?: Keys;
  /** Default: none. */
  readonly features?: LoadedFeatures;
}

/** The database of a describe block, and its servers. */
export class Databases {
  state!: State;
  root = "";
  url = "";
  /** The time that all servers share. */
  readonly now = { at: Date.now() };
  /** The tasks that the service was asked to delete. */
  sent: unknown[] = [];
  readonly #gateways: Gateway[] = [];
  readonly #cleaning: (() => unknown)[] = [];

  async open(isShared: boolean): Promise<void> {
    this.root = await mkdtemp(join(tmpdir(), "paused-"));
    this.url = isShared ? (await startSharedDatabase((clean) => void this.#cleaning.push(clean))).href : "";
    // A busy machine takes long for a preview.
    this.state = await openState({ url: this.url, root: this.root, trialMs: MINUTE });
    lendSnapshots(join(this.root, ".onetool", "cache"));
  }

  async close(): Promise<void> {
    await this.#closeServers();
    await this.state.close();
    for (const clean of this.#cleaning.reverse()) await clean();
    await rm(this.root, { recursive: true });
  }

  async #closeServers(): Promise<void> {
    await Promise.all(this.#gateways.splice(0).map((gateway) => gateway.close()));
  }

  /** Ends the servers of the test before, and empties the tables. */
  async clear(): Promise<void> {
    await this.#closeServers();
    this.sent = [];
    await this.state.transaction("write", async (tx) => {
      const runs = ["runs", "run_calls", "run_deliveries", "run_inner", "run_plans", "approvals", "outcomes"] as const;
      for (const table of ["ledger", "jobs", ...runs] as const) await queries(tx).deleteFrom(table).execute();
    });
  }

  /** A server; `kill` ends it as a process does that is killed: it stores nothing any more. */
  server(given: ServerOptions = {}) {
    const {
      approve = RULES,
      onDelete,
      isRepeatable = false,
      handlers = {},
      settings,
      more = [],
      project,
      keys,
      features,
      options,
    } = given;
    let isDead = false;
    const mortal: State = {
      ...this.state,
      close: async () => undefined,
      transaction: (...all) => (isDead ? Promise.reject(new Error("killed")) : this.state.transaction(...all)),
    };
    const run = async ({ task_id }: JsonObject, ctx: Context) => {
      this.sent.push(task_id);
      return (await onDelete?.(task_id, ctx)) ?? { deleted: task_id };
    };
    const found = fixture({
      more,
      project: { root: this.root, ...project },
      handlers: {
        "onto.task.delete": isRepeatable ? ({ run, repeatable: true } as never) : handler(run),
        "onto.task.list": handler(async () => ({ items: [] })),
        ...handlers,
      },
      options: {
        ...{ openState: async () => mortal, clock: () => this.now.at },
        ...(keys ? { keys } : {}),
        ...(features ? { features } : {}),
        ...options,
      },
      settings: { callTimeoutMs: SLOW, run: PATIENT, approvals: approvalRulesOf(approve, String), ...settings },
    });
    this.#gateways.push(found.gateway);
    const kill = async (): Promise<void> => {
      isDead = true;
      await found.gateway.close();
    };
    return { ...found, kill };
  }

  /** Runs a program that pauses; returns the id of its run, and the answer. */
  async paused(command: string, given: ServerOptions = {}, who = principal()) {
    const { text } = await this.server(given).gateway.run({ command }, who);
    return { id: /^Paused (run_\w+)/.exec(text)?.[1] ?? text, text };
  }

  /** Decides; a job resumes the run then. */
  decided(id: string, places: readonly string[] = [], change: Partial<Decision> = {}) {
    return decideCalls(this.state, id, places, { ...ANNA, ...change }, this.now.at);
  }

  /** Decides without a job. */
  decidedOnly(id: string, places: readonly string[] = [], change: Partial<Decision> = {}) {
    return this.state.transaction("write", (tx) => decide(tx, id, places, { ...ANNA, ...change }, this.now.at));
  }

  readonly resumed = (id: string, given: ServerOptions = {}) => this.server(given).gateway.resume(id, undefined);

  readonly runs = () => this.state.transaction("read", (tx) => listRuns(tx, this.now.at));
  readonly statusOf = async (id: string) => (await this.runs()).find((run) => run.id === id)?.status;
}

const ANNA: Decision = { status: "approved", by: "anna", via: "cli", reason: "too old" };

/** Tests on SQLite, and in the full run on PostgreSQL. */
export const onBoth = (tests: (at: Databases) => void): void =>
  eachGroup(
    [
      ["SQLite", false],
      ["PostgreSQL", true],
    ],
    "SQLite",
  )("on %s", {}, (_, isShared) => {
    describe.skipIf(isShared && NO_DATABASE !== "")(`shared${isShared ? NO_DATABASE : ""}`, () => {
      const at = new Databases();
      beforeAll(() => at.open(isShared), SLOW);
      afterAll(() => at.close());
      beforeEach(() => at.clear());
      tests(at);
    });
  });
