/** The time. */
export const stamp = (): Date => new Date(0);
