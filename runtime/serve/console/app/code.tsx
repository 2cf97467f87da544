/** Code and values in a frame, with syntax colours, and buttons that copy text to the clipboard. */

import { useEffect, useState } from "preact/hooks";
import { writeJson } from "../../../contract/exact-number.js";
import { visibleLines } from "../../../contract/message-text.js";
import { ColouredText } from "./colours.js";

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
export function CodeFrame({ text, label, wraps = false, language = "" }: CodeProps) {
  const rest = text.length - MAX_TEXT_LENGTH;
  return (
    <div class="framed">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable with the keyboard. */}
      <section class={wraps ? "code wraps" : "code"} tabIndex={0} aria-label={label}>
        <pre>
          <ColouredText text={text.slice(0, MAX_TEXT_LENGTH)} language={language} />
          {rest > 0 ? `\n… ${rest} characters more` : ""}
        </pre>
      </section>
      {text !== "" && <CopyButton text={text} what={label.toLowerCase()} />}
    </div>
  );
}

interface JsonProps {
  readonly value: unknown;
  readonly label: string;
  /** Whether long lines wrap. */
  readonly wraps?: boolean;
}

/** A value as JSON, with characters escaped that nobody sees, or that turn the writing. */
export const JsonFrame = ({ value, label, wraps = false }: JsonProps) => (
  <CodeFrame
    text={value === undefined ? "" : visibleLines(writeJson(value, 2))}
    label={label}
    wraps={wraps}
    language="json"
  />
);

/** How long a button says that it has copied. */
const SAID_MS = 2000;

/** A button that copies a text; `what` names the text for screen readers. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (said === "") return;
    const timer = setTimeout(setSaid, SAID_MS, "");
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async (): Promise<void> => setSaid((await copied(text)) ? "Copied" : "Not copied");
  return (
    <button type="button" class="copy" aria-label={`Copy ${what}`} onClick={() => void copy()}>
      <span role="status">{said === "" ? "Copy" : said}</span>
    </button>
  );
}

async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedBySelection(text);
  }
}

function copiedBySelection(text: string): boolean {
  const before = document.activeElement;
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "off-screen";
  // Within an open dialog, what is outside cannot be selected.
  (document.querySelector("dialog[open]") ?? document.body).append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return isCopied;
}
