/**
 * The form that calls an op, and its answers: envelopes with their outcome, warnings and a corrected call to take over. A read runs
 * immediately; a write is a dry run first and asks for confirmation.
 */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { duration } from "../../../contract/duration-text.js";
import type { CorrectedCall, Envelope } from "../../../contract/error-body.js";
import { writeJson } from "../../../contract/exact-number.js";
import { placeholderName } from "../../../contract/placeholder.js";
import { readJson } from "../../../contract/read-json.js";
import type { JsonObject, JsonValue } from "../../../contract/registry.js";
import { messageOf } from "../../../contract/thrown.js";
import type { SeenTool } from "../visible-registry.js";
import { api } from "./api.js";
import { CopyButton, JsonFrame } from "./code.js";
import { type FormField, formFields, typedArguments, typedFrom } from "./fields.js";
import { type ArgumentsDraft, faultsIn, fieldId, type InputFaults, Inputs } from "./inputs.js";
import { jsonFault, jsonFaultText } from "./json-fault.js";
import { Lines } from "./markdown.js";
import { ResultView } from "./result-view.js";
import { FailureNotice, Prose } from "./text.js";
import { StartStop, useWork, type Work } from "./work.js";

interface TryItProps {
  readonly tool: SeenTool;
  /** Arguments to fill in, from an example. */
  readonly given: JsonObject | undefined;
  readonly allowWrite: boolean;
}

/** The outcome of a call. */
interface Done {
  readonly envelope: Envelope;
  readonly args: JsonObject;
  readonly isDry: boolean;
  /** Idempotency key, so that a confirmed write is executed once. */
  readonly key: string;
}

/** The form. */
export function TryIt({ tool, given, allowWrite }: TryItProps) {
  const fields = useMemo(() => formFields(tool.parameters_schema), [tool]);
  const [draft, setDraft] = useState<ArgumentsDraft>(drafts.get(tool.op) ?? { kind: "form", typed: {} });
  const [done, setDone] = useState<Done>();
  const [faults, setFaults] = useFaults();
  const work = useWork();
  const { fault, setFault, start } = work;
  drafts.set(tool.op, draft);
  const fill = (args: JsonObject): void => {
    const typed = typedFrom(fields, args);
    setDraft(typed ? { kind: "form", typed } : { kind: "json", text: writeJson(args, 2) });
    setDone(undefined);
    setFault("");
    setFaults([]);
  };
  useEffect(() => void (given && fill(given)), [given]);
  const call = (args: JsonObject, isDry: boolean, key: string): void =>
    start(async (signal) => {
      const how = isDry ? { dry_run: true } : tool.kind === "write" ? { idempotency_key: key } : {};
      const envelope = await api.exec({ op: tool.op, args, ...how }, signal);
      if (isDry && drafts.get(tool.op) !== draft) throw new Error("The arguments were changed meanwhile.");
      setDone({ envelope, args, isDry, key });
    });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const read = unreadNumber(event.currentTarget as HTMLFormElement) ?? readDraft(draft, fields);
    if ("args" in read) call(read.args, tool.kind === "write", newKey());
    else if ("name" in read) setFaults([{ path: read.name, message: read.fault }]);
    else setFault(read.fault);
  };
  const change = (next: ArgumentsDraft): void => {
    setDraft(next);
    setFaults([]);
    // The dry run no longer matches the arguments; an error stays visible.
    if (done?.envelope.ok) setDone(undefined);
  };
  return (
    <section class="card try">
      <h2>Try it</h2>
      <form onSubmit={submit} noValidate>
        {fields.length > 0 && <Shape draft={draft} fields={fields} onChange={change} onFault={setFault} />}
        <Inputs
          draft={draft}
          fields={fields}
          faults={faults.length > 0 ? faults : faultsIn(done?.envelope)}
          onChange={change}
        />
        <Start tool={tool} allowWrite={allowWrite} work={work} />
      </form>
      {fault !== "" && <FailureNotice text={fault} />}
      <Came done={done} onUse={fill} />
      {done?.isDry && done.envelope.ok && (
        <Confirm tool={tool} isBusy={work.stop !== undefined} onDo={() => call(done.args, false, done.key)} />
      )}
    </section>
  );
}

/** Faults of fields that are found before a call; the first field with one has the focus. */
function useFaults() {
  const [faults, setFaults] = useState<InputFaults>([]);
  // After fields that are folded have been unfolded.
  useEffect(() => void (faults[0] && document.getElementById(fieldId(faults[0].path))?.focus()), [faults]);
  return [faults, setFaults] as const;
}

/** The buttons of an op. */
const Start = ({ tool, allowWrite, work }: Omit<TryItProps, "given"> & { readonly work: Work }) =>
  tool.kind === "read" || allowWrite ? (
    <p class="buttons">
      <StartStop work={work} text={tool.kind === "write" ? "Dry run" : "Run"} />
    </p>
  ) : (
    <p class="quiet">This op writes, and you may only read.</p>
  );

/** The outcome of the last call. */
function Came({ done, onUse }: { readonly done: Done | undefined; readonly onUse: (args: JsonObject) => void }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The pressed button may be gone.
    if (done && document.activeElement === document.body) place.current?.focus();
  }, [done]);
  return (
    <div aria-live="polite" ref={place} tabIndex={-1}>
      {done && <Answer envelope={done.envelope} isDry={done.isDry} onUse={onUse} />}
    </div>
  );
}

/** Typed arguments, kept while another op is open. */
const drafts = new Map<string, ArgumentsDraft>();

