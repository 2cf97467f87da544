/** The fields of a form, with the faults of each. */

import type { Envelope } from "../../../contract/error-body.js";
import type { Field, Typed } from "./fields.js";
import { Markdown } from "./markdown.js";

/** Arguments being edited: in fields, or as one JSON object. */
export type Draft = { readonly kind: "form"; readonly typed: Typed } | { readonly kind: "json"; readonly text: string };

/** Faults by argument. */
export type Faults = readonly { readonly path: string; readonly message: string }[];

/** The field errors of a refusal. */
export function faultsIn(envelope: Envelope | undefined): Faults {
  const found = envelope && !envelope.ok ? envelope.error.details["field_errors"] : undefined;
  return Array.isArray(found) ? (found as unknown as Faults) : [];
}

/** The fault of a field: of its value, a part of it, or the object that contains it. */
const faultOf = ({ name, required }: Field, faults: Faults): string | undefined =>
  faults.find(
    ({ path }) =>
      path === name ||
      /^[.[]/.test(path.startsWith(name) ? path.slice(name.length) : "") ||
      (required && name.startsWith(`${path}.`)),
  )?.message;

interface InputsProps {
  readonly draft: Draft;
  readonly fields: readonly Field[];
  readonly faults: Faults;
  readonly onChange: (draft: Draft) => void;
}

/** The fields, or the one for JSON. */
export function Inputs({ draft, fields, faults, onChange }: InputsProps) {
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
  // Optional fields are collapsed if there are many.
  const isLong = fields.length > MAX_OPEN;
  const input = (field: Field) => (
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
  readonly field: Field;
  readonly text: string;
  readonly fault: string | undefined;
  readonly onText: (text: string) => void;
}

function Input({ field, text, fault, onText }: InputProps) {
  const { name, kind, required, description, choices, placeholder, hint } = field;
  const id = `arg-${name}`;
  const common = {
    id,
    value: text,
    "aria-required": required,
    "aria-invalid": fault !== undefined,
    "aria-describedby": `${id}-fault ${id}-about`,
    onInput: (event: { readonly currentTarget: { readonly value: string } }) => onText(event.currentTarget.value),
  };
  return (
    <div class="field">
      <label for={id}>
        <code>{name}</code> {required && <span class="needed">required</span>}{" "}
        {hint !== "" && <span class="hint">{hint}</span>}
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
      <p class="bad-text" id={`${id}-fault`}>
        {fault}
      </p>
      <div class="quiet about" id={`${id}-about`}>
        <Markdown text={description} />
      </div>
    </div>
  );
}
