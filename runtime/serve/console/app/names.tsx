/** Shows names of ops, packs and servers, which break where they are too long, and lists of ops. */

import type { NamesById } from "../../../gateway/console-data.js";
import type { ListedOp } from "./listed-ops.js";
import { opAddress } from "./route.js";

/** The name. */
export const OpName = ({ text }: { readonly text: string }) => (
  <span class="mono">
    <Breakable text={text} />
  </span>
);

/** A text with places where it may break. */
export const Breakable = ({ text }: { readonly text: string }) => (
  <>
    {text.split(/(?<=[._-])(?=[^._-])/).map((part, at) => (
      <>
        {at > 0 && <wbr />}
        {part}
      </>
    ))}
  </>
);

interface WhoProps {
  readonly id: string;
  /** Names of users by their ids; others have none. */
  readonly names: NamesById | undefined;
  /** Whether the id stands beside the name: for those who decide about what was asked. */
  readonly hasId?: boolean;
}

/** A caller: a user by the name that the identity provider gives, others by their ids. */
export function Who({ id, names = {}, hasId = false }: WhoProps) {
  const name = Object.hasOwn(names, id) ? names[id] : undefined;
  if (name === undefined) return <Breakable text={id} />;
  return (
    <>
      <span title={id}>{name}</span>
      {hasId && (
        <>
          {" "}
          (<Breakable text={id} />)
        </>
      )}
    </>
  );
}

/** Whether an op reads or writes. */
export const KindMark = ({ kind }: Pick<ListedOp, "kind">) => <span class={`kind ${kind}`}>{kind}</span>;

interface OpsProps {
  readonly ops: readonly ListedOp[];
  /** The op whose page is open; empty for none. */
  readonly current?: string;
  readonly hasSummary?: boolean;
}

/** A list of ops with their addresses. */
export const Ops = ({ ops, current = "", hasSummary = false }: OpsProps) => (
  <ul class="ops">
    {ops.map(({ op, kind, summary }) => (
      <li key={op}>
        <a href={opAddress(op)} aria-current={op === current ? "page" : undefined}>
          <span class="name">
            <Breakable text={op} />
          </span>{" "}
          <KindMark kind={kind} />
          {hasSummary && <span class="quiet summary">{summary}</span>}
        </a>
      </li>
    ))}
  </ul>
);
