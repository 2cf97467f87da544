/** The Python editor: signatures, type errors by line, the output, and large results in pages. */

import type { TargetedKeyboardEvent } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { messageOf } from "../../../contract/message-of.js";
import { signatureLine } from "../../../contract/signature-index.js";
import type { Diagnostic, RunReply } from "../run.js";
import type { SeenRegistry } from "../visible-registry.js";
import { api } from "./api.js";
import { StoredResult } from "./stored-result.js";
import { Code, Failure } from "./text.js";
import { search } from "./tools.js";
import { StartStop, useWork } from "./work.js";

/** How long after the last key the types are checked. */
const CHECK_MS = 700;
/** Most signatures that are listed. */
const MAX_SIGNATURES = 80;

/** The code, kept while another screen is open. */
let kept = "";

/** The screen. */
export function Run({ registry }: { readonly registry: SeenRegistry }) {
  const [code, setCode] = useState(kept);
  const [reply, setReply] = useState<RunReply>();
  const [found, setFound] = useState<readonly Diagnostic[]>([]);
  const area = useRef<HTMLTextAreaElement>(null);
  const caret = useRef<number | undefined>(undefined);
  const work = useWork();
  const { fault, setFault } = work;
  kept = code;
  useCheck(code, setFound, setFault);
  const run = (): void => {
    if (code.trim() === "") return;
    work.start(async (signal) => {
      const answer = await api.run(code, false, signal);
      setReply(answer);
      setFound(answer.diagnostics);
    });
  };
  const insert = (text: string): void => {
    const { selectionStart: start = code.length, selectionEnd: end = code.length } = area.current ?? {};
    setCode(`${code.slice(0, start)}${text}${code.slice(end)}`);
    caret.current = start + text.length - 1;
  };
  useLayoutEffect(() => {
    // Places the caret between the parentheses of the inserted call.
    if (caret.current === undefined) return;
    area.current?.focus();
    area.current?.setSelectionRange(caret.current, caret.current);
    caret.current = undefined;
  }, [code]);
  return (
    <div class="run">
      <h1>Run Python</h1>
      <div class="columns">
        <div class="work">
          <Editor code={code} found={found} area={area} onCode={setCode} onRun={run} />
          <Found found={found} area={area} />
          <p class="buttons">
            <StartStop work={work} text="Run" isDisabled={code.trim() === ""} onStart={run} />
            <span class="quiet">Ctrl+Enter runs too. Calls made here are real: there is no dry run.</span>
          </p>
          {fault !== "" && <Failure text={fault} />}
          <div aria-live="polite">{reply && <Output reply={reply} />}</div>
        </div>
        <Signatures registry={registry} onInsert={insert} />
      </div>
    </div>
  );
}

/** Checks the types a while after the last change; an answer for earlier code is dropped. */
function useCheck(
  code: string,
  onFound: (found: readonly Diagnostic[]) => void,
  onFault: (text: string) => void,
): void {
  useEffect(() => {
    let isCurrent = true;
    const timer = setTimeout(async () => {
      if (code.trim() === "") return onFound([]);
      try {
        const { text, diagnostics } = await api.run(code, true);
        if (!isCurrent) return;
        onFound(diagnostics);
        onFault(text);
      } catch (error) {
        if (isCurrent) onFault(messageOf(error));
      }
    }, CHECK_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [code]);
}

interface EditorProps {
  readonly code: string;
  readonly found: readonly Diagnostic[];
  readonly area: { readonly current: HTMLTextAreaElement | null };
  readonly onCode: (code: string) => void;
  readonly onRun: () => void;
}

/** Lines are not wrapped, so that each one has its number. */
function Editor({ code, found, area, onCode, onRun }: EditorProps) {
  const gutter = useRef<HTMLDivElement>(null);
  const faulty = new Set(found.map(({ line }) => line));
  const lines = code.split("\n");
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
          onInput={(event) => onCode(event.currentTarget.value)}
          onScroll={(event) => {
            if (gutter.current) gutter.current.scrollTop = event.currentTarget.scrollTop;
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.isComposing) return;
            if (event.ctrlKey || event.metaKey) onRun();
            else if (!event.shiftKey) indent(event);
          }}
        />
      </div>
    </>
  );
}

/** Indents a new line like the one before, and deeper after a colon. */
function indent(event: TargetedKeyboardEvent<HTMLTextAreaElement>): void {
  const { value, selectionStart } = event.currentTarget;
  const line = value.slice(value.lastIndexOf("\n", selectionStart - 1) + 1, selectionStart);
  const [spaces = ""] = /^ */.exec(line) ?? [];
  const deeper = line.trimEnd().endsWith(":") ? "    " : "";
  if (spaces + deeper === "") return;
  event.preventDefault();
  // The only way to insert text that can be undone.
  document.execCommand("insertText", false, `\n${spaces}${deeper}`);
}

/** The type errors, each with a link to its line. */
const Found = ({ found, area }: Pick<EditorProps, "found" | "area">) => (
  <div id="found" role="status">
    <ul class="found" aria-label="Type check">
      {found.map(({ line, message }, at) => (
        <li key={at}>
          <button type="button" onClick={() => select(area.current, line)}>
            line {line}
          </button>{" "}
          {message}
        </li>
      ))}
    </ul>
  </div>
);

function select(area: HTMLTextAreaElement | null, line: number): void {
  if (!area) return;
  const lines = area.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  area.focus();
  area.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
}

/** Matches the handle of a stored result in the call that reads it. */
const HANDLE = /ot\.result\(handle='([0-9a-f]{12})'/;

function Output({ reply: { text, is_error: isError } }: { readonly reply: RunReply }) {
  const handle = HANDLE.exec(text)?.[1];
  return (
    <div class={isError ? "answer bad" : "answer good"}>
      <h2>{isError ? "Failed" : "Output"}</h2>
      <Code text={text === "" ? "(no output)" : text} label="Output" wraps />
      {handle && <StoredResult key={handle} handle={handle} />}
    </div>
  );
}

interface SignaturesProps {
  readonly registry: SeenRegistry;
  readonly onInsert: (text: string) => void;
}

function Signatures({ registry, onInsert }: SignaturesProps) {
  const [query, setQuery] = useState("");
  const tools = useMemo(
    () => (query.trim() === "" ? registry.tools : search(registry.tools, query)),
    [registry, query],
  );
  return (
    <aside aria-label="Signatures">
      <label for="signature-search">Signatures</label>
      <input
        id="signature-search"
        type="search"
        value={query}
        placeholder="words"
        onInput={(event) => setQuery(event.currentTarget.value)}
      />
      <ul class="signatures">
        {tools.slice(0, MAX_SIGNATURES).map((tool) => (
          <li key={tool.op}>
            <button type="button" title={tool.summary} onClick={() => onInsert(`${tool.op}()`)}>
              {signatureLine(tool)}
            </button>
          </li>
        ))}
      </ul>
      {tools.length > MAX_SIGNATURES && <p class="quiet">{tools.length - MAX_SIGNATURES} more: search for them.</p>}
    </aside>
  );
}
