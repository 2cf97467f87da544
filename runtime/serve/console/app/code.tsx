/** Code and values in a frame, with syntax colours and a button that copies them. */

import { writeJson } from "../../../contract/exact-number.js";
import { Colours } from "./colours.js";
import { Copy } from "./copy.js";

/** Most characters that are rendered. */
const MAX_TEXT_LENGTH = 200_000;

interface CodeProps {
  readonly text: string;
  readonly label: string;
  /** Whether long lines wrap. */
  readonly wraps?: boolean;
  /** A language with syntax colours; others are shown without. */
  readonly language?: string;
}

/** Code or a value in a scrollable frame. */
export function Code({ text, label, wraps = false, language = "" }: CodeProps) {
  const rest = text.length - MAX_TEXT_LENGTH;
  return (
    <div class="framed">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable with the keyboard. */}
      <section class={wraps ? "code wraps" : "code"} tabIndex={0} aria-label={label}>
        <pre>
          <Colours text={text.slice(0, MAX_TEXT_LENGTH)} language={language} />
          {rest > 0 ? `\n… ${rest} characters more` : ""}
        </pre>
      </section>
      {text !== "" && <Copy text={text} what={label.toLowerCase()} />}
    </div>
  );
}

/** A value as JSON. */
export const Json = ({ value, label }: { readonly value: unknown; readonly label: string }) => (
  <Code text={value === undefined ? "" : writeJson(value, 2)} label={label} language="json" />
);
