/** What the sections of the configuration have in common: who may change it, what each gets, and fields. */

import type { ConfigChange, ConfigView } from "../../../contract/config-change.js";
import type { SeenCaller } from "../visible-registry.js";

/** Whether a caller may change the configuration; the server decides. */
export const mayConfigure = ({ administers = false, allow_write: writes }: SeenCaller): boolean =>
  writes && administers;

/** What the sections have in common. */
export interface SectionProps {
  readonly view: ConfigView;
  /** The op to fill in; empty for none. */
  readonly op: string;
  readonly onChange: (change: ConfigChange) => void;
}

/** Id of the list of ops that fields complete from. */
export const OPS = "config-ops";

interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly placeholder?: string;
  /** Whether it completes ops. */
  readonly isOp?: boolean;
  readonly isShort?: boolean;
  readonly onText: (text: string) => void;
}

/** A field of one line. */
export const TextField = ({
  id,
  label,
  value,
  placeholder = "",
  isOp = false,
  isShort = false,
  onText,
}: FieldProps) => (
  <p class={isShort ? "field short" : "field"}>
    <label for={id}>{label}</label>
    <input
      id={id}
      type="text"
      list={isOp ? OPS : undefined}
      value={value}
      placeholder={placeholder}
      autocomplete="off"
      spellcheck={false}
      maxLength={2000}
      onInput={(event) => onText(event.currentTarget.value)}
    />
  </p>
);
