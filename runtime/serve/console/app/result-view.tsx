/** Shows a result as what it is: rows as a table, objects as members that unfold, text as text. All of it is foreign. */

import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { writeJson } from "../../../contract/exact-number.js";
import { visibleLines, visibleText } from "../../../contract/message-text.js";
import type { JsonObject, JsonValue } from "../../../contract/registry.js";
import { CopyButton, JsonFrame } from "./code.js";
import { hasNoMembers, isRows, rowColumns } from "./result-rows.js";
import { Foreign, Linked } from "./text.js";

/** Rows or members that are shown at first, and how many more each time. */
const SHOWN = 50;
/** Characters of a text in a table that are shown at first. */
const CELL = 200;
/** Members of an object that is unfolded at first. */
const UNFOLDED = 12;

/** A result with its JSON to look at and to copy. */
export function ResultView({ value }: { readonly value: JsonValue }) {
  const [isJson, setJson] = useState(false);
  const text = useMemo(() => writeJson(value, 2), [value]);
  const isText = typeof value === "string";
  return (
    <section class="result" aria-label="Result">
      <p class="buttons">
        <CopyButton text={isText ? value : text} what={isText ? "the result" : "the result as JSON"} />
        {!isText && (
          <button type="button" class="copy" aria-pressed={isJson} onClick={() => setJson(!isJson)}>
            JSON
          </button>
        )}
      </p>
      {isJson ? <JsonFrame value={value} label="Result as JSON" /> : <Value value={value} isOpen />}
    </section>
  );
}

interface ValueProps {
  readonly value: JsonValue;
  /** Whether objects and lists among its members are unfolded if they are small. */
  readonly isOpen?: boolean;
  /** Characters of a text that are shown at first. */
  readonly first?: number | undefined;
}

/** One value. */
function Value({ value, isOpen = false, first }: ValueProps) {
  if (hasNoMembers(value)) return <Leaf value={value} first={first} />;
  if (isRows(value)) return <RowsView rows={value} />;
  const isList = Array.isArray(value);
  const members = Object.entries(value as JsonObject);
  if (members.length === 0) return <span class="quiet">{isList ? "empty list" : "empty object"}</span>;
  return <Members members={members} isList={isList} isOpen={isOpen} />;
}

function Leaf({ value, first }: Omit<ValueProps, "isOpen">) {
  if (value === "") return <span class="quiet">empty text</span>;
  if (typeof value === "string")
    return (
      <Foreign text={visibleLines(value)} class="prose" {...(first === undefined ? {} : { first })}>
        {(shown) => <Linked text={shown} />}
      </Foreign>
    );
  const kind = typeof value === "boolean" || value === null ? "syn-keyword" : "syn-number";
  return <span class={`mono ${kind}`}>{writeJson(value)}</span>;
}

interface MembersProps {
  readonly members: readonly (readonly [string, JsonValue])[];
  readonly isList: boolean;
  readonly isOpen: boolean;
}

const Members = ({ members, isList, isOpen }: MembersProps) => (
  <Some all={members}>
    {(shown) => (
      <ul class="members">
        {shown.map(([name, value]) => (
          <li key={name}>
            {hasNoMembers(value) || Object.keys(value as object).length === 0 ? (
              <>
                <Key name={name} isList={isList} /> <Value value={value} />
              </>
            ) : (
              <Folded
                isOpen={isOpen && (isRows(value) || sizeOf(value) <= UNFOLDED)}
                title={<Key name={name} isList={isList} />}
                value={value}
              />
            )}
          </li>
        ))}
      </ul>
    )}
  </Some>
);

/** Names are foreign, too. */
const Key = ({ name, isList }: { readonly name: string; readonly isList: boolean }) => (
  <code class="key-of">{isList ? Number(name) + 1 : visibleText(name)}</code>
);

interface FoldedProps {
  readonly title?: ComponentChildren;
  readonly value: JsonValue;
  readonly isOpen?: boolean;
}

/** An object or a list that unfolds; what is folded is not rendered. */
function Folded({ title, value, isOpen: isFirst = false }: FoldedProps) {
  const [isOpen, setOpen] = useState(isFirst);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {title} <span class="quiet">{sizeText(value)}</span>
      </summary>
      {isOpen && <Value value={value} isOpen={isFirst} />}
    </details>
  );
}

const sizeOf = (value: JsonValue): number => Object.keys(value as object).length;

function sizeText(value: JsonValue): string {
  const [size, thing] = [sizeOf(value), isRows(value) ? "row" : Array.isArray(value) ? "item" : "member"];
  return `${size.toLocaleString("en")} ${thing}${size === 1 ? "" : "s"}`;
}

function RowsView({ rows }: { readonly rows: readonly JsonObject[] }) {
  const { shown: columns, rest } = useMemo(() => rowColumns(rows), [rows]);
  const known = new Set(columns);
  return (
    <Some all={rows}>
      {(shown) => (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable with the keyboard.
        <section class="scroll rows" tabIndex={0} aria-label="Rows">
          <table>
            <thead>
              <tr>
                {columns.map((name) => (
                  <th key={name} scope="col">
                    {visibleText(name)}
                  </th>
                ))}
                {rest.length > 0 && <th scope="col">more</th>}
              </tr>
            </thead>
            <tbody>
              {shown.map((row, at) => (
                <tr key={at}>
                  {columns.map((name) => (
                    <Cell key={name} value={Object.hasOwn(row, name) ? row[name] : undefined} />
                  ))}
                  {rest.length > 0 && <Cell value={without(row, known)} />}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </Some>
  );
}

const without = (row: JsonObject, known: ReadonlySet<string>): JsonObject =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !known.has(name)));

/** Longest text that stays on its line. */
const ONE_LINE = 32;

function cellClass(value: JsonValue | undefined): string {
  if (typeof value !== "string") return typeof value === "number" ? "number" : "short-text";
  return value.length <= ONE_LINE && !value.includes("\n") ? "short-text" : "long-text";
}

/** A cell; empty where the row has no such member. */
function Cell({ value }: { readonly value: JsonValue | undefined }) {
  return (
    <td class={cellClass(value)}>
      {value === undefined || (!hasNoMembers(value) && sizeOf(value) === 0) ? (
        ""
      ) : hasNoMembers(value) ? (
        <Leaf value={value} first={CELL} />
      ) : (
        <Folded value={value} />
      )}
    </td>
  );
}

interface SomeProps<T> {
  readonly all: readonly T[];
  readonly children: (shown: readonly T[]) => ComponentChildren;
}

/** The first entries, and more of them on request. */
function Some<T>({ all, children }: SomeProps<T>) {
  const [most, setMost] = useState(SHOWN);
  return (
    <>
      {children(all.slice(0, most))}
      {all.length > most && (
        <p class="buttons">
          <button type="button" onClick={() => setMost(most + SHOWN)}>
            Show {Math.min(SHOWN, all.length - most)} more
          </button>
          <span class="quiet">
            {most.toLocaleString("en")} of {all.length.toLocaleString("en")}
          </span>
        </p>
      )}
    </>
  );
}
