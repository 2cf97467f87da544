/** Screen of the calls that wait for a person, by their programs: what each wants to do, and the decision. */

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { SeenWaiting } from "../../../gateway/console-approvals.js";
import type { NamesById } from "../../../gateway/console-data.js";
import type { ShownProgram } from "../../../run/kept/stored-program.js";
import { api } from "./api.js";
import { CodeFrame } from "./code.js";
import { Breakable, Who } from "./names.js";
import { PlanWrites } from "./plan.js";
import { usePolled } from "./polled.js";
import { ProgramCode } from "./program.js";
import { FailureNotice, Loading } from "./text.js";
import { Reason, Stop, WaitingEntry } from "./waiting.js";
import { useWork } from "./work.js";

const EVERY_MS = 5000;

/** @param run the run that a link names, whose calls come first; empty without one */
export function Approvals({ run }: { readonly run: string }) {
  const { value, fault, again } = usePolled(api.approvals, EVERY_MS);
  const [said, setSaid] = useState("");
  const place = useRef<HTMLHeadingElement>(null);
  const onDone = useCallback(
    (what: string): void => {
      setSaid(what);
      again();
    },
    [again],
  );
  const waiting = value?.waiting ?? [];
  const runs = [...new Set(waiting.map((one) => one.run))].sort((a, b) => Number(b === run) - Number(a === run));
  useEffect(() => {
    // The pressed button may be gone with its call.
    if (said !== "" && document.activeElement === document.body) place.current?.focus({ preventScroll: true });
  }, [said, waiting.length]);
  return (
    <>
      <h1 ref={place} tabIndex={-1}>
        Approvals
      </h1>
      {fault !== "" && <FailureNotice text={fault} />}
      {!value && fault === "" && <Loading />}
      <p role="status">{said}</p>
      {value && run !== "" && !runs.includes(run) && (
        <p>
          No call of <code>{run}</code> waits for a person here.
        </p>
      )}
      {value && waiting.length === 0 && <Nothing />}
      <ul class="servers">
        {runs.map((one) => (
          <li key={one} class="approvals">
            <WaitingRun
              calls={waiting.filter((call) => call.run === one)}
              program={value?.programs[one]}
              names={value?.names}
              onDone={onDone}
            />
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

interface WaitingRunProps {
  /** What waits of one run: at least one. */
  readonly calls: readonly SeenWaiting[];
  /** Absent if the programs that wait are too large together. */
  readonly program: ShownProgram | undefined;
  readonly names: NamesById | undefined;
  readonly onDone: (said: string) => void;
}

/** A program with what waits of it. */
function WaitingRun({ calls, program, names, onDone }: WaitingRunProps) {
  const [first] = calls;
  if (!first) return null;
  const { run, caller } = first;
  const isPlan = calls.some(({ kind }) => kind === "plan");
  return (
    <>
      <p class="quiet">
        Program <Breakable text={run} /> of <Who id={caller} names={names} hasId />
      </p>
      {program ? (
        <ProgramCode program={program} calls={calls} run={run} />
      ) : (
        <p>
          The program is too large to show beside the others: <code>toolwright runs show {run}</code> prints what waits.
        </p>
      )}
      {program?.plan && !isPlan && (
        <details>
          <summary>The plan to which it is held</summary>
          <PlanWrites plan={program.plan} run={run} />
        </details>
      )}
      <Rules calls={calls} />
      {calls.map((one) => (
        <article key={one.id} class="approval" aria-label={`${one.op}, call ${one.call} of ${run}`}>
          <WaitingEntry waiting={one} line={program?.lines[one.call]} isAlone={calls.length === 1} onDone={onDone} />
        </article>
      ))}
      {calls.length > 1 && <All calls={calls} run={run} onDone={onDone} />}
    </>
  );
}

/** What is said of a rule that the configuration does not have: a key's, or an earlier one; undefined for plans. */
const saidOf = (rule: string): string | undefined => {
  if (rule === "key") return "The key of the caller asks: it was made with --approve.";
  return rule.startsWith("approve[") ? `The rule ${rule} was changed after it asked.` : undefined;
};

/** The rules that ask, in their own words. */
function Rules({ calls }: Pick<WaitingRunProps, "calls">) {
  const rules = new Map(calls.map(({ rule, rule_text: text }) => [rule, text ?? saidOf(rule)] as const));
  const isWritten = new Set(calls.flatMap(({ rule, rule_text: text }) => (text === undefined ? [] : [rule])));
  return (
    <>
      {[...rules].map(([rule, text]) =>
        text === undefined ? null : !isWritten.has(rule) ? (
          <p key={rule} class="quiet">
            {text}
          </p>
        ) : (
          <div key={rule} class="rule">
            <p>
              The rule <code>{rule}</code> asks:
            </p>
            <CodeFrame text={text} label={`rule ${rule}`} />
          </div>
        ),
      )}
    </>
  );
}

interface AllProps extends Pick<WaitingRunProps, "calls" | "onDone"> {
  readonly run: string;
}

/** Decides about everything of a run that the reader may decide about. */
function All({ calls, run, onDone }: AllProps) {
  const work = useWork();
  const [reason, setReason] = useState("");
  const open = calls.filter(({ kind, barred }) => kind !== "outcome" && barred === undefined);
  const decide = (decision: "approved" | "rejected"): void =>
    work.start(async () => {
      await api.decideAll({ run, questions: open.map(({ id }) => id), decision, reason });
      onDone(`${decision === "approved" ? "Approved" : "Rejected"}: ${open.length} calls of ${run}.`);
    });
  const isBusy = work.stop !== undefined;
  return (
    <div class="approval">
      <Reason id={`all-${run}`} label="Reason for all (optional)" value={reason} onInput={setReason} />
      <div class="does">
        {open.length > 1 && (
          <>
            <button
              type="button"
              class="main"
              aria-label={`Approve all ${open.length} calls of ${run}`}
              disabled={isBusy}
              onClick={() => decide("approved")}
            >
              Approve all {open.length}
            </button>
            <button
              type="button"
              aria-label={`Reject all ${open.length} calls of ${run}`}
              disabled={isBusy}
              onClick={() => decide("rejected")}
            >
              Reject all {open.length}
            </button>
          </>
        )}
        <Stop run={run} reason={reason} onDone={onDone} />
      </div>
      {work.fault !== "" && <FailureNotice text={work.fault} />}
    </div>
  );
}
