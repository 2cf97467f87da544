/** The calls that wait for a person, as the console shows them, and what is decided there. */

import { callerIds, withFormerIds } from "../access/former-keys.js";
import { familiesOf } from "../access/key-family.js";
import type { Keys } from "../access/keys.js";
import { isLocalOwner, mayAdminister } from "../access/principal.js";
import type { ApprovalRule } from "../config/approval-settings.js";
import { fail, type Principal } from "../contract/handler.js";
import type { JsonValue, Tool } from "../contract/registry.js";
import type { ResolutionKind } from "../run/kept/resolution.js";
import type { ShownProgram } from "../run/kept/stored-program.js";
import type { WaitingCall } from "../run/kept/waiting-calls.js";
import type { State } from "../state/open.js";

/** A call that waits. */
export interface SeenWaiting extends WaitingCall {
  /** Why the reader cannot decide about it here; absent if they can. */
  readonly barred?: string;
}

/** What a person decides about a call: an approval is given or refused, an unknown outcome resolved. */
export interface ConsoleDecision {
  readonly run: string;
  /** The place of the call in the run. */
  readonly call: string;
  readonly decision: "approved" | "rejected" | ResolutionKind;
  readonly reason: string;
  /** What a call has answered that happened. */
  readonly result: JsonValue;
}

/** What a person decides about several calls of a run. */
export interface ConsoleDecisions {
  readonly run: string;
  /** Ids of the questions. */
  readonly questions: readonly string[];
  readonly decision: "approved" | "rejected";
  readonly reason: string;
}

/** Approvals in the console. */
export interface ConsoleApprovals {
  /** The calls that wait, the oldest first: all of them for those who administer, otherwise the caller's own. */
  waiting(principal: Principal): Promise<readonly SeenWaiting[]>;
  /** Their programs, by the ids of their runs. */
  programs(waiting: readonly SeenWaiting[]): Promise<Readonly<Record<string, ShownProgram>>>;
  /**
   * Approves or rejects several calls of a run: those that the person has seen, and no others.
   *
   * @throws ToolFailure PERMISSION_DENIED for who may not decide about one of them, NOT_FOUND if one does not wait any more;
   *   nothing is decided then
   */
  decideAll(decision: ConsoleDecisions, principal: Principal): Promise<void>;
  /**
   * Decides about a call.
   *
   * @throws ToolFailure PERMISSION_DENIED for who may not decide, NOT_FOUND if the call does not wait any more
   */
  decide(decision: ConsoleDecision, principal: Principal): Promise<void>;
  /**
   * Stops a run: any for those who administer, otherwise one of the caller's own.
   *
   * @throws ToolFailure NOT_FOUND if there is no such run, CONFLICT if it has ended
   */
  stop(asked: { readonly run: string; readonly reason: string }, principal: Principal): Promise<void>;
}

interface Parts {
  readonly state: () => Promise<State>;
  readonly clock: () => number;
  /** The keys of the project. */
  readonly keys: Pick<Keys, "list">;
  /** The rules in force; default: none is known. */
  readonly rules?: readonly ApprovalRule[];
  /** Whether admins decide about what their own key has asked for; default: no. */
  readonly mayOwn?: boolean | undefined;
  /** The op of a call; default: none is known, and no result is checked. */
  readonly toolOf?: (op: string, principal: Principal) => Pick<Tool, "op" | "result_schema"> | undefined;
}

/** Approvals on the state database of a project. */
export function consoleApprovals(parts: Parts): ConsoleApprovals {
  const { state, clock, toolOf, keys } = parts;
  const { waiting, one, ofRun } = readingOf(parts);
  return {
    waiting,
    async programs(shown) {
      if (shown.length === 0) return {};
      const { shownPrograms } = await import("../run/kept/stored-program.js");
      return shownPrograms(
        await state(),
        shown.map(({ run }) => run),
      );
    },
    decideAll: async (decision, principal) =>
      decideSeen(parts, await ofRun(decision.run, principal), decision, principal),
    async stop({ run, reason }, principal) {
      const { stopRun } = await import("../run/kept/stop.js");
      const own = mayAdminister(principal) ? undefined : await withFormerIds(keys, principal);
      const stopped = await stopRun(await state(), run, { by: principal.id, reason }, clock(), own);
      if (stopped === "not found") fail("NOT_FOUND", `There is no run ${run}.`);
      if (stopped === "ended") fail("CONFLICT", `The run ${run} has ended.`);
    },
    async decide({ run, call: place, decision, reason, result }, principal) {
      const call = await one(run, place, principal);
      if (call?.barred !== undefined) fail("PERMISSION_DENIED", call.barred);
      const isOutcome = decision !== "approved" && decision !== "rejected";
      if (!call || isOutcome !== (call.kind === "outcome")) return gone(run, place);
      const [opened, { decideCalls, resolveCall }] = await Promise.all([state(), import("../run/kept/ready-runs.js")]);
      if (!isOutcome) {
        const said = { status: decision, by: principal.id, via: "console", reason } as const;
        const { done } = await decideCalls(opened, run, [place], said, clock());
        return done.length > 0 ? undefined : gone(run, place);
      }
      const by = { by: principal.id, reason };
      const [{ resolutionOf, resultFault }, { runSeal }] = await Promise.all([
        import("../run/kept/resolution.js"),
        import("../run/kept/log-text.js"),
      ]);
      const isGiven = decision === "happened" && result !== null;
      const fault = isGiven ? await resultFault(toolOf?.(call.op, principal), result) : undefined;
      if (fault !== undefined) fail("VALIDATION_ERROR", `What it answered is wrong: ${fault}.`);
      const resolution = resolutionOf(decision, place, result, by, await runSeal(opened));
      if ((await resolveCall(opened, { id: run, place }, resolution, by, clock())) !== "done") gone(run, place);
    },
  };
}

