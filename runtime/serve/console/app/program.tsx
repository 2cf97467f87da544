/** The code of a program that waits, with the lines at which it does. */

import { useEffect, useRef, useState } from "preact/hooks";
import { visibleLines } from "../../../contract/message-text.js";
import type { SeenWaiting } from "../../../gateway/console-approvals.js";
import type { ShownProgram } from "../../../run/kept/stored-program.js";
import { ColouredText } from "./colours.js";

/** Longer programs are shown around what waits. */
const MAX_LINES = 60;
/** Lines around each that waits. */
const AROUND = 6;

interface ProgramProps {
  readonly program: ShownProgram;
  readonly calls: readonly SeenWaiting[];
  readonly run: string;
}

/** The code, each line with its number and with the calls that wait in it. */
export function ProgramCode({ program: { code, language, lines }, calls, run }: ProgramProps) {
  const [isWhole, showAll] = useState(false);
  const box = useRef<HTMLElement>(null);
  const marks = new Map<number, readonly string[]>();
  for (const { call } of calls) {
    const line = lines[call];
    if (line !== undefined) marks.set(line, [...(marks.get(line) ?? []), call]);
  }
  const first = Math.min(...marks.keys());
  useEffect(() => {
    const line = box.current?.querySelector(".waits");
    if (!box.current || !line) return;
    // Scrolls the frame only, not the page.
    const [outer, inner] = [box.current.getBoundingClientRect(), line.getBoundingClientRect()];
    if (inner.bottom > outer.bottom) box.current.scrollTop += inner.top - outer.top - outer.height / 3;
  }, [first, isWhole]);
  const all = visibleLines(code).replace(/\n+$/, "").split("\n");
  const isShown = (number: number): boolean =>
    isWhole ||
    all.length <= MAX_LINES ||
    nearestTo(number, marks) <= AROUND ||
    (marks.size === 0 && number <= MAX_LINES);
  return (
    <div class="framed">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable with the keyboard. */}
      <section class="code program" ref={box} tabIndex={0} aria-label={`Program of ${run}`}>
        <pre>
          {all.map((text, at) => {
            const number = at + 1;
            // One line stands for each part that is left out.
            if (!isShown(number)) return isShown(number - 1) || at === 0 ? <span key={at}>…</span> : null;
            return <Line key={at} number={number} text={text} language={language} calls={marks.get(number) ?? []} />;
          })}
        </pre>
      </section>
      {!isWhole && all.length > MAX_LINES && (
        <button type="button" onClick={() => showAll(true)}>
          Show all {all.length} lines
        </button>
      )}
    </div>
  );
}

const nearestTo = (number: number, marks: ReadonlyMap<number, unknown>): number =>
  Math.min(...[...marks.keys()].map((line) => Math.abs(line - number)));

interface LineProps {
  readonly number: number;
  readonly text: string;
  readonly language: string;
  /** The calls that wait in it. */
  readonly calls: readonly string[];
}

const Line = ({ number, text, language, calls }: LineProps) => (
  <span class={calls.length > 0 ? "waits" : ""}>
    <span class="number">{number}</span>
    <span>
      <ColouredText text={text} language={language} />
      {calls.length > 0 && (
        <strong class="mark">
          {" "}
          ← waits: {calls.length === 1 ? "call" : "calls"} {calls.join(", ")}
        </strong>
      )}
    </span>
  </span>
);
