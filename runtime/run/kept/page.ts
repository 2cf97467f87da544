/** The page of the console on which people decide about the calls of a run. */

/** URL of the page, below that of the server. */
export const approvalPageUrl = (address: string, id: string): string => new URL(`#/approvals/${id}`, address).href;
