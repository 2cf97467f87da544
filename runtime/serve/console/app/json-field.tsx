/** A field for JSON, which says where its text stops being JSON. */

import { useRef, useState } from "preact/hooks";
import { jsonFault, jsonFaultText } from "./json-fault.js";

/** Lines that are shown at least and at most. */
const [MIN_ROWS, MAX_ROWS] = [2, 16];

interface JsonFieldProps {
  readonly id: string;
  readonly text: string;
  /** Ids of what describes the field. */
  readonly about?: string;
  readonly placeholder?: string;
  readonly rows?: number;
  readonly isRequired?: boolean;
  /** Whether the server or the form refused the value. */
  readonly isFaulty?: boolean;
  readonly onText: (text: string) => void;
}

/** The field. A fault is told once you leave the field, and then until it is corrected. */
export function JsonField(props: JsonFieldProps) {
  const {
    id,
    text,
    about = "",
    placeholder = "",
    rows = MIN_ROWS,
    isRequired = false,
    isFaulty = false,
    onText,
  } = props;
  const [isLeft, setLeft] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);
  const fault = isLeft && text.trim() !== "" ? jsonFault(text) : undefined;
  const go = (): void => {
    area.current?.focus();
    if (fault) area.current?.setSelectionRange(fault.at, fault.at + 1);
  };
  const lines = text.split("\n").length;
  return (
    <>
      <textarea
        id={id}
        ref={area}
        class="mono"
        rows={Math.min(MAX_ROWS, Math.max(rows, lines))}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        placeholder={placeholder}
        value={text}
        aria-required={isRequired}
        aria-invalid={isFaulty || fault !== undefined}
        aria-describedby={`${id}-json ${about}`.trim()}
        onInput={(event) => onText(event.currentTarget.value)}
        onBlur={() => setLeft(true)}
      />
      <p class="bad-text" id={`${id}-json`}>
        {fault && (
          <>
            No JSON, {jsonFaultText(fault)}.{" "}
            <button type="button" class="to-fault" onClick={go}>
              Go to it
            </button>
          </>
        )}
      </p>
    </>
  );
}
