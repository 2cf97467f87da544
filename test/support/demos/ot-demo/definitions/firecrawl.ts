export const pack = { summary: "Pages, in a browser." };

/**
 * Reads what a page shows.
 *
 * @kind read
 */
export async function scrape({ url }: { url: string }): Promise<string> {
  return url;
}
