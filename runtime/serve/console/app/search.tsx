/** The search, which `/` and Ctrl+K open on every screen: ops, packs, snippets and aliases, found as `ot.help` finds them. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../../../contract/thrown.js";
import type { Found } from "../../../gateway/console-data.js";
import { api } from "./api.js";
import { Breakable } from "./names.js";
import { opAddress, packAddress, runAddress } from "./route.js";

/** How long after the last key the server is asked. */
const ASK_MS = 120;

/** Where an entry leads. */
export function addressOf({ kind, name, op }: Found): string {
  if (kind === "pack") return packAddress(name);
  return op === undefined ? runAddress(name) : opAddress(op);
}

/** What a search has found. */
export interface Searched {
  /** The query that was answered. */
  readonly query: string;
  readonly found: readonly Found[];
  readonly fault: string;
}

const NOTHING: Searched = { query: "", found: [], fault: "" };

/** Searches a while after the last change of a query; nothing is found for an empty one. */
export function useSearch(query: string): Searched {
  const [searched, setSearched] = useState(NOTHING);
  useEffect(() => {
    const words = query.trim();
    if (words === "") return setSearched(NOTHING);
    let isCurrent = true;
    const tell = (answer: Omit<Searched, "query">): void =>
      void (isCurrent && setSearched({ query: words, ...answer }));
    const timer = setTimeout(() => {
      api.search(words).then(
        ({ found }) => tell({ found, fault: "" }),
        (error: unknown) => tell({ found: [], fault: messageOf(error) }),
      );
    }, ASK_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [query]);
  return searched;
}

/** The search with the button that opens it. */
export function SearchBox() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  const open = (): void => {
    if (dialog.current?.open) return;
    dialog.current?.showModal();
    setOpen(true);
  };
  useEffect(() => {
    const key = (event: KeyboardEvent): void => {
      if (!isOpening(event)) return;
      event.preventDefault();
      open();
    };
    // Beside the dialog.
    const click = ({ target }: MouseEvent): void => void (target === dialog.current && dialog.current?.close());
    addEventListener("keydown", key);
    addEventListener("click", click);
    return () => {
      removeEventListener("keydown", key);
      removeEventListener("click", click);
    };
  }, []);
  return (
    <>
      <button type="button" class="open-search" onClick={open} aria-keyshortcuts="/ Control+K">
        Search <span class="key">/</span>
      </button>
      <dialog ref={dialog} class="search" aria-label="Search" onClose={() => setOpen(false)}>
        {isOpen && <Finder onDone={() => dialog.current?.close()} />}
      </dialog>
    </>
  );
}

/** `/` outside of fields, Ctrl+K and ⌘K everywhere, unless another dialog is open. */
function isOpening({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean {
  if (document.querySelector("dialog[open]") || altKey) return false;
  if (key.toLowerCase() === "k") return ctrlKey || metaKey;
  return (
    key === "/" && !ctrlKey && !metaKey && !(target instanceof Element && target.closest("input, textarea, select"))
  );
}

function Finder({ onDone }: { readonly onDone: () => void }) {
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const { found, fault, query: answered } = useSearch(query);
  // Before the next key.
  useLayoutEffect(() => field.current?.focus(), []);
  useEffect(() => setAt(0), [found]);
  const go = (entry: Found | undefined): void => {
    if (!entry) return;
    location.hash = addressOf(entry);
    onDone();
    scrollTo(0, 0);
  };
  const key = (event: KeyboardEvent): void => {
    const step = STEPS.get(event.key);
    if (step !== undefined && found.length > 0) setAt((at + step + found.length) % found.length);
    else if (event.key === "Enter" && !event.isComposing) go(found[at]);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <label for="search">Search ops</label>
      <input
        id="search"
        ref={field}
        type="text"
        role="combobox"
        aria-expanded={found.length > 0}
        aria-controls="found-list"
        aria-autocomplete="list"
        aria-activedescendant={found[at] ? `found-${at}` : undefined}
        autocomplete="off"
        spellcheck={false}
        maxLength={200}
        placeholder="create task, or a path"
        value={query}
        onInput={(event) => setQuery(event.currentTarget.value)}
        onKeyDown={key}
      />
      <Finds found={found} at={at} onTake={go} />
      <p class="quiet" role="status">
        {fault !== "" ? fault : told(query, answered, found.length)}
      </p>
    </>
  );
}

interface FindsProps {
  readonly found: readonly Found[];
  /** The chosen one. */
  readonly at: number;
  readonly onTake: (entry: Found) => void;
}

function Finds({ found, at, onTake }: FindsProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" }), [at]);
  return (
    <div id="found-list" class="finds" ref={list} role="listbox" aria-label="Found">
      {found.map((entry, place) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field.
        // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus.
        <div
          key={`${entry.kind} ${entry.name}`}
          id={`found-${place}`}
          role="option"
          aria-selected={place === at}
          onClick={() => onTake(entry)}
        >
          <span class="name">
            <Breakable text={entry.name} />
          </span>{" "}
          {entry.kind !== "op" && <span class="kind">{entry.kind}</span>}
          <span class="summary">{entry.about}</span>
        </div>
      ))}
    </div>
  );
}

const STEPS: ReadonlyMap<string, number> = new Map([
  ["ArrowDown", 1],
  ["ArrowUp", -1],
]);

function told(query: string, answered: string, count: number): string {
  if (query.trim() === "") return "What an op does, its path, or a name. Arrows choose, Enter opens, Escape closes.";
  if (answered !== query.trim()) return "Searching…";
  return count === 0 ? `Nothing is found for “${answered}”: try other words.` : `${count} found`;
}
