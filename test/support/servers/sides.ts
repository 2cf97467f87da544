/** One root that switches between two projects, for tests of servers whose configuration changes. */

import { mkdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { CHECKOUT, generatedRoot, temporaryFolder } from "../project.js";

/** The two projects; all that they say carries their letter. */
export type Side = "A" | "B";

/** A root that changes. */
export interface Sides {
  readonly root: string;
  /** Shows a side, from the next look at the disk on. */
  show(side: Side): void;
}

/** Generates both sides and shows A. */
export async function sides(remove: (clean: () => void) => void): Promise<Sides> {
  const root = temporaryFolder(remove);
  const [a, b] = await Promise.all(
    ["A", "B"].map((side) => generatedRoot(join(CHECKOUT, "test/support/demos/sides", side), remove)),
  );
  const roots = { A: a ?? "", B: b ?? "" };
  const show = (side: Side): void => {
    for (const folder of ["definitions", "generated"]) {
      symlinkSync(join(roots[side], folder), join(root, `${folder}.new`));
      renameSync(join(root, `${folder}.new`), join(root, folder));
    }
  };
  mkdirSync(join(root, "node_modules"));
  symlinkSync(CHECKOUT, join(root, "node_modules", "toolwright"));
  show("A");
  return { root, show };
}
