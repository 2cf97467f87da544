/** Screens that features add to the console: the build gives the page those of `features/NAME/console/screen.tsx`. */

import { createContext, type VNode } from "preact";
import type { CallerIndex } from "./listed-ops.js";

/** What a screen gets. */
export interface FeatureScreenProps {
  /** What follows its path in the address. */
  readonly rest: string;
  readonly ops: CallerIndex["ops"];
}

/** A screen of a feature, which its module exports as `SCREEN`. */
export interface FeatureScreen {
  /** First word of its address. */
  readonly path: string;
  /** Its name in the menu. */
  readonly title: string;
  /** The path of the screen behind which it stands in the menu. */
  readonly after: string;
  /** A link from the page of an op. */
  readonly ofOp: { readonly text: string; address(op: string): string };
  Screen(props: FeatureScreenProps): VNode;
}

/** The screens of features on this page. */
export const FeatureScreens = createContext<readonly FeatureScreen[]>([]);
