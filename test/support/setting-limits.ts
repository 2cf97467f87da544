/** Limits of `toolwright.yaml` as tables, for tests that compare them with the documentation. */

import { PROJECT_SETTINGS } from "../../runtime/contract/settings/project-settings.js";
import type { DeclaredKeys } from "../../runtime/contract/settings/setting.js";

/** Default and upper limit of each number of a group. */
const limitsOf = (keys: DeclaredKeys): Readonly<Record<string, readonly [preset: number, ceiling: number]>> =>
  Object.fromEntries(
    Object.entries(keys).flatMap(([name, { preset, maximum }]) =>
      typeof preset === "number" && maximum !== undefined ? [[name, [preset, maximum] as const]] : [],
    ),
  );

const { properties } = PROJECT_SETTINGS.properties.limits;

/** `limits`, without the groups in it. */
export const LIMITS = limitsOf(properties);
/** `limits.http`. */
export const HTTP_LIMITS = limitsOf(properties.http.properties);
/** `limits.socket`. */
export const SOCKET_LIMITS = limitsOf(properties.socket.properties);
