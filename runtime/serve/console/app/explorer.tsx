/** Registry explorer: packs, entities and ops, a search, and the page of one op. */

import { useEffect, useMemo, useState } from "preact/hooks";
import type { SeenRegistry } from "../visible-registry.js";
import { api } from "./api.js";
import { OpPage } from "./op-page.js";
import { opAddress, packAddress } from "./route.js";
import { Prose } from "./text.js";
import { Kind, type SeenTool, search } from "./tools.js";

/** Most ops in search results. */
const MAX_FOUND = 60;

interface ExplorerProps {
  readonly registry: SeenRegistry;
  /** The op whose page is open; empty for none. */
  readonly op: string;
  readonly pack: string;
}

/** The screen. */
export function Explorer({ registry, op, pack }: ExplorerProps) {
  const [query, setQuery] = useState(kept);
  kept = query;
  const found = useMemo(() => search(registry.tools, query), [registry, query]);
  const near = useNear(registry, query, found.length === 0);
  const tool = registry.tools.find((one) => one.op === op);
  const isPage = op !== "" || pack !== "";
  useEffect(() => {
    if (isPage) document.getElementById("main")?.focus({ preventScroll: true });
  }, [isPage, op, pack]);
  return (
    <div class={isPage ? "explorer with-page" : "explorer"}>
      <div class="side">
        <Search query={query} onQuery={setQuery} />
        {query.trim() === "" ? (
          <Packs registry={registry} op={op} />
        ) : (
          <Found tools={found.length > 0 ? found : near} isNear={found.length === 0} op={op} />
        )}
      </div>
      <div class="detail">
        {isPage && (
          <p class="back">
            <a href="#/">← All ops</a>
          </p>
        )}
        {tool && <OpPage key={tool.op} tool={tool} registry={registry} />}
        {!tool && op !== "" && <Missing what="op" name={op} />}
        {pack !== "" && <PackPage registry={registry} pack={pack} />}
        {!isPage && <Overview registry={registry} />}
      </div>
    </div>
  );
}

/** The search text, kept while another screen is open. */
let kept = "";

/** How long after the last key `tool_help` is asked for near matches. */
const NEAR_MS = 300;

