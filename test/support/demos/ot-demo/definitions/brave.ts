export const pack = { summary: "Search of the web." };

/**
 * Searches the web for pages.
 *
 * @param args.query - words
 * @kind read
 */
export async function web_search({ query, count = 5 }: { query: string; count?: number }): Promise<string> {
  return `${count} ${query}`;
}
