/** Text of others, shown as text: nothing in it is ever markup. */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { writeJson } from "../../contract/exact-number.js";

/** Characters that are shown before somebody asks for the rest. */
const FIRST = 4000;
/** Characters of a value that a page can take. */
const MOST = 200_000;

/** Why something failed, in words. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A failure, told to whoever looks and to whoever listens. */
export const Failure = ({ text }: { readonly text: string }) => (
  <p class="failure" role="alert">
    {text}
  </p>
);

/** Stands where an answer has not come yet. */
export const Loading = () => (
  <p class="quiet" role="status">
    Loading…
  </p>
);

const LINK = /(https?:\/\/[^\s<>"'`)\]}]+)/g;

/** Text with its lines as they are, and links of http and https; long text is cut until the rest is asked for. */
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
  /** Whether long lines go on in the next one. */
  readonly wraps?: boolean;
}

/** Code or a value, in a frame that scrolls. */
export function Code({ text, label, wraps = false }: CodeProps) {
  const rest = text.length - MOST;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable with the keyboard.
    <section class={wraps ? "code wraps" : "code"} tabIndex={0} aria-label={label}>
      <pre>
        {text.slice(0, MOST)}
        {rest > 0 ? `\n… ${rest} characters more` : ""}
      </pre>
    </section>
  );
}

/** A value as JSON. */
export const Json = ({ value, label }: { readonly value: unknown; readonly label: string }) => (
  <Code text={value === undefined ? "" : writeJson(value, 2)} label={label} />
);

/** A heading and what is below it. */
export const Part = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <section class="part">
    <h2>{title}</h2>
    {children}
  </section>
);

/** A list of texts; nothing where there are none. */
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
