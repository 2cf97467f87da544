/** The screen for programs: the editor with type errors by line, the output, large results in pages, and signatures. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { duration } from "../../../contract/duration-text.js";
import { messageOf } from "../../../contract/thrown.js";
import type { Plan } from "../../../run/preview/plan.js";
import type { RunReply, TypeFault } from "../run.js";
import { api } from "./api.js";
import { CodeFrame } from "./code.js";
import { ColouredText } from "./colours.js";
import { Editor } from "./editor.js";
import { type EditorLanguage, fencedProgram, namesLanguage } from "./languages.js";
import type { CallerIndex, ListedOp } from "./listed-ops.js";
import { PlanWrites } from "./plan.js";
import { storedIn } from "./result-sql.js";
import { ResultTable } from "./result-table.js";
import { useSearch } from "./search.js";
import { StoredResult } from "./stored-result.js";
import { FailureNotice } from "./text.js";
import { StartStop, useWork } from "./work.js";

/** How long after the last key the types are checked. */
const CHECK_MS = 700;
/** Most signatures that are listed. */
const MAX_SIGNATURES = 60;

/** A program in the editor. */
interface Written {
  readonly code: string;
  /** Undefined before one is chosen: the first one. */
  readonly language: EditorLanguage | undefined;
}

/** The program, kept while another screen is open, and the code of the address that was taken over last. */
let kept: Written = { code: "", language: undefined };
let takenOver = "";

/** The program to begin with: that of the address once, then what was typed. */
function firstWritten(given: string, { languages }: CallerIndex): Written {
  if (given === "" || given === takenOver) return kept;
  takenOver = given;
  return fencedProgram(languages, given) ?? { code: given, language: undefined };
}

interface RunProps {
  readonly listed: CallerIndex;
  /** Code of the address; empty for none. */
  readonly given: string;
}

