/** The pinned policies of the configuration: rules that replace those of an op's description. */

import { useEffect, useState } from "preact/hooks";
import type { PinnedRules } from "../../../contract/config-change.js";
import { messageOf } from "../../../contract/thrown.js";
import { api } from "./api.js";
import { type SectionProps, TextField } from "./config-fields.js";
import { OpName } from "./names.js";
import { FailureNotice } from "./text.js";

const LISTS = [
  ["do", "Do"],
  ["dont", "Do not"],
  ["edge_cases", "Edge cases"],
] as const;

type Texts = Readonly<Record<keyof PinnedRules, string>>;

const NOTHING: Texts = { do: "", dont: "", edge_cases: "" };
const linesOf = (text: string): readonly string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
const countOf = (rules: PinnedRules): number => rules.do.length + rules.dont.length + rules.edge_cases.length;

/** The rules that are edited: those that an op has, until they are changed. */
function useRules(given: string) {
  const [op, setOp] = useState(given);
  const [texts, setTexts] = useState(NOTHING);
  const [fault, setFault] = useState("");
  // What is typed before the rules are there would hide them.
  const [isReading, setReading] = useState(given !== "");
  const open = (wanted: string): void => {
    setOp(wanted);
    setFault("");
    setReading(true);
    api
      .op(wanted.trim())
      .then(
        ({ policy }) =>
          setTexts({
            do: policy?.do.join("\n") ?? "",
            dont: policy?.dont.join("\n") ?? "",
            edge_cases: policy?.edge_cases.join("\n") ?? "",
          }),
        (error: unknown) => setFault(messageOf(error)),
      )
      .finally(() => setReading(false));
  };
  useEffect(() => {
    if (given !== "") open(given);
  }, [given]);
  return { op, setOp, texts, setTexts, fault, isReading, open };
}

/** The section; the fields begin with the rules that the op has now. */
export function Policies({ view: { policies }, op: given, onChange }: SectionProps) {
  const { op, setOp, texts, setTexts, fault, isReading, open } = useRules(given);
  const rules = { do: linesOf(texts.do), dont: linesOf(texts.dont), edge_cases: linesOf(texts.edge_cases) };
  const isReady = !isReading && op.trim() !== "" && countOf(rules) > 0;
  return (
    <section class="card">
      <h2>Pinned policies</h2>
      <p class="quiet">Rules that replace those of an op's description in help.</p>
      <ul class="entries">
        {policies.map((one) => (
          <li key={one.op}>
            <span>
              <OpName text={one.op} /> <span class="quiet">{countOf(one)} rules</span>
            </span>
            <span class="buttons">
              <button type="button" aria-label={`Edit the policy of ${one.op}`} onClick={() => open(one.op)}>
                Edit
              </button>
              <button
                type="button"
                aria-label={`Unpin the policy of ${one.op}`}
                onClick={() => onChange({ kind: "policy", op: one.op, policy: null })}
              >
                Unpin
              </button>
            </span>
          </li>
        ))}
      </ul>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) onChange({ kind: "policy", op: op.trim(), policy: rules });
        }}
      >
        <div class="one-line">
          <TextField id="policy-op" label="Op of the policy" value={op} isOp onText={setOp} />
          <button type="button" disabled={op.trim() === ""} onClick={() => open(op)}>
            Read its rules
          </button>
        </div>
        {fault !== "" && <FailureNotice text={fault} />}
        {LISTS.map(([key, label]) => (
          <p key={key} class="field">
            <label for={`policy-${key}`}>
              {label} <span class="hint">a line each</span>
            </label>
            <textarea
              id={`policy-${key}`}
              rows={2}
              disabled={isReading}
              value={texts[key]}
              onInput={(event) => setTexts({ ...texts, [key]: event.currentTarget.value })}
            />
          </p>
        ))}
        <button type="submit" disabled={!isReady}>
          Pin policy
        </button>
      </form>
    </section>
  );
}
