/** Screen of the calls that wait for a person: what a program wants to do, and the decision. */

import { useState } from "preact/hooks";
import { readJson } from "../../../contract/read-json.js";
import type { JsonValue } from "../../../contract/registry.js";
import type { ConsoleDecision, SeenWaiting } from "../../../gateway/console-approvals.js";
import { api } from "./api.js";
import { Json } from "./code.js";
import { Breakable } from "./names.js";
import { Divergence, PlanWrites } from "./plan.js";
import { usePolled } from "./polled.js";
import { At, Failure, Loading } from "./text.js";
import { useWork } from "./work.js";

const EVERY_MS = 5000;

/** @param run the run that a link names, whose calls come first; empty without one */
export function Approvals({ run }: { readonly run: string }) {
  const { value, fault, again } = usePolled(api.approvals, EVERY_MS);
  const waiting = value?.waiting ?? [];
  const shown = [...waiting].sort((a, b) => Number(b.run === run) - Number(a.run === run));
  return (
    <>
      <h1>Approvals</h1>
      {fault !== "" && <Failure text={fault} />}
      {!value && fault === "" && <Loading />}
      {value && run !== "" && !waiting.some((one) => one.run === run) && (
        <p>
          No call of <code>{run}</code> waits for a person here.
        </p>
      )}
      {value && waiting.length === 0 && <Nothing />}
      <ul class="servers">
        {shown.map((one) => (
          <li key={`${one.run} ${one.call}`} class="approval">
            <Waiting waiting={one} onChange={again} />
          </li>
        ))}
      </ul>
    </>
  );
}

const Nothing = () => (
  <p>
    Nothing waits. The rules of <code>approve</code> in <code>toolwright.yaml</code> say which writes of programs wait
    for a person.
  </p>
);

interface WaitingProps {
  readonly waiting: SeenWaiting;
  readonly onChange: () => void;
}

function Waiting({ waiting, onChange }: WaitingProps) {
  const { run, call, op, kind, caller, args, rule, title, asked_at: asked, expires_at: until, barred } = waiting;
  const name = `${call} of ${run}`;
  return (
    <>
      <h2>
        <Breakable text={kind === "plan" ? "Plan of a program" : op} />{" "}
        <span class={`kind ${LOOKS[kind][0]}`}>{LOOKS[kind][1]}</span>
      </h2>
      <p class="quiet">
        {kind === "plan" ? "For" : "Call"} <Breakable text={kind === "plan" ? run : name} /> for{" "}
        <Breakable text={caller} />. Waits since <At time={asked} />, until <At time={until} />
        {rule === "" ? "" : `, by the rule ${rule}`}.
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
      {kind === "plan" ? <WaitingPlan waiting={waiting} /> : <Json value={args} label={`arguments of ${name}`} wraps />}
      {kind === "diverged" && <Divergence waiting={waiting} planned={waiting.planned ?? []} />}
      {barred !== undefined && (
        <p>
          You cannot decide here: <Breakable text={barred} />
        </p>
      )}
      <Decide waiting={waiting} onChange={onChange} />
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

interface StopProps extends Pick<WaitingProps, "onChange"> {
  readonly run: string;
  readonly reason: string;
}

function Stop({ run, reason, onChange }: StopProps) {
  const work = useWork();
  const stop = (): void =>
    work.start(async () => {
      await api.stopRun({ run, reason });
      onChange();
    });
  return (
    <>
      <button type="button" aria-label={`Stop the program: ${run}`} disabled={work.stop !== undefined} onClick={stop}>
        Stop the program
      </button>
      {work.fault !== "" && <Failure text={work.fault} />}
    </>
  );
}

/** What to say about a call, as far as the reader may decide, and the end of its program, which its caller may always say. */
function Decide({ waiting, onChange }: WaitingProps) {
  const { run, call, kind, barred } = waiting;
  const mayDecide = barred === undefined;
  const work = useWork();
  const [reason, setReason] = useState("");
  const [result, setResult] = useState("");
  const decide = (decision: Decision): void =>
    work.start(async () => {
      await api.decide({ run, call, decision, reason, result: decision === "happened" ? resultOf(result) : null });
      onChange();
    });
  const id = `${run}-${call}`;
  return (
    <>
      <p class="field">
        <label for={`reason-${id}`}>Reason (optional)</label>
        <input
          id={`reason-${id}`}
          value={reason}
          maxLength={1000}
          onInput={(event) => setReason(event.currentTarget.value)}
        />
      </p>
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
        {(kind !== "outcome" || !mayDecide) && <Stop run={run} reason={reason} onChange={onChange} />}
      </div>
      {work.fault !== "" && <Failure text={work.fault} />}
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