/** The screen. */
export function Run({ listed, given }: RunProps) {
  const { languages } = listed;
  const [written, setWritten] = useState(() => firstWritten(given, listed));
  const { code, language = languages[0] } = written;
  const setCode = (code: string): void => setWritten(fencedProgram(languages, code) ?? { ...written, code });
  const [reply, setReply] = useState<RunReply>();
  const [found, setFound] = useState<readonly TypeFault[]>([]);
  const area = useRef<HTMLTextAreaElement>(null);
  const caret = useRef<number | undefined>(undefined);
  const work = useWork();
  const { fault, setFault } = work;
  kept = written;
  useEffect(() => setWritten(firstWritten(given, listed)), [given]);
  // With one language there is nothing to choose.
  const asked = languages.length > 1 && !namesLanguage(code) ? { language: language.name } : {};
  useCheck({ code, asked }, setFound, setFault);
  const run = (how: { readonly preview?: true } = {}): void => {
    if (code.trim() === "") return;
    work.start(async (signal) => {
      const answer = await api.run(code, { ...how, ...asked }, signal);
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
  const isBusy = work.stop !== undefined;
  return (
    <div class="run">
      <h1>{languages.length > 1 ? "Run a program" : `Run ${language.label}`}</h1>
      <p class="lead">
        Every op is a function; the value of the last expression is the answer. Calls of a run are real; a preview says
        what the program would write, and changes nothing.
      </p>
      <div class="columns">
        <div class="work">
          {languages.length > 1 && (
            <p class="field">
              <label for="language">Language</label>
              <select
                id="language"
                value={language.name}
                onInput={({ currentTarget: { value } }) =>
                  setWritten({ code, language: languages.find(({ name }) => name === value) })
                }
              >
                {languages.map(({ name, label }) => (
                  <option key={name} value={name}>
                    {label}
                  </option>
                ))}
              </select>
            </p>
          )}
          <Editor {...{ code, language, found, area, listed }} onCode={setCode} onRun={() => run()} />
          <Found found={found} area={area} />
          <p class="buttons">
            <StartStop work={work} text="Run" isDisabled={code.trim() === ""} onStart={() => run()} />
            <button type="button" disabled={isBusy || code.trim() === ""} onClick={() => run({ preview: true })}>
              Preview
            </button>
            {code === "" && <Example listed={listed} language={language} onCode={setCode} />}
            <span class="quiet">
              <kbd>Ctrl</kbd>+<kbd>Enter</kbd> runs, <kbd>Ctrl</kbd>+<kbd>Space</kbd> completes.
            </span>
          </p>
          {fault !== "" && <FailureNotice text={fault} />}
          <div aria-live="polite" aria-busy={isBusy} class={isBusy ? "stale" : ""}>
            {reply && <Output reply={reply} />}
          </div>
        </div>
        <Signatures listed={listed} language={language} onInsert={insert} />
      </div>
    </div>
  );
}

/** Checks the types a while after the last change; an answer for earlier code is dropped. */
function useCheck(
  { code, asked }: { readonly code: string; readonly asked: { readonly language?: string } },
  onFound: (found: readonly TypeFault[]) => void,
  onFault: (text: string) => void,
): void {
  useEffect(() => {
    let isCurrent = true;
    const timer = setTimeout(async () => {
      if (code.trim() === "") return onFound([]);
      try {
        const { text, diagnostics } = await api.run(code, { check: true, ...asked });
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
  }, [code, asked.language]);
}

interface ExampleProps {
  readonly listed: CallerIndex;
  readonly language: EditorLanguage;
  readonly onCode: (code: string) => void;
}

/** Puts a call of a read op into the editor, as its help shows it. */
function Example({ listed, language, onCode }: ExampleProps) {
  const op = exampleOp([...listed.ops.values()]);
  if (!op) return null;
  const put = async (): Promise<void> => {
    const [help, tool] = await Promise.all([api.help(op), api.op(op)]).catch(() => []);
    const args = help?.type === "op" ? (help.examples?.[0]?.args ?? {}) : {};
    onCode(language.example(language.call(op, args, tool?.parameters)));
  };
  return (
    <button type="button" onClick={() => void put()}>
      Start from an example
    </button>
  );
}

/** A read op, one that lists or searches if there is one. */
const exampleOp = (ops: readonly ListedOp[]): string | undefined => {
  const reads = ops.filter(({ kind }) => kind === "read");
  return (reads.find(({ op }) => /\.(?:list|search)$|[._](?:list|search)_/.test(op)) ?? reads[0])?.op;
};

interface FoundProps {
  readonly found: readonly TypeFault[];
  readonly area: { readonly current: HTMLTextAreaElement | null };
}

/** The type errors, each with a link to its line. */
const Found = ({ found, area }: FoundProps) => (
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

/** How an answer looks, and its heading. */
function lookOf({ paused, is_error: isError }: RunReply): readonly [look: string, heading: string] {
  if (paused !== undefined) return ["answer", "Waiting"];
  return isError ? ["answer bad", "Failed"] : ["answer good", "Output"];
}

function Output({ reply }: { readonly reply: RunReply }) {
  const { text, engine, plan } = reply;
  if (plan) return <Previewed plan={plan} />;
  const stored = storedIn(text);
  const [look, heading] = lookOf(reply);
  return (
    <div class={look}>
      <h2>{heading}</h2>
      <CodeFrame text={text === "" ? "(no output)" : text} label="Output" wraps />
      {stored && stored.places.length > 0 && <ResultTable key={`table ${stored.handle}`} {...stored} />}
      {stored && <StoredResult key={stored.handle} handle={stored.handle} />}
      {engine && (
        <p class="quiet">
          {duration(engine.ms)} on {engine.name}
        </p>
      )}
    </div>
  );
}

/** What a program would write. */
const Previewed = ({ plan }: { readonly plan: Plan }) => (
  <div class={plan.error === undefined ? "answer good" : "answer bad"}>
    <h2>Preview: nothing was changed</h2>
    <PlanWrites plan={plan} run="the program" />
  </div>
);

interface SignaturesProps {
  readonly listed: CallerIndex;
  readonly language: EditorLanguage;
  readonly onInsert: (text: string) => void;
}

/** Ops to put into the code: all of them, or those that a search finds, with their types. */
function Signatures({ listed: { ops }, language, onInsert }: SignaturesProps) {
  const [query, setQuery] = useState("");
  const { found } = useSearch(query);
  const isAll = query.trim() === "";
  const shown = isAll
    ? [...ops.values()].slice(0, MAX_SIGNATURES).map(({ op, summary }) => ({ op, text: op, about: summary }))
    : found.flatMap(({ op, signature, about }) =>
        op === undefined || signature === undefined ? [] : [{ op, text: signature[language.signature], about }],
      );
  return (
    <aside aria-label="Signatures">
      <label for="signature-search">Signatures</label>
      <input
        id="signature-search"
        type="search"
        value={query}
        placeholder="words"
        maxLength={200}
        onInput={(event) => setQuery(event.currentTarget.value)}
      />
      <ul class="signatures">
        {shown.map(({ op, text, about }) => (
          <li key={op}>
            <button type="button" title={about} onClick={() => onInsert(language.call(op, {}))}>
              <ColouredText text={text} language={language.name} />
            </button>
          </li>
        ))}
      </ul>
      {isAll && ops.size > MAX_SIGNATURES && (
        <p class="quiet">{(ops.size - MAX_SIGNATURES).toLocaleString("en")} more: search for them.</p>
      )}
    </aside>
  );
}
