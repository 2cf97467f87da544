/** Shows names of ops, packs and servers, which break where they are too long, and lists of ops. */

import type { ListedOp } from "./listed-ops.js";
import { opAddress } from "./route.js";

/** The name. */
export const Name = ({ text }: { readonly text: string }) => (
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

/** Whether an op reads or writes. */
export const Kind = ({ kind }: Pick<ListedOp, "kind">) => <span class={`kind ${kind}`}>{kind}</span>;

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
          <Kind kind={kind} />
          {hasSummary && <span class="quiet summary">{summary}</span>}
        </a>
      </li>
    ))}
  </ul>
);
