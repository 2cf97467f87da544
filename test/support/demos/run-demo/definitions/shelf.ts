export const pack = { summary: "A pack whose results have a type." };

interface Book {
  title: string;
  pages: number;
}

/**
 * Finds books.
 *
 * @param args.author - who wrote them
 * @kind read
 */
export async function find(args: { author: string }): Promise<{ items: Book[]; total: number }> {
  return { items: [{ title: `by ${args.author}`, pages: 300 }], total: 1 };
}

/**
 * Names titles.
 *
 * @param args.author - who wrote them
 * @kind read
 */
export async function titles(args: { author: string }): Promise<string[]> {
  return [`by ${args.author}`, `said "${args.author}"`];
}
