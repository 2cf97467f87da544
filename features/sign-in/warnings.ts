/** What is probably a mistake in `access.oauth`. */

import type { WrittenConfig } from "../../runtime/contract/settings/project-settings.js";
import type { PlacedPattern, PlacedWarning } from "../../runtime/gateway/sign-in-part.js";
import { oauthEntry } from "./settings.js";

const ISSUERS = ["access", "oauth", "issuers"];

/** The patterns of packs and ops in grants. */
export const patternsInGrants = ({ access }: WrittenConfig): readonly PlacedPattern[] =>
  (oauthEntry(access).issuers ?? []).flatMap(({ grants }, i) =>
    grants.flatMap(({ packs = [], ops = [] }, j) => {
      const path = [...ISSUERS, i, "grants", j];
      return [
        ...packs.map((one, k): PlacedPattern => ["pack", one, [...path, "packs", k]]),
        ...ops.map((one, k): PlacedPattern => ["op", one, [...path, "ops", k]]),
      ];
    }),
  );

/** Lists with which no caller gets anything. */
export function uselessEntries({ access }: WrittenConfig): readonly PlacedWarning[] {
  const { issuers } = oauthEntry(access);
  if (issuers?.length === 0) return [[ISSUERS, "is empty: no access token is accepted"]];
  return (issuers ?? []).flatMap(({ grants }, i): readonly PlacedWarning[] =>
    grants.length === 0 ? [[[...ISSUERS, i, "grants"], "is empty: every token of this issuer is refused"]] : [],
  );
}
