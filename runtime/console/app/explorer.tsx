/** The registry to walk through: packs, entities, ops; a search; and the page of one op. */

import { useEffect, useMemo, useState } from "preact/hooks";
import type { SeenRegistry } from "../seen-registry.js";
import { api } from "./api.js";
import { OpPage } from "./op-page.js";
import { opAddress } from "./route.js";
import { Kind, type SeenTool, search } from "./tools.js";

/** Ops that a search lists. */
const MOST_FOUND = 60;

/** The screen. */
export function Explorer({ registry, op }: { readonly registry: SeenRegistry; readonly op: string }) {
  const [query, setQuery] = useState("");
  const found = useMemo(() => search(registry.tools, query), [registry, query]);
  const open = (pack: string): void => {
    setQuery(`${pack}.`);
    document.getElementById("search")?.focus();
  };
  const tool = registry.tools.find((one) => one.op === op);
  useEffect(() => {
    document.title = op === "" ? "toolwright" : `${op} · toolwright`;
    if (op !== "") document.getElementById("main")?.focus({ preventScroll: true });
  }, [op]);
  return (
    <div class={op === "" ? "explorer" : "explorer with-op"}>
      <div class="side">
        <Search query={query} onQuery={setQuery} />
        {query.trim() === "" ? <Packs registry={registry} op={op} /> : <Found tools={found} op={op} />}
      </div>
      <div class="detail">
        {op !== "" && (
          <p class="back">
            <a href="#/">← All ops</a>
          </p>
        )}
        {tool && <OpPage key={tool.op} tool={tool} registry={registry} />}
        {!tool && op !== "" && <NoOp op={op} />}
        {op === "" && <Overview registry={registry} onPack={open} />}
      </div>
    </div>
  );
}

const NoOp = ({ op }: { readonly op: string }) => (
  <>
    <h1>No such op</h1>
    <p>
      There is no op <code>{op}</code>, or you may not use it.
    </p>
  </>
);

interface OverviewProps {
  readonly registry: SeenRegistry;
  readonly onPack: (name: string) => void;
}

function Overview({ registry, onPack }: OverviewProps) {
  const counts = new Map<string, number>();
  for (const { group } of registry.tools) counts.set(group, (counts.get(group) ?? 0) + 1);
  return (
    <>
      <h1>Registry</h1>
      <p>Choose an op to read about it and to try it, or search for what it does.</p>
      <ul class="tiles">
        {registry.packs.map(({ name, summary }) => (
          <li key={name} class="card">
            <h2>
              <button type="button" class="plain" onClick={() => onPack(name)}>
                {name}
              </button>
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

/** Words are looked for at once; Enter asks `tool_help`, which knows paths, other names and what is nearly one. */
function Search({ query, onQuery }: { readonly query: string; readonly onQuery: (text: string) => void }) {
  const [told, setTold] = useState("");
  const go = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const help = await api.help(query.trim()).catch(() => undefined);
    if (help?.type === "op") {
      onQuery("");
      location.hash = opAddress(help.path);
    }
    if (help?.type === "directory") onQuery(`${help.path.replace(/^root$/, "")}.`.replace(/^\.$/, ""));
    const near = help?.type === "not_found" ? help.suggestions : [];
    setTold(near.length > 0 ? `No op of this name. Near it: ${near.join(", ")}` : "");
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
          onInput={(event) => {
            onQuery(event.currentTarget.value);
            setTold("");
          }}
        />
      </form>
      <p class="quiet" role="status">
        {told}
      </p>
    </search>
  );
}

const Found = ({ tools, op }: { readonly tools: readonly SeenTool[]; readonly op: string }) => (
  <nav aria-label="Found ops">
    <p class="quiet" role="status">
      {tools.length} found{tools.length > MOST_FOUND ? `, the first ${MOST_FOUND} shown` : ""}
    </p>
    <Ops tools={tools.slice(0, MOST_FOUND)} op={op} hasSummary />
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

/** What is closed is not drawn: a registry may have thousands of ops. */
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
