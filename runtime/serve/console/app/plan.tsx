/** A plan: the writes that a program would make, and what differs from it. */

import { useState } from "preact/hooks";
import { writeJson } from "../../../contract/exact-number.js";
import { counted } from "../../../contract/message-text.js";
import type { SeenWaiting } from "../../../gateway/console-approvals.js";
import type { Exactness, Plan, PlanEntry, PlannedOutcome } from "../../../run/preview/plan.js";
import { guessLines } from "../../../run/preview/plan-text.js";
import { JsonFrame } from "./code.js";
import { Diff } from "./diff.js";
import { lineDiff } from "./line-diff.js";
import { Breakable } from "./names.js";

/** Writes that are drawn at first. */
const MAX_SHOWN = 50;

/** The writes of a plan, in order. */
export function PlanWrites({ plan, run }: { readonly plan: Plan; readonly run: string }) {
  const { entries, reads, exactness, partial_from: partial, error, digest } = plan;
  const [isWhole, showAll] = useState(false);
  const shown = isWhole ? entries : entries.slice(0, MAX_SHOWN);
  return (
    <>
      <p>
        {counted(entries.length, "write")} and {counted(reads, "read")}, {exactness}: {MEANINGS[exactness]}.{" "}
        <span class="quiet">Digest {digest.slice(0, 12)}</span>
      </p>
      <ol class="plan" aria-label={`Plan of ${run}`}>
        {shown.map((entry, at) => (
          <li key={entry.place}>
            {partial === at + 1 && <Partial />}
            <Entry entry={entry} run={run} />
          </li>
        ))}
      </ol>
      {shown.length < entries.length && (
        <button type="button" onClick={() => showAll(true)}>
          Show all {entries.length} writes
        </button>
      )}
      {partial !== undefined && partial > entries.length && <Partial />}
      {error !== undefined && <p>The program then fails: {error}</p>}
    </>
  );
}

/** How far a plan can be relied on. */
const MEANINGS: Readonly<Record<Exactness, string>> = {
  exact: "with the data as they are now, the program writes just this",
  assumed: "some of it rests on answers of ops that are not called in a preview",
  partial: "further writes may follow, or other ones",
};

const Partial = () => (
  <p class="partial">
    Partial from here: the program looks at an answer that is assumed. With the real one, it may write otherwise.
  </p>
);

function Entry({ entry, run }: { readonly entry: PlanEntry; readonly run: string }) {
  const { place, op, args, outcome, is_assumed: isAssumed, rule } = entry;
  return (
    <>
      <strong>
        <Breakable text={op} />
      </strong>{" "}
      {isAssumed && <span class="kind read">assumed</span>}{" "}
      <span class="quiet">
        call {place}
        {rule === undefined ? "" : `, waits for approval by the rule ${rule}`}
      </span>
      <JsonFrame value={args} wraps label={`arguments of the planned call ${place} of ${run}`} />
      {guessLines(entry).map((line) => (
        <p class="quiet" key={line}>
          {line}
        </p>
      ))}
      <Outcome outcome={outcome} />
    </>
  );
}

function Outcome({ outcome }: { readonly outcome: PlannedOutcome }) {
  if (outcome.kind === "fails") return <p>Fails: {outcome.error}</p>;
  const { kind, result } = outcome;
  const said = result === undefined ? "" : writeJson(result);
  const text = kind === "done" ? `Gives ${said}` : `Is not sent in a preview. ${said === "" ? "" : `Planner: ${said}`}`;
  return kind === "done" && said === "" ? null : (
    <p class="quiet">
      <Breakable text={text} />
    </p>
  );
}

/** What was planned in place of a call, and the call. */
export function Divergence({
  waiting,
  planned,
}: {
  readonly waiting: SeenWaiting;
  readonly planned: readonly PlanEntry[];
}) {
  const { run, call, op, args } = waiting;
  const [first, ...others] = planned;
  const before = first ? textOf(first) : ["the plan has no further write"];
  return (
    <>
      <p>The plan was approved, and this write is not one of it.</p>
      <Diff lines={lineDiff(before, textOf({ op, args }))} label={`Planned and now: ${call} of ${run}`} />
      {others.length > 0 && <p class="quiet">Or one of {others.length} others that were planned at the same time:</p>}
      {others.map((entry) => (
        <Entry key={entry.place} entry={entry} run={run} />
      ))}
    </>
  );
}

const textOf = ({ op, args }: Pick<PlanEntry, "op" | "args">): readonly string[] =>
  `${op} ${writeJson(args, 2)}`.split("\n");
