/** Groups of ops that unfold, as the side bar and the page of a pack show them. */

import { useEffect, useState } from "preact/hooks";
import { isInGroup, type OpGroup } from "./listed-ops.js";
import { Breakable, Ops } from "./names.js";

/** Most ops that are listed below unfolded groups at first. */
const MAX_UNFOLDED = 120;

/** What was unfolded or folded by hand, by place, pack and group: it stays while another screen is open. */
const touched = new Map<string, boolean>();

interface OpGroupsProps {
  readonly pack: string;
  readonly top: OpGroup;
  /** On the page of a pack groups are headings, and ops have their summaries. */
  readonly isPage?: boolean;
  /** The op whose page is open; its groups are unfolded. */
  readonly current?: string;
}

/** The groups of a pack; its ops, if it has no groups. */
export function OpGroups({ pack, top, isPage = false, current = "" }: OpGroupsProps) {
  const isOpen = isPage ? top.size <= MAX_UNFOLDED : top.groups.length === 1;
  return <Within group={top} level={2} {...{ pack, isPage, current, isOpen }} />;
}

interface WithinProps extends Required<Omit<OpGroupsProps, "top">> {
  readonly group: OpGroup;
  /** Level of the headings. */
  readonly level: number;
  /** Whether groups are unfolded at first. */
  readonly isOpen: boolean;
}

function Within({ group: { ops, groups }, ...place }: WithinProps) {
  return (
    <>
      {groups.map((one) => (
        <Group key={`${one.path}/${one.name}`} group={one} {...place} />
      ))}
      {ops.length > 0 && <Ops ops={ops} current={place.current} hasSummary={place.isPage} />}
    </>
  );
}

/** What is folded is not rendered, since a pack may have thousands of ops. */
function Group({ group, level, ...place }: WithinProps) {
  const key = [place.isPage ? "page" : "side", place.pack, group.path, group.name].join(" ");
  const isHere = isInGroup(group, place.current);
  const [isOpen, setOpen] = useState(isHere || (touched.get(key) ?? place.isOpen));
  useEffect(() => {
    if (isHere) setOpen(true);
  }, [isHere]);
  const toggle = (isNow: boolean): void => {
    if (isNow === isOpen) return;
    touched.set(key, isNow);
    setOpen(isNow);
  };
  const Heading = place.isPage ? (`h${Math.min(level, 6)}` as "h2") : "span";
  return (
    <details class="group" open={isOpen} onToggle={(event) => toggle(event.currentTarget.open)}>
      <summary>
        <Heading>
          <Breakable text={group.name} />
        </Heading>{" "}
        <span class="quiet">{group.size.toLocaleString("en")}</span>
        {place.isPage && !isOpen && <span class="quiet holds"> {holds(group)}</span>}
      </summary>
      {isOpen && <Within group={group} level={level + 1} {...place} />}
    </details>
  );
}

/** Most names of groups that a folded group tells. */
const MAX_TOLD = 8;

/** The groups of a folded group, for those who look for one. */
function holds({ groups }: OpGroup): string {
  const names = groups.map(({ name }) => name);
  return names.length > MAX_TOLD ? `${names.slice(0, MAX_TOLD).join(", ")} …` : names.join(", ");
}
