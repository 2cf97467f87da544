/** The key `surfaces`. */

import type { FeatureSetting } from "../../runtime/contract/settings/feature-settings.js";
import * as s from "../../runtime/contract/settings/setting.js";

const SURFACES = s.list(
  s.choice(["skill", "openai", "anthropic", "typescript", "python"]),
  "What else is emitted to generated/surfaces/: skill (SKILL.md and references for agents), openai and anthropic (tool lists), typescript and python (clients).",
  [],
);

/** All keys. */
export const SURFACE_SETTINGS: readonly FeatureSetting[] = [{ key: "surfaces", after: "reserved", setting: SURFACES }];

/** Names of surfaces. */
type SurfaceNames = s.Written<typeof SURFACES>;

/** A name in `surfaces`. */
export type SurfaceName = SurfaceNames[number];

/** The surfaces that a configuration names; they are checked when the file is read. */
export const surfacesOf = (config: object): SurfaceNames =>
  (config as { readonly surfaces?: SurfaceNames }).surfaces ?? [];
