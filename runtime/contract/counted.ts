/** Formats a count with its noun: `1 op`, `2 ops`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
