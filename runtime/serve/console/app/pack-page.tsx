/** The page of a pack: its ops by group, and those that a filter leaves. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { filteredGroups, firstOps, type ListedPack, opCountText } from "./listed-ops.js";
import { Markdown } from "./markdown.js";
import { Breakable, Ops } from "./names.js";
import { OpGroups } from "./op-groups.js";
import { packAddress } from "./route.js";

/** Packs with fewer ops have no filter. */
const MIN_FILTERED = 10;
/** Ops that a filter shows at first, and how many more each time. */
const SHOWN = 100;

interface PackPageProps {
  readonly pack: ListedPack;
  /** The filter of the address. */
  readonly filter: string;
}

/** The page. */
export function PackPage({ pack, filter: given }: PackPageProps) {
  const { name, summary, ops, top } = pack;
  const [filter, setFilter] = useState(given);
  useEffect(() => setFilter(given), [given]);
  const list = useRef<HTMLDivElement>(null);
  const change = (text: string): void => {
    setFilter(text);
    // Going back from an op leads to the same filter.
    history.replaceState(null, "", packAddress(name, text));
  };
  return (
    <article>
      <h1 class="op-name">
        <Breakable text={name} />
      </h1>
      {summary !== "" && (
        <div class="lead">
          <Markdown text={summary} />
        </div>
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys move between links that have the focus. */}
      <div class="filtered" ref={list} onKeyDown={(event) => list.current && step(event, list.current)}>
        {ops.length < MIN_FILTERED ? (
          <OpGroups pack={name} top={top} isPage />
        ) : (
          <Filter pack={pack} filter={filter} onFilter={change} />
        )}
      </div>
    </article>
  );
}

interface FilterProps extends PackPageProps {
  readonly onFilter: (text: string) => void;
}

function Filter({ pack: { name, ops, top }, filter, onFilter }: FilterProps) {
  const found = useMemo(() => filteredGroups(top, filter), [top, filter]);
  const count = found.reduce((sum, { size }) => sum + size, 0);
  const isAll = filter.trim() === "";
  const all = ops.length.toLocaleString("en");
  return (
    <>
      <div class="filter-ops">
        <label for="filter-ops">Filter</label>
        <input
          id="filter-ops"
          type="search"
          value={filter}
          placeholder="path or summary"
          maxLength={200}
          autocomplete="off"
          spellcheck={false}
          aria-describedby="filter-count"
          onInput={(event) => onFilter(event.currentTarget.value)}
        />
        <span id="filter-count" class="quiet" role="status">
          {isAll ? opCountText(ops.length) : `${count.toLocaleString("en")} of ${all}`}
        </span>
      </div>
      {isAll && <OpGroups pack={name} top={top} isPage />}
      {!isAll && count === 0 && (
        <p>
          No op of this pack has all of these words. Press <kbd>/</kbd> outside of the field to search every pack by
          what ops do.
        </p>
      )}
      {!isAll && count > 0 && <Left key={filter} found={found} count={count} />}
    </>
  );
}

interface LeftProps {
  readonly found: ReturnType<typeof filteredGroups>;
  readonly count: number;
}

/** What a filter leaves, the first ones until you ask for more. */
function Left({ found, count }: LeftProps) {
  const [most, setMost] = useState(SHOWN);
  return (
    <>
      {firstOps(found, most).map(({ path, name, ops }) => (
        <section key={`${path}/${name}`} class="part">
          <h2>{path === "" ? name || "ops" : <Breakable text={path} />}</h2>
          <Ops ops={ops} hasSummary />
        </section>
      ))}
      {count > most && (
        <p>
          <button type="button" onClick={() => setMost(most + SHOWN)}>
            Show {Math.min(SHOWN, count - most)} more
          </button>
        </p>
      )}
    </>
  );
}

const STEPS: ReadonlyMap<string, number> = new Map([
  ["ArrowDown", 1],
  ["ArrowUp", -1],
]);

/** The arrows move between the filter, the groups and the ops. */
function step(event: KeyboardEvent, list: HTMLElement): void {
  const by = STEPS.get(event.key);
  if (by === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
  const all = [...list.querySelectorAll<HTMLElement>("input, summary, .ops a")];
  const at = all.indexOf(document.activeElement as HTMLElement);
  if (at < 0) return;
  event.preventDefault();
  all[at + by]?.focus();
}
