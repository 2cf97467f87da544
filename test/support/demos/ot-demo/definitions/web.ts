export const pack = { summary: "Pages." };

/**
 * Get a page.
 *
 * @kind read
 */
export async function fetch({ url }: { url: string }): Promise<string> {
  return url;
}

/**
 * Get several pages at once.
 *
 * @kind read
 */
export async function fetch_batch({ urls }: { urls: string[] }): Promise<string> {
  return urls.join(" ");
}
