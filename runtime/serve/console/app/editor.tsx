/** The editor of programs: a text field over a layer with the same text in colours, line numbers, and completions. */

import type { TargetedKeyboardEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Parameter, Tool } from "../../../contract/registry.js";
import { argumentTypes } from "../../../contract/signature-text.js";
import type { TypeFault } from "../run.js";
import { api } from "./api.js";
import { ColouredText } from "./colours.js";
import { type CodePlace, type Completion, codePlace, completionsAt } from "./completion.js";
import type { EditorLanguage } from "./languages.js";
import type { CallerIndex } from "./listed-ops.js";

interface EditorProps {
  readonly code: string;
  readonly language: EditorLanguage;
  readonly found: readonly TypeFault[];
  readonly area: { readonly current: HTMLTextAreaElement | null };
  readonly listed: CallerIndex;
  readonly onCode: (code: string) => void;
  readonly onRun: () => void;
}

/** Lines are not wrapped, so that each one has its number. */
export function Editor({ code, language, found, area, listed, onCode, onRun }: EditorProps) {
  const [gutter, layer] = [useRef<HTMLDivElement>(null), useRef<HTMLPreElement>(null)];
  const completing = useCompletions({ listed, area, language, onCode });
  const faulty = new Set(found.map(({ line }) => line));
  const lines = code.split("\n");
  const scroll = ({ scrollTop, scrollLeft }: HTMLTextAreaElement): void => {
    if (gutter.current) gutter.current.scrollTop = scrollTop;
    layer.current?.scrollTo(scrollLeft, scrollTop);
  };
  useEffect(() => void (area.current && scroll(area.current)), [code]);
  return (
    <>
      <label for="code">Code</label>
      <div class="editor">
        <div class="gutter" ref={gutter} aria-hidden="true">
          {lines.map((_, at) => (
            <div key={at} class={faulty.has(at + 1) ? "faulty" : ""}>
              {at + 1}
            </div>
          ))}
        </div>
        <div class="layers">
          <pre ref={layer} aria-hidden="true">
            <ColouredText text={code} language={language.name} />
            {"\n"}
          </pre>
          <textarea
            id="code"
            ref={area}
            wrap="off"
            rows={Math.min(24, Math.max(10, lines.length + 1))}
            spellcheck={false}
            autocomplete="off"
            autocapitalize="off"
            value={code}
            aria-describedby="found"
            aria-autocomplete="list"
            {...completing.field}
            onInput={({ currentTarget }) => {
              onCode(currentTarget.value);
              completing.look(currentTarget);
            }}
            onScroll={(event) => scroll(event.currentTarget)}
            onBlur={completing.close}
            onKeyDown={(event) => {
              if (event.isComposing || completing.key(event)) return;
              if (language.closing.includes(event.key)) outdent(event.currentTarget, language);
              if (event.key !== "Enter") return;
              if (event.ctrlKey || event.metaKey) onRun();
              else if (!event.shiftKey) indent(event, language);
            }}
          />
        </div>
      </div>
      <Completions {...completing} />
    </>
  );
}

/** Indents a new line like the one before, and deeper after one that opens a block. */
function indent(
  event: TargetedKeyboardEvent<HTMLTextAreaElement>,
  { opening, indent: step }: Pick<EditorLanguage, "opening" | "indent">,
): void {
  const { value, selectionStart } = event.currentTarget;
  const line = value.slice(value.lastIndexOf("\n", selectionStart - 1) + 1, selectionStart);
  const [spaces = ""] = /^ */.exec(line) ?? [];
  const deeper = opening.test(line.trimEnd()) ? step : "";
  if (spaces + deeper === "") return;
  event.preventDefault();
  // The only way to insert text that can be undone.
  document.execCommand("insertText", false, `\n${spaces}${deeper}`);
}

/** Selects one step of the indentation if the line has nothing else, for the key that closes a block to replace it. */
function outdent(area: HTMLTextAreaElement, { indent: step }: Pick<EditorLanguage, "indent">): void {
  const { value, selectionStart, selectionEnd } = area;
  const line = value.slice(value.lastIndexOf("\n", selectionStart - 1) + 1, selectionStart);
  if (selectionStart === selectionEnd && line.trim() === "" && line.endsWith(step))
    area.setSelectionRange(selectionStart - step.length, selectionStart);
}

