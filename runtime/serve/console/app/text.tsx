/** Components for foreign text. It is always shown as text, never as markup. */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { writeJson } from "../../../contract/exact-number.js";

/** Characters that are shown at first. */
const FIRST = 4000;
/** Most characters that are rendered. */
const MAX_TEXT_LENGTH = 200_000;

/** A failure, visible and announced to screen readers. */
export const Failure = ({ text }: { readonly text: string }) => (
  <p class="failure" role="alert">
    {text}
  </p>
);

/** Placeholder until an answer arrives. */
export const Loading = () => (
  <p class="quiet" role="status">
    Loading…
  </p>
);

const LINK = /(https?:\/\/[^\s<>"'`)\]}]+)/g;

/** Text with its line breaks and http(s) links; long text is cut until you ask for the rest. */
export function Prose({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? text : text.slice(0, FIRST);
  return (
    <div class="prose">
      {shown.split(LINK).map((part, at) => (at % 2 === 1 ? <Link key={at} address={part} /> : part))}
      {shown.length < text.length && (
        <p>
          <button type="button" onClick={() => setWhole(true)}>
            Show all {text.length.toLocaleString("en")} characters
          </button>
        </p>
      )}
    </div>
  );
}

const Link = ({ address }: { readonly address: string }) =>
  URL.canParse(address) ? (
    <a href={address} target="_blank" rel="noopener noreferrer">
      {address}
    </a>
  ) : (
    address
  );

interface CodeProps {
  readonly text: string;
  readonly label: string;
  /** Whether long lines wrap. */
  readonly wraps?: boolean;
}

/** Code or a value in a scrollable frame. */
export function Code({ text, label, wraps = false }: CodeProps) {
  const rest = text.length - MAX_TEXT_LENGTH;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable with the keyboard.
    <section class={wraps ? "code wraps" : "code"} tabIndex={0} aria-label={label}>
      <pre>
        {text.slice(0, MAX_TEXT_LENGTH)}
        {rest > 0 ? `\n… ${rest} characters more` : ""}
      </pre>
    </section>
  );
}

/** A value as JSON. */
export const Json = ({ value, label }: { readonly value: unknown; readonly label: string }) => (
  <Code text={value === undefined ? "" : writeJson(value, 2)} label={label} />
);

/** A heading with its content. */
export const Part = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <section class="part">
    <h2>{title}</h2>
    {children}
  </section>
);

/** A list of texts; nothing if it is empty. */
export const Lines = ({ lines }: { readonly lines: readonly string[] | undefined }) =>
  lines && lines.length > 0 ? (
    <ul>
      {lines.map((line) => (
        <li key={line}>
          <Prose text={line} />
        </li>
      ))}
    </ul>
  ) : null;
