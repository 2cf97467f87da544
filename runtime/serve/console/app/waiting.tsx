/** A call that waits for a person, and what the person says. */

import { useState } from "preact/hooks";
import { readJson } from "../../../contract/read-json.js";
import type { JsonValue } from "../../../contract/registry.js";
import type { ConsoleDecision, SeenWaiting } from "../../../gateway/console-approvals.js";
import { api } from "./api.js";
import { JsonFrame } from "./code.js";
import { Breakable } from "./names.js";
import { Divergence, PlanWrites } from "./plan.js";
import { At, FailureNotice } from "./text.js";
import { useWork } from "./work.js";

interface WaitingProps {
  readonly waiting: SeenWaiting;
  /** The line of the call in its program, if it is known. */
  readonly line: number | undefined;
  /** Whether nothing else of the run waits: then the program is stopped here. */
  readonly isAlone: boolean;
  /** Called with what was done. */
  readonly onDone: (said: string) => void;
}

/** The name of a rule of the configuration, or of a key. */
const RULE = /^(?:approve\[|key$)/;

/** A call that waits, with the decision. */
export function WaitingEntry({ waiting, line, isAlone, onDone }: WaitingProps) {
  const { run, call, op, kind, args, rule, title, asked_at: asked, expires_at: until, barred } = waiting;
  const name = `${call} of ${run}`;
  return (
    <>
      <h2>
        <Breakable text={kind === "plan" ? "Plan of a program" : op} />{" "}
        <span class={`kind ${LOOKS[kind][0]}`}>{LOOKS[kind][1]}</span>
      </h2>
      <p class="quiet">
        {kind === "plan" ? "Of" : "Call"} <Breakable text={kind === "plan" ? run : name} />
        {line === undefined ? "" : `, line ${line}`}. Waits since <At time={asked} />, until <At time={until} />
        {RULE.test(rule) ? `, by the rule ${rule}` : ""}.
      </p>
      {title !== undefined && (
        <p>
          About “<Breakable text={title} />
          ”.
        </p>
      )}
      {kind === "outcome" && (
        <p>The server ended while this write was under way. Find out at the service whether it happened.</p>
      )}
      {kind === "plan" ? (
        <WaitingPlan waiting={waiting} />
      ) : (
        <JsonFrame value={args} label={`arguments of ${name}`} wraps />
      )}
      {kind === "diverged" && <Divergence waiting={waiting} planned={waiting.planned ?? []} />}
      {barred !== undefined && (
        <p>
          You cannot decide here: <Breakable text={barred} />
        </p>
      )}
      <Decide waiting={waiting} isAlone={isAlone} onDone={onDone} />
    </>
  );
}

const LOOKS: Readonly<Record<SeenWaiting["kind"], readonly [look: string, text: string]>> = {
  approval: ["write", "waits for approval"],
  plan: ["write", "waits for approval"],
  outcome: ["danger", "outcome unknown"],
  diverged: ["danger", "differs from the plan"],
};

const WaitingPlan = ({ waiting: { plan, run } }: { readonly waiting: SeenWaiting }) =>
  plan ? (
    <PlanWrites plan={plan} run={run} />
  ) : (
    <p>
      It is too large to show beside the others: <code>toolwright runs show {run}</code> prints it.
    </p>
  );

type Decision = ConsoleDecision["decision"];

const APPROVAL = [
  ["approved", "Approve"],
  ["rejected", "Reject"],
] as const;

const CHOICES: Readonly<Record<SeenWaiting["kind"], readonly (readonly [decision: Decision, label: string])[]>> = {
  approval: APPROVAL,
  plan: APPROVAL,
  diverged: APPROVAL,
  outcome: [
    ["happened", "It happened"],
    ["retry", "Send it again"],
    ["stop", "Stop the program"],
  ],
};

/** What is said of a decision. */
const SAID: Readonly<Record<Decision, string>> = {
  approved: "Approved",
  rejected: "Rejected",
  happened: "It happened",
  retry: "It is sent again",
  stop: "Stopped",
};

interface ReasonProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly onInput: (text: string) => void;
}

/** The field for the reason of a decision. */
export const Reason = ({ id, label, value, onInput }: ReasonProps) => (
  <p class="field">
    <label for={`reason-${id}`}>{label}</label>
    <input id={`reason-${id}`} value={value} maxLength={1000} onInput={(event) => onInput(event.currentTarget.value)} />
  </p>
);

interface StopProps extends Pick<WaitingProps, "onDone"> {
  readonly run: string;
  readonly reason: string;
}

/** Stops a program. */
export function Stop({ run, reason, onDone }: StopProps) {
  const work = useWork();
  const stop = (): void =>
    work.start(async () => {
      await api.stopRun({ run, reason });
      onDone(`Stopped: ${run}.`);
    });
  return (
    <>
      <button type="button" aria-label={`Stop the program: ${run}`} disabled={work.stop !== undefined} onClick={stop}>
        Stop the program
      </button>
      {work.fault !== "" && <FailureNotice text={work.fault} />}
    </>
  );
}

/** What to say about a call, as far as the reader may decide, and the end of its program, which its caller may always say. */
function Decide({ waiting, isAlone, onDone }: Omit<WaitingProps, "line">) {
  const { run, call, op, kind, barred } = waiting;
  const mayDecide = barred === undefined;
  const work = useWork();
  const [reason, setReason] = useState("");
  const [result, setResult] = useState("");
  const decide = (decision: Decision): void =>
    work.start(async () => {
      await api.decide({ run, call, decision, reason, result: decision === "happened" ? resultOf(result) : null });
      onDone(`${SAID[decision]}: ${kind === "plan" ? "the plan" : `${op}, call ${call}`} of ${run}.`);
    });
  const id = `${run}-${call}`;
  return (
    <>
      {(mayDecide || isAlone) && <Reason id={id} label="Reason (optional)" value={reason} onInput={setReason} />}
      {kind === "outcome" && mayDecide && (
        <p class="field">
          <label for={`result-${id}`}>What it answered, as JSON (optional, if it happened)</label>
          <input
            id={`result-${id}`}
            value={result}
            spellcheck={false}
            onInput={(event) => setResult(event.currentTarget.value)}
          />
        </p>
      )}
      <div class="does">
        {(mayDecide ? CHOICES[kind] : []).map(([decision, label], at) => (
          <button
            key={decision}
            type="button"
            class={at === 0 ? "main" : ""}
            aria-label={`${label}: ${call} of ${run}`}
            disabled={work.stop !== undefined}
            onClick={() => decide(decision)}
          >
            {label}
          </button>
        ))}
        {isAlone && (kind !== "outcome" || !mayDecide) && <Stop run={run} reason={reason} onDone={onDone} />}
      </div>
      {work.fault !== "" && <FailureNotice text={work.fault} />}
    </>
  );
}

/** @throws Error for a text that is no JSON */
function resultOf(text: string): JsonValue {
  if (text.trim() === "") return null;
  try {
    return readJson(text) as JsonValue;
  } catch {
    throw new Error("What it answered is no JSON.");
  }
}