/** Approves or rejects calls that wait, if all of them still do. */
async function decideSeen(
  { state, clock }: Parts,
  waiting: readonly SeenWaiting[],
  { run, questions, decision, reason }: ConsoleDecisions,
  { id: by }: Principal,
): Promise<void> {
  const found = waiting.filter(({ id, kind }) => kind !== "outcome" && questions.includes(id));
  const barred = found.find((one) => one.barred !== undefined)?.barred;
  if (barred !== undefined) fail("PERMISSION_DENIED", barred);
  if (found.length === 0 || found.length < new Set(questions).size) return changed(run);
  const [opened, { decideCalls }] = await Promise.all([state(), import("../run/kept/ready-runs.js")]);
  const places = found.map(({ call }) => call);
  const said = { status: decision, by, via: "console", reason } as const;
  const { done } = await decideCalls(opened, run, places, said, clock());
  if (done.length < places.length) changed(run);
}

/** What rules say, as YAML. */
async function ruleTexts(rules: readonly ApprovalRule[]): Promise<(hash: string) => string | undefined> {
  const entries = new Map(rules.flatMap(({ hash, entry }) => (entry ? [[hash, entry] as const] : [])));
  if (entries.size === 0) return () => undefined;
  const { default: yaml } = await import("yaml");
  return (hash) => {
    const entry = entries.get(hash);
    return entry && yaml.stringify(entry).trimEnd();
  };
}

function readingOf({ state, clock, keys, rules = [], mayOwn = false }: Parts) {
  const read = async (principal: Principal, of: { readonly run?: string }): Promise<readonly SeenWaiting[]> => {
    const { waitingCalls } = await import("../run/kept/waiting-calls.js");
    const ruleText = await ruleTexts(rules);
    const own = mayAdminister(principal) ? {} : { callers: callerIds(await withFormerIds(keys, principal)) };
    const calls = await waitingCalls(await state(), clock(), { ...of, ...own, ruleText });
    // The console asks every few seconds, and mostly nothing waits.
    if (calls.length === 0) return [];
    const isOwn = mayOwn || isLocalOwner(principal) ? () => false : await ownCallers(keys, principal);
    return calls.map((call) => {
      const barred = barredFrom(call, principal, isOwn);
      return barred === undefined ? call : { ...call, barred };
    });
  };
  return {
    waiting: (principal: Principal) => read(principal, {}),
    ofRun: (run: string, principal: Principal) => read(principal, { run }),
    one: async (run: string, place: string, principal: Principal) =>
      (await read(principal, { run })).find(({ call }) => call === place),
  };
}

/** Whose calls are a caller's own: those of its family. A caller with an admin key makes keys, which must not approve for it. */
async function ownCallers(keys: Pick<Keys, "list">, { id }: Principal): Promise<(caller: string) => boolean> {
  const familyOf = familiesOf(await keys.list({ all: true }));
  return (caller) => familyOf(caller) === familyOf(id);
}

/** Why somebody may not decide about a call: by default, nobody approves what their own key has asked for. */
function barredFrom(
  { by, caller, rule }: WaitingCall,
  principal: Principal,
  isOwn: (caller: string) => boolean,
): string | undefined {
  if (!mayAdminister(principal)) return "The owner of the machine and admins decide.";
  if (!by.includes("console")) return `The rule ${rule} lets people decide by ${by.join(" or ")} only.`;
  if (isOwn(caller)) return "A key of your own family has asked: somebody else decides.";
  return undefined;
}

const changed = (run: string): never =>
  fail("NOT_FOUND", `Some of these calls of ${run} do not wait any more: look at those that are left.`);

const gone = (run: string, place: string): never =>
  fail("NOT_FOUND", `The call ${place} of ${run} does not wait any more.`);
