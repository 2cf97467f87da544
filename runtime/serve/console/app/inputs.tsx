/** The fields of a form, with the faults of each. */

import type { Envelope } from "../../../contract/error-body.js";
import type { FormField, Typed } from "./fields.js";
import { JsonField } from "./json-field.js";
import { Markdown } from "./markdown.js";

/** Arguments being edited: in fields, or as one JSON object. */
export type ArgumentsDraft =
  | { readonly kind: "form"; readonly typed: Typed }
  | { readonly kind: "json"; readonly text: string };

/** Faults by argument. */
export type InputFaults = readonly { readonly path: string; readonly message: string }[];

/** The field errors of a refusal. */
export function faultsIn(envelope: Envelope | undefined): InputFaults {
  const found = envelope && !envelope.ok ? envelope.error.details["field_errors"] : undefined;
  return Array.isArray(found) ? (found as unknown as InputFaults) : [];
}

/** Most faults of one field that are shown. */
const MAX_FAULTS = 5;

/** The faults of a field: of its value, of parts of it with their places, or of the object that contains it. */
function faultOf({ name, required }: FormField, faults: InputFaults): string | undefined {
  const own = faults.flatMap(({ path, message }) => {
    const isPart = path.startsWith(name) && /^[.[]/.test(path.slice(name.length));
    if (isPart) return [`${path}: ${message}`];
    return path === name || (required && name.startsWith(`${path}.`)) ? [message] : [];
  });
  const more = own.length > MAX_FAULTS ? [`and ${own.length - MAX_FAULTS} more`] : [];
  return own.length === 0 ? undefined : [...own.slice(0, MAX_FAULTS), ...more].join("; ");
}

/** The id of the element of a field. */
export const fieldId = (name: string): string => `arg-${name}`;

interface InputsProps {
  readonly draft: ArgumentsDraft;
  readonly fields: readonly FormField[];
  readonly faults: InputFaults;
  readonly onChange: (draft: ArgumentsDraft) => void;
}

/** The fields, or the one for JSON. */
export function Inputs({ draft, fields, faults, onChange }: InputsProps) {
  if (draft.kind === "json")
    return (
      <div class="field">
        <label for="arguments">Arguments</label>
        <JsonField id="arguments" rows={10} text={draft.text} onText={(text) => onChange({ kind: "json", text })} />
      </div>
    );
  if (fields.length === 0) return <p class="quiet">It takes no arguments.</p>;
  const set = (name: string, text: string): void => onChange({ kind: "form", typed: { ...draft.typed, [name]: text } });
  // Optional fields are collapsed if there are many.
  const isLong = fields.length > MAX_OPEN;
  const input = (field: FormField) => (
    <Input
      key={field.name}
      field={field}
      text={draft.typed[field.name] ?? ""}
      fault={faultOf(field, faults)}
      onText={(text) => set(field.name, text)}
    />
  );
  const further = fields.filter(({ required }) => !required);
  if (!isLong) return <>{fields.map(input)}</>;
  return (
    <>
      {fields.filter(({ required }) => required).map(input)}
      <details open={further.some((field) => draft.typed[field.name] || faultOf(field, faults))}>
        <summary>Further arguments ({further.length})</summary>
        {further.map(input)}
      </details>
    </>
  );
}

const MAX_OPEN = 6;

interface InputProps {
  readonly field: FormField;
  readonly text: string;
  readonly fault: string | undefined;
  readonly onText: (text: string) => void;
}

function Input({ field, text, fault, onText }: InputProps) {
  const { name, required, description, hint } = field;
  const id = fieldId(name);
  return (
    <div class="field">
      <label for={id}>
        <code>{name}</code> {required && <span class="needed">required</span>}{" "}
        {hint !== "" && <span class="hint">{hint}</span>}
      </label>
      <Control {...{ field, text, fault, onText }} />
      <p class="bad-text" id={`${id}-fault`}>
        {fault}
      </p>
      <div class="quiet about" id={`${id}-about`}>
        <Markdown text={description} />
      </div>
    </div>
  );
}

/** A number that a field for numbers takes over as it is written. */
const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The control of a field. A text that the control of its kind would change gets one that keeps it. */
function Control(props: InputProps) {
  const { field, text, fault, onText } = props;
  const { kind, name, required, placeholder, choices } = field;
  const id = fieldId(name);
  const about = `${id}-fault ${id}-about`;
  if (kind === "json")
    return (
      <JsonField {...{ id, text, about, placeholder, onText }} isRequired={required} isFaulty={fault !== undefined} />
    );
  if (kind === "choice" && isTruth(choices)) return <Truth {...props} />;
  const common = {
    ...{ id, placeholder, value: text },
    "aria-required": required,
    "aria-invalid": fault !== undefined,
    "aria-describedby": about,
    onInput: (event: { readonly currentTarget: { readonly value: string } }) => onText(event.currentTarget.value),
  };
  if (kind === "choice")
    return (
      <select {...common}>
        <option value="">{placeholder === "" ? "not given" : placeholder}</option>
        {choices.map((one) => {
          const value = typeof one === "string" ? one : JSON.stringify(one);
          return <option key={value}>{value}</option>;
        })}
      </select>
    );
  if (kind === "long" || text.includes("\n")) return <textarea {...common} rows={2} />;
  const isNumber = kind === "number" && (text === "" || PLAIN_NUMBER.test(text));
  if (isNumber) return <input {...common} type="number" step="any" autocomplete="off" />;
  return <input {...common} type="text" autocomplete="off" spellcheck={false} />;
}

const isTruth = (choices: FormField["choices"]): boolean =>
  choices.length === 2 && choices[0] === true && choices[1] === false;

/** A box for true and false, which is neither until it is used: an argument that is not given is not sent. */
function Truth({ field: { name, required, placeholder }, text, fault, onText }: InputProps) {
  const id = fieldId(name);
  return (
    <div class="truth">
      <input
        id={id}
        type="checkbox"
        checked={text === "true"}
        indeterminate={text === ""}
        aria-required={required}
        aria-invalid={fault !== undefined}
        aria-describedby={`${id}-state ${id}-fault ${id}-about`}
        onChange={(event) => onText(String(event.currentTarget.checked))}
      />
      <span id={`${id}-state`}>{text === "" ? placeholder || "not given" : text}</span>
      {text !== "" && (
        <button type="button" class="copy" aria-label={`Clear ${name}`} onClick={() => onText("")}>
          Clear
        </button>
      )}
    </div>
  );
}
