/** A form made from the schema of an op, and the answers. A read runs; a write runs dry first, and asks before it is done. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { JsonObject } from "../../contract/registry.js";
import type { Envelope } from "../../envelope.js";
import { Answer } from "./answer.js";
import { api } from "./api.js";
import { argumentsOf, type Field, fieldsOf, type Typed, typedFrom } from "./fields.js";
import { Failure, messageOf, Prose } from "./text.js";
import type { SeenTool } from "./tools.js";

interface TryItProps {
  readonly tool: SeenTool;
  /** Arguments to fill in, of an example. */
  readonly given: JsonObject | undefined;
  readonly allowWrite: boolean;
}

/** The arguments as they are: in fields, or as one JSON object. */
type Draft = { readonly kind: "form"; readonly typed: Typed } | { readonly kind: "json"; readonly text: string };

/** What came of a call. */
interface Done {
  readonly envelope: Envelope;
  readonly args: JsonObject;
  readonly isDry: boolean;
  /** Makes sure that what was run dry is done once, however often it is asked for. */
  readonly key: string;
}

/** The form. */
export function TryIt({ tool, given, allowWrite }: TryItProps) {
  const fields = useMemo(() => fieldsOf(tool.parameters_schema), [tool]);
  const [draft, setDraft] = useState<Draft>({ kind: "form", typed: {} });
  const [fault, setFault] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [done, setDone] = useState<Done>();
  const fill = (args: JsonObject): void => {
    const typed = typedFrom(fields, args);
    setDraft(typed ? { kind: "form", typed } : { kind: "json", text: JSON.stringify(args, null, 2) });
    setDone(undefined);
    setFault("");
  };
  useEffect(() => {
    if (given) fill(given);
  }, [given]);
  const call = async (args: JsonObject, isDry: boolean, key: string): Promise<void> => {
    setBusy(true);
    setFault("");
    try {
      const how = isDry ? { dry_run: true } : tool.kind === "write" ? { idempotency_key: key } : {};
      const envelope = await api.exec({ op: tool.op, args, ...how });
      setDone({ envelope, args, isDry, key });
    } catch (error) {
      setFault(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const read = readDraft(draft, fields);
    if ("fault" in read) setFault(read.fault);
    else void call(read.args, tool.kind === "write", newKey());
  };
  const change = (next: Draft): void => {
    setDraft(next);
    // What was run dry is not what would be done.
    setDone(undefined);
  };
  const canCall = tool.kind === "read" || allowWrite;
  return (
    <section class="card try">
      <h2>Try it</h2>
      <form onSubmit={submit} noValidate>
        {fields.length > 0 && <Shape draft={draft} fields={fields} onChange={change} onFault={setFault} />}
        <Inputs draft={draft} fields={fields} onChange={change} />
        {canCall ? (
          <button type="submit" class="main" disabled={isBusy}>
            {tool.kind === "write" ? "Dry run" : "Run"}
          </button>
        ) : (
          <p class="quiet">This op writes, and you may only read.</p>
        )}
      </form>
      {fault !== "" && <Failure text={fault} />}
      <div aria-live="polite">{done && <Answer envelope={done.envelope} isDry={done.isDry} onUse={fill} />}</div>
      {done?.isDry && done.envelope.ok && (
        <Confirm tool={tool} isBusy={isBusy} onDo={() => call(done.args, false, done.key)} />
      )}
    </section>
  );
}

/** `crypto.randomUUID` is there in secure contexts only, and a server off loopback may have none. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

type Read = { readonly args: JsonObject } | { readonly fault: string };

function readDraft(draft: Draft, fields: readonly Field[]): Read {
  if (draft.kind === "form") return argumentsOf(fields, draft.typed);
  try {
    const args: unknown = JSON.parse(draft.text.trim() === "" ? "{}" : draft.text);
    if (typeof args === "object" && args !== null && !Array.isArray(args)) return { args: args as JsonObject };
    return { fault: "The arguments are one JSON object." };
  } catch (error) {
    return { fault: `The arguments are no JSON: ${messageOf(error)}` };
  }
}

/** The same arguments in the other shape, or why there is none. */
function otherShape(draft: Draft, fields: readonly Field[]): Draft | { readonly fault: string } {
  const read = readDraft(draft, fields);
  if ("fault" in read) return read;
  if (draft.kind === "form") return { kind: "json", text: JSON.stringify(read.args, null, 2) };
  const typed = typedFrom(fields, read.args);
  return typed ? { kind: "form", typed } : { fault: "Some of these arguments have no field of their own." };
}

interface InputsProps {
  readonly draft: Draft;
  readonly fields: readonly Field[];
  readonly onChange: (draft: Draft) => void;
}

/** Goes from fields to JSON and back, with what is there. */
function Shape({ draft, fields, onChange, onFault }: InputsProps & { readonly onFault: (text: string) => void }) {
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

function Inputs({ draft, fields, onChange }: InputsProps) {
  if (draft.kind === "json")
    return (
      <p class="field">
        <label for="arguments">Arguments</label>
        <textarea
          id="arguments"
          class="mono"
          rows={10}
          spellcheck={false}
          value={draft.text}
          onInput={(event) => onChange({ kind: "json", text: event.currentTarget.value })}
        />
      </p>
    );
  if (fields.length === 0) return <p class="quiet">It takes no arguments.</p>;
  const set = (name: string, text: string): void => onChange({ kind: "form", typed: { ...draft.typed, [name]: text } });
  // Those that may be left out do not stand in the way where there are many.
  const isLong = fields.length > MOST_OPEN;
  const input = (field: Field) => (
    <Input
      key={field.name}
      field={field}
      text={draft.typed[field.name] ?? ""}
      onText={(text) => set(field.name, text)}
    />
  );
  if (!isLong) return <>{fields.map(input)}</>;
  return (
    <>
      {fields.filter(({ required }) => required).map(input)}
      <details open={fields.some(({ name, required }) => !required && draft.typed[name])}>
        <summary>Further arguments ({fields.filter(({ required }) => !required).length})</summary>
        {fields.filter(({ required }) => !required).map(input)}
      </details>
    </>
  );
}

const MOST_OPEN = 6;

interface InputProps {
  readonly field: Field;
  readonly text: string;
  readonly onText: (text: string) => void;
}

function Input({ field, text, onText }: InputProps) {
  const { name, kind, required, description, choices, placeholder } = field;
  const id = `arg-${name}`;
  const common = {
    id,
    value: text,
    "aria-required": required,
    "aria-describedby": description === "" ? undefined : `${id}-about`,
    onInput: (event: { readonly currentTarget: { readonly value: string } }) => onText(event.currentTarget.value),
  };
  return (
    <div class="field">
      <label for={id}>
        <code>{name}</code> {required && <span class="needed">required</span>}
        {kind === "json" && <span class="quiet">JSON</span>}
      </label>
      {kind === "choice" && (
        <select {...common}>
          <option value="">{placeholder === "" ? "not given" : placeholder}</option>
          {choices.map((one) => {
            const value = typeof one === "string" ? one : JSON.stringify(one);
            return <option key={value}>{value}</option>;
          })}
        </select>
      )}
      {(kind === "text" || kind === "number") && (
        <input
          {...common}
          type="text"
          inputMode={kind === "number" ? "decimal" : "text"}
          placeholder={placeholder}
          autocomplete="off"
          spellcheck={false}
        />
      )}
      {(kind === "long" || kind === "json") && (
        <textarea {...common} rows={2} class={kind === "json" ? "mono" : ""} placeholder={placeholder} />
      )}
      {description !== "" && (
        <div class="quiet about" id={`${id}-about`}>
          <Prose text={description} />
        </div>
      )}
    </div>
  );
}

interface ConfirmProps {
  readonly tool: SeenTool;
  readonly isBusy: boolean;
  readonly onDo: () => void;
}

/** Asks before anything is written. */
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
