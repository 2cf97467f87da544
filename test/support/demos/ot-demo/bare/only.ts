export const pack = { summary: "One tool." };

/**
 * Gives one.
 *
 * @kind read
 */
export async function one(): Promise<number> {
  return 1;
}