/** Ops that were asked for, once each. */
const tools = new Map<string, Promise<Pick<Tool, "signature" | "parameters"> | undefined>>();

/** The parameters of an op, with their types in a language. */
async function parametersOf(
  op: string,
  { ops }: CallerIndex,
  { signature, argument }: EditorLanguage,
): Promise<readonly Parameter[]> {
  if (!ops.has(op)) return [];
  const asked = tools.get(op) ?? api.op(op).catch(() => undefined);
  tools.set(op, asked);
  const tool = await asked;
  if (!tool) return [];
  const types = argumentTypes(tool, signature);
  return tool.parameters.map((one) => ({ ...one, type: types.get(argument(one)) ?? one.type }));
}

interface Offered {
  readonly place: CodePlace;
  readonly all: readonly Completion[];
  readonly at: number;
}

interface Completing extends Partial<Offered> {
  /** Attributes of the field. */
  readonly field: object;
  look(area: HTMLTextAreaElement): void;
  close(): void;
  /** Whether a key was one for the list. */
  key(event: TargetedKeyboardEvent<HTMLTextAreaElement>): boolean;
  take(one: Completion): void;
}

type CompletedProps = Pick<EditorProps, "listed" | "area" | "language" | "onCode">;

function useCompletions({ listed, area, language, onCode }: CompletedProps): Completing {
  const [offered, setOffered] = useState<Offered>();
  const asked = useRef(0);
  const close = (): void => {
    asked.current++;
    setOffered(undefined);
  };
  const look = async ({ value, selectionStart, selectionEnd }: HTMLTextAreaElement): Promise<void> => {
    const mine = ++asked.current;
    const place = selectionStart === selectionEnd ? codePlace(value.slice(0, selectionStart), language) : undefined;
    const known = place ? await parametersOf(place.call, listed, language) : [];
    if (mine !== asked.current) return;
    const all = place ? completionsAt(place, listed.ops.values(), known, language) : [];
    const isWhole = all.length === 1 && all[0]?.label === place?.word;
    setOffered(place && all.length > 0 && !isWhole ? { place, all, at: 0 } : undefined);
  };
  const take = ({ text }: Completion): void => {
    const field = area.current;
    if (!field || !offered) return;
    field.focus();
    field.setSelectionRange(field.selectionStart - offered.place.word.length, field.selectionStart);
    document.execCommand("insertText", false, text);
    onCode(field.value);
    void look(field);
  };
  const key = (event: TargetedKeyboardEvent<HTMLTextAreaElement>): boolean => {
    const isAsked = event.key === " " && event.ctrlKey;
    if (isAsked) void look(event.currentTarget);
    const isOurs = isAsked || (offered !== undefined && !event.ctrlKey && !event.metaKey && choose(event.key));
    if (isOurs) event.preventDefault();
    else if (/^(?:Arrow|Home|End|Page)/.test(event.key)) close();
    return isOurs;
  };
  const choose = (name: string): boolean => {
    if (!offered) return false;
    const { all, at } = offered;
    const step = name === "ArrowDown" ? 1 : name === "ArrowUp" ? -1 : 0;
    if (step !== 0) setOffered({ ...offered, at: (at + step + all.length) % all.length });
    else if (name === "Escape") close();
    else if ((name === "Enter" || name === "Tab") && all[at]) take(all[at]);
    else return false;
    return true;
  };
  const field = offered ? { "aria-controls": "completions", "aria-activedescendant": `completion-${offered.at}` } : {};
  return { ...offered, field, look: (area) => void look(area), close, key, take };
}

/** The list below the field. */
const Completions = ({ all = [], at = 0, take }: Completing) => (
  <>
    <div id="completions" class="completions" role="listbox" aria-label="Completions" hidden={all.length === 0}>
      {all.map((one, place) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus.
        <div
          key={one.text}
          id={`completion-${place}`}
          role="option"
          aria-selected={place === at}
          // Before the field loses the focus.
          onMouseDown={(event) => {
            event.preventDefault();
            take(one);
          }}
        >
          <code>{one.label}</code> <span class="quiet">{one.about}</span>
        </div>
      ))}
    </div>
    <p class="off-screen" role="status">
      {all.length === 0 ? "" : `${all.length} completions: arrows choose, Enter takes one, Escape closes`}
    </p>
  </>
);
