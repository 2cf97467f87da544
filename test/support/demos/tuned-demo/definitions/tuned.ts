/** Ops whose results are read under settings without defaults. */

export const pack = { summary: "Results for a project whose settings all differ from the defaults." };

/**
 * Gives lines.
 *
 * @param args.n - how many
 * @kind read
 */
export function lines(args: { n: number }): string {
  return Array.from({ length: args.n }, (_, i) => `line${i}`).join("\n");
}

/**
 * Gives a text back.
 *
 * @kind read
 */
export function bounce(args: { text: string }): string {
  return args.text;
}

/**
 * Gives a text back, as one of its own.
 *
 * @kind read
 */
export function trusted(args: { text: string }): string {
  return args.text;
}

/**
 * Gives rows.
 *
 * @kind read
 */
export function rows(): { id: number; name: string }[] {
  return [
    { id: 1, name: 'say "one"' },
    { id: 2, name: "two" },
  ];
}

/**
 * Gives no answer.
 *
 * @kind read
 */
export function hang(): Promise<string> {
  return new Promise(() => undefined);
}
