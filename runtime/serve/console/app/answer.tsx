/** Shows an envelope: the outcome, warnings, a corrected call to take over, and everything else as JSON. */

import type { Envelope } from "../../../contract/error-body.js";
import type { JsonObject } from "../../../contract/registry.js";
import { Json, Lines, Prose } from "./text.js";

interface AnswerProps {
  readonly envelope: Envelope;
  readonly isDry: boolean;
  readonly onUse: (args: JsonObject) => void;
}

/** Shows one envelope. */
export function Answer({ envelope, isDry, onUse }: AnswerProps) {
  const { meta, op } = envelope;
  const corrected = envelope.ok ? undefined : envelope.error.corrected_call;
  return (
    <div class={envelope.ok ? "answer good" : "answer bad"}>
      <h3>{titleOf(envelope, isDry)}</h3>
      {!envelope.ok && <Prose text={envelope.error.message} />}
      {meta.warnings.length > 0 && (
        <>
          <h4>Warnings</h4>
          <Lines lines={meta.warnings} />
        </>
      )}
      {envelope.ok && <Json value={envelope.result} label="Result" />}
      {corrected && (
        <>
          <h4>Corrected call</h4>
          <Json value={corrected} label="Corrected call" />
          {corrected.op === op && (
            <button type="button" onClick={() => onUse(corrected.args)}>
              Use these arguments
            </button>
          )}
        </>
      )}
      <p class="quiet">
        {meta.latency_ms} ms · <code>{meta.trace_id}</code>
        {meta.executed_op && ` · ran ${meta.executed_op}`}
      </p>
      <details>
        <summary>Envelope</summary>
        <Json value={envelope} label="Envelope" />
      </details>
    </div>
  );
}

function titleOf(envelope: Envelope, isDry: boolean): string {
  if (!envelope.ok) return envelope.error.code;
  return isDry ? "Dry run: nothing was changed" : "Done";
}
