/** Finds possible duplicates of a new entity. They are reported with the write and never prevent it. */

import { byCodeUnit } from "toolwright/codegen";
import { gramHits } from "./candidates.js";
import { rowsById } from "./list.js";
import type { EdgeKind } from "./model.js";
import { labelOf } from "./render.js";
import type { Store } from "./store.js";
import { dice, trigrams } from "./text.js";

/** Most entities that are reported. */
const NAMED = 3;
/** Most rows that are compared. */
const COMPARED = 50;
/** Similarity from which two labels are close. */
const CLOSE = 0.6;

/** An entity with a label similar to the new one's. */
export interface Similar {
  readonly id: string;
  readonly label: string;
  readonly state_key?: unknown;
}

/** Up to three live entities of the same project and kind with a similar label, closest first. */
export async function similarTo(
  store: Store,
  kind: EdgeKind,
  projectId: string,
  label: string,
): Promise<readonly Similar[]> {
  const grams = trigrams(label);
  const hits = await gramHits(store, { kinds: [kind], projects: [projectId], where: {} }, grams, COMPARED);
  const rows = await rowsById(
    store,
    kind,
    hits.map(({ entity_id }) => entity_id),
  );
  return [...rows]
    .map(([id, row]) => ({ id, row, likeness: dice(grams, trigrams(labelOf(kind, row))) }))
    .filter(({ likeness }) => likeness >= CLOSE)
    .sort((a, b) => b.likeness - a.likeness || byCodeUnit(a.id, b.id))
    .slice(0, NAMED)
    .map(({ id, row }) => ({
      id,
      label: labelOf(kind, row),
      ...(row["state_key"] === undefined ? {} : { state_key: row["state_key"] }),
    }));
}
