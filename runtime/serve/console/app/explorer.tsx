/** Registry explorer: packs, entities and ops, and the page of one op. */

import { useEffect, useRef, useState } from "preact/hooks";
import { type CallerIndex, type ListedPack, opCountText } from "./listed-ops.js";
import { MissingPage } from "./missing.js";
import { Breakable } from "./names.js";
import { OpGroups } from "./op-groups.js";
import { OpPage } from "./op-page.js";
import { PackPage } from "./pack-page.js";
import { packAddress } from "./route.js";

interface ExplorerProps {
  readonly listed: CallerIndex;
  /** The op whose page is open; empty for none. */
  readonly op: string;
  readonly pack: string;
  /** The filter of the page of a pack. */
  readonly filter: string;
}

/** The screen. */
export function Explorer({ listed, op, pack, filter }: ExplorerProps) {
  const isPage = op !== "" || pack !== "";
  useEffect(() => {
    if (isPage) document.getElementById("main")?.focus({ preventScroll: true });
  }, [isPage, op, pack]);
  const found = listed.packs.find(({ name }) => name === pack);
  return (
    <div class={isPage ? "explorer with-page" : "explorer"}>
      <Packs listed={listed} op={op} pack={pack} />
      <div class="detail">
        {isPage && <Place listed={listed} op={op} pack={pack} />}
        {listed.ops.has(op) && <OpPage key={op} op={op} listed={listed} />}
        {op !== "" && !listed.ops.has(op) && <MissingPage what="op" name={op} />}
        {found && <PackPage key={pack} pack={found} filter={filter} />}
        {pack !== "" && !found && <MissingPage what="pack" name={pack} />}
        {!isPage && <Overview listed={listed} />}
      </div>
    </div>
  );
}

type PlaceProps = Omit<ExplorerProps, "filter">;

const packOf = ({ packs }: CallerIndex, op: string): string | undefined =>
  packs.find(({ ops }) => ops.some((one) => one.op === op))?.name;

/** The way back up. */
function Place({ listed, op, pack }: PlaceProps) {
  const above = packOf(listed, op);
  return (
    <nav class="place" aria-label="Place">
      <a href="#/ops">All ops</a>
      {above !== undefined && (
        <>
          {" / "}
          <a href={packAddress(above)}>{above}</a>
        </>
      )}
      {pack !== "" && <span aria-hidden="true"> / {pack}</span>}
    </nav>
  );
}

function Overview({ listed: { packs, ops } }: { readonly listed: CallerIndex }) {
  return (
    <>
      <h1>Ops</h1>
      {ops.size === 0 ? (
        <p>
          There is no op that you may use. Add tools to <code>definitions/</code> and run{" "}
          <code>toolwright generate</code>, or ask for a key with a wider scope.
        </p>
      ) : (
        <p>
          {opCountText(ops.size)} in {packs.length === 1 ? "one pack" : `${packs.length} packs`}. Choose a pack, or
          press <kbd>/</kbd> to search.
        </p>
      )}
      <Tiles packs={packs} />
    </>
  );
}

/** Packs with what they are for. */
export const Tiles = ({ packs }: { readonly packs: readonly ListedPack[] }) => (
  <ul class="tiles">
    {packs.map(({ name, summary, ops }) => (
      <li key={name} class="card">
        <h2>
          <a href={packAddress(name)}>
            <Breakable text={name} />
          </a>
        </h2>
        {summary !== "" && <p class="clamped">{summary}</p>}
        <p class="quiet">{opCountText(ops.length)}</p>
      </li>
    ))}
  </ul>
);

/** The side bar follows the place: the pack of the open op is unfolded, and the op is in view. The page of a pack lists its ops itself. */
function Packs({ listed, op, pack }: PlaceProps) {
  const bar = useRef<HTMLElement>(null);
  const here = pack === "" ? packOf(listed, op) : pack;
  useEffect(() => {
    const [box, link] = [bar.current, bar.current?.querySelector("[aria-current=page]")];
    if (!box || !link) return;
    // Scrolls the bar only, not the page.
    const [outer, inner] = [box.getBoundingClientRect(), link.getBoundingClientRect()];
    if (inner.top < outer.top || inner.bottom > outer.bottom) box.scrollTop += inner.top - outer.top - outer.height / 3;
  }, [op, here]);
  return (
    <nav class="side" aria-label="Packs" ref={bar}>
      {listed.packs.map((one) => (
        <Pack
          key={one.name}
          pack={one}
          op={op}
          isHere={one.name === here}
          isOpen={pack === "" && (listed.packs.length === 1 || one.name === here)}
        />
      ))}
    </nav>
  );
}

interface PackProps {
  readonly pack: ListedPack;
  readonly op: string;
  readonly isHere: boolean;
  readonly isOpen: boolean;
}

/** A closed pack is not rendered, since a registry may have thousands of ops. */
function Pack({ pack: { name, ops, top }, op, isHere, isOpen: isFirst }: PackProps) {
  const [isOpen, setOpen] = useState(isFirst);
  useEffect(() => setOpen(isFirst), [isFirst]);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary class={isHere ? "here" : ""}>
        <Breakable text={name} /> <span class="quiet">{ops.length.toLocaleString("en")}</span>
      </summary>
      {isOpen && <OpGroups pack={name} top={top} current={op} />}
    </details>
  );
}
