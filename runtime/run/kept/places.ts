/** Places of calls in a run. */

/** The place of a plan: before all calls. */
export const PLAN_PLACE = "0";

/** The place of a call in its run: its key without the id of the run. */
export const callPlace = ({ key }: { readonly key: string }): string => key.slice(key.indexOf(":") + 1);