/** `crypto.randomUUID` exists in secure contexts only, and a server off loopback may have no TLS. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** The arguments, or what is wrong with them, with the name of the field. */
type Read =
  | { readonly args: JsonObject }
  | { readonly fault: string }
  | { readonly fault: string; readonly name: string };

/** The field for a number that holds something else: its text is known to the browser only. */
function unreadNumber(form: HTMLFormElement): { readonly name: string; readonly fault: string } | undefined {
  const fields = [...form.querySelectorAll<HTMLInputElement>("input[type=number]")];
  const name = fields.find(({ validity }) => validity.badInput)?.id.slice(fieldId("").length);
  return name === undefined ? undefined : { name, fault: `${name} is no number.` };
}

function readDraft(draft: ArgumentsDraft, fields: readonly FormField[]): Read {
  if (draft.kind === "form") return typedArguments(fields, draft.typed);
  try {
    const args = readJson(draft.text.trim() === "" ? "{}" : draft.text);
    if (typeof args === "object" && args !== null && !Array.isArray(args)) return { args: args as JsonObject };
    return { fault: "The arguments are one JSON object." };
  } catch (error) {
    const fault = jsonFault(draft.text);
    return { fault: `The arguments are no JSON, ${fault ? jsonFaultText(fault) : messageOf(error)}.` };
  }
}

/** The same arguments in the other form, or why they cannot be converted. */
function otherShape(draft: ArgumentsDraft, fields: readonly FormField[]): ArgumentsDraft | { readonly fault: string } {
  const read = readDraft(draft, fields);
  if ("fault" in read) return read;
  if (draft.kind === "form") return { kind: "json", text: writeJson(read.args, 2) };
  const typed = typedFrom(fields, read.args);
  return typed ? { kind: "form", typed } : { fault: "Some of these arguments have no field of their own." };
}

interface ShapeProps {
  readonly draft: ArgumentsDraft;
  readonly fields: readonly FormField[];
  readonly onChange: (draft: ArgumentsDraft) => void;
  readonly onFault: (text: string) => void;
}

/** Switches between fields and JSON, keeping the arguments. */
function Shape({ draft, fields, onChange, onFault }: ShapeProps) {
  const toggle = (): void => {
    const next = otherShape(draft, fields);
    onFault("fault" in next ? next.fault : "");
    if ("kind" in next) onChange(next);
  };
  return (
    <p class="shape">
      <button type="button" onClick={toggle}>
        {draft.kind === "form" ? "Edit as JSON" : "Edit in fields"}
      </button>
    </p>
  );
}

interface ConfirmProps {
  readonly tool: SeenTool;
  readonly isBusy: boolean;
  readonly onDo: () => void;
}

/** Asks for confirmation before a write. */
function Confirm({ tool, isBusy, onDo }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <>
      <button type="button" class="write" disabled={isBusy} onClick={() => dialog.current?.showModal()}>
        Do it for real…
      </button>
      <dialog ref={dialog} aria-labelledby="ask">
        <h2 id="ask">Write for real?</h2>
        <p>
          <code>{tool.op}</code> is called with the arguments of the dry run, and changes what is stored.
          {tool.annotations.destructiveHint && " What it changes or deletes may be lost."}
        </p>
        <form method="dialog" class="buttons">
          <button type="submit">Cancel</button>
          <button type="submit" class="write" onClick={onDo}>
            Write
          </button>
        </form>
      </dialog>
    </>
  );
}

interface AnswerProps {
  readonly envelope: Envelope;
  readonly isDry: boolean;
  readonly onUse: (args: JsonObject) => void;
}

/** Shows one envelope. */
function Answer({ envelope, isDry, onUse }: AnswerProps) {
  const { meta } = envelope;
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
      {envelope.ok && <ResultView value={envelope.result} />}
      {corrected && (
        <>
          <h4>Corrected call</h4>
          <JsonFrame value={corrected} label="Corrected call" />
          <Correction envelope={envelope} corrected={corrected} onUse={onUse} />
        </>
      )}
      <p class="quiet">
        {duration(meta.latency_ms)} · <code>{meta.trace_id}</code>{" "}
        <CopyButton text={meta.trace_id} what="the trace id" />
        {meta.executed_op && ` · ran ${meta.executed_op}`}
      </p>
      <details>
        <summary>Envelope</summary>
        <JsonFrame value={envelope} label="Envelope" />
      </details>
    </div>
  );
}

interface CorrectionProps extends Pick<AnswerProps, "envelope" | "onUse"> {
  readonly corrected: CorrectedCall;
}

/** Offers a corrected call that can succeed: of this op, allowed, and with nothing left to fill in. */
function Correction({ envelope, corrected: { op, args }, onUse }: CorrectionProps) {
  if (envelope.ok || op !== envelope.op || envelope.error.code === "PERMISSION_DENIED") return null;
  const left = [...new Set(placeholdersIn(args))];
  if (left.length > 0) return <p>Left to fill in: {left.join(", ")}.</p>;
  return (
    <button type="button" onClick={() => onUse(args)}>
      Use these arguments
    </button>
  );
}

/** The placeholders among values, as they are written. */
function placeholdersIn(value: JsonValue): readonly string[] {
  if (typeof value === "string") return placeholderName(value) === undefined ? [] : [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(placeholdersIn);
}

function titleOf(envelope: Envelope, isDry: boolean): string {
  if (!envelope.ok) return envelope.error.code;
  return isDry ? "Dry run: nothing was changed" : "Done";
}