/** If no op contains all words: the near matches of `tool_help`. */
function useNear(registry: SeenRegistry, query: string, isWanted: boolean): readonly SeenTool[] {
  const [near, setNear] = useState<readonly SeenTool[]>([]);
  useEffect(() => {
    setNear([]);
    const path = query.trim();
    if (!isWanted || path === "") return;
    let isCurrent = true;
    const timer = setTimeout(async () => {
      const help = await api.help(path).catch(() => undefined);
      const ops = help?.type === "op" ? [help.path] : help?.type === "not_found" ? help.suggestions : [];
      const tools = ops.flatMap((op) => registry.tools.find((one) => one.op === op) ?? []);
      if (isCurrent) setNear(tools);
    }, NEAR_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [registry, query, isWanted]);
  return near;
}

const Missing = ({ what, name }: { readonly what: string; readonly name: string }) => (
  <>
    <h1>No such {what}</h1>
    <p>
      There is no {what} <code>{name}</code>, or you may not use it.
    </p>
  </>
);

function Overview({ registry }: { readonly registry: SeenRegistry }) {
  const counts = new Map<string, number>();
  for (const { group } of registry.tools) counts.set(group, (counts.get(group) ?? 0) + 1);
  return (
    <>
      <h1>Registry</h1>
      {registry.tools.length === 0 ? (
        <p>There is no op that you may use.</p>
      ) : (
        <p>Choose an op to read about it and to try it, or search for what it does.</p>
      )}
      <ul class="tiles">
        {registry.packs.map(({ name, summary }) => (
          <li key={name} class="card">
            <h2>
              <a href={packAddress(name)}>{name}</a>
            </h2>
            <p>{summary}</p>
            <p class="quiet">{opsIn(counts.get(name) ?? 0)}</p>
          </li>
        ))}
      </ul>
    </>
  );
}

const opsIn = (count: number): string => `${count} ${count === 1 ? "op" : "ops"}`;

function PackPage({ registry, pack }: { readonly registry: SeenRegistry; readonly pack: string }) {
  const found = registry.packs.find(({ name }) => name === pack);
  if (!found) return <Missing what="pack" name={pack} />;
  const entities = [...byEntity(registry.tools.filter(({ group }) => group === pack))];
  return (
    <article>
      <h1 class="op-name">{pack}</h1>
      {found.summary !== "" && (
        <div class="lead">
          <Prose text={found.summary} />
        </div>
      )}
      {entities.map(([entity, tools]) => (
        <section key={entity} class="part">
          {(entity !== "" || entities.length > 1) && <h2>{entity === "" ? "others" : entity}</h2>}
          <Ops tools={tools} op="" hasSummary />
        </section>
      ))}
    </article>
  );
}

/** Filters while you type; Enter asks `tool_help`, which knows paths and other names, and opens its result. */
function Search({ query, onQuery }: { readonly query: string; readonly onQuery: (text: string) => void }) {
  const go = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const help = await api.help(query.trim()).catch(() => undefined);
    if (help?.type === "op") {
      onQuery("");
      location.hash = opAddress(help.path);
    }
    if (help?.type !== "directory" || help.path === "" || help.path === "root") return;
    if (help.path.includes(".")) onQuery(`${help.path}.`);
    else location.hash = packAddress(help.path);
  };
  return (
    <search>
      <form onSubmit={go}>
        <label for="search">Search ops</label>
        <input
          id="search"
          type="search"
          value={query}
          placeholder="create task, or a path"
          onInput={(event) => onQuery(event.currentTarget.value)}
        />
      </form>
    </search>
  );
}

/** `isNear`: no op contains all words. */
const Found = ({ tools, isNear, op }: OpsProps & { readonly isNear: boolean }) => (
  <nav aria-label="Found ops">
    <p class="quiet" role="status">
      {isNear ? `No op holds all of these words.${tools.length > 0 ? " Near them:" : ""}` : `${tools.length} found`}
      {tools.length > MAX_FOUND ? `, the first ${MAX_FOUND} shown` : ""}
    </p>
    <Ops tools={tools.slice(0, MAX_FOUND)} op={op} hasSummary />
  </nav>
);

interface OpsProps {
  readonly tools: readonly SeenTool[];
  readonly op: string;
  readonly hasSummary?: boolean;
}

const Ops = ({ tools, op, hasSummary = false }: OpsProps) => (
  <ul class="ops">
    {tools.map((tool) => (
      <li key={tool.op}>
        <a href={opAddress(tool.op)} aria-current={tool.op === op ? "page" : undefined}>
          <span class="name">{tool.op}</span> <Kind kind={tool.kind} />
          {hasSummary && <span class="quiet summary">{tool.summary}</span>}
        </a>
      </li>
    ))}
  </ul>
);

function Packs({ registry, op }: { readonly registry: SeenRegistry; readonly op: string }) {
  const isOnly = registry.packs.length === 1;
  return (
    <nav aria-label="Packs">
      {registry.packs.map(({ name }) => (
        <Pack
          key={name}
          name={name}
          tools={registry.tools.filter(({ group }) => group === name)}
          op={op}
          isOpen={isOnly || op.startsWith(`${name}.`)}
        />
      ))}
    </nav>
  );
}

interface PackProps extends OpsProps {
  readonly name: string;
  readonly isOpen: boolean;
}

/** A closed pack is not rendered, since a registry may have thousands of ops. */
function Pack({ name, tools, op, isOpen: isFirst }: PackProps) {
  const [isOpen, setOpen] = useState(isFirst);
  useEffect(() => {
    if (isFirst) setOpen(true);
  }, [isFirst]);
  const entities = [...byEntity(tools)];
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {name} <span class="quiet">{tools.length}</span>
      </summary>
      {isOpen &&
        entities.map(([entity, members]) => (
          <div key={entity} class="entity">
            {entity !== "" && <p class="entity-name">{entity}</p>}
            <Ops tools={members} op={op} />
          </div>
        ))}
    </details>
  );
}

function byEntity(tools: readonly SeenTool[]): ReadonlyMap<string, readonly SeenTool[]> {
  const groups = new Map<string, SeenTool[]>();
  for (const tool of tools) {
    const { entity = "" } = tool;
    const others = groups.get(entity);
    if (others) others.push(tool);
    else groups.set(entity, [tool]);
  }
  return groups;
}
