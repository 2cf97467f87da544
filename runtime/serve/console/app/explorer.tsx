/** Registry explorer: packs, entities and ops, and the page of one op. */

import { useEffect, useRef, useState } from "preact/hooks";
import { byEntity, type Listed, type ListedPack, opsIn } from "./listed-ops.js";
import { Markdown } from "./markdown.js";
import { Missing } from "./missing.js";
import { Breakable, Ops } from "./names.js";
import { OpPage } from "./op-page.js";
import { packAddress } from "./route.js";

interface ExplorerProps {
  readonly listed: Listed;
  /** The op whose page is open; empty for none. */
  readonly op: string;
  readonly pack: string;
}

/** The screen. */
export function Explorer({ listed, op, pack }: ExplorerProps) {
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
        {op !== "" && !listed.ops.has(op) && <Missing what="op" name={op} />}
        {found && <PackPage pack={found} />}
        {pack !== "" && !found && <Missing what="pack" name={pack} />}
        {!isPage && <Overview listed={listed} />}
      </div>
    </div>
  );
}

const packOf = ({ packs }: Listed, op: string): string | undefined =>
  packs.find(({ ops }) => ops.some((one) => one.op === op))?.name;

/** The way back up. */
function Place({ listed, op, pack }: ExplorerProps) {
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

function Overview({ listed: { packs, ops } }: { readonly listed: Listed }) {
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
          {opsIn(ops.size)} in {packs.length === 1 ? "one pack" : `${packs.length} packs`}. Choose a pack, or press{" "}
          <kbd>/</kbd> to search.
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
        <p class="quiet">{opsIn(ops.length)}</p>
      </li>
    ))}
  </ul>
);

function PackPage({ pack: { name, summary, ops } }: { readonly pack: ListedPack }) {
  const entities = [...byEntity(ops)];
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
      {entities.map(([entity, members]) => (
        <section key={entity} class="part">
          {(entity !== "" || entities.length > 1) && <h2>{entity === "" ? "others" : entity}</h2>}
          <Ops ops={members} hasSummary />
        </section>
      ))}
    </article>
  );
}

/** The side bar follows the place: the pack of what is open is unfolded, and the open op is in view. */
function Packs({ listed, op, pack }: ExplorerProps) {
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
          isOpen={listed.packs.length === 1 || one.name === here}
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
function Pack({ pack: { name, ops }, op, isHere, isOpen: isFirst }: PackProps) {
  const [isOpen, setOpen] = useState(isFirst);
  useEffect(() => {
    if (isFirst) setOpen(true);
  }, [isFirst]);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary class={isHere ? "here" : ""}>
        <Breakable text={name} /> <span class="quiet">{ops.length}</span>
      </summary>
      {isOpen &&
        [...byEntity(ops)].map(([entity, members]) => (
          <div key={entity} class="entity">
            {entity !== "" && <p class="entity-name">{entity}</p>}
            <Ops ops={members} current={op} />
          </div>
        ))}
    </details>
  );
}
