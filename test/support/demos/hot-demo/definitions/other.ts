export const pack = { summary: "Another pack with a tool of the same name." };

/**
 * Searches elsewhere.
 *
 * @kind read
 */
export async function search({ query }: { query: string }): Promise<string> {
  return `elsewhere: ${query}`;
}

/**
 * Served through the gateway alone.
 *
 * @kind read
 */
export async function cold(): Promise<string> {
  return "cold";
}
